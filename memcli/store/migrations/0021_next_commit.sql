-- What was written on a branch before its first own commit has the anchor `COMMIT MOMENT BRANCH` until that commit is made; moment 0
-- says that the branch is gone. Few rows wait at a time, and every write looks for them.
CREATE INDEX memory_waiting ON memory(anchor) WHERE forgotten = 0 AND anchor GLOB '* [1-9]*';
CREATE INDEX passage_waiting ON passage(anchor) WHERE anchor GLOB '* [1-9]*';
