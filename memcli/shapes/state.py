"""The state, its history, the operation log, the profile and notes as data."""

from __future__ import annotations

from memcli.text import dates, json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.memory.state import Difference
    from memcli.store.context import Note, ProfileEntry, State
    from memcli.store.oplog import Operation


def shown(found: Sequence[State]) -> dict[str, Any]:
    """Returns the newest of some states as data; what stands for it where there is none."""
    return state(found[0]) if found else {"state_id": None, "state": {}}


def state(one: State) -> dict[str, Any]:
    """Returns a state as data."""
    facts = {"state_id": one.id, "reason": one.reason, "thread_id": one.thread, "memory_id": one.memory_id}
    return {**facts, "created_at": dates.iso(one.created_at), "state": json.loads(one.body)}


def stored(one: State, workspace: str, thread: str | None) -> dict[str, Any]:
    """Returns what `checkpoint` says. `thread`: the one that was asked for."""
    ids = {"state_id": one.id, "workspace": workspace, "reason": one.reason, "memory_id": one.memory_id}
    return {**ids, "thread_used": one.thread, "thread_defaulted": thread is None}


def differences(found: Sequence[State], changed: Sequence[Difference]) -> dict[str, Any]:
    """Returns what changed between the newest of some states and the one before it as data."""
    parts = [{"key": one.key, "before": _value(one.before), "after": _value(one.after)} for one in changed]
    return {"from": found[1].id if len(found) > 1 else None, "to": found[0].id if found else None, "changes": parts}


def _value(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def operation(op: Operation) -> dict[str, Any]:
    """Returns an operation as data, in the names of the sync format where it has them."""
    facts = {"revision": op.revision, "id": op.id, "hlc": [op.hlc_ms, op.hlc_n], "w": op.writer, "k": op.kind, "o": op.object}
    return {**facts, "b": json.loads(op.body), "actor": op.actor, "vis": op.vis, "command": op.command}


def undone(taken: Sequence[Operation]) -> dict[str, Any]:
    """Returns what `undo` says of the operations it took back."""
    return {"undone": [operation(op) for op in taken], "command": taken[0].command}


def entry_read(found: tuple[ProfileEntry, bool]) -> dict[str, Any]:
    """Returns an entry of the profile as data, with whose it is. `found`: the entry, and whether it is the person's own."""
    return {**entry(found[0]), "from": "user" if found[1] else "repository"}


def entry(one: ProfileEntry) -> dict[str, Any]:
    """Returns an entry of the profile as data."""
    return {"id": one.id, "key": one.key, "value": one.value, "updated_at": dates.iso(one.updated_at)}


def note(kept: Note) -> dict[str, Any]:
    """Returns a note as data."""
    return {"id": kept.id, "day": kept.day, "text": kept.text, "created_at": dates.iso(kept.created_at)}
