"""Notes of days, kept word for word."""

from __future__ import annotations

from memcli.records import Record
from memcli.store.db import rows
from memcli.store.memories import OBSERVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection


class Note(Record):
    """One note; `day` is its date in UTC, such as 2026-03-01."""

    id: str
    day: str
    text: str
    created_at: int
    revision: int


_COLUMNS = ", ".join(Note._fields)


def save(db: Connection, note: Note) -> None:
    """Writes one note, replacing what was there under its id."""
    rows(db, f"INSERT OR REPLACE INTO note({_COLUMNS}) VALUES (?, ?, ?, ?, ?)", note)  # type: ignore[arg-type]


def remove(db: Connection, note_id: str) -> None:
    """Takes a note out."""
    rows(db, "DELETE FROM note WHERE id = ?", (note_id,))


def find(db: Connection, note_id: str) -> Note | None:
    """Returns one note."""
    found = rows(db, f"SELECT {_COLUMNS} FROM note WHERE id = ?", (note_id,))
    return Note(*found[0]) if found else None


def between(db: Connection, first: str, last: str) -> list[Note]:
    """Returns the notes of the days from `first` to `last`, both included, oldest first."""
    sql = f"SELECT {_COLUMNS} FROM note WHERE day BETWEEN ? AND ? ORDER BY day, created_at, id"
    return [Note(*row) for row in rows(db, sql, (first, last))]


def automatic(db: Connection, first: str, last: str) -> set[str]:
    """Returns the ids of those notes of the days from `first` to `last` that mem itself wrote about sessions."""
    sql = f"""
        SELECT id FROM note WHERE day BETWEEN ? AND ?
          AND EXISTS (SELECT 1 FROM op WHERE object = note.id AND actor IN {OBSERVED})
    """
    return {name for (name,) in rows(db, sql, (first, last))}
