"""Where a memory was written: on which commit, wherever it was confirmed since, and in which session of an agent."""

from __future__ import annotations

from memcli.records import Record
from memcli.store import oplog
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.project import Project
    from memcli.store.memories import Memory
    from memcli.store.sessions import Session


class Writing(Record):
    """Where a memory was written. `confirmed_at`: when somebody last said on another commit that it holds, in ms since 1970."""

    anchor: str | None
    confirmed_at: int | None
    session: Session | None


def written(project: Project, memory: Memory) -> Writing:
    """Returns where a memory was written. What git made of its commit, as a rebase, is followed until it is confirmed."""
    operations = [op for op in oplog.standing(project.db, memory.id) if op.kind == "put"]
    bodies = [(op, json.loads(op.body)) for op in operations]
    anchored = [(op, body["anchor"]) for op, body in bodies if "anchor" in body]
    anchor, confirmed_at = anchored[0][1] if anchored else memory.anchor, None
    for op, name in anchored[1:]:
        if op.actor != oplog.ANCHOR_ACTOR:
            confirmed_at = op.hlc_ms
        elif confirmed_at is None:
            anchor = name
    key = (bodies[0][1].get("via") or {}).get("session") if bodies else None
    return Writing(anchor, confirmed_at, _session(project, memory.session, key))


def _session(project: Project, row: int, key: str | None) -> Session | None:
    """Returns the session in whose row a memory was observed, else the one that the harness calls so, which wrote it."""
    if not row and not key:
        return None
    from memcli.store import sessions

    if row:
        name = sessions.id_of(project.db, row)
        return sessions.find(project.db, name) if name else None
    return sessions.by_name(project.db, key or "")
