-- Passages of what is long: of prompts, of the answers to them, and of memories. Made from the row that they belong to.

CREATE TABLE passage (
  n             INTEGER PRIMARY KEY AUTOINCREMENT, -- in the order of writing; no number is used twice
  id            TEXT NOT NULL UNIQUE,    -- of what it is a passage of, #, and its place there
  owner         TEXT NOT NULL,           -- id of the prompt or memory
  kind          TEXT NOT NULL,           -- prompt, answer, or the kind of the memory
  thread        TEXT NOT NULL,
  heading       TEXT NOT NULL,
  text          TEXT NOT NULL,
  question      TEXT NOT NULL,           -- what it answers
  words         TEXT NOT NULL,           -- as in memory
  anchor        TEXT,
  created_at    INTEGER NOT NULL,        -- milliseconds since 1970 UTC
  superseded_by TEXT,
  suspicious    INTEGER NOT NULL,
  origin        TEXT NOT NULL,
  session       INTEGER NOT NULL,        -- row of the session, 0 for none
  prompt        INTEGER NOT NULL,        -- number of the prompt within the session
  role          TEXT NOT NULL,           -- of what it states for later sessions, '' for nothing
  statement     TEXT NOT NULL,
  prompt_tokens INTEGER NOT NULL,        -- cl100k tokens in a pack, as in memory
  xml_tokens    INTEGER NOT NULL,
  tags          TEXT NOT NULL,           -- what its session was exposed to before
  vector        BLOB                     -- of the text, as memcli/store/word_vectors.py makes it
);
CREATE INDEX passage_by_owner ON passage(owner);
CREATE INDEX passage_by_session ON passage(session) WHERE session > 0;
CREATE INDEX passage_by_role ON passage(role, created_at DESC) WHERE role <> '';
CREATE VIRTUAL TABLE passage_fts USING fts5(
  heading, text, question, words, content = 'passage', content_rowid = 'n', tokenize = 'porter unicode61'
);

ALTER TABLE memory ADD COLUMN vector BLOB;

-- Those that the worker still has to make a vector for; what hooks saw gets none.
CREATE INDEX passage_without_vector ON passage(n) WHERE vector IS NULL;
CREATE INDEX memory_without_vector ON memory(n) WHERE vector IS NULL AND origin NOT IN ('hook', 'api');

-- Prompts are searched by their passages.
DROP TABLE prompt_fts;
ALTER TABLE prompt DROP COLUMN words;

-- What was stored before: the worker makes passages of the rows up to these.
INSERT INTO meta(key, value) SELECT 'without passages: prompt', n FROM prompt ORDER BY n DESC LIMIT 1;
INSERT INTO meta(key, value) SELECT 'without passages: memory', n FROM memory ORDER BY n DESC LIMIT 1;
