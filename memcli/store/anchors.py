"""What is noted of the commits that memories were written on."""

from __future__ import annotations

from memcli.records import Record
from memcli.store.db import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

_MOST = 500  # commits that one question is about
NOTED, IN_VAIN = 1, 2


class Note(Record):
    """A row about one commit; the columns are explained in migrations/0004_anchors.sql."""

    id: str
    noted: int
    at: int = 0
    author: str = ""
    subject: str = ""
    total: int = 0
    changes: str = ""
    patch: str = ""


def expect(db: Connection, commit: str) -> None:
    """Has a commit looked at by a later write, unless it was already."""
    rows(db, "INSERT OR IGNORE INTO anchor(id) VALUES (?)", (commit,))


def due(db: Connection, head: str, limit: int) -> list[str]:
    """Returns commits that nobody looked at yet, but for the one that is checked out, which cannot get lost."""
    return [name for (name,) in rows(db, "SELECT id FROM anchor WHERE noted = 0 AND id != ? LIMIT ?", (head, limit))]


def keep(db: Connection, notes: Sequence[Note]) -> None:
    """Writes notes, replacing what was there."""
    for note in notes:
        rows(db, "INSERT OR REPLACE INTO anchor VALUES (?, ?, ?, ?, ?, ?, ?, ?)", note)  # type: ignore[arg-type]


def notes(db: Connection, commits: Sequence[str]) -> list[Note]:
    """Returns what is noted of the first of these commits."""
    some = commits[:_MOST]
    marks = ", ".join("?" for _ in some)
    sql = f"SELECT id, noted, at, author, subject, total, changes, patch FROM anchor WHERE noted = {NOTED} AND id IN ({marks})"
    return [Note(*row) for row in rows(db, sql, some)]


def memories_at(db: Connection, commits: Sequence[str], limit: int) -> list[tuple[str, str]]:
    """Returns (id, anchor) of live memories that are anchored at one of these commits."""
    some = commits[:_MOST]
    marks = ", ".join("?" for _ in some)
    return rows(db, f"SELECT id, anchor FROM memory WHERE forgotten = 0 AND anchor IN ({marks}) LIMIT ?", (*some, limit))
