"""What a person does about events that were given up."""

from __future__ import annotations

from memcli.errors import NotFound
from memcli.project import now
from memcli.store import queue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.project import Project


def change(project: Project, action: str, n: int | None) -> int:
    """Puts parked and stuck events back to wait (`retry`), or removes the parked ones (`purge`); one of them where `n` is given.

    Returns how many. Raises NotFound where event `n` is not parked.
    """
    lease = int(project.config["queue.lease_minutes"]) * 60_000
    changed = queue.retry(project.db, n, now(), lease) if action == "retry" else queue.purge(project.db, n)
    if n is not None and not changed:
        raise NotFound(f"no parked event {n}", "see mem queue")
    return changed
