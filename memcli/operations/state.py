"""state, log: where the work stands, how it changed, and every operation."""

from __future__ import annotations

from memcli import fields
from memcli.errors import Call, NotFound
from memcli.fields import Request, Result, Timed
from memcli.operations import Operation
from memcli.operations.results import LogRecord, log_record, named_in, titles_of
from memcli.records import Record, as_dict, replace
from memcli.store import context, memories, oplog
from memcli.store.passages import OVERTAKEN
from memcli.text import dates, json
from memcli.text.ids import writer_of
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from memcli.memory.context import Difference
    from memcli.memory.overtaken import Overtaking
    from memcli.memory.versions import FieldChange
    from memcli.project import Project
    from memcli.store.context import State
    from memcli.store.oplog import LoggedOperation

_OVERTAKEN = f'"{OVERTAKEN}"'  # stands in an operation that says which statements of a prompt were overtaken
VIEWS = ("show", "history", "diff")


class StateRequest(Request):
    """What to show: the state, its history, or what the last checkpoint changed."""

    view: str = fields.text("The state, its history, or the last change.", default="show", choices=VIEWS)
    limit: int = fields.limit(20)
    to: str | None = fields.text("For diff: a state's id; the newest by default.", default=None, max_length=80, metavar="ID")
    since: str | None = fields.text(
        "For diff: an older state's id; the one before by default.", default=None, max_length=80, metavar="ID"
    )


class LogRequest(Timed):
    """Which operations: of which object and time, and how many."""

    id: str | None = fields.text("Only operations on this memory, state, session or prompt.", default=None, metavar="ID")
    limit: int = fields.limit(20)
    patch: bool = fields.flag("Also show what each operation changed.", default=False, flag="--patch,-p")


class StateRecord(Result):
    """A state, and the memory that says why."""

    state_id: str
    reason: str
    thread_id: str
    memory_id: str | None
    created_at: str
    state: Any
    suspicious: bool
    origin: str
    trust: Literal["high", "medium", "low"]
    unknown: bool = False  # whether it is of a commit that this clone does not have
    author: str = ""  # of what another store wrote: what that is called
    ci: bool = False  # whether a CI job saved it


class CurrentState(StateRecord):
    """The state that leads, and those that are told beside it: a later one that others shared, or that a CI job saved."""

    beside: list[StateRecord] = []


class NoState(Result):
    """The answer before the first checkpoint."""

    state_id: None
    state: dict[str, Any]


class StateChange(Result):
    """One part of a state that changed; null if it did not exist."""

    key: str
    before: Any
    after: Any


class StateDifference(Result):
    """What changed from one state to the next."""

    source: str | None = fields.text("The older state's id.", output="from")
    to: str | None
    changes: list[StateChange]


class States(Record):
    """States, newest first, with this store's own before shared ones. `changes`: of the newest one, if asked for;
    `authors`: the names of the other stores that wrote some of them.
    """

    states: list[State]
    view: str
    changes: list[Difference]
    now: int
    authors: dict[str, str] = {}

    def answer(self) -> CurrentState | NoState | list[StateRecord] | StateDifference:
        """Returns the current state with those beside it, the history, or the changes."""
        if self.view != "diff":
            records = [state_record(state, self.authors.get(state.id, "")) for state in self.states]
            if self.view == "history":
                return records
            return CurrentState(**as_dict(records[0]), beside=records[1:]) if records else NoState(None, {})
        changes = [StateChange(change.key, _value(change.before), _value(change.after)) for change in self.changes]
        ids: list[str | None] = [state.id for state in self.states]
        to_id, from_id = (*ids, None, None)[:2]
        return StateDifference(from_id, to_id, changes)


class Log(Record):
    """Operations of the log, newest first. `invalid`: those of their memories that do not hold at HEAD.

    `titles`: of their objects; `reverted`: by the operation that an undo names, the operations that it reverted;
    `overtaken`: by an operation's id, what it says about the statements of its prompt;
    `are_all`: no time was given; `changes`: by an operation's id, what it changed, if asked for;
    `writers`: the names of other stores, by their ids; `orders`: the objects that read like an order to a model;
    `lost`: with `changes`, those that never took effect here, because a later change had arrived before.
    """

    operations: list[LoggedOperation]
    invalid: set[str]
    titles: dict[str, str]
    reverted: dict[str, list[LoggedOperation]]
    overtaken: dict[str, list[Overtaking]]
    now: int
    are_all: bool = True
    changes: dict[str, list[FieldChange]] | None = None
    writers: dict[str, str] = {}
    orders: set[str] = set()
    lost: dict[str, list[FieldChange]] = {}

    def answer(self) -> list[LogRecord]:
        """Returns the operations as results."""
        records = [
            log_record(it, it.object not in self.invalid, self.overtaken.get(it.id, ()), it.object in self.orders)
            for it in self.operations
        ]
        if self.changes is None:
            return records
        return [replace(record, before={it.key: it.before for it in self.changes[record.id]}) for record in records]


def state_record(state: State, author: str = "") -> StateRecord:
    """Returns the result for a state. `author`: the name of the other store that wrote it."""
    from memcli.validity import origin_of  # printing text does not need it

    return StateRecord(
        state.id,
        state.reason,
        state.thread,
        state.memory_id,
        dates.iso(state.created_at),
        json.loads(state.body),
        bool(state.suspicious),
        **origin_of(state.actor).as_json(),
        unknown=bool(state.unknown),
        author=author,
        ci=bool(state.ci),
    )


