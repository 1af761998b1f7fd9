-- Where the work stands: one JSON value, replaced as a whole by each checkpoint. The newest by clock is the current one.

CREATE TABLE state (
  id            TEXT PRIMARY KEY,
  reason        TEXT NOT NULL,
  body          TEXT NOT NULL,           -- canonical JSON
  thread        TEXT NOT NULL,
  memory_id     TEXT,                    -- the memory that bears the reason
  created_at    INTEGER NOT NULL,
  hlc_ms        INTEGER NOT NULL,
  hlc_n         INTEGER NOT NULL,
  revision      INTEGER NOT NULL,
  items         TEXT NOT NULL,           -- what packs print of it, one item a line
  prompt_tokens TEXT NOT NULL,           -- cl100k tokens of each item as a prompt prints it, comma-separated
  xml_tokens    TEXT NOT NULL
);
CREATE INDEX state_by_clock ON state(hlc_ms, hlc_n, id);
