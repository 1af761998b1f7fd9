"""checkpoint, state, log: where the work stands and how it got there."""

from __future__ import annotations

from memcli import fields
from memcli.cli import output
from memcli.cli.invoke import perform, reading, show
from memcli.cli.verbs.reading import checked_limit
from memcli.errors import InvalidInput
from memcli.fields import Request
from memcli.operations.checkpoint import CheckpointRequest
from memcli.records import replace
from memcli.shapes import state as shapes
from memcli.store import context, oplog
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.project import Project

VIEWS = ("show", "history", "diff")


class State(Request):
    """The options of `mem state`."""

    view: str = fields.text("The state, its history, or the last change.", default="show", metavar="[show|history|diff]")
    limit: int = fields.number("The maximum number of results.", default=20)


class Log(Request):
    """The options of `mem log`."""

    id: str | None = fields.text("Only operations on this memory, state, session or prompt.", default=None, metavar="ID")
    limit: int = fields.number("The maximum number of results.", default=20)


class Checkpoint(CheckpointRequest):
    """Why, and the state from a file or the command line."""

    state_file: str | None = fields.text("A file with the state as JSON; - reads standard input.", default=None, metavar="FILE")


def checkpoint(request: Checkpoint, common: Common) -> None:
    """Stores where the work stands, and a memory that says why."""
    from memcli.cli.verbs.streams import read_text

    if (request.state_file is None) == (request.state_json is None):
        raise InvalidInput("one state is needed", "give either --state-file FILE or --state-json JSON; - reads standard input")
    source = request.state_file or request.state_json or ""
    text = read_text(source) if request.state_file is not None or source == "-" else source
    result = perform(common, "checkpoint", replace(request, state_json=text))
    show(common, result, lambda _: f"{result.state_id}  {oneline(result.reason)}  (memory {result.memory_id})")


def state(asked: State, common: Common) -> None:
    """Prints the state, its history, or what the last checkpoint changed."""
    if asked.view not in VIEWS:
        raise InvalidInput(f"no view {asked.view!r} of the state", f"use {', '.join(VIEWS)}")
    reading(common, lambda project: _VIEWS[asked.view](project, checked_limit(asked.limit), common.json))


def _show(project: Project, limit: int, as_json: bool) -> None:
    found = context.latest_states(project.db, 1)
    if as_json:
        return output.data(shapes.shown(found))
    from memcli.cli import views

    output.show(views.state(found[0], project.now) if found else "no checkpoint yet")


def _history(project: Project, limit: int, as_json: bool) -> None:
    found = context.latest_states(project.db, limit)
    if as_json:
        return output.data([shapes.state(one) for one in found])
    from memcli.cli import views

    output.show(views.states(found, project.now))


def _diff(project: Project, limit: int, as_json: bool) -> None:
    from memcli.memory.state import difference

    found = context.latest_states(project.db, 2)
    changed = difference(found[1] if len(found) > 1 else None, found[0]) if found else []
    if as_json:
        return output.data(shapes.differences(found, changed))
    from memcli.cli import views

    output.show(views.differences(changed))


_VIEWS = {"show": _show, "history": _history, "diff": _diff}


def log(asked: Log, common: Common) -> None:
    """Prints the operation log, newest first; of one memory where an id is given."""
    reading(common, lambda project: _log(project, asked, common.json))


def _log(project: Project, asked: Log, as_json: bool) -> None:
    object_id = None
    if asked.id is not None:
        from memcli.memory import history

        object_id = history.object_of(project, asked.id)
    found = oplog.latest(project.db, checked_limit(asked.limit), object_id)
    if as_json:
        return output.data([shapes.operation(op) for op in found])
    from memcli.cli import views

    output.show(views.log(found, project.now))
