-- When a memory was written becomes words that can be asked for: march 2026 202603 20260314 (memcli/text/dates.py, `words`).
CREATE TEMP TABLE month_name AS
  SELECT key + 1 AS number, value AS name FROM json_each('["january","february","march","april","may","june",
    "july","august","september","october","november","december"]');
UPDATE memory SET words = trim(words || ' ' || (
  SELECT name || strftime(' %Y %Y%m %Y%m%d', memory.created_at / 1000, 'unixepoch') FROM month_name
  WHERE number = CAST(strftime('%m', memory.created_at / 1000, 'unixepoch') AS INTEGER)
));
DROP TABLE month_name;
INSERT INTO memory_fts(memory_fts) VALUES ('rebuild');

-- Whether a chunk gives orders to a model stands behind its long text: found without reading that.
CREATE INDEX chunk_suspicious ON chunk(n) WHERE suspicious;

-- A word is looked up in every segment of an index, and each write makes a segment: merge at 4 alike instead of 16.
INSERT INTO memory_fts(memory_fts, rank) VALUES ('crisismerge', 4);
INSERT INTO chunk_fts(chunk_fts, rank) VALUES ('crisismerge', 4);
