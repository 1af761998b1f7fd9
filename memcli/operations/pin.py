"""pin and unpin: keep a memory from ageing, or let it age again."""

from __future__ import annotations

from memcli import fields
from memcli.fields import Based
from memcli.memory import entries
from memcli.operations import Operation
from memcli.operations.results import MemoryLine, memory_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.memory.entries import Revision
    from memcli.project import Project


class PinRequest(Based):
    """The memory to be pinned or unpinned."""

    id: str = fields.identifier()


class Pinned(MemoryLine):
    """A memory, and whether it is pinned."""

    pinned: bool
    status: str


def plan_pin(project: Project, request: PinRequest) -> Revision:
    """Returns what pinning changes. Raises NotFound."""
    return entries.pinning(project, request.id, pinned=True)


def plan_unpin(project: Project, request: PinRequest) -> Revision:
    """Returns what unpinning changes. Raises NotFound."""
    return entries.pinning(project, request.id, pinned=False)


def apply(project: Project, planned: Revision, actor: str) -> Pinned:
    """Pins the memory or unpins it."""
    (memory,) = entries.apply(project, planned, actor)
    return Pinned(**memory_line(memory), pinned=bool(memory.pinned), status="pinned" if memory.pinned else "unpinned")


OPERATIONS = {
    "pin": Operation("pin", "Keep a memory from ageing.", PinRequest, Pinned, plan_pin, apply, repeatable=True),
    "unpin": Operation("unpin", "Let a memory age again.", PinRequest, Pinned, plan_unpin, apply, repeatable=True),
}
