-- What packs print was counted before more of it was written out: frames of more harnesses, and letters that look like others.
-- Rows that may hold such a text are not counted any more (0): packs count them, until they are written again.

CREATE TEMP TABLE frame(name TEXT NOT NULL); -- how the names of elements begin
INSERT INTO frame VALUES
  ('system'), ('user'), ('assistant'), ('developer'), ('human'), ('agent'), ('subagent'), ('teammate'), ('tool'), ('function'),
  ('command'), ('bash'), ('hook'), ('session'), ('environment'), ('ide'), ('memory'), ('untrusted'), ('cursor'), ('workspace'),
  ('local-command'), ('im-start'), ('im-end'), ('turn-aborted'), ('collaboration-mode'), ('personality-spec'),
  ('attached-files'), ('always-applied'), ('current-datetime'), ('reminder'), ('claude-md'), ('external-untrusted'),
  ('end-external-untrusted'), ('file-contents'), ('open-and-recently'), ('instructions'), ('skill'), ('permissions'), ('channel'),
  ('attachment'), ('think'), ('claudemd'), ('turnaborted'), ('additional'), ('extremely'), ('important');

CREATE TEMP TABLE speaker(name TEXT NOT NULL); -- at the beginning of a line
INSERT INTO speaker VALUES ('system'), ('user'), ('developer'), ('tool'), ('human'), ('assistant'), ('function');

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
      iif(instr(text, '<'), replace(replace(replace(replace(replace(lower(text), '/', ''), ' ', ''), char(9), ''), char(10), ''),
        '_', '-'), ''),
      iif(instr(text, ':'), char(10) || replace(replace(replace(replace(replace(replace(
        lower(text), ' ', ''), char(9), ''), '>', ''), '*', ''), '-', ''), '#', ''), '')
    FROM stored
  )
INSERT INTO written_out
  SELECT kind, n FROM read
  WHERE instr(text, '--- End of content ---') OR instr(text, '--- Content from referenced files ---')
    OR (elements <> '' AND EXISTS (SELECT 1 FROM frame WHERE instr(elements, '<' || name)))
    OR (lines <> '' AND EXISTS (SELECT 1 FROM speaker WHERE instr(lines, char(10) || name)))
    -- Look-alikes: phonetic, Greek, Cyrillic, mathematical and wide letters, dashes in an element, angles and colons.
    OR (length(CAST(text AS BLOB)) > length(text) AND (instr(text, '<') OR instr(text, ':')) AND text GLOB '*['
      || char(0x250, 0x2D, 0x2D1) || char(0x370, 0x2D, 0x52F) || char(0x1D00, 0x2D, 0x1DBF) || char(0x2100, 0x2D, 0x214F)
      || char(0x2460, 0x2D, 0x24FF) || char(0xA720, 0x2D, 0xA7FF) || char(0xFF01, 0x2D, 0xFF5E)
      || char(0x1D400, 0x2D, 0x1D7FF) || ']*')
    OR (instr(text, '<') AND text GLOB '*[' || char(0x2010, 0x2D, 0x2015) || char(0x2212) || ']*')
    OR text GLOB '*[' || char(0x2039, 0x2236, 0x2329, 0x276E, 0x27E8, 0x3008, 0xA789, 0xFE13, 0xFE55, 0xFE64, 0xFF1A, 0xFF1C) || ']*';

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
