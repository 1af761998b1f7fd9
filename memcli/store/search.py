"""Full-text candidates: bounded work whatever the size of the store.

An OR over common words makes SQLite score every row that holds one. So terms are taken rarest first until their postings
reach a cap: the rare words of a question decide anyway, and the cap bounds the work at a million rows as at a thousand. Where
every word is common, the newest rows that hold one are ranked.
"""

from __future__ import annotations

from memcli.records import Record, many
from memcli.store.db import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

    Filter = dict[str, str | int | None]  # kind, thread, since, until (ms since 1970); what is missing or None: any

MAX_POSTINGS = 3_000  # memories scored for one question, about 1 us each (scripts/bench.py --scale)
MAX_CHUNK_POSTINGS = 500  # chunks are many and long, and a pack prints a handful
COUNTED_TERMS = 24  # terms whose postings are counted at a time
COMMON_TERMS = 4  # terms, the longest, that are asked for where every one is common


class Hit(Record):
    """A memory that matches, with what ranking needs of it. `score` is SQLite's bm25 with its sign turned: more is better."""

    n: int
    id: str
    score: float
    title: str
    thread: str
    anchor: str | None
    created_at: int
    superseded_by: str | None
    pinned: int
    suspicious: int


def quoted(terms: Sequence[str]) -> str:
    """Returns the FTS5 expression that matches any of the terms; what is in them is text, never syntax."""
    return " OR ".join(['"' + term.replace('"', '""') + '"' for term in terms])


def memories(db: Connection, terms: Sequence[str], weights: Sequence[float], limit: int, only: Filter | None = None) -> list[Hit]:
    """Returns live memories that hold any of the terms, best first.

    `weights` are bm25 column weights: title, summary, tags, entities, words.
    """
    wanted = affordable(db, "memory", terms, MAX_POSTINGS)
    if not wanted:
        return []
    values = {"match": quoted(wanted), "limit": limit, "window": MAX_POSTINGS, **_named(weights)}
    if only is None:
        return many(Hit, rows(db, _MEMORIES, values))
    anything = dict.fromkeys(("kind", "thread", "since", "until"))
    return many(Hit, rows(db, _FILTERED, {**values, **anything, **only}))


def chunks(db: Connection, terms: Sequence[str], weights: Sequence[float], limit: int) -> list[tuple[int, int]]:
    """Returns chunks that hold any of the terms, best first, as (row number, whether suspicious).

    `weights` are bm25 column weights: locator, text, tags, words.
    """
    wanted = affordable(db, "chunk", terms, MAX_CHUNK_POSTINGS)
    if not wanted:
        return []
    values = {"match": quoted(wanted), "limit": limit, "window": MAX_CHUNK_POSTINGS, **_named(weights)}
    return rows(db, _CHUNKS, values)


def _named(weights: Sequence[float]) -> dict[str, Any]:
    return {f"w{place}": weight for place, weight in enumerate(weights)}


def snippet(db: Connection, terms: Sequence[str], n: int) -> str:
    """Returns the part of memory `n` that holds most of the terms, about 24 words of one column."""
    sql = "SELECT snippet(memory_fts, 1, '', '', '…', 24) FROM memory_fts WHERE memory_fts MATCH ? AND rowid = ?"
    found = rows(db, sql, (quoted(terms), n))
    return str(found[0][0]) if found and found[0][0] else ""


def affordable(db: Connection, table: str, terms: Sequence[str], cap: int) -> list[str]:
    """Returns the terms worth asking for: all in a small store, else the rarest as far as `cap` postings go."""
    if not terms or rows(db, f"SELECT coalesce(max(n), 0) FROM {table}")[0][0] <= cap:
        return list(terms)
    longest = sorted(terms, key=lambda term: (-len(term), term))
    held: list[tuple[int, int, str]] = []
    for start in range(0, len(longest), COUNTED_TERMS):  # of a pasted text the longest words; the rest where nothing holds those
        some = longest[start : start + COUNTED_TERMS]
        held = sorted(one for one in [(_postings(db, table, term, cap), -len(term), term) for term in some] if one[0])
        if held:
            break
    wanted: list[str] = []
    spent = 0
    for count, _, term in held:
        spent += count
        if spent > cap:
            break
        wanted.append(term)
    return wanted or [term for _, _, term in held[:COMMON_TERMS]]


def _postings(db: Connection, table: str, term: str, cap: int) -> int:
    """Returns how many rows hold a term, counted no further than the cap."""
    sql = f"SELECT count(*) FROM (SELECT 1 FROM {table}_fts WHERE {table}_fts MATCH ? LIMIT ?)"
    return int(rows(db, sql, (quoted([term]), cap + 1))[0][0])


_WINDOW = """
    SELECT rowid AS n, bm25(memory_fts, :w0, :w1, :w2, :w3, :w4) AS score
    FROM memory_fts WHERE memory_fts MATCH :match ORDER BY rowid DESC LIMIT :window
"""
_FILTERED_WINDOW = """
    SELECT memory_fts.rowid AS n, bm25(memory_fts, :w0, :w1, :w2, :w3, :w4) AS score
    FROM memory_fts JOIN memory AS wanted ON wanted.n = memory_fts.rowid
    WHERE memory_fts MATCH :match
      AND (:kind IS NULL OR wanted.kind = :kind) AND (:thread IS NULL OR wanted.thread = :thread)
      AND (:since IS NULL OR wanted.created_at >= :since) AND (:until IS NULL OR wanted.created_at < :until)
    ORDER BY memory_fts.rowid DESC LIMIT :window
"""
_BEST = """
    SELECT memory.n, memory.id, -hit.score, memory.title, memory.thread, memory.anchor, memory.created_at,
           memory.superseded_by, memory.pinned, memory.suspicious
    FROM (SELECT n, score FROM ({window}) ORDER BY score LIMIT :limit) AS hit JOIN memory ON memory.n = hit.n
    ORDER BY hit.score, memory.id
"""
_MEMORIES = _BEST.format(window=_WINDOW)
_FILTERED = _BEST.format(window=_FILTERED_WINDOW)
_CHUNKS = """
    SELECT chunk.n, chunk.suspicious
    FROM (
        SELECT n, score
        FROM (
            SELECT rowid AS n, bm25(chunk_fts, :w0, :w1, :w2, :w3) AS score
            FROM chunk_fts WHERE chunk_fts MATCH :match ORDER BY rowid DESC LIMIT :window
        )
        ORDER BY score LIMIT :limit
    ) AS hit JOIN chunk ON chunk.n = hit.n
    ORDER BY hit.score, chunk.id
"""
