-- What sessions of agents were told, so that each turn tells only what is new. Names and digests of what was printed, never its
-- text; not in the operation log, because it says nothing about the repository.

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
);
CREATE INDEX turn_waiting ON turn(engine, session, n) WHERE status = 'prepared';

-- What a session was told, as far as that is acknowledged.
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
