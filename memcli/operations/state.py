"""state, log: where the work stands, how it changed, and every operation."""

from __future__ import annotations

from memcli import fields
from memcli.fields import Request, Result
from memcli.operations import Operation
from memcli.operations.results import LogRecord, log_record
from memcli.records import Record
from memcli.store import context, oplog
from memcli.text import dates, json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from memcli.memory.context import Difference
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


class StateRecord(Result):
    """A state, and the memory that says why."""

    state_id: str
    reason: str
    thread_id: str
    memory_id: str | None
    created_at: str
    state: Any
    origin: str
    trust: Literal["high", "medium", "low"]


class NoState(Result):
    """There was no checkpoint yet."""

    state_id: None
    state: dict[str, Any]


class StateChange(Result):
    """One part of a state that changed; null where it was not there."""

    key: str
    before: Any
    after: Any


class StateDifference(Result):
    """What changed from one state to the next."""

    source: str | None = fields.text("The older state's id.", output="from")
    to: str | None
    changes: list[StateChange]


class States(Record):
    """States, newest first. `changes`: what the newest changed, where that was asked for."""

    states: list[State]
    view: str
    changes: list[Difference]
    now: int

    def answer(self) -> StateRecord | NoState | list[StateRecord] | StateDifference:
        """Returns the newest state, the history, or the changes."""
        if self.view == "history":
            return [state_record(state) for state in self.states]
        if self.view == "show":
            return state_record(self.states[0]) if self.states else NoState(None, {})
        changes = [StateChange(change.key, _value(change.before), _value(change.after)) for change in self.changes]
        ids: list[str | None] = [state.id for state in self.states]
        to_id, from_id = (*ids, None, None)[:2]
        return StateDifference(from_id, to_id, changes)


class Log(Record):
    """Operations of the log, newest first."""

    operations: list[LoggedOperation]
    now: int

    def answer(self) -> list[LogRecord]:
        """Returns the operations as results."""
        return [log_record(operation) for operation in self.operations]


def state_record(state: State) -> StateRecord:
    """Returns the result for a state."""
    from memcli.validity import origin_of  # nobody else needs it to print text

    return StateRecord(
        state.id,
        state.reason,
        state.thread,
        state.memory_id,
        dates.iso(state.created_at),
        json.loads(state.body),
        **origin_of(state.actor).as_json(),
    )


def _value(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def read_state(project: Project, request: StateRequest) -> States:
    """Returns the state, its history, or its last change."""
    count = {"show": 1, "history": request.limit, "diff": 2}[request.view]
    states = context.latest_states(project.db, count)
    changes: list[Difference] = []
    if request.view == "diff" and states:
        from memcli.memory.context import difference

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
