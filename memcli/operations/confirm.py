"""confirm: say that memories hold on this commit."""

from __future__ import annotations

from memcli import fields
from memcli.errors import InvalidInput, Option
from memcli.fields import Based
from memcli.memory import entries
from memcli.memory.entries import Revision
from memcli.operations import Operation
from memcli.operations.results import MemoryLine, memory_line
from memcli.project import Project

_HINT = ("give ids, or ", Option("lost"))


class ConfirmRequest(Based):
    """Memories that hold here and now."""

    id: tuple[str, ...] = fields.identifiers("Ids of memories, or unique prefixes.", default=())
    lost: bool = fields.flag("All memories whose commits are on no branch any more, as after rewriting history.", default=False)


class Confirmed(MemoryLine):
    """A memory that holds on the commit that is checked out. `revision`: of its last change, an older one if it held already."""

    status: str
    revision: int


def plan(project: Project, request: ConfirmRequest) -> Revision:
    """Returns the changes to anchors and links to files. Raises NotFound or InvalidInput."""
    if request.lost == bool(request.id):
        raise InvalidInput("no id is given" if not request.lost else "ids and all lost memories exclude each other", _HINT)
    if request.lost:
        return entries.confirmation_of_lost(project)
    return entries.confirmation(project, request.id)


def apply(project: Project, planned: Revision, actor: str) -> list[Confirmed]:
    """Anchors the memories at the commit that is checked out, and renews their links to files."""
    confirmed = entries.apply(project, planned, actor)
    return [Confirmed(**memory_line(memory), status="confirmed", revision=memory.revision) for memory in confirmed]


OPERATIONS = {
    "confirm": Operation(
        "confirm",
        "Confirm that memories still hold, on this commit and for its files.",
        ConfirmRequest,
        Confirmed,
        plan,
        apply,
        repeatable=True,
    )
}
