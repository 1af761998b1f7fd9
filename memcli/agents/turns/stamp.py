"""The stamp of a turn: what it depends on beside the log of the store, so that a later turn need not look at everything again."""

from __future__ import annotations

import os

from memcli.store import turns
from memcli.text import dates, json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from memcli.project import Project
    from memcli.store.turns import Delivery


def make(project: Project, form: str, budget: Mapping[str, object]) -> dict[str, Any]:
    """Returns what a full turn depends on beside the log: while that is the same, only the log can have changed the turn."""
    config = project.config
    checkout = project.checkout
    return {
        "form": form,
        "budget": dict(budget),
        "root": ascii(project.root),  # neither this nor the branch need be UTF-8
        "commit": project.commit,
        "branch": ascii(checkout.branch) if checkout else None,
        "day": dates.day(project.now),
        "user_revision": turns.revision(project.user_db) if project.user_db is not None else 0,
        "instructions": list(file_status(project.root, str(config["turn.instructions"]))),
        "settings": [value for key, (value, _) in sorted(config.values.items()) if key.startswith(("turn.", "budget."))],
    }


def user_revision(delivery: Delivery) -> int:
    """Returns the revision of the person's own memory that a session was shown; 0 where an older mem recorded that."""
    stamp = json.loads(delivery.stamp)[0]
    return int(stamp["user_revision"]) if isinstance(stamp, dict) else 0


def file_status(root: str, path: str) -> tuple[int, int]:
    """Returns the size and the time of change of a file, in ns; zeros where there is none."""
    try:
        status = os.stat(os.path.join(root, path))
    except (OSError, ValueError):
        return 0, 0
    return status.st_size, status.st_mtime_ns


def is_unchanged(project: Project, delivery: Delivery, stamp: dict[str, Any], row: int, note: str) -> bool:
    """Tells whether a full turn shows what it showed when the session got the last one, without looking at all of it.

    `row`, `note`: of the session itself, whose changes do not count.
    """
    before, files = json.loads(delivery.stamp)
    if before != stamp or any(list(file_status(project.root, path)) != status for path, *status in files):
        return False
    return not turns.moved(project.db, delivery.revision, row, note)
