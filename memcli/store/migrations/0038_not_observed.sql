-- What somebody wrote on purpose is little beside what hooks saw: an index of that alone is small, and looking into it quick.
DROP INDEX memory_origin;
CREATE INDEX memory_not_observed ON memory(n) WHERE forgotten = 0 AND origin NOT IN ('hook', 'api');
