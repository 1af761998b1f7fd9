"""What a session's context begins with: states of the work, the profile's entries, notes of days; all kept word for word.

Each row comes with the actor who wrote what it says now, as the log names it, a state also with whether it reads like an order to
a model, as its passages say: these are no columns of its table.
"""

from __future__ import annotations

from memcli.records import Record, many
from memcli.store import first_record, rows
from memcli.store.memories import OBSERVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from apsw import Connection

    Row = TypeVar("Row", "State", "ProfileEntry", "Note")


class State(Record):
    """Where the work stood at one checkpoint: a JSON value (`body`, canonical text) and what packs print of it.

    `items` are one a line; `prompt_tokens` and `xml_tokens` are what each costs, comma-separated. The newest state by the clock
    is where the work stands.
    """

    id: str
    reason: str
    body: str
    thread: str
    memory_id: str | None
    created_at: int
    hlc_ms: int
    hlc_n: int
    revision: int
    items: str
    prompt_tokens: str
    xml_tokens: str
    actor: str = ""
    suspicious: int = 0


class ProfileEntry(Record):
    """One value of the profile under its key. Times in ms since 1970 UTC."""

    id: str
    key: str
    value: str
    updated_at: int
    revision: int
    actor: str = ""


class Note(Record):
    """One note; `day` is its date where it was written, such as 2026-03-01."""

    id: str
    day: str
    text: str
    created_at: int
    revision: int
    actor: str = ""


_TABLES: dict[type[Record], str] = {State: "state", ProfileEntry: "profile", Note: "note"}
_ACTOR = "(SELECT actor FROM op WHERE object = {0}.id AND kind IN ('state', 'profile', 'note') ORDER BY revision DESC LIMIT 1)"
_COLUMNS = {record: ", ".join(record._fields[: record._fields.index("actor")]) for record in _TABLES}
_MORE: dict[type[Record], str] = {State: ", (SELECT coalesce(max(suspicious), 0) FROM passage WHERE owner = state.id)"}
_SELECT = {
    record: f"SELECT {_COLUMNS[record]}, coalesce({_ACTOR.format(table)}, ''){_MORE.get(record, '')} FROM {table}"
    for record, table in _TABLES.items()
}


def save(db: Connection, row: State | ProfileEntry | Note) -> None:
    """Writes a row, replacing the one with the same id."""
    values = row[: row._fields.index("actor")]  # type: ignore[index]
    marks = ", ".join("?" for _ in values)
    rows(db, f"INSERT OR REPLACE INTO {_TABLES[type(row)]}({_COLUMNS[type(row)]}) VALUES ({marks})", values)


def remove(db: Connection, record: type[Row], row_id: str) -> None:
    """Deletes a row that the log no longer has."""
    rows(db, f"DELETE FROM {_TABLES[record]} WHERE id = ?", (row_id,))


def find(db: Connection, record: type[Row], row_id: str) -> Row | None:
    """Returns the state, entry or note with an id."""
    return first_record(record, db, f"{_SELECT[record]} WHERE id = ?", (row_id,))


def latest_states(db: Connection, limit: int) -> list[State]:
    """Returns the newest states, newest first."""
    sql = f"{_SELECT[State]} ORDER BY hlc_ms DESC, hlc_n DESC, id DESC LIMIT ?"
    return many(State, rows(db, sql, (limit,)))


def count_states(db: Connection) -> int:
    """Returns how many states there are."""
    return int(rows(db, "SELECT count(*) FROM state")[0][0])


def profile(db: Connection) -> list[ProfileEntry]:
    """Returns every entry of the profile in the order of keys."""
    return many(ProfileEntry, rows(db, f"{_SELECT[ProfileEntry]} ORDER BY key, id"))


def merged_profile(repository: Connection, own: Connection | None) -> list[tuple[ProfileEntry, bool]]:
    """Returns the entries of both profiles in the order of keys, each with whether it is from the person's own.

    Where both have a key, the repository's entry wins.
    """
    merged = {entry.key: (entry, True) for entry in (profile(own) if own is not None else ())}
    merged |= {entry.key: (entry, False) for entry in profile(repository)}
    return [merged[key] for key in sorted(merged)]


def notes_between(db: Connection, first: str, last: str) -> list[Note]:
    """Returns the notes of the days from `first` to `last`, both included, oldest first."""
    sql = f"{_SELECT[Note]} WHERE day BETWEEN ? AND ? ORDER BY day, created_at, id"
    return many(Note, rows(db, sql, (first, last)))


def generated_notes(db: Connection, first: str, last: str) -> set[str]:
    """Returns the ids of those notes of the days from `first` to `last` that mem itself wrote about sessions."""
    sql = f"""
        SELECT id FROM note WHERE day BETWEEN ? AND ?
          AND EXISTS (SELECT 1 FROM op WHERE object = note.id AND actor IN {OBSERVED})
    """
    return {note_id for (note_id,) in rows(db, sql, (first, last))}
