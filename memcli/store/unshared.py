"""What is not shared yet: what rules may select, what goes with something shared, and how much of it would leave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from apsw import Connection

from memcli.store import rows
from memcli.store.oplog import LOCAL
from memcli.store.replication import OWN_KINDS, UNCOMMITTED
from memcli.text import json


def candidates(db: Connection, kinds: set[str] | None, threads: set[str] | None) -> list[tuple[str, str]]:
    """Returns (id, origin) of each live memory of some kinds and threads that is not shared. None: of all."""
    if kinds == set() or threads == set():
        return []
    limits = [(column, json.dumps(sorted(names))) for column, names in (("kind", kinds), ("thread", threads)) if names]
    sql = f"""
        SELECT id, origin FROM memory
        WHERE forgotten = 0 {"".join([f"AND {column} IN (SELECT value FROM json_each(?)) " for column, _ in limits])}
          AND id NOT IN (SELECT object FROM shared) ORDER BY n
    """
    return rows(db, sql, [names for _, names in limits])


def states(db: Connection) -> list[str]:
    """Returns the ids of the states that are not shared."""
    return [name for (name,) in rows(db, "SELECT id FROM state WHERE id NOT IN (SELECT object FROM shared)")]


def noted(db: Connection, objects: Sequence[str]) -> set[str]:
    """Returns those of some objects of which it is noted whether they are shared."""
    sql = "SELECT object FROM shared WHERE object IN (SELECT value FROM json_each(?))"
    return {name for (name,) in rows(db, sql, (json.dumps(objects),))}


def neighbours(db: Connection) -> list[str]:
    """Returns what shared memories and states need: the threads that they name, and the memories that replace shared ones."""
    sql = """
        WITH given AS (SELECT object FROM shared WHERE is_stopped = 0)
        SELECT 'T-' || thread FROM memory WHERE id IN given
        UNION SELECT 'T-' || thread FROM state WHERE id IN given
        UNION SELECT from_id FROM memory_link WHERE rel = 'supersedes' AND to_id IN given
        EXCEPT SELECT object FROM shared
    """
    return [name for (name,) in rows(db, sql)]


def count(db: Connection, objects: Iterable[str]) -> int:
    """Returns how many operations would wait to be pushed if some objects were shared, with those that name their threads."""
    sql = f"""
        WITH chosen AS (
          SELECT value AS object FROM json_each(?)
          UNION SELECT 'T-' || thread FROM (SELECT id, thread FROM memory UNION ALL SELECT id, thread FROM state)
          WHERE id IN (SELECT value FROM json_each(?))
          EXCEPT SELECT object FROM shared
        )
        SELECT count(*) FROM op
        WHERE object IN (SELECT object FROM chosen) AND vis = '{LOCAL}' AND kind NOT IN {OWN_KINDS}
          AND object NOT IN ({UNCOMMITTED})
    """
    names = json.dumps(list(objects))
    return int(rows(db, sql, (names, names))[0][0])
