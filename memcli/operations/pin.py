"""pin and unpin: keep memories from ageing, or let them age again."""

from __future__ import annotations

from memcli import fields
from memcli.fields import Based
from memcli.memory import entries, items
from memcli.operations import Operation
from memcli.operations.results import MemoryLine, memory_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.memory.entries import Revision
    from memcli.project import Project


class PinRequest(Based):
    """The memories to be pinned or unpinned."""

    id: tuple[str, ...] = fields.identifiers("Ids of memories, or unique prefixes.")


class Pinned(MemoryLine):
    """A memory, and whether it is pinned."""

    pinned: bool
    status: str


def plan_pin(project: Project, request: PinRequest) -> Revision:
    """Returns what pinning changes. Raises NotFound or InvalidInput."""
    return items.pinning(project, request.id, pinned=True)


def plan_unpin(project: Project, request: PinRequest) -> Revision:
    """Returns what unpinning changes. Raises NotFound or InvalidInput."""
    return items.pinning(project, request.id, pinned=False)


def apply(project: Project, planned: Revision, actor: str) -> list[Pinned]:
    """Pins the memories or unpins them."""
    return [
        Pinned(**memory_line(memory), pinned=bool(memory.pinned), status="pinned" if memory.pinned else "unpinned")
        for memory in entries.apply(project, planned, actor)
    ]


OPERATIONS = {
    "pin": Operation("pin", "Keep memories from ageing.", PinRequest, Pinned, plan_pin, apply, repeatable=True),
    "unpin": Operation("unpin", "Let memories age again.", PinRequest, Pinned, plan_unpin, apply, repeatable=True),
}
