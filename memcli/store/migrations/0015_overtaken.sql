-- How a passage was superseded: done, reverted, fixed, or removed and what of it; '' for what an older version decided, and for none.
ALTER TABLE passage ADD COLUMN overtaken TEXT NOT NULL DEFAULT '';
