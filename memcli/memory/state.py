"""State: where the work stands, as one JSON value that each checkpoint replaces."""

from __future__ import annotations

from memcli.errors import InvalidInput
from memcli.memory import check as check_field
from memcli.memory import entries
from memcli.memory.commit import commit
from memcli.memory.entries import Draft
from memcli.records import Record
from memcli.store import context
from memcli.store.context import State
from memcli.store.oplog import Change, body_of
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
    return store(project, draft(project, reason, thread), value, actor)


def draft(project: Project, reason: str, thread: str | None) -> Draft:
    """Drafts the memory that bears the reason of a checkpoint. Raises InvalidInput."""
    memory = entries.NewMemory(title="Checkpoint", summary=reason, thread=thread, kind="checkpoint")
    return Draft(entries.checked(project, memory), [])


def store(project: Project, memory: Draft, value: Any, actor: str) -> State:
    """Stores a state and the memory of its reason, together."""
    state_id, memory_id = ids.new("S"), ids.new("M")
    facts = {name: memory.fields[name] for name in ("thread", "created")}
    body = {"state": value, "reason": memory.fields["summary"], "memory": memory_id, **facts}
    commit(
        project,
        lambda: [
            *entries.thread_change(project, memory.fields["thread"]),
            Change("state", state_id, body),
            Change("put", memory_id, memory.fields),
        ],
        actor,
    )
    state = context.find(project.db, State, state_id)
    assert state is not None
    return state


def check(reason: str, state_json: str | None) -> Any:
    """Returns the state's value, None where there is none. Raises InvalidInput for a checkpoint that cannot be stored."""
    if not reason.strip():
        raise InvalidInput("the reason is empty", "say why, such as: before the release")
    check_field("summary", reason)
    value = None if state_json is None else parse(state_json)
    body_of(Change("state", "", {"state": value, "reason": reason}))  # raises InvalidInput for what the log cannot take
    return value


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
    old, new = (_values(state) for state in (before, after))
    keys = sorted(old.keys() | new.keys())
    return [Difference(key, old.get(key), new.get(key)) for key in keys if old.get(key) != new.get(key)]


def _values(state: State | None) -> dict[str, str]:
    if state is None:
        return {}
    value = json.loads(state.body)
    if not isinstance(value, dict):
        return {"(state)": state.body}
    return {key: json.canonical(item) for key, item in value.items()}
