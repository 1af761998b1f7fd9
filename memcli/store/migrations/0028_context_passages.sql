-- States, entries of the profile and notes are found by what they say: the worker makes passages of those that are stored.

INSERT OR REPLACE INTO meta(key, value) SELECT 'without passages: context', '' WHERE EXISTS (
  SELECT 1 FROM state UNION ALL SELECT 1 FROM profile UNION ALL SELECT 1 FROM note
);

-- What agents said is told without what they were only glad of or announced: the worker makes the passages of prompts anew.
INSERT OR REPLACE INTO meta(key, value) SELECT 'without passages: prompt', n FROM prompt ORDER BY n DESC LIMIT 1;
