"""update: correct a memory."""

from __future__ import annotations

from memcli import fields
from memcli.fields import Based
from memcli.memory import entries
from memcli.memory.entries import Edit
from memcli.operations import Operation
from memcli.operations.results import MemoryLine, memory_line
from memcli.text import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.memory.entries import Revision
    from memcli.project import Project


class UpdateRequest(Edit, Based):
    """Fields of a memory to be changed."""

    id: str = fields.identifier()


class Updated(MemoryLine):
    """A memory after a change."""

    summary: str
    operation_at: str
    revision: int


def plan(project: Project, request: UpdateRequest) -> Revision:
    """Returns what changes. Raises NotFound or InvalidInput."""
    return entries.revision(project, request.id, request)


def apply(project: Project, planned: Revision, actor: str) -> Updated:
    """Changes the memory; its history stays in the log."""
    (memory,) = entries.apply(project, planned, actor)
    return Updated(
        **memory_line(memory), summary=memory.summary, operation_at=dates.iso(memory.updated_at), revision=memory.revision
    )


OPERATIONS = {
    "update": Operation(
        "update",
        "Correct a memory; its history stays in the log.",
        UpdateRequest,
        Updated,
        plan,
        apply,
        question="Change this memory?",
        hides=True,
        repeatable=True,
    )
}
