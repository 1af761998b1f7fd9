-- Meanings as vectors, made by `mem embed`. They can be made again at any time, so they are not in the operation log.

CREATE TABLE vector (
  kind      TEXT NOT NULL,               -- memory or chunk
  id        TEXT NOT NULL,               -- of what it stands for
  model     TEXT NOT NULL,               -- vectors of different models are never compared
  hash      TEXT NOT NULL,               -- SHA-1 of the text that was encoded: another text makes the vector stale
  dim       INTEGER NOT NULL,
  embedding BLOB NOT NULL,               -- a signed byte for each dimension
  PRIMARY KEY (kind, id)
);
