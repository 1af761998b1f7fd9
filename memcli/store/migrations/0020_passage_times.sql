-- An import brings what was said long ago, so passages are weighed in the order of their moments, not of their rows.
CREATE INDEX passage_by_time ON passage(kind, created_at, n);
