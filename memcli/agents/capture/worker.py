"""The worker as a process: started, stopped, asked after. What it does: loop.py."""

from __future__ import annotations

import os
import time

from memcli.agents.capture import spawn, worker_lock
from memcli.errors import MemError

_PATIENCE = 10.0  # seconds for a worker to begin, and to end what it is doing
_NAP = 0.02
_SIGTERM, _SIGKILL = 15, 9


def start(folder: str) -> bool:
    """Starts the worker of the store in `folder`, fully detached from this process, and waits until it runs.

    Returns False where one ran already. Raises MemError where none comes up, OSError.
    """
    if worker_lock.holder(folder) is not None:
        return False
    spawn.wake(folder)  # if it starts none, another process just did
    deadline = time.monotonic() + _PATIENCE
    while not worker_lock.holder(folder):
        if time.monotonic() > deadline:
            raise MemError("the worker did not start", "see what mem worker run says, and logs/worker.log in the data directory")
        time.sleep(_NAP)
    return True


def stop(folder: str) -> bool:
    """Tells the worker of the store in `folder` to end, and waits until it has. Returns whether one ran.

    One that does not end in ten seconds is killed: what it was doing is done again by the next one.
    Raises MemError where it is a service.
    """
    if worker_lock.holder(folder) is None:
        return False
    if worker_lock.is_service(folder):
        raise MemError("mem serve does the work of this memory", "stop it with: mem serve stop", "served")
    signal, deadline = _SIGTERM, time.monotonic() + _PATIENCE
    told: tuple[int, int] | None = None
    while (there := worker_lock.holder(folder)) is not None:
        if there and told != (there, signal):
            _signal(there, signal)
            told = (there, signal)
        if time.monotonic() > deadline:
            signal, deadline = _SIGKILL, deadline + _PATIENCE
        time.sleep(_NAP)
    return True


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass  # it ended by itself
