-- What packs print was counted before more of it was written out: frames of harnesses, names of speakers, characters that hide.
-- Rows that may hold such a text are not counted any more (0): packs count them, until they are written again.

CREATE TEMP TABLE frame(name TEXT NOT NULL);
INSERT INTO frame VALUES
  ('mem-context'), ('memory_context'), ('memory_delta'), ('hook_context'), ('hook-context'), ('-hook'), ('system-'), ('system_'),
  ('persisted-output'), ('tool_'), ('tool-result'), ('function_'), ('invoke'), ('antml:'), ('command-'), ('bash-stdout'),
  ('bash-stderr'), ('environment_'), ('user_'), ('user-message'), ('additional_context'), ('additionalcontext'), ('thinking'),
  ('start_of_turn'), ('end_of_turn'), ('header_id'), ('sys>'), ('system>'), ('assistant>'), ('human>'), ('user>'),
  ('important'), ('task-notification'), ('<|'), ('<｜');

CREATE TEMP TABLE written_out(kind TEXT NOT NULL, n INTEGER NOT NULL);
INSERT INTO written_out
  SELECT kind, n FROM (
    SELECT 'memory' AS kind, n, title || ' ' || summary AS text FROM memory
    UNION ALL SELECT 'chunk', n, path || ' ' || symbol || ' ' || text FROM chunk
    UNION ALL SELECT 'state', rowid, items FROM state
  )
  WHERE (instr(text, '<') AND EXISTS (SELECT 1 FROM frame WHERE instr(lower(text), name)))
    OR text LIKE '%human:%' OR text LIKE '%assistant:%' OR text LIKE '%system:%' OR text LIKE '%user:%' OR text LIKE '%developer:%'
    OR text LIKE '%### instruction%' OR text LIKE '%### system%' OR text LIKE '%[inst]%' OR text LIKE '%[/inst]%'
    OR text GLOB '*[' || char(0xAD, 0x34F, 0x61C) || char(0x115F, 0x2D, 0x1160) || char(0x17B4, 0x2D, 0x17B5)
      || char(0x180B, 0x2D, 0x180F) || char(0x200B, 0x2D, 0x200F) || char(0x2028, 0x2D, 0x202E) || char(0x2060, 0x2D, 0x206F)
      || char(0x3164, 0xFEFF, 0xFFA0) || char(0xFE00, 0x2D, 0xFE0F) || char(0xFFF9, 0x2D, 0xFFFF)
      || char(0x1D173, 0x2D, 0x1D17A) || char(0xE0000, 0x2D, 0xE0FFF) || ']*';

UPDATE memory SET prompt_tokens = 0, xml_tokens = 0 WHERE n IN (SELECT n FROM written_out WHERE kind = 'memory');
UPDATE chunk SET prompt_tokens = 0, xml_tokens = 0 WHERE n IN (SELECT n FROM written_out WHERE kind = 'chunk');
-- Of a state the counts of all its items, comma-separated: as many zeros.
UPDATE state SET
  prompt_tokens = rtrim(replace(hex(zeroblob(1 + length(prompt_tokens) - length(replace(prompt_tokens, ',', '')))), '00', '0,'), ','),
  xml_tokens = rtrim(replace(hex(zeroblob(1 + length(xml_tokens) - length(replace(xml_tokens, ',', '')))), '00', '0,'), ',')
  WHERE rowid IN (SELECT n FROM written_out WHERE kind = 'state') AND prompt_tokens <> '';

DROP TABLE temp.written_out;
DROP TABLE temp.frame;
