"""Databases of other programs, read and never changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import apsw

from memcli.store import rows
from memcli.text import json

if TYPE_CHECKING:
    from apsw import Connection

_PATIENCE_MS = 2_000


def _open(path: str) -> Connection:
    db = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    db.set_busy_timeout(_PATIENCE_MS)
    return db


def opencode_sessions(path: str) -> list[tuple[str, dict[str, Any]]]:
    """Returns (name, what it says of itself) of the sessions of OpenCode, oldest first; none where this is not its database."""
    try:
        db = _open(path)
    except apsw.Error:
        return []
    try:
        found = rows(db, "SELECT id, directory, parent_id FROM session ORDER BY time_created, id")
    except apsw.Error:
        return []
    finally:
        db.close()
    return [(str(name), {"directory": directory, "parentID": parent}) for name, directory, parent in found]


def opencode_messages(path: str, session: str) -> Iterator[tuple[str | None, list[str | None]]]:
    """Yields (message, its parts) of a session in order, each as JSON, with its id."""
    try:
        db = _open(path)
    except apsw.Error:
        return
    try:
        messages = rows(db, "SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", (session,))
        for name, data in messages:
            parts = rows(db, "SELECT data FROM part WHERE message_id = ? ORDER BY id", (name,))
            yield _named(name, data), [part if isinstance(part, str) else None for (part,) in parts]
    except apsw.Error:
        return
    finally:
        db.close()


def _named(name: Any, data: Any) -> str | None:
    """Returns a message with its id in it, as OpenCode writes it everywhere else; None where it is none."""
    try:
        value = json.loads(data) if isinstance(data, str) else None
    except json.Malformed:
        return None
    return json.dumps({**value, "id": name}) if isinstance(value, dict) else None
