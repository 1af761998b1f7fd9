-- What an event was and how long it took, for those who read the queue's history once it is processed and its payload is gone.

ALTER TABLE job ADD COLUMN tool TEXT NOT NULL DEFAULT '';               -- the tool of a call, once it is processed
ALTER TABLE job ADD COLUMN started_at INTEGER NOT NULL DEFAULT 0;       -- when it was claimed last, in milliseconds since 1970 UTC
ALTER TABLE job ADD COLUMN finished_at INTEGER NOT NULL DEFAULT 0;      -- when it was processed or given up
