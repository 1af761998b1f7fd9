"""States: every checkpoint that was made; the newest by the clock is where the work stands."""

from __future__ import annotations

from memcli.records import Record
from memcli.store.db import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection


class State(Record):
    """Where the work stood: one JSON value (`body`, canonical text) and what packs print of it.

    `items` are one a line; `prompt_tokens` and `xml_tokens` are what each costs, comma-separated.
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


_COLUMNS = ", ".join(State._fields)
_PLACES = ", ".join("?" for _ in State._fields)


def save(db: Connection, state: State) -> None:
    """Writes one state, replacing what was there under its id."""
    rows(db, f"INSERT OR REPLACE INTO state({_COLUMNS}) VALUES ({_PLACES})", state)  # type: ignore[arg-type]


def remove(db: Connection, state_id: str) -> None:
    """Takes a state that was undone out of the history."""
    rows(db, "DELETE FROM state WHERE id = ?", (state_id,))


def history(db: Connection, limit: int) -> list[State]:
    """Returns the newest states, newest first."""
    sql = f"SELECT {_COLUMNS} FROM state ORDER BY hlc_ms DESC, hlc_n DESC, id DESC LIMIT ?"
    return [State(*row) for row in rows(db, sql, (limit,))]


def find(db: Connection, state_id: str) -> State | None:
    """Returns one state."""
    found = rows(db, f"SELECT {_COLUMNS} FROM state WHERE id = ?", (state_id,))
    return State(*found[0]) if found else None
