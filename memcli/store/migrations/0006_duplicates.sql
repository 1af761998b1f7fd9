-- What says the same as a new memory, spaces apart: found by one probe, at every add. Only live memories count.

CREATE INDEX memory_by_text ON memory(
  thread,
  replace(replace(replace(replace(title, ' ', ''), char(9), ''), char(10), ''), char(13), ''),
  length(replace(replace(replace(replace(summary, ' ', ''), char(9), ''), char(10), ''), char(13), ''))
) WHERE forgotten = 0 AND superseded_by IS NULL;
