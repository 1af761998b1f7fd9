-- What is quoted states nothing: the worker makes the passages of the prompts up to this one again.
INSERT OR REPLACE INTO meta(key, value) SELECT 'without passages: prompt', n FROM prompt ORDER BY n DESC LIMIT 1;
