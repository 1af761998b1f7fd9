-- More is stated, and what is left to do is a passage each: the worker makes the passages of the prompts up to this one again.
INSERT OR REPLACE INTO meta(key, value) SELECT 'without passages: prompt', n FROM prompt ORDER BY n DESC LIMIT 1;
