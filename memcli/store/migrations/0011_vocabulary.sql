-- The words of an index are read through a table of the connection's own (search.vocabulary). A store that was made before has one in
-- the file, over which a check of every FTS5 table by an SQLite shell stumbles.
DROP TABLE IF EXISTS memory_vocabulary;
DROP TABLE IF EXISTS chunk_vocabulary;
