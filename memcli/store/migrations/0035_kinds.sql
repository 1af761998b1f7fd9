-- Memories of a kind, newest first: a question for all of a kind that few or none are of read the whole table.

CREATE INDEX memory_by_kind ON memory(kind, created_at) WHERE forgotten = 0;
