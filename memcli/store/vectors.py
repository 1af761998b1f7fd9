"""Vectors of memories and chunks: kept, compared, and taken out when what they stand for is gone.

Cosines are computed by the sqlite-vec extension where it is installed. It is loaded by its path: importing its package would
cost more than the search. Without it plain Python compares, and looks at fewer rows.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Sequence
from operator import mul
from typing import TYPE_CHECKING

import apsw
from apsw import Connection

from memcli.records import Record, many
from memcli.store import first, rows
from memcli.store.search import FILTERS, OF_MEMORY, PASSES, Hit, chunks_of_tree

if TYPE_CHECKING:
    from memcli.store.search import Filter  # defined for type checking only

MEMORY, CHUNK = "memory", "chunk"
KINDS = (MEMORY, CHUNK)
SCANNED = 50_000  # newest vectors that a question is compared with, some 2 us each
SCANNED_PLAIN = 1_000  # the same where plain Python compares, some 60 us each
_PACKAGE = "sqlite_vec"


class Vector(Record):
    """A vector to be kept: `hash` of the text that was encoded, `embedding` a signed byte for each dimension."""

    kind: str
    id: str
    model: str
    hash: str
    embedding: bytes


class EncodableText(Record):
    """What can be encoded: a memory's title and summary, or a chunk's place and text."""

    n: int
    id: str
    title: str
    text: str


def texts(db: Connection, kind: str, after: int, limit: int) -> list[EncodableText]:
    """Returns live memories, or chunks that are not hidden, in the order they were stored, those behind row `after`."""
    return many(EncodableText, rows(db, _MEMORY_TEXTS if kind == MEMORY else _CHUNK_TEXTS, (after, limit)))


def save(db: Connection, vectors: Sequence[Vector]) -> None:
    """Writes vectors, replacing older ones, inside the caller's transaction."""
    for vector in vectors:
        values = (vector.kind, vector.id, vector.model, vector.hash, len(vector.embedding), vector.embedding)
        rows(db, "INSERT OR REPLACE INTO vector(kind, id, model, hash, dim, embedding) VALUES (?, ?, ?, ?, ?, ?)", values)


def hashes(db: Connection, kind: str, model: str, ids: Sequence[str]) -> dict[str, str]:
    """Returns, of those of the ids that have a vector of the model, the hash of the text that was encoded."""
    marks = ", ".join("?" for _ in ids)
    return dict(rows(db, f"SELECT id, hash FROM vector WHERE kind = ? AND model = ? AND id IN ({marks})", (kind, model, *ids)))


def remove_orphans(db: Connection) -> int:
    """Takes out the vectors of what is forgotten or gone, inside the caller's transaction. Returns how many."""
    rows(db, "DELETE FROM vector WHERE kind = 'memory' AND id NOT IN (SELECT id FROM memory WHERE forgotten = 0)")
    removed = db.changes()
    rows(db, "DELETE FROM vector WHERE kind = 'chunk' AND id NOT IN (SELECT id FROM chunk WHERE hidden = 0)")
    return int(removed + db.changes())


def dimensions(db: Connection, model: str) -> int:
    """Returns the length of a model's vectors here; 0 where there is none."""
    row = first(db, "SELECT dim FROM vector WHERE model = ? LIMIT 1", (model,))
    return int(row[0]) if row else 0


def nearest(db: Connection, kind: str, model: str, question: bytes, limit: int) -> list[tuple[str, float]]:
    """Returns the ids nearest to a question with their cosines, nearest first, among the newest vectors of the model."""
    values = {"kind": kind, "model": model, "dim": len(question), "question": question, "limit": limit}
    if load_extension(db):
        return rows(db, _NEAREST, {**values, "scanned": SCANNED})
    compare = _cosine(question)
    vectors = rows(db, _NEWEST, {**values, "scanned": SCANNED_PLAIN})
    near = sorted([(-compare(embedding), item_id) for item_id, embedding in vectors])[:limit]
    return [(item_id, -distance) for distance, item_id in near]


