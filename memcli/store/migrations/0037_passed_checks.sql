-- What hooks saw of tests and builds that passed, newest first: the start of each session reads the last of them.
CREATE INDEX memory_passed ON memory(created_at)
  WHERE forgotten = 0 AND kind <> 'summary' AND origin IN ('hook', 'api')
    AND instr(title || char(10) || summary, '` passed') > 0;

-- A word is looked up in each segment of an index, and each prompt that is stored makes one.
INSERT INTO passage_fts(passage_fts, rank) VALUES ('crisismerge', 4);
