-- Teams of one organisation in one database: a member reads and writes the memory of the repositories of their teams only.
-- Run it once, as the owner of the tables, after a first `mem sync` made them. Then:
--   GRANT mem_teams TO ada;  INSERT INTO mem_team(repo, member) VALUES ('github.com/acme/app', 'ada');

CREATE TABLE IF NOT EXISTS mem_team (
  repo   text NOT NULL,                  -- as `mem sync status` names it: the origin without its protocol
  member text NOT NULL,                  -- a role of the database
  PRIMARY KEY (repo, member)
);

DO $$ BEGIN
  CREATE ROLE mem_teams NOLOGIN;
EXCEPTION WHEN duplicate_object THEN NULL;
END $$;

GRANT SELECT, INSERT, DELETE ON mem_op TO mem_teams;
GRANT SELECT, INSERT, UPDATE ON mem_epoch TO mem_teams;
GRANT SELECT, INSERT ON mem_history TO mem_teams;
GRANT SELECT ON mem_team TO mem_teams;

ALTER TABLE mem_op ENABLE ROW LEVEL SECURITY;
ALTER TABLE mem_epoch ENABLE ROW LEVEL SECURITY;
ALTER TABLE mem_history ENABLE ROW LEVEL SECURITY;

DROP POLICY IF EXISTS mem_op_of_team ON mem_op;
CREATE POLICY mem_op_of_team ON mem_op
  USING (EXISTS (SELECT 1 FROM mem_team WHERE mem_team.repo = mem_op.repo AND member = current_user));

DROP POLICY IF EXISTS mem_epoch_of_team ON mem_epoch;
CREATE POLICY mem_epoch_of_team ON mem_epoch
  USING (EXISTS (SELECT 1 FROM mem_team WHERE mem_team.repo = mem_epoch.repo AND member = current_user));

DROP POLICY IF EXISTS mem_history_of_team ON mem_history;
CREATE POLICY mem_history_of_team ON mem_history
  USING (EXISTS (SELECT 1 FROM mem_team WHERE mem_team.repo = mem_history.repo AND member = current_user));
