-- What was ingested: the files of each working tree, and the chunks cut from them. Both can be read again at any time, so they
-- are not in the operation log.

-- A working tree (or plain directory). Trees of one repository share this store, and so do two clones of one origin.
CREATE TABLE tree (
  n     INTEGER PRIMARY KEY,
  root  TEXT NOT NULL UNIQUE,
  inode INTEGER NOT NULL,                -- of its git directory, else of itself: finds a tree that was moved
  ingested_at INTEGER NOT NULL DEFAULT 0 -- when it was last read to the end, milliseconds since 1970 UTC
);

-- One content of one path, cut into chunks once; trees that hold the same content at the same path share it.
CREATE TABLE artifact (
  n        INTEGER PRIMARY KEY,
  path     TEXT NOT NULL,                -- from the top of the tree, with slashes
  hash     TEXT NOT NULL,                -- git's blob id of the file's own bytes
  language TEXT NOT NULL,
  cut_by   TEXT NOT NULL,                -- rules and limits it was cut by: others mean cutting again
  skipped  TEXT NOT NULL DEFAULT '',     -- why its content was not taken in, such as binary: then it has no chunks
  UNIQUE (path, hash)
);

-- Which content a tree holds, and the file's size and time when it was read: with the same ones it is not read again.
CREATE TABLE tree_file (
  tree     INTEGER NOT NULL REFERENCES tree(n),
  path     TEXT NOT NULL,
  artifact INTEGER NOT NULL REFERENCES artifact(n),
  size     INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,             -- 0: changed while it was read or just before, look at its bytes again
  PRIMARY KEY (tree, path)
) WITHOUT ROWID;
CREATE INDEX tree_file_by_artifact ON tree_file(artifact);

-- artifact 0: a text that was given without a file; -1: a forgotten chunk whose file went, kept so that it stays forgotten should
-- its text come back. hidden: forgotten by somebody.
ALTER TABLE chunk ADD COLUMN artifact INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chunk ADD COLUMN kind TEXT NOT NULL DEFAULT '';
ALTER TABLE chunk ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0;
CREATE INDEX chunk_by_artifact ON chunk(artifact);
DROP INDEX chunk_by_path;                              -- files are found by tree_file
DROP INDEX chunk_suspicious;
CREATE INDEX chunk_artifact ON chunk(n, artifact);     -- whose chunk a match is, without reading its text

DROP VIEW chunk_text;
CREATE VIEW chunk_text AS
  SELECT n, path || ' ' || symbol AS locator, text, tags, words FROM chunk WHERE NOT hidden;
