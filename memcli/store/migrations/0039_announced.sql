-- A passage brings what it announces, and code has lines of its own: the worker makes the passages of the prompts up to this one
-- again, and packs count memories that have code until they are written again.
INSERT OR REPLACE INTO meta(key, value) SELECT 'without passages: prompt', n FROM prompt ORDER BY n DESC LIMIT 1;
UPDATE memory SET prompt_tokens = 0, xml_tokens = 0 WHERE instr(summary, '```') OR instr(summary, '~~~');
