"""Pages of what is stored, newest first, each with how many there are in all: for those who look through it."""

from __future__ import annotations

from memcli.records import Record
from memcli.store.db import rows
from memcli.store.memories import COLUMNS, Memory
from memcli.store.search import any_of
from memcli.store.sessions import Prompt, Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection


class Wanted(Record):
    """Which memories are meant; None: whatever. `since` and `until` in ms since 1970; `anchor`: the beginning of a hash.

    `observed`: memories of sessions; `session`: row of one; `plain` False takes summaries only, True leaves them out.
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
    limit: int = 20
    offset: int = 0


_PARTS = {
    "kind": "kind = :kind",
    "thread": "thread = :thread",
    "origin": "origin = :origin",
    "since": "created_at >= :since",
    "until": "created_at < :until",
    "anchor": "substr(anchor, 1, length(:anchor)) = :anchor",
    "session": "session = :session AND session > 0",
}
# Spelt out, so that the indexes over parts of the table serve: for True, for False.
_FLAGS = {
    "pinned": ("pinned = 1", "pinned = 0"),
    "superseded": ("superseded_by IS NOT NULL", "superseded_by IS NULL"),
    "forgotten": ("forgotten = 1", "forgotten = 0"),
    "observed": ("session > 0", "session = 0"),
    "plain": ("kind <> 'summary'", "kind = 'summary'"),
}

_OBSERVED = "forgotten = 0 AND session > 0 AND kind <> 'summary'"


def memories(db: Connection, wanted: Wanted) -> tuple[list[Memory], int]:
    """Returns a page of memories, newest first, and how many there are."""
    return page(db, wanted), count(db, wanted)


def count(db: Connection, wanted: Wanted) -> int:
    """Returns how many memories there are."""
    where, values = _where(wanted)
    # The planner would take the index by session, and look every row up for the rest.
    source = "memory INDEXED BY memory_observed" if where == _OBSERVED else "memory"
    return int(rows(db, f"SELECT count(*) FROM {source} WHERE {where}", values)[0][0])


def page(db: Connection, wanted: Wanted) -> list[Memory]:
    """Returns a page of memories, newest first."""
    where, values = _where(wanted)
    sql = f"SELECT {COLUMNS} FROM memory WHERE {where} ORDER BY created_at DESC, n DESC LIMIT :limit OFFSET :offset"
    return [Memory(*row) for row in rows(db, sql, {**values, "limit": wanted.limit, "offset": wanted.offset})]


def _where(wanted: Wanted) -> tuple[str, dict[str, Any]]:
    """Returns a condition and its values."""
    given = {name: value for name, value in zip(Wanted._fields, wanted) if value is not None}  # type: ignore[call-overload]
    flags = [_FLAGS[name][0 if value else 1] for name, value in given.items() if name in _FLAGS]
    parts = [part for name, part in _PARTS.items() if name in given]
    return " AND ".join([*flags, *parts]), {name: value for name, value in given.items() if name in _PARTS}


_BEGIN, _END = "\ue000", "\ue001"  # of a private use; where a text holds one, at worst a word too many is named


def matched(db: Connection, n: int, terms: Sequence[str], required: str = "") -> list[str]:
    """Returns the words of memory `n`, as its title and summary spell them, that terms or an FTS5 expression match."""
    wanted = " OR ".join(part for part in (any_of(terms), f"({required})" if required else "") if part)
    if not wanted:
        return []
    marked = ", ".join(f"highlight(memory_fts, {column}, '{_BEGIN}', '{_END}')" for column in (0, 1))
    found = rows(db, f"SELECT {marked} FROM memory_fts WHERE memory_fts MATCH ? AND rowid = ?", (wanted, n))
    parts = [part.partition(_END)[0] for text in (found[0] if found else ()) for part in (text or "").split(_BEGIN)[1:]]
    return sorted({word for part in parts for word in part.split() if word})


def sessions(db: Connection, limit: int, offset: int) -> tuple[list[Session], int]:
    """Returns a page of sessions, those that something happened in last first, and how many there are."""
    columns = ", ".join(Session._fields)
    found = rows(db, f"SELECT {columns} FROM session ORDER BY last_at DESC, n DESC LIMIT ? OFFSET ?", (limit, offset))
    return [Session(*row) for row in found], int(rows(db, "SELECT count(*) FROM session")[0][0])


def prompts(db: Connection, limit: int, offset: int) -> tuple[list[tuple[Prompt, str]], int]:
    """Returns a page of prompts, newest first, each with the id of its session, and how many there are."""
    columns = ", ".join(f"prompt.{name}" for name in Prompt._fields)
    shown = "prompt JOIN session ON session.n = prompt.session WHERE prompt.skipped <> 'forgotten'"
    sql = f"SELECT {columns}, session.id FROM {shown} ORDER BY prompt.created_at DESC, prompt.n DESC LIMIT ? OFFSET ?"
    found = [(Prompt(*row[:-1]), row[-1]) for row in rows(db, sql, (limit, offset))]
    return found, int(rows(db, f"SELECT count(*) FROM {shown}")[0][0])


def session_names(db: Connection, numbers: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Returns (id, the harness's name) of the sessions in some rows."""
    marks = ", ".join("?" for _ in numbers)
    return {n: (name, key) for n, name, key in rows(db, f"SELECT n, id, key FROM session WHERE n IN ({marks})", list(numbers))}


def totals(db: Connection) -> dict[str, int]:
    """Returns how many things of each sort are stored."""
    counted = {
        "memories": "memory WHERE forgotten = 0",
        "observations": "memory WHERE forgotten = 0 AND session > 0 AND kind <> 'summary'",
        "summaries": "memory WHERE forgotten = 0 AND kind = 'summary'",
        "pinned": "memory WHERE forgotten = 0 AND pinned = 1",
        "superseded": "memory WHERE forgotten = 0 AND superseded_by IS NOT NULL",
        "forgotten": "memory WHERE forgotten = 1",
        "threads": "thread",
        "sessions": "session",
        "prompts": "prompt",
        "chunks": "chunk",
        "operations": "op",
    }
    columns = ", ".join(f"(SELECT count(*) FROM {source})" for source in counted.values())
    return dict(zip(counted, rows(db, f"SELECT {columns}")[0]))


def kinds(db: Connection) -> dict[str, int]:
    """Returns how many live memories there are of each kind, in the order of names."""
    return dict(rows(db, "SELECT kind, count(*) FROM memory WHERE forgotten = 0 GROUP BY kind ORDER BY kind"))


def session_named(db: Connection, key: str) -> Session | None:
    """Returns the session that a harness calls so; of several the one in which something happened last."""
    columns = ", ".join(Session._fields)
    found = rows(db, f"SELECT {columns} FROM session WHERE key = ? ORDER BY last_at DESC LIMIT 1", (key,))
    return Session(*found[0]) if found else None


def files(db: Connection, ids: Sequence[str]) -> list[tuple[str, str, str]]:
    """Returns (memory, relation, path) of the files that memories changed or read."""
    marks = ", ".join("?" for _ in ids)
    rels = "rel IN ('file', 'edited', 'read')"
    sql = f"SELECT from_id, rel, to_id FROM memory_link WHERE from_id IN ({marks}) AND {rels} ORDER BY 1, 3"
    return rows(db, sql, list(ids))
