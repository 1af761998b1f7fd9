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
    """The operations that were taken back, and the command they were. `restored`: the chunk that came back, or the first one."""

    undone: list[LogRecord]
    command: int | None
    titles: dict[str, str] = {}
    restored: str | None = None


def plan(project: Project, request: UndoRequest) -> UndoRequest:
    """Checks that something can be undone. Raises NotFound or InvalidInput."""
    history.check_undo(project)
    return request


def apply(project: Project, planned: UndoRequest, actor: str) -> Undone:
    """Takes the last command back, by new operations that say the opposite."""
    operations, chunks = history.undo(project, actor)
    titles = titles_of(project.db, named_in(operations)) | {chunk.id: oneline(chunk.place) for chunk in chunks}
    command = operations[0].command if operations else None
    return Undone([log_record(operation) for operation in operations], command, titles, chunks[0].id if chunks else None)


OPERATIONS = {"undo": Operation("undo", "Undo the last command.", UndoRequest, Undone, plan, apply)}
