-- States that CI jobs saved stand beside where the work stands for the people; the newest of all others is looked up by itself.

ALTER TABLE state ADD COLUMN ci INTEGER NOT NULL DEFAULT 0;
UPDATE state SET ci = 1 WHERE EXISTS (SELECT 1 FROM op WHERE object = state.id AND kind = 'state' AND (actor = 'ci' OR actor LIKE 'ci@%'));
CREATE INDEX state_of_people ON state(hlc_ms, hlc_n, id) WHERE ci = 0;
