"""Everything about git: files of its own are read, and where they do not tell, git is run."""

from __future__ import annotations

import time

deadline = float("inf")  # of the monotonic clock: when all runs of git in this process have to be over


def limit(seconds: float) -> float:
    """Allows git this much time from now on, all its runs together; returns the deadline before. One that is nearer stays."""
    global deadline
    before = deadline
    deadline = min(before, time.monotonic() + seconds)
    return before
