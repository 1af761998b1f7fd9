"""What a session's context begins with: states of the work, the profile's entries and daily notes, all stored word for word.

Each row comes with the actor who wrote what it says now, as the log names it, a state also with whether it reads like an order to
a model, as its passages say: these are no columns of its table.
"""

from __future__ import annotations

from memcli.records import Record, many
from memcli.store import first, first_record, meta, rows
from memcli.store.memories import OBSERVED
from memcli.text.ids import writer_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from apsw import Connection

    Row = TypeVar("Row", "State", "ProfileEntry", "Note")


CI_ACTOR = "ci"  # saves the states of CI jobs, whoever runs the command there


class State(Record):
    """The state of the work at a checkpoint: a JSON value (`body`, canonical text) and what packs print of it.

    `items` are one a line; `prompt_tokens` and `xml_tokens` are what each costs, comma-separated. The newest state by the clock
    is where the work stands; that of a CI job only where nobody else saved any.
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
    ci: int = 0  # a CI job saved it
    actor: str = ""
    suspicious: int = 0
    unknown: int = 0  # it is of a commit that the clone does not have, as validity/ says
    author: str = ""  # the name of the other store that wrote it, where the reader asked for it


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
_ACTOR = """(
    SELECT actor FROM op WHERE object = {0}.id AND kind IN ('state', 'profile', 'note', 'put')
    ORDER BY hlc_ms DESC, hlc_n DESC, writer DESC, id DESC LIMIT 1
)"""
_COLUMNS = {record: ", ".join(record._fields[: record._fields.index("actor")]) for record in _TABLES}
_MORE: dict[type[Record], str] = {State: ", (SELECT coalesce(max(suspicious), 0) FROM passage WHERE owner = state.id), 0, ''"}
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


def latest_states(db: Connection, limit: int, ci: int | None = None) -> list[State]:
    """Returns the newest states, newest first. `ci`: only those of CI jobs (1), or those of everybody else (0)."""
    condition = "" if ci is None else "WHERE ci = 1" if ci else "WHERE ci = 0"  # spelled out for the index of the latter
    sql = f"{_SELECT[State]} {condition} ORDER BY hlc_ms DESC, hlc_n DESC, id DESC LIMIT ?"
    return many(State, rows(db, sql, (limit,)))


def latest_lasting_states(db: Connection, limit: int) -> list[State]:
    """Returns the newest states, newest first: those of CI jobs only where there is no other."""
    return latest_states(db, limit, 0) or latest_states(db, limit)


def current_states(db: Connection) -> list[State]:
    """Returns where the work stands: the newest state. Where others shared that one and this store has one of its own that it did
    not share, its own comes first: what is shared replaces only what is shared. A newer one of a CI job comes last.
    """
    newest = latest_states(db, 1)
    if newest and newest[0].ci and (lasting := latest_states(db, 1, 0)):
        return [*_leading(db, lasting), *newest]
    return _leading(db, newest)


def _leading(db: Connection, newest: list[State]) -> list[State]:
    """Returns the newest state behind the one of this store that leads, if any."""
    if not newest or not writer_of(newest[0].actor):
        return newest
    sql = f"""
        {_SELECT[State]} WHERE NOT EXISTS (SELECT 1 FROM op WHERE object = state.id AND writer IS NOT :writer) AND ci = :ci
        ORDER BY hlc_ms DESC, hlc_n DESC, id DESC LIMIT 1
    """
    own = many(State, rows(db, sql, {"writer": meta(db, "writer"), "ci": newest[0].ci}))
    shared = "SELECT 1 FROM shared WHERE object = ? AND is_stopped = 0"
    return [*[state for state in own if first(db, shared, (state.id,)) is None], *newest]


def current_state_ids(*stores: Connection | None) -> set[str]:
    """Returns the ids of the states that hold in some stores."""
    return {state.id for db in stores if db is not None for state in current_states(db)}


def count_states(db: Connection) -> int:
    """Returns how many states there are."""
    return int(rows(db, "SELECT count(*) FROM state")[0][0])


def profile(db: Connection) -> list[ProfileEntry]:
    """Returns every entry of the profile, ordered by key."""
    return many(ProfileEntry, rows(db, f"{_SELECT[ProfileEntry]} ORDER BY key, id"))


def merged_profile(repository: Connection, own: Connection | None) -> list[tuple[ProfileEntry, bool]]:
    """Returns the entries of both profiles, ordered by key, each with whether it is the person's own.

    If both have a key, the repository's entry wins. What others share has lower priority and replaces nothing.
    """
    merged = {entry.key: (entry, True) for entry in (profile(own) if own is not None else ())}
    here, theirs = _by_writer(profile(repository))
    merged |= {entry.key: (entry, False) for entry in sorted(here, key=lambda entry: entry.updated_at)}
    values = {(entry.key, entry.value) for entry, _ in merged.values()}
    beside = [(entry, False) for entry in theirs if (entry.key, entry.value) not in values]
    return sorted([*merged.values(), *beside], key=lambda pair: (pair[0].key, bool(writer_of(pair[0].actor)), pair[0].id))


def leading_entries(db: Connection) -> list[ProfileEntry]:
    """Returns one entry per key of a profile: what was written here, else what others share."""
    leading: dict[str, ProfileEntry] = {}
    for entry, _ in merged_profile(db, None):
        leading.setdefault(entry.key, entry)
    return list(leading.values())


def _by_writer(entries: list[ProfileEntry]) -> tuple[list[ProfileEntry], list[ProfileEntry]]:
    """Returns the entries whose values were written in this store, and those whose values came from others."""
    here = [entry for entry in entries if not writer_of(entry.actor)]
    return here, [entry for entry in entries if writer_of(entry.actor)]


def notes_between(db: Connection, first_day: str, last_day: str) -> list[Note]:
    """Returns the notes of the days from `first_day` to `last_day` inclusive, oldest first."""
    sql = f"{_SELECT[Note]} WHERE day BETWEEN ? AND ? ORDER BY day, created_at, id"
    return many(Note, rows(db, sql, (first_day, last_day)))


def generated_notes(db: Connection, first_day: str, last_day: str) -> set[str]:
    """Returns the ids of those notes of the days from `first_day` to `last_day` that mem itself wrote about sessions."""
    sql = f"""
        SELECT id FROM note WHERE day BETWEEN ? AND ?
          AND EXISTS (SELECT 1 FROM op WHERE object = note.id AND actor IN {OBSERVED})
    """
    return {note_id for (note_id,) in rows(db, sql, (first_day, last_day))}
