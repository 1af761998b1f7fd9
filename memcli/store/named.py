"""The newest few rows of memories and passages by name: id, thread, file."""

from __future__ import annotations

from memcli.store import rows
from memcli.store.memories import OBSERVED
from memcli.store.search import FILTERS, PASSES
from memcli.text.ids import PLACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from apsw import Connection

    from memcli.store.search import Filter

MOST = 20  # rows of a name


def by_id(db: Connection, table: str, name: str, only: Filter | None) -> list[int]:
    """Returns the rows whose id has a prefix; for a session's id, those of its memories."""
    if name.startswith("A-"):
        of_session = "session > 0 AND session = (SELECT n FROM session WHERE id BETWEEN :name AND :name || '~' LIMIT 1)"
        return _newest(db, table, f"{of_session} AND kind = 'summary'" if table == "memory" else "0", only, name=name)
    if table == "passage" and PLACE in name:
        return _newest(db, table, "id = :name", only, name=name)
    column = "owner" if table == "passage" else "id"
    return _newest(db, table, f"{column} BETWEEN :name AND :name || '~'", only, name=name)


def in_thread(db: Connection, thread: str, only: Filter | None) -> list[int]:
    """Returns the memories of a thread."""
    return _newest(db, "memory", "forgotten = 0 AND thread = :name", only, name=thread)


def linked_to(db: Connection, name: str, only: Filter | None) -> list[int]:
    """Returns the memories that link to a file with this path or name, with or without its ending."""
    linked = "SELECT from_id FROM memory_link WHERE rel IN ('file', 'mention') AND ("
    patterns = ("{}", "%/{}", "{}.%", "%/{}.%")
    escaped = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    likes = " OR ".join([f"to_id LIKE :p{number} ESCAPE '\\'" for number in range(len(patterns))])
    values = {f"p{number}": pattern.format(escaped) for number, pattern in enumerate(patterns)}
    return _newest(db, "memory", f"id IN ({linked}{likes}))", only, **values)


def by_author(db: Connection, name: str, only: Filter | None) -> list[int]:
    """Returns the memories of a person with this name: those from their store, and one's own, without what hooks saw."""
    writers = "SELECT id FROM writer WHERE name = :name COLLATE NOCASE"
    if not rows(db, f"{writers} LIMIT 1", {"name": name}):
        return []  # of most words: nobody is called so, and no memory need be looked at
    of_others = f"instr(origin, '@') AND substr(origin, instr(origin, '@') + 1) IN ({writers})"
    own = f"NOT instr(origin, '@') AND origin NOT IN {OBSERVED} AND (SELECT value FROM meta WHERE key = 'writer') IN ({writers})"
    return _newest(db, "memory", f"(({of_others}) OR ({own}))", only, name=name)


def anchored(db: Connection, table: str, commits: Iterable[str], branch: str, only: Filter | None) -> list[int]:
    """Returns the rows of some commits, and of a branch's next commit."""
    of_branch = "anchor IN (SELECT value FROM json_each(:commits)) OR substr(anchor, -1 - length(:name)) = ' ' || :name"
    names = ", ".join([f'"{commit}"' for commit in commits])
    return _newest(db, table, f"({of_branch})", only, commits=f"[{names}]", name=branch)


def of_time(db: Connection, table: str, since: int | None, until: int | None, only: Filter | None) -> list[int]:
    """Returns the rows of a time, with what was written on purpose and what states something first."""
    first = f"origin IN {OBSERVED} AND kind <> 'summary'" if table == "memory" else "role = ''"
    times = "(:from IS NULL OR created_at >= :from) AND (:to IS NULL OR created_at < :to)"
    return _newest(db, table, times, only, f"{first}, n DESC", **{"from": since, "to": until})


def _newest(db: Connection, table: str, condition: str, only: Filter | None, order: str = "n DESC", **values: Any) -> list[int]:
    live = "forgotten = 0 AND " if table == "memory" else ""
    passes = f"AND {PASSES[table].format(rowid=f'{table}.n')}" if only is not None else ""
    filters = {**dict.fromkeys(FILTERS), **only} if only is not None else {}
    sql = f"SELECT n FROM {table} WHERE {live}{condition} {passes} ORDER BY {order} LIMIT :most"
    return [n for (n,) in rows(db, sql, {**values, **filters, "most": MOST})]
