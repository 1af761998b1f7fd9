"""An advisory lock on an open file, which the kernel lets go of when its holder ends, however it does."""

from __future__ import annotations


def try_lock(file: int) -> bool:
    """Takes the lock on an open file unless another process has it. Returns whether it is ours. Raises OSError.

    Where there is no `flock` (Windows) everybody has it: what it keeps apart is kept apart by the store, too.
    """
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
