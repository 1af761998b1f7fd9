-- What the commits changed that memories were written on: enough to see where a change went when its commit is gone.
-- Not in the log, because it says nothing about a memory and can be read from the repository while the commit is there.

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
CREATE INDEX anchor_due ON anchor(id) WHERE noted = 0;                             -- what a write has to look at

INSERT INTO anchor(id) SELECT DISTINCT anchor FROM memory WHERE anchor IS NOT NULL;
