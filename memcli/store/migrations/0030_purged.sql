-- What a shared memory does when its remote is wiped, replaced or set back.
CREATE TABLE purged (
  object TEXT PRIMARY KEY                -- taken out of a remote for good: what arrives of it is not taken in, whoever sends it
) WITHOUT ROWID;
CREATE INDEX op_missing ON op(revision) WHERE vis = 'missing';   -- what the next push sends again
