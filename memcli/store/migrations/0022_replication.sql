-- What other stores are given of this memory, and what was taken in from them.

CREATE TABLE shared (
  object     TEXT PRIMARY KEY,
  is_new     INTEGER NOT NULL,           -- 1: none of its operations was pushed yet, whatever the mark of the log says
  is_stopped INTEGER NOT NULL DEFAULT 0  -- 1: what changes of it stays here
) WITHOUT ROWID;
CREATE INDEX shared_new ON shared(object) WHERE is_new = 1;

CREATE INDEX op_arrived ON op(object) WHERE vis = 'arrived';   -- what a pull is to bring into the tables

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
