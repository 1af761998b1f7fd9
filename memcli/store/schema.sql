-- What the migrations lead to, in one step. Made by scripts/docs.
CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE op (
  revision INTEGER PRIMARY KEY,          -- place in this store's log
  id       TEXT NOT NULL UNIQUE,         -- place-independent name of the operation
  hlc_ms   INTEGER NOT NULL,             -- hybrid logical clock: wall time, milliseconds ...
  hlc_n    INTEGER NOT NULL,             -- ... and a counter within it
  writer   TEXT NOT NULL,                -- the store that wrote it
  kind     TEXT NOT NULL,
  object   TEXT NOT NULL,
  body     TEXT NOT NULL,                -- canonical JSON: the changed fields only
  actor    TEXT NOT NULL,
  vis      TEXT NOT NULL DEFAULT 'local',
  command  INTEGER NOT NULL              -- revision of the first operation of the same command: what undo takes back
);
CREATE INDEX op_by_object ON op(object);
CREATE INDEX op_by_clock ON op(hlc_ms, hlc_n);
CREATE TABLE thread (
  id         TEXT PRIMARY KEY,
  title      TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE TABLE memory (
  n             INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  thread        TEXT NOT NULL,
  kind          TEXT NOT NULL,
  title         TEXT NOT NULL,
  summary       TEXT NOT NULL,
  tags          TEXT NOT NULL,           -- one a line
  entities      TEXT NOT NULL,           -- one a line
  words         TEXT NOT NULL,           -- what the tokenizer would miss: parts of identifiers, CJK pairs
  anchor        TEXT,                    -- commit it was written on; NULL: holds everywhere
  created_at    INTEGER NOT NULL,        -- milliseconds since 1970 UTC
  updated_at    INTEGER NOT NULL,
  revision      INTEGER NOT NULL,        -- of its last operation
  superseded_by TEXT,
  forgotten     INTEGER NOT NULL,
  pinned        INTEGER NOT NULL,
  suspicious    INTEGER NOT NULL,        -- holds a phrase that gives orders to a model
  source_id     TEXT UNIQUE,             -- its name where it was imported from
  origin        TEXT NOT NULL,           -- who wrote it first: cli, import, init, ...
  shown_title   TEXT,                    -- the title as packs print it, where it had to be shortened
  shown_summary TEXT,
  prompt_tokens INTEGER NOT NULL,        -- cl100k tokens of what a prompt prints for it
  xml_tokens    INTEGER NOT NULL
, session INTEGER NOT NULL DEFAULT 0, prompt INTEGER NOT NULL DEFAULT 0, tools TEXT NOT NULL DEFAULT '', vector BLOB);
CREATE INDEX memory_by_thread ON memory(thread, created_at) WHERE forgotten = 0;
CREATE INDEX memory_by_time ON memory(created_at) WHERE forgotten = 0;
CREATE INDEX memory_by_anchor ON memory(anchor) WHERE forgotten = 0;
CREATE TABLE memory_link (
  from_id    TEXT NOT NULL,
  rel        TEXT NOT NULL,
  to_id      TEXT NOT NULL,              -- a memory's id, or a file's path where rel is 'file'
  hash       TEXT,                       -- SHA-1 of the file's bytes when the link was made
  created_at INTEGER NOT NULL,
  PRIMARY KEY (from_id, rel, to_id)
) WITHOUT ROWID;
CREATE INDEX memory_link_by_target ON memory_link(to_id);
CREATE VIEW memory_text AS
  SELECT n, title, summary, tags, entities, words FROM memory WHERE forgotten = 0;
CREATE VIRTUAL TABLE memory_fts USING fts5(
  title, summary, tags, entities, words,
  content = 'memory_text', content_rowid = 'n', tokenize = 'porter unicode61'
);
CREATE TABLE state (
  id            TEXT PRIMARY KEY,
  reason        TEXT NOT NULL,
  body          TEXT NOT NULL,           -- canonical JSON
  thread        TEXT NOT NULL,
  memory_id     TEXT,                    -- the memory that bears the reason
  created_at    INTEGER NOT NULL,
  hlc_ms        INTEGER NOT NULL,
  hlc_n         INTEGER NOT NULL,
  revision      INTEGER NOT NULL,
  items         TEXT NOT NULL,           -- what packs print of it, one item a line
  prompt_tokens TEXT NOT NULL,           -- cl100k tokens of each item as a prompt prints it, comma-separated
  xml_tokens    TEXT NOT NULL
, ci INTEGER NOT NULL DEFAULT 0);
CREATE INDEX state_by_clock ON state(hlc_ms, hlc_n, id);
CREATE TABLE chunk (
  n             INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  path          TEXT NOT NULL,           -- from the top of the working tree, with slashes
  first_line    INTEGER NOT NULL,
  last_line     INTEGER NOT NULL,
  symbol        TEXT NOT NULL,           -- qualified name of what is defined there, or empty
  thread        TEXT NOT NULL,
  tags          TEXT NOT NULL,
  text          TEXT NOT NULL,
  words         TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  suspicious    INTEGER NOT NULL,
  shown_lines   INTEGER NOT NULL,        -- how many of its lines fit the cap and are printed
  prompt_tokens INTEGER NOT NULL,
  xml_tokens    INTEGER NOT NULL
, artifact INTEGER NOT NULL DEFAULT 0, kind TEXT NOT NULL DEFAULT '', hidden INTEGER NOT NULL DEFAULT 0);
CREATE VIRTUAL TABLE chunk_fts USING fts5(
  locator, text, tags, words,
  content = 'chunk_text', content_rowid = 'n', tokenize = 'porter unicode61'
);
CREATE TABLE anchor (
  id      TEXT PRIMARY KEY,              -- full hash of the commit
  noted   INTEGER NOT NULL DEFAULT 0,    -- 0: not looked at yet; 1: noted; 2: looked for in vain
  at      INTEGER NOT NULL DEFAULT 0,    -- the committer's time, seconds since 1970 UTC
  author  TEXT NOT NULL DEFAULT '',      -- the author's own time and address
  subject TEXT NOT NULL DEFAULT '',
  total   INTEGER NOT NULL DEFAULT 0,    -- how many files it changed
  changes TEXT NOT NULL DEFAULT '',      -- one a line: the blob after it, a space, the path as git quotes it
  patch   TEXT NOT NULL DEFAULT ''       -- digest of what it changed; empty: none, or too much
) WITHOUT ROWID;
CREATE INDEX anchor_due ON anchor(id) WHERE noted = 0;
CREATE TABLE vector (
  kind      TEXT NOT NULL,               -- memory or chunk
  id        TEXT NOT NULL,               -- of what it stands for
  model     TEXT NOT NULL,               -- vectors of different models are never compared
  hash      TEXT NOT NULL,               -- SHA-1 of the text that was encoded: another text makes the vector stale
  dim       INTEGER NOT NULL,
  embedding BLOB NOT NULL,               -- a signed byte for each dimension
  PRIMARY KEY (kind, id)
);
CREATE INDEX memory_by_text ON memory(
  thread,
  replace(replace(replace(replace(title, ' ', ''), char(9), ''), char(10), ''), char(13), ''),
  length(replace(replace(replace(replace(summary, ' ', ''), char(9), ''), char(10), ''), char(13), ''))
) WHERE forgotten = 0 AND superseded_by IS NULL;
CREATE TABLE tree (
  n     INTEGER PRIMARY KEY,
  root  TEXT NOT NULL UNIQUE,
  inode INTEGER NOT NULL,                -- of its git directory, else of itself: finds a tree that was moved
  ingested_at INTEGER NOT NULL DEFAULT 0 -- when it was last read to the end, milliseconds since 1970 UTC
);
CREATE TABLE artifact (
  n        INTEGER PRIMARY KEY,
  path     TEXT NOT NULL,                -- from the top of the tree, with slashes
  hash     TEXT NOT NULL,                -- git's blob id of the file's own bytes
  language TEXT NOT NULL,
  cut_by   TEXT NOT NULL,                -- rules and limits it was cut by: others mean cutting again
  skipped  TEXT NOT NULL DEFAULT '',     -- why its content was not taken in, such as binary: then it has no chunks
  UNIQUE (path, hash)
);
CREATE TABLE tree_file (
  tree     INTEGER NOT NULL REFERENCES tree(n),
  path     TEXT NOT NULL,
  artifact INTEGER NOT NULL REFERENCES artifact(n),
  size     INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,             -- 0: changed while it was read or just before, look at its bytes again
  PRIMARY KEY (tree, path)
) WITHOUT ROWID;
CREATE INDEX tree_file_by_artifact ON tree_file(artifact);
CREATE INDEX chunk_by_artifact ON chunk(artifact);
CREATE INDEX chunk_artifact ON chunk(n, artifact);
CREATE VIEW chunk_text AS
  SELECT n, path || ' ' || symbol AS locator, text, tags, words FROM chunk WHERE NOT hidden;
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
  reply      TEXT NOT NULL,              -- the last thing the agent said in answer
  skipped    TEXT NOT NULL,              -- why its text is not here: private, forgotten; empty otherwise
  files      TEXT NOT NULL,              -- files that were read in answer to it, one a line
  created_at INTEGER NOT NULL,
  UNIQUE (session, number)
);
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
, tool TEXT NOT NULL DEFAULT '', started_at INTEGER NOT NULL DEFAULT 0, finished_at INTEGER NOT NULL DEFAULT 0);
CREATE INDEX job_waiting ON job(session, n) WHERE status IN ('pending', 'processing');
CREATE INDEX job_by_status ON job(status, n);
CREATE TABLE model_call (
  n          INTEGER PRIMARY KEY,
  at         INTEGER NOT NULL,
  purpose    TEXT NOT NULL,              -- memory or summary
  tokens     INTEGER NOT NULL,           -- estimated when it begins, corrected when the answer says
  error      TEXT NOT NULL
);
CREATE INDEX model_call_by_time ON model_call(at);
CREATE INDEX memory_by_session ON memory(session, n) WHERE session > 0;
CREATE INDEX memory_summaries ON memory(created_at) WHERE kind = 'summary' AND forgotten = 0;
CREATE INDEX memory_pinned ON memory(created_at) WHERE pinned = 1 AND forgotten = 0;
CREATE TABLE profile (
  id         TEXT PRIMARY KEY,           -- follows from the key, so that stores that never met agree on it
  key        TEXT NOT NULL,
  value      TEXT NOT NULL,
  updated_at INTEGER NOT NULL,           -- milliseconds since 1970 UTC
  revision   INTEGER NOT NULL            -- of its last operation
) WITHOUT ROWID;
CREATE TABLE note (
  id         TEXT PRIMARY KEY,
  day        TEXT NOT NULL,              -- its date in UTC: 2026-03-01
  text       TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revision   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX note_by_day ON note(day, created_at, id);
CREATE TABLE turn (
  n           INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  engine      TEXT NOT NULL,
  session     TEXT NOT NULL,             -- what the harness calls the session
  mode        TEXT NOT NULL,             -- full, delta or none
  status      TEXT NOT NULL,             -- prepared, success or failed
  cause       TEXT NOT NULL,             -- the event that it answers, as job.dedupe has it; empty: somebody asked
  before      INTEGER NOT NULL,          -- place in the log of what the session was told before, 0: nothing ...
  revision    INTEGER NOT NULL,          -- ... and of this
  stamp       TEXT NOT NULL,             -- JSON: what else the blocks depend on, such as HEAD and the day
  shown       TEXT NOT NULL,             -- JSON: id -> [digest, kind, name] of what a full turn would show, once this is told
  hits        TEXT NOT NULL,             -- JSON: id -> digest of what was told because it was asked for; null: holds no longer
  prepared_at INTEGER NOT NULL           -- milliseconds since 1970 UTC
, size INTEGER NOT NULL DEFAULT 0, memories TEXT NOT NULL DEFAULT '', told TEXT NOT NULL DEFAULT '', tokens INTEGER NOT NULL DEFAULT 0);
CREATE INDEX turn_waiting ON turn(engine, session, n) WHERE status = 'prepared';
CREATE TABLE delivery (
  n        INTEGER PRIMARY KEY,
  engine   TEXT NOT NULL,
  session  TEXT NOT NULL,
  turn     INTEGER NOT NULL,             -- the newest turn that was acknowledged
  revision INTEGER NOT NULL,
  stamp    TEXT NOT NULL,
  shown    TEXT NOT NULL,
  hits     TEXT NOT NULL,
  at       INTEGER NOT NULL,
  UNIQUE (engine, session)
);
CREATE INDEX memory_observed ON memory(created_at) WHERE session > 0 AND kind <> 'summary' AND forgotten = 0;
CREATE INDEX session_by_key ON session(key);
CREATE TABLE passage (
  n             INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order of writing; no number is used twice
  id            TEXT NOT NULL UNIQUE,    -- of what it is a passage of, #, and its place there
  owner         TEXT NOT NULL,           -- id of the prompt or memory
  kind          TEXT NOT NULL,           -- prompt, answer, or the kind of the memory
  thread        TEXT NOT NULL,
  heading       TEXT NOT NULL,
  text          TEXT NOT NULL,
  question      TEXT NOT NULL,           -- what it answers
  words         TEXT NOT NULL,           -- as in memory
  anchor        TEXT,
  created_at    INTEGER NOT NULL,        -- milliseconds since 1970 UTC
  superseded_by TEXT,
  suspicious    INTEGER NOT NULL,
  origin        TEXT NOT NULL,
  session       INTEGER NOT NULL,        -- row of the session, 0 for none
  prompt        INTEGER NOT NULL,        -- number of the prompt within the session
  role          TEXT NOT NULL,           -- of what it states for later sessions, '' for nothing
  statement     TEXT NOT NULL,
  prompt_tokens INTEGER NOT NULL,        -- cl100k tokens in a pack, as in memory
  xml_tokens    INTEGER NOT NULL,
  tags          TEXT NOT NULL,           -- what its session was exposed to before
  vector        BLOB                     -- of the text, as memcli/store/word_vectors.py makes it
, overtaken TEXT NOT NULL DEFAULT '');
CREATE INDEX passage_by_owner ON passage(owner);
CREATE INDEX passage_by_session ON passage(session) WHERE session > 0;
CREATE INDEX passage_by_role ON passage(role, created_at DESC) WHERE role <> '';
CREATE VIRTUAL TABLE passage_fts USING fts5(
  heading, text, question, words, content = 'passage', content_rowid = 'n', tokenize = 'porter unicode61'
);
CREATE INDEX passage_without_vector ON passage(n) WHERE vector IS NULL;
CREATE INDEX memory_without_vector ON memory(n) WHERE vector IS NULL AND origin NOT IN ('hook', 'api');
CREATE TABLE telling (
  session TEXT NOT NULL,                 -- id of the session
  memory  TEXT NOT NULL,
  told_at INTEGER NOT NULL,              -- when it was first told, milliseconds since 1970 UTC
  used_at INTEGER,                       -- when the session first used it
  PRIMARY KEY (session, memory)
) WITHOUT ROWID;
CREATE INDEX telling_by_memory ON telling(memory, told_at, used_at);
CREATE INDEX turn_uncounted ON turn(engine, session) WHERE memories <> '';
CREATE TABLE authored (
  n       INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order in which it happened
  session TEXT NOT NULL,                 -- id of the session
  prompt  INTEGER NOT NULL,              -- number of the prompt within the session
  path    TEXT NOT NULL,                 -- from the top of the working tree; '' for a commit that was made
  anchor  TEXT,                          -- commit that was checked out afterwards
  at      INTEGER NOT NULL,              -- milliseconds since 1970 UTC
  lines   TEXT NOT NULL                  -- digests of the first lines that came in, a space between them
);
CREATE INDEX authored_by_path ON authored(path, n);
CREATE INDEX authored_by_anchor ON authored(anchor);
CREATE INDEX authored_by_session ON authored(session, n);
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
CREATE TABLE working_command (
  program TEXT NOT NULL,
  command TEXT NOT NULL,
  session TEXT NOT NULL,                 -- id of the session that ran it last
  times   INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (program, command)
) WITHOUT ROWID;
CREATE TABLE hint (
  engine  TEXT NOT NULL,
  session TEXT NOT NULL,                 -- what the harness calls it
  subject TEXT NOT NULL,
  at      INTEGER NOT NULL,
  PRIMARY KEY (engine, session, subject)
) WITHOUT ROWID;
CREATE INDEX hint_by_time ON hint(at);
CREATE TABLE rule (
  id         TEXT PRIMARY KEY,
  pattern    TEXT NOT NULL UNIQUE,       -- as it was typed; of a path
  glob       TEXT NOT NULL,              -- of a command, its options last: memcli/text/shell.py
  reason     TEXT NOT NULL,
  blocks     INTEGER NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX passage_by_time ON passage(kind, created_at, n);
CREATE INDEX memory_waiting ON memory(anchor) WHERE forgotten = 0 AND anchor GLOB '* [1-9]*';
CREATE INDEX passage_waiting ON passage(anchor) WHERE anchor GLOB '* [1-9]*';
CREATE TABLE shared (
  object     TEXT PRIMARY KEY,
  is_new     INTEGER NOT NULL,           -- 1: none of its operations was pushed yet, whatever the mark of the log says
  is_stopped INTEGER NOT NULL DEFAULT 0  -- 1: what changes of it stays here
) WITHOUT ROWID;
CREATE INDEX shared_new ON shared(object) WHERE is_new = 1;
CREATE INDEX op_arrived ON op(object) WHERE vis = 'arrived';
CREATE TABLE segment (
  name TEXT PRIMARY KEY                  -- of a segment of operations that was taken in, and need not be read again
) WITHOUT ROWID;
CREATE TABLE remote_ref (
  name TEXT PRIMARY KEY,
  tip  TEXT NOT NULL                     -- the commit that was read last
) WITHOUT ROWID;
CREATE TABLE quarantine (
  id     TEXT PRIMARY KEY,               -- of an operation that waits: dated too far in the future, or of a writer who is not trusted
  writer TEXT NOT NULL,
  hlc_ms INTEGER NOT NULL,
  line   TEXT NOT NULL                   -- as it came
) WITHOUT ROWID;
CREATE TABLE writer (
  id   TEXT PRIMARY KEY,                 -- of another store, as its operations name it
  name TEXT NOT NULL                     -- as its owner calls it
) WITHOUT ROWID;
CREATE INDEX memory_written ON memory(created_at)
  WHERE forgotten = 0 AND pinned = 0 AND kind <> 'summary' AND origin NOT IN ('hook', 'api');
CREATE INDEX chunk_by_thread ON chunk(thread, created_at) WHERE hidden = 0;
CREATE TABLE purged (
  object TEXT PRIMARY KEY                -- taken out of a remote for good: what arrives of it is not taken in, whoever sends it
) WITHOUT ROWID;
CREATE INDEX op_missing ON op(revision) WHERE vis = 'missing';
CREATE INDEX memory_by_kind ON memory(kind, created_at) WHERE forgotten = 0;
CREATE INDEX state_of_people ON state(hlc_ms, hlc_n, id) WHERE ci = 0;
CREATE INDEX memory_passed ON memory(created_at)
  WHERE forgotten = 0 AND kind <> 'summary' AND origin IN ('hook', 'api')
    AND instr(title || char(10) || summary, '` passed') > 0;
CREATE INDEX memory_not_observed ON memory(n) WHERE forgotten = 0 AND origin NOT IN ('hook', 'api');
INSERT INTO memory_fts(memory_fts, rank) VALUES ('crisismerge', 4);
INSERT INTO chunk_fts(chunk_fts, rank) VALUES ('crisismerge', 4);
INSERT INTO passage_fts(passage_fts, rank) VALUES ('crisismerge', 4);
