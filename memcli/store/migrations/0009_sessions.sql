-- What agents did here: sessions of a harness, their prompts, and the letterbox of events that are not worked up yet.

CREATE TABLE session (
  n          INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  harness    TEXT NOT NULL,
  key        TEXT NOT NULL,              -- what the harness calls the session
  status     TEXT NOT NULL,              -- active or completed
  reason     TEXT NOT NULL,              -- why it ended: what the harness said, or idle; empty while active
  root       TEXT NOT NULL,              -- top of the working tree it ran in
  prompts    INTEGER NOT NULL,           -- how many it had so far
  summary    TEXT,                       -- id of the memory that sums it up
  started_at INTEGER NOT NULL,
  last_at    INTEGER NOT NULL,
  ended_at   INTEGER,
  UNIQUE (harness, key)
);
CREATE INDEX session_by_time ON session(last_at);

CREATE TABLE prompt (
  n          INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  session    INTEGER NOT NULL REFERENCES session(n),
  number     INTEGER NOT NULL,           -- from 1 within the session
  text       TEXT NOT NULL,
  words      TEXT NOT NULL,
  reply      TEXT NOT NULL,              -- the last thing the agent said in answer
  skipped    TEXT NOT NULL,              -- why its text is not here: private, forgotten; empty otherwise
  files      TEXT NOT NULL,              -- files that were read in answer to it, one a line
  created_at INTEGER NOT NULL,
  UNIQUE (session, number)
);
CREATE VIRTUAL TABLE prompt_fts USING fts5(
  text, words, content = 'prompt', content_rowid = 'n', tokenize = 'porter unicode61'
);

-- One row an event, put there by a hook in one insert. Its payload is redacted before it comes here and goes when it is worked up.
CREATE TABLE job (
  n          INTEGER PRIMARY KEY,
  dedupe     TEXT NOT NULL UNIQUE,       -- harness, session, event and turn or tool id: harnesses fire twice
  harness    TEXT NOT NULL,
  session    TEXT NOT NULL,              -- what the harness calls the session
  event      TEXT NOT NULL,
  payload    TEXT NOT NULL,
  status     TEXT NOT NULL,              -- pending, processing, processed, failed
  attempts   INTEGER NOT NULL,           -- counted when it is claimed
  not_before INTEGER NOT NULL,           -- backoff: not to be claimed earlier
  lease_until INTEGER NOT NULL,          -- whoever claimed it and is not done by then is taken for dead
  claim      TEXT NOT NULL DEFAULT '',   -- who has it: only that claim may finish it
  error      TEXT NOT NULL,
  result     TEXT NOT NULL,              -- id of the memory or prompt that holds it, or the one that absorbed it
  created_at INTEGER NOT NULL
);
CREATE INDEX job_waiting ON job(session, n) WHERE status IN ('pending', 'processing');
CREATE INDEX job_by_status ON job(status, n);

-- Calls to the model that condenses, so that caps on calls an hour and tokens a day hold from one worker to the next.
CREATE TABLE model_call (
  n          INTEGER PRIMARY KEY,
  at         INTEGER NOT NULL,
  purpose    TEXT NOT NULL,              -- memory or summary
  tokens     INTEGER NOT NULL,           -- estimated when it begins, corrected when the answer says
  error      TEXT NOT NULL
);
CREATE INDEX model_call_by_time ON model_call(at);

-- Where an observation or summary comes from; 0 and empty for what somebody wrote on purpose.
ALTER TABLE memory ADD COLUMN session INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memory ADD COLUMN prompt INTEGER NOT NULL DEFAULT 0;   -- number of the prompt within the session
ALTER TABLE memory ADD COLUMN tools TEXT NOT NULL DEFAULT '';      -- names of the tools, one a line
CREATE INDEX memory_by_session ON memory(session, n) WHERE session > 0;

-- What a new session is told, whatever the size of the store.
CREATE INDEX memory_summaries ON memory(created_at) WHERE kind = 'summary' AND forgotten = 0;
CREATE INDEX memory_pinned ON memory(created_at) WHERE pinned = 1 AND forgotten = 0;
