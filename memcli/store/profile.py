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


def both(here: Connection, own: Connection | None) -> list[tuple[Entry, bool]]:
    """Returns (an entry, whether it is the person's own) of both profiles in the order of keys; `here` goes first."""
    found = {entry.key: (entry, True) for entry in (everything(own) if own is not None else ())}
    found |= {entry.key: (entry, False) for entry in everything(here)}
    return [found[key] for key in sorted(found)]


def everything(db: Connection) -> list[Entry]:
    """Returns every entry in the order of keys."""
    return [Entry(*row) for row in rows(db, f"SELECT {_COLUMNS} FROM profile ORDER BY key, id")]
