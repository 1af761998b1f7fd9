-- What packs print was counted before more of it was written out: frames of harnesses, names of speakers, characters that hide.
-- Rows that may hold such a text are not counted any more (0): packs count them, until they are written again.

CREATE TEMP TABLE frame(name TEXT NOT NULL);
INSERT INTO frame VALUES
  ('mem-context'), ('c-mem-context'), ('claude-mem-context'), ('memory_context'), ('memory_delta'), ('hook_context'),
  ('hook-context'), ('user-prompt-submit-hook'), ('session-start-hook'), ('post-tool-use-hook'), ('system-reminder'),
  ('system_reminder'), ('system-message'), ('system_message'), ('system-prompt'), ('system_prompt'), ('system_instruction'),
  ('system-instruction'), ('persisted-output'), ('tool_result'), ('tool-result'), ('tool_use'), ('tool_call'), ('tool_response'),
  ('tool_output'), ('function_result'), ('function_call'), ('invoke'), ('antml:'), ('command-name'), ('command-message'),
  ('command-args'), ('local-command-stdout'), ('local-command-caveat'), ('bash-stdout'), ('bash-stderr'), ('environment_context'),
  ('environment_details'), ('user_instructions'), ('user_query'), ('user-message'), ('user_message'), ('additional_context'),
  ('additionalcontext'), ('thinking'), ('start_of_turn'), ('end_of_turn'), ('start_header_id'), ('sys>'), ('extremely_important'),
  ('extremely-important'), ('important-instruction'), ('important_instruction'), ('task-notification'), ('system>'),
  ('assistant>'), ('human>'), ('user>'), ('|'), ('｜');

CREATE TEMP TABLE speaker(name TEXT NOT NULL); -- at the beginning of a line
INSERT INTO speaker VALUES
  ('System:'), ('User:'), ('SYSTEM:'), ('USER:'), ('Developer:'), ('human:'), ('assistant:'), ('Instruction'), ('System');

CREATE TEMP TABLE written_out(kind TEXT NOT NULL, n INTEGER NOT NULL);
WITH
  stored(kind, n, text) AS (
    SELECT 'memory', n, title || char(10) || summary FROM memory
    UNION ALL SELECT 'chunk', n, path || char(10) || symbol || char(10) || text FROM chunk
    UNION ALL SELECT 'state', rowid, items FROM state
  ),
  -- Elements as they are recognised, and the beginnings of lines.
  read(kind, n, text, elements, lines) AS MATERIALIZED (
    SELECT kind, n, text,
      iif(instr(text, '<'), replace(replace(replace(replace(lower(text), '/', ''), ' ', ''), char(9), ''), char(10), ''), ''),
      iif(instr(text, ':') OR instr(text, '### '), char(10) || replace(replace(replace(replace(replace(replace(
        text, ' ', ''), char(9), ''), '>', ''), '*', ''), '-', ''), '#', ''), '')
    FROM stored
  )
INSERT INTO written_out
  SELECT kind, n FROM read
  WHERE instr(text, 'Human:') OR instr(text, 'Assistant:') OR instr(text, 'HUMAN:') OR instr(text, 'ASSISTANT:')
    OR instr(text, '[INST]') OR instr(text, '[/INST]') OR instr(text, '[inst]') OR instr(text, '[/inst]')
    OR (elements <> '' AND EXISTS (SELECT 1 FROM frame WHERE instr(elements, '<' || name)))
    OR (lines <> '' AND EXISTS (SELECT 1 FROM speaker WHERE instr(lines, char(10) || name)))
    OR (length(CAST(text AS BLOB)) > length(text) AND text GLOB '*[' || char(0xAD, 0x34F, 0x61C) || char(0x115F, 0x2D, 0x1160)
      || char(0x17B4, 0x2D, 0x17B5) || char(0x180B, 0x2D, 0x180F) || char(0x200B, 0x2D, 0x200F) || char(0x2028, 0x2D, 0x202E)
      || char(0x2060, 0x2D, 0x206F) || char(0x3164, 0xFEFF, 0xFFA0) || char(0xFE00, 0x2D, 0xFE0F) || char(0xFFF9, 0x2D, 0xFFFF)
      || char(0x1D173, 0x2D, 0x1D17A) || char(0xE0000, 0x2D, 0xE0FFF) || ']*');

UPDATE memory SET prompt_tokens = 0, xml_tokens = 0 WHERE n IN (SELECT n FROM written_out WHERE kind = 'memory');
UPDATE chunk SET prompt_tokens = 0, xml_tokens = 0 WHERE n IN (SELECT n FROM written_out WHERE kind = 'chunk');
-- Of a state the counts of all its items, comma-separated: as many zeros.
UPDATE state SET
  prompt_tokens = rtrim(replace(hex(zeroblob(1 + length(prompt_tokens) - length(replace(prompt_tokens, ',', '')))), '00', '0,'), ','),
  xml_tokens = rtrim(replace(hex(zeroblob(1 + length(xml_tokens) - length(replace(xml_tokens, ',', '')))), '00', '0,'), ',')
  WHERE rowid IN (SELECT n FROM written_out WHERE kind = 'state') AND prompt_tokens <> '';

DROP TABLE temp.written_out;
DROP TABLE temp.speaker;
DROP TABLE temp.frame;
