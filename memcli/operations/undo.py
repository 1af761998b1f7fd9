"""undo: take the last command back."""

from __future__ import annotations

from memcli.fields import Based, Result
from memcli.memory import history
from memcli.operations import Operation
from memcli.operations.results import LogRecord, log_record, named_in, titles_of
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.project import Project


class UndoRequest(Based):
    """Undo takes nothing: the newest command is meant."""


class Undone(Result):
    """The operations that were taken back, and the command they were; or the chunk that came back."""

    undone: list[LogRecord]
    command: int | None
    titles: dict[str, str] = {}
    restored: str | None = None


def plan(project: Project, request: UndoRequest) -> UndoRequest:
    """Checks that something can be undone. Raises NotFound or InvalidInput."""
    if history.last_forgotten_chunk(project) is None:
        history.check_undo(project)
    return request


def apply(project: Project, planned: UndoRequest, actor: str) -> Undone:
    """Takes the last command back, by new operations that say the opposite."""
    if chunk := history.undo_forgotten_chunk(project):
        return Undone([], None, {chunk.id: oneline(chunk.place)}, chunk.id)
    operations = history.undo(project, actor)
    titles = titles_of(project.db, named_in(operations))
    return Undone([log_record(operation) for operation in operations], operations[0].command, titles)


OPERATIONS = {"undo": Operation("undo", "Undo the last command.", UndoRequest, Undone, plan, apply)}
