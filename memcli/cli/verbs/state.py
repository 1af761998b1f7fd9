"""checkpoint, state, log, undo: where the work stands and how it got there."""

from __future__ import annotations

from memcli.cli import output
from memcli.cli.invoke import reading, writing
from memcli.cli.verbs.reading import checked_limit
from memcli.errors import InvalidInput
from memcli.records import Record
from memcli.shapes import state as shapes
from memcli.store import context, memories, oplog
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.cli.invoke import Common
    from memcli.project import Project
    from memcli.store.chunks import Chunk
    from memcli.store.oplog import Operation

ACTOR = "cli"
VIEWS = ("show", "history", "diff")
_TOLD = 20  # operations that an undo lists


class Checkpoint(Record):
    """What `mem checkpoint` was given."""

    reason: str
    state_file: str | None = None
    state_json: str | None = None
    thread: str | None = None


class State(Record):
    """What `mem state` was asked."""

    view: str = "show"
    limit: int = 20


class Log(Record):
    """What `mem log` was asked."""

    id: str | None = None
    limit: int = 20


class Undo(Record):
    """`mem undo` asks for nothing more."""


def checkpoint(asked: Checkpoint, common: Common) -> None:
    """Stores where the work stands, and a memory that says why."""
    from memcli.cli.verbs.streams import read_text
    from memcli.memory import state

    if (asked.state_file is None) == (asked.state_json is None):
        raise InvalidInput("one state is needed", "give either --state-file FILE or --state-json JSON; - reads standard input")
    source = asked.state_file or asked.state_json or ""
    text = read_text(source) if asked.state_file is not None or source == "-" else source
    state.check(asked.reason, text)  # before a first checkpoint makes a store
    made = writing(common, lambda project: state.checkpoint(project, asked.reason, text, asked.thread, ACTOR), create=True)
    if common.json:
        return output.data(shapes.stored(made, common.workspace or "default", asked.thread))
    output.show(f"{made.id}  {oneline(made.reason)}  (memory {made.memory_id})")


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


def undo(asked: Undo, common: Common) -> None:
    """Takes the last command back, by new operations that say the opposite."""
    chunk, taken, titles = writing(common, _undo)
    if chunk is not None:
        done: dict[str, Any] = {"undone": [], "command": None, "restored": chunk.id}
        return output.data(done) if common.json else output.show(f"Brought back {chunk.id}  {oneline(chunk.place)}")
    if common.json:
        return output.data(shapes.undone(taken))
    output.show(f"Undid command {taken[0].command}")
    for op in taken[:_TOLD]:
        output.show(f"  {op.kind:<9} {op.object}  {titles.get(op.object, '')}".rstrip())
    if len(taken) > _TOLD:
        output.show(f"  and {len(taken) - _TOLD:,} more operations")


def _undo(project: Project) -> tuple[Chunk | None, list[Operation], dict[str, str]]:
    from memcli.memory import history

    if chunk := history.undo_forgotten_chunk(project):
        return chunk, [], {}
    taken = history.undo(project, ACTOR)
    known = [memories.find(project.db, op.object) for op in taken]
    return None, taken, {memory.id: oneline(memory.title) for memory in known if memory}
