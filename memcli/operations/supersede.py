"""supersede: replace a memory by what holds now."""

from __future__ import annotations

from memcli import fields
from memcli.fields import Based
from memcli.memory import entries
from memcli.memory.entries import Edit
from memcli.operations import Operation
from memcli.operations.results import MemoryLine, memory_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.memory.entries import Succession
    from memcli.project import Project


class SupersedeRequest(Edit, Based):
    """What holds now; a field that is left out is taken over from the old memory."""

    id: str = fields.identifier()


class Superseded(MemoryLine):
    """The new memory, and which one it replaced."""

    old_id: str
    new_id: str
    status: str
    revision: int


def plan(project: Project, request: SupersedeRequest) -> Succession:
    """Drafts the memory that replaces another. Raises NotFound or InvalidInput."""
    return entries.succession(project, request.id, request)


def apply(project: Project, planned: Succession, actor: str) -> Superseded:
    """Stores the new memory and marks the old one as superseded."""
    old, new = entries.succeed(project, planned, actor)
    return Superseded(**memory_line(new), old_id=old.id, new_id=new.id, status="superseded", revision=old.revision)


OPERATIONS = {
    "supersede": Operation(
        "supersede",
        "Replace a memory with what holds now.",
        SupersedeRequest,
        Superseded,
        plan,
        apply,
        question="Replace this memory?",
        hides=True,
    )
}
