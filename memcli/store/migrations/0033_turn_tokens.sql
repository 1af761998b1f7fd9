-- How many tokens a turn told, counted when it was prepared. Of turns that were prepared before, about as many as their bytes are.

ALTER TABLE turn ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
UPDATE turn SET tokens = size / 4;
