"""The profile: values under keys, kept word for word."""

from __future__ import annotations

from memcli.records import Record
from memcli.store.db import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection


class Entry(Record):
    """One value under its key. Times in ms since 1970 UTC."""

    id: str
    key: str
    value: str
    updated_at: int
    revision: int


_COLUMNS = ", ".join(Entry._fields)


def save(db: Connection, entry: Entry) -> None:
    """Writes one entry, replacing what was there under its id."""
    rows(db, f"INSERT OR REPLACE INTO profile({_COLUMNS}) VALUES (?, ?, ?, ?, ?)", entry)  # type: ignore[arg-type]


def remove(db: Connection, entry_id: str) -> None:
    """Takes an entry out."""
    rows(db, "DELETE FROM profile WHERE id = ?", (entry_id,))


def find(db: Connection, entry_id: str) -> Entry | None:
    """Returns one entry."""
    found = rows(db, f"SELECT {_COLUMNS} FROM profile WHERE id = ?", (entry_id,))
    return Entry(*found[0]) if found else None


def everything(db: Connection) -> list[Entry]:
    """Returns every entry in the order of keys."""
    return [Entry(*row) for row in rows(db, f"SELECT {_COLUMNS} FROM profile ORDER BY key, id")]
