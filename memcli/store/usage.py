"""Which memories sessions were told and whether they used them: counted by the worker, in this store alone."""

from __future__ import annotations

from memcli.records import Record, many
from memcli.store import rows
from memcli.store.turns import TOLD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from apsw import Connection


OFTEN = 5  # sessions that were told a memory: if none of so many used it, that says something


class Usage(Record):
    """How many sessions were told a memory, how many of them used it, and when last, in ms since 1970 UTC."""

    told: int = 0
    used: int = 0
    last_told: int | None = None
    last_used: int | None = None


class Telling(Record):
    """A memory that a session was told and has not used so far."""

    id: str
    kind: str
    title: str
    summary: str
    entities: str


class UnusedMemory(Record):
    """A memory that sessions were told and that none used. Times in ms since 1970 UTC."""

    id: str
    title: str
    thread: str
    created_at: int
    told: int
    last_told: int


class UsageTotals(Record):
    """Of all tellings that are kept: how many, of how many memories to how many sessions, and how many were used."""

    tellings: int
    memories: int
    sessions: int
    used: int


# A turn that answers an event arrived if its session went on; of any other somebody has to say so.
_ARRIVED = "(cause <> '' OR status = 'success')"


def count_tellings(db: Connection, engine: str, key: str, session: str, at: int) -> None:
    """Enters what the turns of a session told it up to a moment, each memory once. `key`: what its harness calls the session."""
    condition = f"turn.engine = :engine AND turn.session = :key AND memories <> '' AND prepared_at <= :at AND {_ARRIVED}"
    sql = f"""
        INSERT OR IGNORE INTO telling(session, memory, told_at)
        SELECT :session, memory.id, min(turn.prepared_at)
        FROM turn JOIN memory ON memory.id IN ({TOLD.format(names="turn.memories")}) WHERE {condition} GROUP BY memory.id;
        UPDATE turn SET memories = '' WHERE {condition}
    """
    rows(db, sql, {"engine": engine, "key": key, "session": session, "at": at})


def unused(db: Connection, session: str, at: int, limit: int) -> list[Telling]:
    """Returns what a session was told up to a moment and has not used, the last first."""
    sql = """
        SELECT memory.id, kind, title, summary, entities FROM telling JOIN memory ON memory.id = telling.memory
        WHERE telling.session = ? AND used_at IS NULL AND told_at <= ? ORDER BY told_at DESC, memory.id LIMIT ?
    """
    return many(Telling, rows(db, sql, (session, at, limit)))


def note_use(db: Connection, session: str, memory_ids: Iterable[str], at: int) -> None:
    """Notes that a session used memories that it was told."""
    for memory_id in memory_ids:
        sql = "UPDATE telling SET used_at = ? WHERE session = ? AND memory = ? AND used_at IS NULL"
        rows(db, sql, (at, session, memory_id))


def withdraw_use(db: Connection, session: str, since: int) -> None:
    """Takes back that a session used what it was told from a moment on."""
    rows(db, "UPDATE telling SET used_at = NULL WHERE session = ? AND told_at >= ?", (session, since))


def is_in_another(db: Connection, memory_id: str, expression: str) -> bool:
    """Tells whether a live memory that somebody wrote, another than this one, matches an FTS5 expression."""
    sql = """
        SELECT 1 FROM memory_fts JOIN memory ON memory.n = memory_fts.rowid
        WHERE memory_fts MATCH ? AND memory.id <> ? AND memory.session = 0 LIMIT 1
    """
    return bool(rows(db, sql, (expression, memory_id)))


def of_memories(db: Connection, ids: Sequence[str]) -> dict[str, Usage]:
    """Returns the usage of each of these memories."""
    marks = ", ".join("?" for _ in ids)
    sql = f"""
        SELECT memory, count(*), count(used_at), max(told_at), max(used_at) FROM telling WHERE memory IN ({marks}) GROUP BY memory
    """
    return dict.fromkeys(ids, Usage()) | {name: Usage(*counts) for name, *counts in rows(db, sql, ids)}


def never_used(db: Connection, limit: int, least: int = OFTEN, with_observed: bool = False) -> list[UnusedMemory]:
    """Returns the memories that `least` sessions or more were told and none used, the most told first.

    Only what is told by its own merit: nothing that is pinned or was replaced, nor, unless it is wanted, what hooks saw.
    """
    sql = """
        SELECT id, title, thread, created_at, count(*) AS times, max(told_at)
        FROM telling JOIN memory ON memory.id = telling.memory
        WHERE forgotten = 0 AND pinned = 0 AND superseded_by IS NULL AND (? OR memory.session = 0)
        GROUP BY memory HAVING times >= ? AND count(used_at) = 0 ORDER BY times DESC, max(told_at) DESC, id LIMIT ?
    """
    return many(UnusedMemory, rows(db, sql, (with_observed, least, limit)))


def totals(db: Connection) -> UsageTotals:
    """Returns how much was told, and used."""
    sql = "SELECT count(*), count(DISTINCT memory), count(DISTINCT session), count(used_at) FROM telling"
    return UsageTotals(*rows(db, sql)[0])


def told_tokens(db: Connection, since: int) -> int:
    """Returns how many tokens turns told sessions since a moment."""
    return int(rows(db, f"SELECT coalesce(sum(tokens), 0) FROM turn WHERE prepared_at >= ? AND {_ARRIVED}", (since,))[0][0])


def tokens_by_moment(db: Connection, since: int) -> list[tuple[int, int]]:
    """Returns (moment, tokens) of each turn that told a session something since a moment, the first first."""
    return rows(
        db, f"SELECT prepared_at, tokens FROM turn WHERE prepared_at >= ? AND size > 0 AND {_ARRIVED} ORDER BY n", (since,)
    )


def tellings(db: Connection, since: int) -> list[tuple[int, bool]]:
    """Returns of each memory that a session was told since a moment when that was, and whether it used it."""
    return [
        (at, bool(used)) for at, used in rows(db, "SELECT told_at, used_at IS NOT NULL FROM telling WHERE told_at >= ?", (since,))
    ]


def prune(db: Connection, before: int, limit: int) -> None:
    """Takes out some tellings from before a moment."""
    oldest = "SELECT session, memory FROM telling WHERE told_at < ? LIMIT ?"
    rows(db, f"DELETE FROM telling WHERE (session, memory) IN ({oldest})", (before, limit))


def erase(db: Connection, object_id: str) -> None:
    """Takes out what is known of a memory or a session."""
    rows(db, "DELETE FROM telling WHERE memory = ?1 OR session = ?1", (object_id,))
