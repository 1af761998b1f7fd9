-- A memory is one thing worth knowing about a repository. The operation log is the truth;
-- every other table is what the log says now, kept beside it so that reading is one query.

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
CREATE INDEX op_by_object ON op(object);               -- fold one object; find one by a prefix of its id
CREATE INDEX op_by_clock ON op(hlc_ms, hlc_n);         -- the clock's last value

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
);
CREATE INDEX memory_by_thread ON memory(thread, created_at) WHERE forgotten = 0;   -- mem thread, search --thread
CREATE INDEX memory_by_time ON memory(created_at) WHERE forgotten = 0;             -- mem recent, search --since
CREATE INDEX memory_by_anchor ON memory(anchor) WHERE forgotten = 0;               -- every anchor, for one question to git

CREATE TABLE memory_link (
  from_id    TEXT NOT NULL,
  rel        TEXT NOT NULL,
  to_id      TEXT NOT NULL,              -- a memory's id, or a file's path where rel is 'file'
  hash       TEXT,                       -- SHA-1 of the file's bytes when the link was made
  created_at INTEGER NOT NULL,
  PRIMARY KEY (from_id, rel, to_id)
) WITHOUT ROWID;
CREATE INDEX memory_link_by_target ON memory_link(to_id);                          -- what points here

CREATE VIEW memory_text AS
  SELECT n, title, summary, tags, entities, words FROM memory WHERE forgotten = 0;

CREATE VIRTUAL TABLE memory_fts USING fts5(
  title, summary, tags, entities, words,
  content = 'memory_text', content_rowid = 'n', tokenize = 'porter unicode61'
);
