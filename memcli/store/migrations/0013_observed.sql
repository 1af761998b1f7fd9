-- How many observations there are and which are the newest, and which session a harness calls so, whatever the size of the store.

CREATE INDEX memory_observed ON memory(created_at) WHERE session > 0 AND kind <> 'summary' AND forgotten = 0;
CREATE INDEX session_by_key ON session(key);
