-- What somebody wrote, newest first: a session that starts is told it, however much hooks saw since.
CREATE INDEX memory_written ON memory(created_at)
  WHERE forgotten = 0 AND pinned = 0 AND kind <> 'summary' AND origin NOT IN ('hook', 'api');
