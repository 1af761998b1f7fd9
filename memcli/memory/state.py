"""State: where the work stands, as one JSON value that each checkpoint replaces."""

from __future__ import annotations

from memcli.errors import InvalidInput
from memcli.memory import entries, fields
from memcli.memory.commit import commit
from memcli.records import Record
from memcli.store import context
from memcli.store.context import State
from memcli.store.oplog import Change
from memcli.text import ids, json
from memcli.text.terminal import is_storable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.project import Project


class Difference(Record):
    """One part of a state that changed between two checkpoints; `before` or `after` is None where it did not exist."""

    key: str
    before: str | None
    after: str | None


def checkpoint(project: Project, reason: str, state_json: str, thread: str | None, actor: str) -> State:
    """Stores a state and a memory that bears its reason, together. Raises InvalidInput for what is not one JSON value."""
    value = check(reason, state_json)
    state_id, memory_id = ids.new("S"), ids.new("M")
    memory = entries.NewMemory(title="Checkpoint", summary=reason, thread=thread, kind="checkpoint")
    values = entries.checked(project, memory)
    body = {"state": value, "reason": reason, "thread": values["thread"], "memory": memory_id, "created": project.now}
    commit(
        project,
        lambda: [
            *entries.thread_change(project, str(values["thread"])),
            Change("state", state_id, body),
            Change("put", memory_id, values),
        ],
        actor,
    )
    made = context.find(project.db, State, state_id)
    assert made is not None
    return made


def check(reason: str, state_json: str) -> Any:
    """Returns the state's value. Raises InvalidInput for a checkpoint that cannot be stored, whatever the store."""
    if not reason.strip():
        raise InvalidInput("the reason is empty", 'say why: mem checkpoint --reason "before the release" --state-file FILE')
    fields.check("summary", reason)
    return parse(state_json)


def parse(state_json: str) -> Any:
    """Reads a state as typed. Raises InvalidInput."""
    try:
        value = json.loads(state_json)
        written = json.canonical(value)
    except (json.Malformed, RecursionError) as problem:
        raise InvalidInput(
            f"the state is not JSON: {problem}", 'give one JSON value, such as {"task": "login", "open": []}'
        ) from None
    if not is_storable(written):
        raise InvalidInput("the state holds half a surrogate pair", "remove it: only Unicode text can be stored")
    return value


def difference(before: State | None, after: State) -> list[Difference]:
    """Returns what changed from one state to the next, key by key for objects."""
    old, new = (_parts(state) for state in (before, after))
    keys = sorted(old.keys() | new.keys())
    return [Difference(key, old.get(key), new.get(key)) for key in keys if old.get(key) != new.get(key)]


def _parts(state: State | None) -> dict[str, str]:
    if state is None:
        return {}
    value = json.loads(state.body)
    if not isinstance(value, dict):
        return {"(state)": state.body}
    return {key: json.canonical(part) for key, part in value.items()}
