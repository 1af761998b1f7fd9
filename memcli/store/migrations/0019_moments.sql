-- What agents' commands failed with and what made them pass, and which hint each session was given. Not in the operation log: it
-- follows from what happened on this machine, and each store learns it by itself.

CREATE TABLE failure (
  n         INTEGER PRIMARY KEY,
  session   TEXT NOT NULL,               -- id of the session
  prompt    TEXT NOT NULL,               -- id of the prompt, '' for none
  command   TEXT NOT NULL,               -- as it was run, on one line
  failed_at INTEGER NOT NULL,            -- milliseconds since 1970 UTC
  steps     TEXT NOT NULL,               -- JSON: what was done since then, until it passed
  calls     INTEGER NOT NULL,            -- tool calls since then
  proof     TEXT NOT NULL DEFAULT '',    -- the command that passed; '' for not yet
  remedy    TEXT NOT NULL DEFAULT '',    -- what was done before it passed; '' where the command itself was changed
  passed_at INTEGER
);
CREATE INDEX failure_open ON failure(session) WHERE passed_at IS NULL;
CREATE INDEX failure_by_time ON failure(failed_at);

CREATE TABLE failure_line (
  failure  INTEGER NOT NULL,
  template TEXT NOT NULL,                -- memcli/text/signatures.py
  names    TEXT NOT NULL,
  line     TEXT NOT NULL,                -- as it was printed
  PRIMARY KEY (template, names, failure)
) WITHOUT ROWID;
CREATE INDEX failure_line_by_failure ON failure_line(failure);

-- The forms in which a program ran well: `.venv/bin/pytest -q` of pytest.
CREATE TABLE working_command (
  program TEXT NOT NULL,
  command TEXT NOT NULL,
  session TEXT NOT NULL,                 -- id of the session that ran it last
  times   INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (program, command)
) WITHOUT ROWID;

-- What was hinted at in a session, so that it is once.
CREATE TABLE hint (
  engine  TEXT NOT NULL,
  session TEXT NOT NULL,                 -- what the harness calls it
  subject TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (engine, session, subject)
) WITHOUT ROWID;
CREATE INDEX hint_by_time ON hint(at);

-- What the person wants to be reminded of, or forbids, before an agent does it. Written on this machine only, by mem rule add.
CREATE TABLE rule (
  id         TEXT PRIMARY KEY,
  pattern    TEXT NOT NULL UNIQUE,       -- as it was typed; of a path
  glob       TEXT NOT NULL,              -- of a command, its options last: memcli/text/shell.py
  reason     TEXT NOT NULL,
  blocks     INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
