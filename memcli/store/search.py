"""Full-text candidates: bounded work whatever the size of the store.

An OR over common words makes SQLite score every row that holds one. So terms are taken rarest first until their postings
reach a cap: the rare words of a question decide anyway, and the cap bounds the work at a million rows as at a thousand.
"""

from __future__ import annotations

from memcli.records import record
from memcli.store.db import rows, stems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

MAX_POSTINGS = 5_000  # index entries scored for one question; 5,000 cost about 2 ms (scripts/bench.py --scale)
NEWEST = 200  # rows taken, unranked, when even the rarest word is everywhere


@record
class Hit:
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


@record
class ChunkHit:
    """A chunk that matches; `score` as in Hit."""

    n: int
    id: str
    score: float
    suspicious: int


@record
class Filter:
    """Which memories `mem search` may return. Times in ms since 1970; None: any."""

    kind: str | None = None
    thread: str | None = None
    since: int | None = None
    until: int | None = None


def quoted(terms: Sequence[str]) -> str:
    """Returns the FTS5 expression that matches any of the terms; what is in them is text, never syntax."""
    return " OR ".join(['"' + term.replace('"', '""') + '"' for term in terms])


def memories(db: Connection, terms: Sequence[str], weights: Sequence[float], limit: int, only: Filter | None = None) -> list[Hit]:
    """Returns live memories that hold any of the terms, best first.

    `weights` are bm25 column weights: title, summary, tags, entities, words.
    """
    kept, ranked = _affordable(db, "memory", terms)
    if not kept:
        return []
    values = {"match": quoted(kept), "limit": limit if ranked else min(limit, NEWEST), **_named(weights)}
    if only is not None:
        values |= {"kind": only.kind, "thread": only.thread, "since": only.since, "until": only.until}
        return [Hit(*row) for row in rows(db, _FILTERED if ranked else _FILTERED_NEWEST, values)]
    return [Hit(*row) for row in rows(db, _RANKED if ranked else _NEWEST, values)]


def chunks(db: Connection, terms: Sequence[str], weights: Sequence[float], limit: int) -> list[ChunkHit]:
    """Returns chunks that hold any of the terms, best first. `weights`: locator, text, tags, words."""
    kept, ranked = _affordable(db, "chunk", terms)
    if not kept:
        return []
    values = {"match": quoted(kept), "limit": limit if ranked else min(limit, NEWEST), **_named(weights)}
    return [ChunkHit(*row) for row in rows(db, _CHUNKS if ranked else _CHUNKS_NEWEST, values)]


def _named(weights: Sequence[float]) -> dict[str, Any]:
    return {f"w{place}": weight for place, weight in enumerate(weights)}


def snippet(db: Connection, terms: Sequence[str], n: int) -> str:
    """Returns the part of memory `n` that holds most of the terms, about 24 words of one column."""
    sql = "SELECT snippet(memory_fts, 1, '', '', '…', 24) FROM memory_fts WHERE memory_fts MATCH ? AND rowid = ?"
    found = rows(db, sql, (quoted(terms), n))
    return str(found[0][0]) if found and found[0][0] else ""


def _affordable(db: Connection, table: str, terms: Sequence[str]) -> tuple[list[str], bool]:
    """Returns the terms worth asking for, and whether their matches may be ranked."""
    if not terms or rows(db, f"SELECT coalesce(max(n), 0) FROM {table}")[0][0] * len(terms) <= MAX_POSTINGS:
        return list(terms), True
    split = stems(db)
    vocabulary = _vocabulary(db, table)
    held = []
    for term in terms:
        parts = [rows(db, f"SELECT doc FROM {vocabulary} WHERE term = ?", (part,)) for part in split(term)]
        if parts and all(parts):
            held.append((min(part[0][0] for part in parts), term))
    held.sort()
    kept: list[str] = []
    spent = 0
    for postings, term in held:
        if kept and spent + postings > MAX_POSTINGS:
            break
        kept.append(term)
        spent += postings
    return kept, spent <= MAX_POSTINGS


def _vocabulary(db: Connection, table: str) -> str:
    """Returns the name of the table of a text index's terms and how many rows hold each: made for this connection alone."""
    name = f"temp.{table}_vocabulary"
    if not rows(db, "SELECT 1 FROM temp.sqlite_schema WHERE name = ?", (f"{table}_vocabulary",)):
        (guarded,) = rows(db, "PRAGMA query_only")[0]
        rows(db, f"PRAGMA query_only = 0; CREATE VIRTUAL TABLE {name} USING fts5vocab('main', '{table}_fts', 'row')")
        rows(db, f"PRAGMA query_only = {guarded}")
    return name


_SELECT = """
    SELECT memory.n, memory.id, -hit.score, memory.title, memory.thread, memory.anchor, memory.created_at,
           memory.superseded_by, memory.pinned, memory.suspicious
    FROM ({hits}) AS hit JOIN memory ON memory.n = hit.n
    ORDER BY hit.score, memory.id
"""
_RANK = "bm25(memory_fts, :w0, :w1, :w2, :w3, :w4)"
_WANTED = """
    SELECT memory_fts.rowid AS n, {score} AS score
    FROM memory_fts JOIN memory AS wanted ON wanted.n = memory_fts.rowid
    WHERE memory_fts MATCH :match
      AND (:kind IS NULL OR wanted.kind = :kind) AND (:thread IS NULL OR wanted.thread = :thread)
      AND (:since IS NULL OR wanted.created_at >= :since) AND (:until IS NULL OR wanted.created_at < :until)
    ORDER BY {order} LIMIT :limit
"""
_RANKED = _SELECT.format(
    hits=f"SELECT rowid AS n, {_RANK} AS score FROM memory_fts WHERE memory_fts MATCH :match ORDER BY score LIMIT :limit"
)
_NEWEST = _SELECT.format(
    hits="SELECT rowid AS n, 0.0 AS score FROM memory_fts WHERE memory_fts MATCH :match ORDER BY rowid DESC LIMIT :limit"
)
_FILTERED = _SELECT.format(hits=_WANTED.format(score=_RANK, order="score"))
_FILTERED_NEWEST = _SELECT.format(hits=_WANTED.format(score="0.0", order="memory_fts.rowid DESC"))
_CHUNK_SELECT = """
    SELECT chunk.n, chunk.id, -hit.score, chunk.suspicious
    FROM ({hits}) AS hit JOIN chunk ON chunk.n = hit.n
    ORDER BY hit.score, chunk.id
"""
_CHUNKS = _CHUNK_SELECT.format(
    hits="""
        SELECT rowid AS n, bm25(chunk_fts, :w0, :w1, :w2, :w3) AS score
        FROM chunk_fts WHERE chunk_fts MATCH :match ORDER BY score LIMIT :limit
    """
)
_CHUNKS_NEWEST = _CHUNK_SELECT.format(
    hits="SELECT rowid AS n, 0.0 AS score FROM chunk_fts WHERE chunk_fts MATCH :match ORDER BY rowid DESC LIMIT :limit"
)
