-- Who wrote a match, without reading its text: what people wrote is searched for among thousands of rows that hooks wrote.
CREATE INDEX memory_origin ON memory(n, origin) WHERE forgotten = 0;
