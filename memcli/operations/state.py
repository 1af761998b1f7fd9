"""state, log: where the work stands, how it changed, and every operation."""

from __future__ import annotations

from memcli import fields
from memcli.errors import InvalidInput
from memcli.fields import Request
from memcli.operations import Operation
from memcli.operations.results import operation_json
from memcli.records import Record
from memcli.store import context, oplog
from memcli.text import dates, json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.memory.state import Difference
    from memcli.project import Project
    from memcli.store.context import State
    from memcli.store.oplog import LoggedOperation

VIEWS = ("show", "history", "diff")


class StateRequest(Request):
    """What to show of the state: itself, its history, or what the last checkpoint changed."""

    view: str = fields.text(
        "The state, its history, or the last change.", default="show", metavar="[show|history|diff]", choices=VIEWS
    )
    limit: int = fields.limit(20)


class LogRequest(Request):
    """Of which object, and how many operations."""

    id: str | None = fields.text("Only operations on this memory, state, session or prompt.", default=None, metavar="ID")
    limit: int = fields.limit(20)


class States(Record):
    """States, newest first. `changes`: what the newest changed, where that was asked for."""

    states: list[State]
    view: str
    changes: list[Difference]
    now: int

    def to_json(self) -> Any:
        """Returns the newest state, the history, or the changes as data."""
        if self.view == "history":
            return [state_json(state) for state in self.states]
        if self.view == "show":
            return state_json(self.states[0]) if self.states else {"state_id": None, "state": {}}
        parts = [{"key": part.key, "before": _value(part.before), "after": _value(part.after)} for part in self.changes]
        names: list[str | None] = [state.id for state in self.states]
        to_id, from_id = (*names, None, None)[:2]
        return {"from": from_id, "to": to_id, "changes": parts}


class Log(Record):
    """Operations of the log, newest first."""

    operations: list[LoggedOperation]
    now: int

    def to_json(self) -> list[dict[str, Any]]:
        """Returns the operations as data."""
        return [operation_json(operation) for operation in self.operations]


def state_json(state: State) -> dict[str, Any]:
    """Returns a state as data."""
    facts = {"state_id": state.id, "reason": state.reason, "thread_id": state.thread, "memory_id": state.memory_id}
    return {**facts, "created_at": dates.iso(state.created_at), "state": json.loads(state.body)}


def _value(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def read_state(project: Project, request: StateRequest) -> States:
    """Returns the state, its history, or its last change. Raises InvalidInput."""
    if request.view not in VIEWS:
        raise InvalidInput(f"no view {request.view!r} of the state", f"use {', '.join(VIEWS)}")
    count = {"show": 1, "history": request.limit, "diff": 2}[request.view]
    states = context.latest_states(project.db, count)
    changes: list[Difference] = []
    if request.view == "diff" and states:
        from memcli.memory.state import difference

        changes = difference(states[1] if len(states) > 1 else None, states[0])
    return States(states, request.view, changes, project.now)


def read_log(project: Project, request: LogRequest) -> Log:
    """Returns the newest operations, of one object where it is named. Raises NotFound or InvalidInput."""
    object_id = None
    if request.id is not None:
        from memcli.memory import history

        object_id = history.object_of(project, request.id)
    return Log(oplog.latest(project.db, request.limit, object_id), project.now)


OPERATIONS = {
    "state": Operation("state", "Show the state of the work.", StateRequest, States, read=read_state),
    "log": Operation("log", "Show the operation log, newest first.", LogRequest, Log, read=read_log),
}
