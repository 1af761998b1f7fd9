"""Operations of other stores that are not applied yet: dated ahead, of writers who are not trusted, on objects that stay here."""

from __future__ import annotations

from collections.abc import Iterable

from apsw import Connection

from memcli.store import replication, rows
from memcli.text import json

_LIMIT = 100_000  # operations; a hostile remote cannot fill the disk with more


def set_aside(db: Connection, operations: Iterable[tuple[str, str, int, str]]) -> None:
    """Keeps operations, given as (id, writer, hlc_ms, line), that are not applied yet."""
    free = _LIMIT - int(rows(db, "SELECT count(*) FROM quarantine")[0][0])
    values = list(operations)[: max(0, free)]
    db.executemany("INSERT INTO quarantine(id, writer, hlc_ms, line) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", values)


def quarantined(db: Connection) -> list[tuple[str, str, int, str]]:
    """Returns (id, writer, hlc_ms, line) of each operation that is not applied."""
    return rows(db, "SELECT id, writer, hlc_ms, line FROM quarantine ORDER BY hlc_ms, id")


def applicable(db: Connection) -> list[tuple[str, str, int, str]]:
    """Returns what is not applied, but for operations on objects that stay here."""
    waiting = quarantined(db)
    objects = {row[0]: json.loads(row[3])["o"] for row in waiting}
    unshared = replication.kept_here(db, set(objects.values()))
    return [row for row in waiting if objects[row[0]] not in unshared]


def release(db: Connection, ids: Iterable[str]) -> None:
    """Takes operations out of the quarantine."""
    db.executemany("DELETE FROM quarantine WHERE id = ?", [(name,) for name in ids])
