-- What a turn told, so that a person can look at it afterwards: which blocks, with their digests and tokens, what stayed out and why.
-- Names and digests, never text, as in `shown`.

ALTER TABLE turn ADD COLUMN told TEXT NOT NULL DEFAULT '';
