"""One worker a store: a lock on FOLDER/worker.lock, held for as long as the file is kept open.

The kernel lets it go when its holder dies, so nothing is ever stale; what the file says is for people, and for `mem worker stop`.
"""

from __future__ import annotations

import os
import time

from memcli.agents.capture.spawn import LOCK
from memcli.text.files import try_lock

_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)

_TRIES, _NAP = 20, 0.01
_SERVICE = b" service"


def take(folder: str) -> int | None:
    """Returns the open file that holds the lock of the store in `folder`, None while another one holds it. Raises OSError."""
    file = os.open(os.path.join(folder, LOCK), _FLAGS, 0o600)
    for _ in range(_TRIES):
        if try_lock(file):
            return file
        time.sleep(_NAP)  # whoever only looks whether a worker runs has it for a moment
    os.close(file)
    return None


def sign(file: int, pid: int, is_service: bool = False) -> None:
    """Writes into the lock's file who holds it. A service does more than this work, and must not be ended for it."""
    os.ftruncate(file, 0)
    os.pwrite(file, b"%d%s\n" % (pid, _SERVICE if is_service else b""), 0)


def let_go(file: int) -> None:
    """Gives the lock back."""
    os.ftruncate(file, 0)
    os.close(file)


def holder(folder: str) -> int | None:
    """Returns the process that holds the lock of the store in `folder`: None for nobody, 0 for one that has not signed yet."""
    said = _said(folder)
    if said is None:
        return None
    pid = said.partition(b" ")[0]
    return int(pid) if pid.isdigit() else 0


def is_service(folder: str) -> bool:
    """Tells whether it is a service that holds the lock of the store in `folder`."""
    return (_said(folder) or b"").endswith(_SERVICE)


def _said(folder: str) -> bytes | None:
    """Returns what the holder of a lock wrote into its file, None where nobody holds it."""
    try:
        file = os.open(os.path.join(folder, LOCK), _FLAGS & ~os.O_CREAT)
    except OSError:
        return None
    try:
        return None if try_lock(file) else os.pread(file, 32, 0).strip()
    finally:
        os.close(file)
