-- Evidence: pieces of the repository's own text. They can be cut again at any time, so they are not in the operation log.

CREATE TABLE chunk (
  n             INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  path          TEXT NOT NULL,           -- from the top of the working tree, with slashes
  first_line    INTEGER NOT NULL,
  last_line     INTEGER NOT NULL,
  symbol        TEXT NOT NULL,           -- qualified name of what is defined there, or empty
  thread        TEXT NOT NULL,
  tags          TEXT NOT NULL,
  text          TEXT NOT NULL,
  words         TEXT NOT NULL,
  created_at    INTEGER NOT NULL,
  suspicious    INTEGER NOT NULL,
  shown_lines   INTEGER NOT NULL,        -- how many of its lines fit the cap and are printed
  prompt_tokens INTEGER NOT NULL,
  xml_tokens    INTEGER NOT NULL
);
CREATE INDEX chunk_by_path ON chunk(path, first_line);

CREATE VIEW chunk_text AS
  SELECT n, path || ' ' || symbol AS locator, text, tags, words FROM chunk;

CREATE VIRTUAL TABLE chunk_fts USING fts5(
  locator, text, tags, words,
  content = 'chunk_text', content_rowid = 'n', tokenize = 'porter unicode61'
);
