-- How many chunks a thread has, without reading them.
CREATE INDEX chunk_by_thread ON chunk(thread, created_at) WHERE hidden = 0;