def _value(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def read_state(project: Project, request: StateRequest) -> States:
    """Returns the state, its history, or what changed. Raises NotFound for an unknown id."""
    if request.view != "diff":
        from memcli.validity import current_states  # loaded by what shows the state only

        is_history = request.view == "history"
        states = context.latest_states(project.db, request.limit) if is_history else current_states(project)
        return States(states, request.view, [], project.now, _authors(project, states))
    from memcli.memory.context import difference

    is_named = request.to or request.since
    history = context.latest_states(project.db, 1_000_000) if is_named else context.latest_lasting_states(project.db, 2)
    newest = context.latest_lasting_states(project.db, 1)
    to = request.to or (newest[0].id if newest else "")
    newer = _index(history, to) if to else 0
    older = _index(history, request.since) if request.since else newer + 1
    pair = [history[index] for index in (newer, older) if index < len(history)]
    changes = difference(pair[1] if len(pair) > 1 else None, pair[0]) if pair else []
    return States(pair, request.view, changes, project.now)


def _authors(project: Project, states: list[State]) -> dict[str, str]:
    foreign = [state for state in states if writer_of(state.actor)]
    if not foreign:
        return {}
    from memcli.validity import writer_name  # seldom needed

    return {state.id: writer_name(project, state.actor) for state in foreign}


def _index(history: list[State], state_id: str) -> int:
    for index, state in enumerate(history):
        if state.id == state_id.upper():
            return index
    raise NotFound(f"no state {oneline(state_id)[:80]}", ("see ", Call("state", "history")))


def read_log(project: Project, request: LogRequest) -> Log:
    """Returns the newest operations, of one object if it is named. Raises NotFound or InvalidInput."""
    object_id, since, until = _conditions(project, request)
    operations = oplog.latest(project.db, request.limit, object_id, since, until)
    reverted = {op.object: _command_of(project, op.object) for op in operations if op.kind == "undo"}
    listed = [*operations, *[op for command in reverted.values() for op in command]]
    overtaken = _overtaken(project, operations)
    successors = [it.by for each in overtaken.values() for it in each if it.by]
    titles = titles_of(project.db, [*named_in(listed), *successors])
    changes, lost = None, {}
    if request.patch:
        from memcli.memory import versions

        changes = versions.changes_of(project, operations)
        lost = versions.lost_in(project, operations)
    writers: dict[str, str] = {}
    if any(writer_of(op.actor) for op in listed):
        from memcli.validity import writer_names  # seldom needed

        writers = writer_names(project).shown
    invalid, are_all = _invalid(project, operations), since is until is None
    orders = memories.suspicious_among(project.db, list({op.object for op in operations}))
    return Log(operations, invalid, titles, reverted, overtaken, project.now, are_all, changes, writers, orders, lost)


def count_log(project: Project, request: LogRequest, result: Log) -> int:
    """Returns how many operations match."""
    return oplog.count(project.db, *_conditions(project, request))


def count_states(project: Project, request: StateRequest, result: States) -> int:
    """Returns how many states there are."""
    return context.count_states(project.db)


def _conditions(project: Project, request: LogRequest) -> tuple[str | None, int | None, int | None]:
    """Returns the object whose operations are listed, and from and until when. Raises NotFound or InvalidInput."""
    object_id = None
    if request.id is not None:
        from memcli.memory import history

        object_id = history.object_of(project, request.id)
    since = until = None
    if request.since is not None or request.until is not None:
        from memcli.memory import filters

        since, until = filters.since(project, request.since), filters.until(project, request.until)
    return object_id, since, until


def _overtaken(project: Project, operations: list[LoggedOperation]) -> dict[str, list[Overtaking]]:
    noting = [operation for operation in operations if operation.kind == "prompt" and _OVERTAKEN in operation.body]
    if not noting:
        return {}
    from memcli.memory import overtaken

    noted = {operation.id: overtaken.noted(project.db, operation) for operation in noting}
    return {name: overtakings for name, overtakings in noted.items() if overtakings}


def _command_of(project: Project, operation_id: str) -> list[LoggedOperation]:
    operation = oplog.find(project.db, operation_id)
    return oplog.of_command(project.db, operation.command) if operation else []


def _invalid(project: Project, operations: list[LoggedOperation]) -> set[str]:
    """Returns the ids of the operations' memories that HEAD cannot see, or that were replaced at HEAD."""
    from memcli.validity import ORPHAN, standing

    ids = dict.fromkeys([operation.object for operation in operations if operation.object.startswith("M-")])
    group = [memory for memory_id in ids if (memory := memories.find(project.db, memory_id)) is not None]
    standings = zip(group, standing(project, project.db, group))
    return {memory.id for memory, (state, superseded) in standings if state == ORPHAN or superseded}


OPERATIONS = {
    "state": Operation("state", "Show the state of the work.", StateRequest, States, read=read_state, total=count_states),
    "log": Operation("log", "Show the operation log, newest first.", LogRequest, Log, read=read_log, total=count_log),
}
