-- Which session changed which file, on which commit, and which commits it made: what leads from a line to its reason.
-- Paths, ids and digests only; not in the operation log, because it is seen by the hooks of one machine.

CREATE TABLE authored (
  n       INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order in which it happened
  session TEXT NOT NULL,                 -- id of the session
  prompt  INTEGER NOT NULL,              -- number of the prompt within the session
  path    TEXT NOT NULL,                 -- from the top of the working tree; '' for a commit that was made
  anchor  TEXT,                          -- commit that was checked out afterwards
  at      INTEGER NOT NULL,              -- milliseconds since 1970 UTC
  lines   TEXT NOT NULL                  -- digests of the first lines that came in, a space between them
);
CREATE INDEX authored_by_path ON authored(path, n);
CREATE INDEX authored_by_anchor ON authored(anchor);
CREATE INDEX authored_by_session ON authored(session, n);

INSERT INTO authored(session, prompt, path, anchor, at, lines)
  SELECT session.id, memory.prompt, memory_link.to_id, memory.anchor, memory.created_at, ''
  FROM memory JOIN session ON session.n = memory.session JOIN memory_link ON memory_link.from_id = memory.id
  WHERE memory.session > 0 AND memory.kind <> 'summary' AND memory.origin IN ('hook', 'api')
    AND memory.title LIKE 'Edited %' AND memory_link.rel IN ('file', 'edited')
  ORDER BY memory.n;
INSERT INTO authored(session, prompt, path, anchor, at, lines)
  SELECT session.id, memory.prompt, '', memory.anchor, memory.created_at, ''
  FROM memory JOIN session ON session.n = memory.session
  WHERE memory.session > 0 AND memory.origin IN ('hook', 'api') AND memory.title LIKE 'Committed: %'
  ORDER BY memory.n;
