"""supersede: replace a memory by what holds now, either a new memory or an existing one."""

from __future__ import annotations

from memcli import fields
from memcli.errors import InvalidInput, Option
from memcli.fields import Based
from memcli.memory import FIELDS, entries
from memcli.memory.entries import Edit, Replacement
from memcli.operations import Operation
from memcli.operations.results import MemoryLine, memory_line
from memcli.text.ids import PLACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.memory.closing import Closing
    from memcli.memory.entries import Succession
    from memcli.project import Project
    from memcli.store.memories import Memory


class SupersedeRequest(Edit, Based):
    """What holds now. A field that is left out is copied from the old memory."""

    id: str = fields.identifier("A memory's id, a unique prefix, or the id of a point that a session left open.")
    by: str | None = fields.identifier("An existing memory that takes its place; nothing new is written.", default=None)


class Superseded(MemoryLine):
    """The memory that holds now, and the one it replaced. `status`: superseded, or exists if it had done so before.

    `closed`: `old_id` is a point that a session left open, and the memory says what became of it.
    """

    old_id: str
    new_id: str
    status: str
    revision: int


def plan(project: Project, request: SupersedeRequest) -> Succession | Replacement | Closing | Superseded:
    """Drafts the memory that replaces another, or finds the existing one. Raises NotFound or InvalidInput."""
    if request.by is None and PLACE in request.id:
        from memcli.memory import closing

        if closing.is_meant(request.id):
            return closing.closing(project, request.id, request)
    if request.by is None:
        return entries.succession(project, request.id, request)
    if given := [name for name in FIELDS if getattr(request, name) is not None]:
        raise InvalidInput("with --by, nothing is written: the other memory stays as it is", ("leave out ", Option(given[0])))
    planned = entries.replacement(project, request.id, request.by)
    return _answer(planned.old, planned.new, "exists") if planned.is_made else planned


def apply(project: Project, planned: Succession | Replacement | Closing, actor: str) -> Superseded:
    """Stores the memory if it is new, and marks the old one as superseded."""
    if isinstance(planned, Replacement):
        return _answer(*entries.take_place(project, planned, actor), "superseded")
    if not isinstance(planned, entries.Succession):
        from memcli.memory import closing

        memory, revision = closing.close(project, planned, actor)
        return Superseded(**memory_line(memory), old_id=planned.passage.id, new_id=memory.id, status="closed", revision=revision)
    return _answer(*entries.succeed(project, planned, actor), "superseded")


def _answer(old: Memory, new: Memory, status: str) -> Superseded:
    return Superseded(**memory_line(new), old_id=old.id, new_id=new.id, status=status, revision=old.revision)


OPERATIONS = {
    "supersede": Operation(
        "supersede",
        "Replace a memory with what holds now: a new memory, or an existing one (--by).",
        SupersedeRequest,
        Superseded,
        plan,
        apply,
        question="Replace this memory?",
        hides=True,
    )
}
