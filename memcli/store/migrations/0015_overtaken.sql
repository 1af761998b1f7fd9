-- How a passage was superseded: done, reverted, fixed, or removed and what of it; '' for what an older version decided, and for none.
ALTER TABLE passage ADD COLUMN overtaken TEXT NOT NULL DEFAULT '';

-- What an agent only announced is no passage any more: the worker makes those of the prompts up to this one again.
INSERT OR REPLACE INTO meta(key, value) SELECT 'without passages: prompt', n FROM prompt ORDER BY n DESC LIMIT 1;
