"""One worker a store: a lock on FOLDER/worker.lock, held for as long as the file is kept open.

The kernel lets it go when its holder dies, so nothing is ever stale; what the file says is for people, and for `mem worker stop`.
"""

from __future__ import annotations

import os
import time

from memcli.capture.wake import LOCK
from memcli.store.locks import try_lock

_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)

_TRIES, _NAP = 20, 0.01


def take(folder: str) -> int | None:
    """Returns the open file that holds the lock of the store in `folder`, None while another one holds it. Raises OSError."""
    file = os.open(os.path.join(folder, LOCK), _FLAGS, 0o600)
    for _ in range(_TRIES):
        if try_lock(file):
            return file
        time.sleep(_NAP)  # whoever only looks whether a worker runs has it for a moment
    os.close(file)
    return None


def sign(file: int, pid: int) -> None:
    """Writes into the lock's file who holds it."""
    os.ftruncate(file, 0)
    os.pwrite(file, b"%d\n" % pid, 0)


def let_go(file: int) -> None:
    """Gives the lock back."""
    os.ftruncate(file, 0)
    os.close(file)


def holder(folder: str) -> int | None:
    """Returns the process that holds the lock of the store in `folder`: None for nobody, 0 for one that has not signed yet."""
    try:
        file = os.open(os.path.join(folder, LOCK), _FLAGS & ~os.O_CREAT)
    except OSError:
        return None
    try:
        if try_lock(file):
            return None
        said = os.pread(file, 32, 0).strip()
        return int(said) if said.isdigit() else 0
    finally:
        os.close(file)
