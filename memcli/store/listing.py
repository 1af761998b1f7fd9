"""Pages of memories, and of statements of sessions, that fit conditions, newest first, with their number."""

from __future__ import annotations

from memcli.records import Record, many, replace
from memcli.store import rows
from memcli.store.memories import COLUMNS, OBSERVED, OF_ORIGIN, Memory
from memcli.store.passages import Passage
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection


class MemoryFilter(Record):
    """The conditions for memories; None: any. `since` and `until` in ms since 1970; `anchor`: the prefix of a hash.

    `observed`: memories of sessions; `session`: row of one; `plain` False takes summaries only, True leaves them out.
    `event`: what hooks noted of single calls, but for fixes. `but`: what begins the source ids of those to leave out.
    `writers`: ids of other stores, "" for this one, of which one wrote or changed it.
    `told`: to a session, as far back as that is kept; `used`: by one of these; `shared`: with other stores, or meant to be.
    """

    kind: str | None = None
    thread: str | None = None
    origin: str | None = None
    since: int | None = None
    until: int | None = None
    anchor: str | None = None
    pinned: bool | None = None
    superseded: bool | None = None
    forgotten: bool = False
    session: int | None = None
    observed: bool | None = None
    plain: bool | None = None
    event: bool | None = None
    but: str | None = None
    told: bool | None = None
    used: bool | None = None
    shared: bool | None = None
    writers: str | None = None
    limit: int = 20
    offset: int = 0


# The kinds of statements, as memcli/text/statements.py has them.
ROLES = ("open", "instruction", "preference", "decision", "dropped", "command", "lesson", "fact")
_STATEMENT = ", ".join(Passage._fields)
_EVENT = f"session > 0 AND origin IN {OBSERVED} AND kind <> 'summary' AND instr(source_id, '/fix:') = 0"
_UNCOUNTED = "SELECT value FROM turn, json_each(turn.memories) WHERE turn.memories <> ''"
_USED = "SELECT memory FROM telling WHERE used_at IS NOT NULL"
_SHARED = "SELECT object FROM shared WHERE is_stopped = 0"
_WRITER = "iif(instr({0}, '@'), substr({0}, instr({0}, '@') + 1), '') IN (SELECT value FROM json_each(:writers))"
_CHANGED_BY = f"""
    SELECT 1 FROM op WHERE object = memory.id AND kind = 'put' AND vis <> 'withdrawn' AND {_WRITER.format("actor")}
      AND json_valid(body) AND json_remove(body, '$.anchor') <> '{{}}'
"""
_CONDITIONS = {
    "kind": "kind = :kind",
    "thread": "thread = :thread",
    "origin": OF_ORIGIN,
    "since": "created_at >= :since",
    "until": "created_at < :until",
    "anchor": "substr(anchor, 1, length(:anchor)) = :anchor",
    "session": "session = :session AND session > 0",
    "writers": f"({_WRITER.format('origin')} OR EXISTS ({_CHANGED_BY}))",
    "but": "substr(coalesce(source_id, ''), 1, length(:but)) <> :but",
}
# Spelt out, so that the indexes over parts of the table serve: for True, for False.
_FLAGS = {
    "pinned": ("pinned = 1", "pinned = 0"),
    "superseded": ("superseded_by IS NOT NULL", "superseded_by IS NULL"),
    "forgotten": ("forgotten = 1", "forgotten = 0"),
    "observed": ("session > 0", "session = 0"),
    "plain": ("kind <> 'summary'", "kind = 'summary'"),
    "event": (_EVENT, f"NOT ({_EVENT})"),
    "used": (f"id IN ({_USED})", f"id NOT IN ({_USED})"),
    "shared": (f"id IN ({_SHARED})", f"id NOT IN ({_SHARED})"),
    "told": (
        f"id IN (SELECT memory FROM telling UNION {_UNCOUNTED})",
        f"NOT EXISTS (SELECT 1 FROM telling WHERE telling.memory = memory.id) AND id NOT IN ({_UNCOUNTED})",
    ),
}
_OBSERVED = "forgotten = 0 AND session > 0 AND kind <> 'summary'"


