-- What is kept word for word and outside of any ranking: what holds for good under a key, and notes of a day.

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
CREATE INDEX note_by_day ON note(day, created_at, id);                             -- mem note list, show
