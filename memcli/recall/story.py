"""What was written around a memory: from one thing that is known to what happened before and after it."""

from __future__ import annotations

from memcli.errors import InvalidInput
from memcli.memory import lookup
from memcli.store import memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.project import Project
    from memcli.store.memories import Memory

MOST_AROUND = 100


def timeline(project: Project, reference: str, before: int, after: int) -> tuple[str, list[Memory]]:
    """Returns (the id that is meant, the memories around it, oldest first). Raises NotFound or InvalidInput."""
    for count in (before, after):
        if not 0 <= count <= MOST_AROUND:
            raise InvalidInput(f"{count} around it", f"give before and after 0 to {MOST_AROUND}")
    one = lookup.find(project, reference)
    return one.id, memories.around(project.db, one, before, after)
