-- The words of an index are read through a table of the connection's own (search.vocabulary): the file holds nothing that a check of
-- every FTS5 table by an SQLite shell stumbles over.
DROP TABLE IF EXISTS memory_vocabulary;
DROP TABLE IF EXISTS chunk_vocabulary;