def page_and_count(db: Connection, filter_: MemoryFilter) -> tuple[list[Memory], int]:
    """Returns a page of the memories that fit the conditions, newest first, and how many fit in all."""
    return page(db, filter_), count_matching(db, filter_)


def page(db: Connection, filter_: MemoryFilter) -> list[Memory]:
    """Returns a page of the memories that fit the conditions, newest first."""
    where, values = _where(filter_)
    sql = f"SELECT {COLUMNS} FROM memory WHERE {where} ORDER BY created_at DESC, n DESC LIMIT :limit OFFSET :offset"
    return many(Memory, rows(db, sql, {**values, "limit": filter_.limit, "offset": filter_.offset}))


def count_matching(db: Connection, filter_: MemoryFilter) -> int:
    """Returns how many memories fit the conditions, whatever the page."""
    if filter_.told is False:  # few are told: those are looked up, and not all the others
        return count_matching(db, replace(filter_, told=None)) - count_matching(db, replace(filter_, told=True))
    where, values = _where(filter_)
    # The planner would take the index by session, and look every row up for the rest.
    source = "memory INDEXED BY memory_observed" if where == _OBSERVED else "memory"
    return int(rows(db, f"SELECT count(*) FROM {source} WHERE {where}", values)[0][0])


def flagged(db: Connection, ids: Sequence[str], flag: str, value: bool) -> set[str]:
    """Returns the ids of those of some memories for which a flag of `MemoryFilter` has a value."""
    sql = f"SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(?)) AND {_FLAGS[flag][0 if value else 1]}"
    return {memory_id for (memory_id,) in rows(db, sql, (json.dumps(list(ids)),))}


def _where(filter_: MemoryFilter) -> tuple[str, dict[str, Any]]:
    """Returns the conditions as SQL, and the values in it."""
    values_by_name = {name: value for name, value in zip(MemoryFilter._fields, filter_) if value is not None}  # type: ignore[call-overload]
    flags = [_FLAGS[name][0 if value else 1] for name, value in values_by_name.items() if name in _FLAGS]
    conditions = [condition for name, condition in _CONDITIONS.items() if name in values_by_name]
    return " AND ".join([*flags, *conditions]), {name: value for name, value in values_by_name.items() if name in _CONDITIONS}


def statements(db: Connection, filter_: MemoryFilter) -> list[Passage]:
    """Returns what sessions stated, newest first: of a kind, or of all. Only the times, the origin and `limit` count besides."""
    where, values = _where_statement(filter_)
    of_role = "SELECT n FROM passage INDEXED BY passage_by_role WHERE role = '{}' AND role <> ''{}"
    newest = f"{of_role} ORDER BY created_at DESC LIMIT :limit"
    of_roles = [f"SELECT * FROM ({newest.format(role, where)})" for role in _roles(filter_)]
    if not of_roles:
        return []
    sql = f"SELECT {_STATEMENT} FROM passage WHERE n IN ({' UNION ALL '.join(of_roles)}) ORDER BY created_at DESC, n LIMIT :limit"
    return many(Passage, rows(db, sql, {**values, "limit": filter_.limit}))


def count_statements(db: Connection, filter_: MemoryFilter) -> int:
    """Returns how many statements there are of a kind, or of all."""
    where, values = _where_statement(filter_)
    marks = ", ".join([f"'{role}'" for role in _roles(filter_)])
    sql = f"SELECT count(*) FROM passage INDEXED BY passage_by_role WHERE role IN ({marks}) AND role <> ''{where}"
    return int(rows(db, sql, values)[0][0])


def _roles(filter_: MemoryFilter) -> list[str]:
    return [role for role in ROLES if filter_.kind in (None, role)]


def _where_statement(filter_: MemoryFilter) -> tuple[str, dict[str, Any]]:
    names = [name for name in ("origin", "since", "until") if getattr(filter_, name) is not None]
    return "".join([f" AND {_CONDITIONS[name]}" for name in names]), {name: getattr(filter_, name) for name in names}
