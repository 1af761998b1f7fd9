"""undo: revert the last command."""

from __future__ import annotations

from memcli import store
from memcli.errors import MemError
from memcli.fields import Based, Result
from memcli.memory import history
from memcli.operations import Operation
from memcli.operations.results import LogRecord, log_record, named_in, titles_of
from memcli.project import DEFAULT_WORKSPACE, Where, folder_of, open_for_reading
from memcli.store import oplog
from memcli.text import json
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.project import Project
    from memcli.store.oplog import LoggedOperation


class UndoRequest(Based):
    """A request to revert the newest command, without options."""


class Undone(Result):
    """The operations that were reverted, and the command that they made up. `restored`: the first chunk that was restored.

    `stands_in`: the workspaces in which another part of the same import is the last command and was not reverted.
    """

    undone: list[LogRecord]
    command: int | None
    titles: dict[str, str] = {}
    restored: str | None = None
    stands_in: list[str] = []


def plan(project: Project, request: UndoRequest) -> UndoRequest:
    """Checks that something can be undone. Raises NotFound or InvalidInput."""
    history.check_undo(project, request.if_revision)
    return request


def apply(project: Project, planned: UndoRequest, actor: str) -> Undone:
    """Reverts the last command, by new operations that say the opposite."""
    operations, chunks = history.undo(project, actor)
    titles = titles_of(project.db, named_in(operations)) | {chunk.id: oneline(chunk.place) for chunk in chunks}
    command = operations[0].command if operations else None
    restored = chunks[0].id if chunks else None
    others = _other_parts(project, operations[0]) if operations else []
    return Undone([log_record(operation) for operation in operations], command, titles, restored, others)


def _other_parts(project: Project, first: LoggedOperation) -> list[str]:
    """Returns the workspaces in which a part of the same import would be reverted next."""
    name = _import_of(first)
    if not name:
        return []
    from memcli import registry

    workspaces = [DEFAULT_WORKSPACE, *registry.workspaces(folder_of(project.repo_id, None))]
    return [other for other in workspaces if other != project.workspace and _last_import(project, other) == name]


def _last_import(project: Project, workspace: str) -> str | None:
    """Returns the import if it is the last command in a workspace; None for another command or an unreadable workspace."""
    try:
        other = open_for_reading(Where(None if project.is_user else project.repo_id, workspace, project.is_user))
    except (MemError, store.Error):
        return None
    try:
        command = oplog.last_undoable(other.db)
        return _import_of(oplog.of_command(other.db, command)[0]) if command else None
    finally:
        other.close()


def _import_of(operation: LoggedOperation) -> str | None:
    """Returns the name that an import into several workspaces has in each of them; None for another operation."""
    via = json.loads(operation.body).get("via") or {}
    return via.get("import")


OPERATIONS = {"undo": Operation("undo", "Undo the last command.", UndoRequest, Undone, plan, apply)}
