-- Which memories sessions were told, and whether they used them. Ids and moments only; not in the operation log, because it says
-- nothing about the repository: it is counted in each store by itself.

CREATE TABLE telling (
  session TEXT NOT NULL,                 -- id of the session
  memory  TEXT NOT NULL,
  told_at INTEGER NOT NULL,              -- when it was first told, milliseconds since 1970 UTC
  used_at INTEGER,                       -- when the session first used it
  PRIMARY KEY (session, memory)
) WITHOUT ROWID;
CREATE INDEX telling_by_memory ON telling(memory, told_at, used_at);

-- What a turn tells: bytes of its text, and as JSON the ids of its memories until the worker has counted them; empty for none.
ALTER TABLE turn ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turn ADD COLUMN memories TEXT NOT NULL DEFAULT '';
CREATE INDEX turn_uncounted ON turn(engine, session) WHERE memories <> '';
