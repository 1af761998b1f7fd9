"""Purging: the ids that a remote deleted for good, and the operations that name threads and writers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from apsw import Connection

from memcli.store import rows, set_meta
from memcli.store.replication import EPOCH, MISSING, SHARED, UNCLEAN
from memcli.text import json

DUE = "sync_purge_due"  # in meta: the remote that a purge did not reach yet, as JSON
_OF_NAMES = f"object GLOB '[TW]-*' AND vis IN {(SHARED, MISSING)}"  # that others have, too


def purged(db: Connection) -> set[str]:
    """Returns the ids of the objects and operations that a remote deleted for good."""
    return {name for (name,) in rows(db, "SELECT object FROM purged")}


def note_purged(db: Connection, number: int, objects: Sequence[str]) -> None:
    """Notes the epoch that was followed: its number, and what it took out for good; that does not wait in quarantine, either."""
    set_meta(db, EPOCH, str(number))
    set_meta(db, UNCLEAN, "1")
    db.executemany("INSERT INTO purged(object) VALUES (?) ON CONFLICT DO NOTHING", [(name,) for name in objects])
    gone = "SELECT object FROM purged"
    rows(db, f"DELETE FROM quarantine WHERE id IN ({gone}) OR json_extract(line, '$.o') IN ({gone})")


def counterparts(db: Connection, objects: Iterable[str]) -> list[str]:
    """Returns the memories that say why states were stored, and the states that were stored with memories: both say why."""
    ids = json.dumps(list(objects))
    sql = """
        SELECT json_extract(body, '$.memory') FROM op
        WHERE object GLOB 'S-*' AND object IN (SELECT value FROM json_each(?1)) AND json_extract(body, '$.memory') IS NOT NULL
        UNION SELECT object FROM op
        WHERE object GLOB 'S-*' AND json_extract(body, '$.memory') IN (SELECT value FROM json_each(?1))
    """
    return [name for (name,) in rows(db, sql, (ids,))]


def namings(db: Connection, objects: Iterable[str]) -> list[str]:
    """Returns the ids of the operations on threads and writers that others have, too."""
    sql = f"SELECT id FROM op WHERE object IN (SELECT value FROM json_each(?)) AND {_OF_NAMES}"
    return [name for (name,) in rows(db, sql, (json.dumps(list(objects)),))]


def named_by(db: Connection, ids: Iterable[str]) -> list[str]:
    """Returns the threads and writers that operations name, of those that others have."""
    sql = f"SELECT DISTINCT object FROM op WHERE id IN (SELECT value FROM json_each(?)) AND {_OF_NAMES}"
    return [name for (name,) in rows(db, sql, (json.dumps(list(ids)),))]
