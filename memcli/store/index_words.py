"""The words of a full-text index: their stems, and which ones it holds."""

from __future__ import annotations

from memcli.store import rows
from memcli.store.search import quoted, stemmer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection


def stems(db: Connection, words: Sequence[str], *tokenizers: str) -> list[str]:
    """Returns each word as the index holds it; empty for one that is split or dropped. `tokenizers`: as in `search.stemmer`."""
    pieces = map(stemmer(db, *tokenizers), words)
    return [piece[0] if len(piece) == 1 else "" for piece in pieces]


def as_written(db: Connection, word: str) -> str:
    """Returns how something stored writes a word: it may have another ending there. `word` itself where nothing holds it."""
    for table in ("memory", "passage", "chunk"):
        sql = f"SELECT snippet({table}_fts, -1, char(1), char(2), '', 4) FROM {table}_fts WHERE {table}_fts MATCH ? LIMIT 1"
        for (text,) in rows(db, sql, (quoted(word),)):
            return str(text).partition("\x01")[2].partition("\x02")[0].lower() or word
    return word


def vocabulary(db: Connection, table: str, start: str, shortest: int, longest: int) -> list[tuple[str, int]]:
    """Returns the stems of an index that begin with `start`, of such lengths, with the number of rows that hold each."""
    _read_words_of(db, table)
    sql = f"SELECT term, doc FROM temp.{table}_vocabulary WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?"
    return rows(db, sql, (start, start[:-1] + chr(ord(start[-1]) + 1), shortest, longest))


def _read_words_of(db: Connection, table: str) -> None:
    """Makes the words of an index readable on this connection; a reader may make such a table, which is in no file of ours."""
    if rows(db, "SELECT 1 FROM temp.sqlite_schema WHERE name = ?", (f"{table}_vocabulary",)):
        return
    ((query_only,),) = rows(db, "PRAGMA query_only")
    rows(db, "PRAGMA query_only = 0")
    rows(db, f"CREATE VIRTUAL TABLE temp.{table}_vocabulary USING fts5vocab(main, {table}_fts, row)")
    rows(db, f"PRAGMA query_only = {query_only}")