def cosines(db: Connection, kind: str, model: str, question: bytes, ids: Sequence[str]) -> dict[str, float]:
    """Returns the cosine with a question of those of the ids that have a vector of the model."""
    marks = ", ".join(f":id{position}" for position in range(len(ids)))
    chosen = f"FROM vector WHERE kind = :kind AND model = :model AND dim = :dim AND id IN ({marks})"
    values = {
        "kind": kind,
        "model": model,
        "dim": len(question),
        **{f"id{position}": item_id for position, item_id in enumerate(ids)},
    }
    if load_extension(db):
        return dict(rows(db, f"SELECT id, {_CLOSENESS} {chosen}", {**values, "question": question}))
    compare = _cosine(question)
    return {item_id: compare(embedding) for item_id, embedding in rows(db, f"SELECT id, embedding {chosen}", values)}


def hits(db: Connection, ids: Sequence[str], only: Filter | None = None) -> list[Hit]:
    """Returns live memories by their ids as hits that no word led to, those that the filter lets through."""
    marks = ", ".join(f":id{position}" for position in range(len(ids)))
    no_filter: dict[str, object] = dict.fromkeys(FILTERS)
    values = {**no_filter, **(only or {}), **{f"id{position}": item_id for position, item_id in enumerate(ids)}}
    condition = f"id IN ({marks}) AND forgotten = 0 AND {PASSES['memory'].format(rowid='memory.n')}"
    return many(Hit, rows(db, f"SELECT {OF_MEMORY} FROM memory WHERE {condition}", values))


def chunk_numbers(db: Connection, ids: Sequence[str], only: Filter | None = None) -> dict[str, int]:
    """Returns the row numbers of chunks that are not hidden and give no orders to a model, by id. `only`: a tree's."""
    marks = ", ".join("?" for _ in ids)
    numbers = dict(rows(db, f"SELECT id, n FROM chunk WHERE suspicious = 0 AND hidden = 0 AND id IN ({marks})", ids))
    if only is None:
        return numbers
    in_tree = chunks_of_tree(db, numbers.values(), only)
    return {chunk_id: n for chunk_id, n in numbers.items() if n in in_tree}


def load_extension(db: Connection) -> bool:
    """Loads sqlite-vec into the connection, if it is installed and fits. Returns whether it is there."""
    path = extension_path()
    if path is None:
        return False
    try:
        db.enable_load_extension(True)
        try:
            db.load_extension(path)
        finally:
            db.enable_load_extension(False)
        return True
    except (apsw.Error, AttributeError):  # another platform's file, or an SQLite without extensions
        return False


def extension_path() -> str | None:
    """Returns where sqlite-vec's library is, without importing its package; None where it is not installed."""
    spec = importlib.util.find_spec(_PACKAGE)
    directories = list(spec.submodule_search_locations or ()) if spec else []
    return os.path.join(directories[0], "vec0") if directories else None


def _cosine(question: bytes) -> Callable[[bytes], float]:
    """Returns a function that gives the cosine of a vector with the question."""
    ours = memoryview(question).cast("b").tolist()
    length = sum(map(mul, ours, ours)) ** 0.5

    def compare(embedding: bytes) -> float:
        theirs = memoryview(embedding).cast("b").tolist()
        return float(sum(map(mul, ours, theirs))) / (length * sum(map(mul, theirs, theirs)) ** 0.5 or 1.0)

    return compare


_MEMORY_TEXTS = "SELECT n, id, title, summary FROM memory WHERE forgotten = 0 AND n > ? ORDER BY n LIMIT ?"
_CHUNK_TEXTS = "SELECT n, id, path || ' ' || symbol, text FROM chunk WHERE hidden = 0 AND n > ? ORDER BY n LIMIT ?"
_NEWEST = """
    SELECT id, embedding FROM vector NOT INDEXED WHERE kind = :kind AND model = :model AND dim = :dim
    ORDER BY rowid DESC LIMIT :scanned
"""
_CLOSENESS = "1.0 - vec_distance_cosine(vec_int8(embedding), vec_int8(:question))"
_NEAREST = f"""
    SELECT id, {_CLOSENESS} AS near FROM ({_NEWEST})
    ORDER BY near DESC, id LIMIT :limit
"""
