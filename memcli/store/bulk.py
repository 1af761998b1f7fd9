"""Inserting many new memories at once, such as from another store: one statement for all costs a tenth of one for each."""

from __future__ import annotations

from collections.abc import Sequence

from apsw import Connection

from memcli.store import rows
from memcli.store.memories import COLUMNS, Memory
from memcli.text import json


def stored(db: Connection, ids: Sequence[str]) -> set[str]:
    """Returns those of some ids that a memory has."""
    sql = "SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(?))"
    return {memory_id for (memory_id,) in rows(db, sql, (json.dumps(list(ids)),))}


def insert(db: Connection, memories: Sequence[tuple[Memory, bytes | None]]) -> None:
    """Writes memories that are not stored yet, with their vectors and text index entries. `Memory.n` is ignored.

    A vector that is None is made by the worker.
    """
    first = rows(db, "SELECT coalesce(max(n), 0) + 1 FROM memory")[0][0]
    numbered = [(number, memory, vector) for number, (memory, vector) in enumerate(memories, first)]
    marks = ", ".join("?" for _ in Memory._fields)
    db.executemany(
        f"INSERT INTO memory({COLUMNS}, vector) VALUES ({marks}, ?)",
        [(number, *list(memory)[1:], vector) for number, memory, vector in numbered],  # type: ignore[call-overload]
    )
    db.executemany(
        "INSERT INTO memory_fts(rowid, title, summary, tags, entities, words) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (number, memory.title, memory.summary, memory.tags, memory.entities, memory.words)
            for number, memory, _ in numbered
            if not memory.forgotten
        ],
    )


def expect_commits(db: Connection, commits: Sequence[str]) -> None:
    """Makes a later write examine commits, unless they were examined already."""
    db.executemany("INSERT OR IGNORE INTO anchor(id) VALUES (?)", [(commit,) for commit in commits])
