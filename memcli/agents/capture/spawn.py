"""Starting the worker when there is something for it to do, without waiting for it."""

from __future__ import annotations

import os
import sys
import time

LOCK = "worker.lock"  # held by flock as long as a worker runs; the system lets go of it when the process ends, however it does
STARTED = b"started\n"
STARTING = 5.0  # seconds in which a worker that was started takes the lock; no second one is started meanwhile


def wake(folder: str) -> bool:
    """Starts a worker for the store in `folder` unless one runs. Returns whether one was started. Raises OSError.

    The worker is a session of its own without a file of ours, so that whoever started the hook neither waits for it nor ends it.
    It signs the lock file once it holds the lock (lock.py): `STARTED` in it means that one was started and is not there yet.
    """
    import fcntl

    lock = os.open(os.path.join(folder, LOCK), os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False  # one runs, or is being started
        found = os.fstat(lock)
        if os.pread(lock, len(STARTED), 0) == STARTED and 0 <= time.time() - found.st_mtime < STARTING:
            return False
        os.ftruncate(lock, 0)
        os.pwrite(lock, STARTED, 0)
        os.utime(lock)
    finally:
        os.close(lock)
    detached(command(folder))
    return True


def command(folder: str) -> list[str]:
    """Returns the command line of the worker for the store in `folder`. Nothing of the working directory is imported by it."""
    return [sys.executable, "-P", "-m", "memcli", "worker", "run", "--repo", os.path.basename(folder)]


def detached(words: list[str], errors: str = os.devnull) -> int:
    """Starts a process of its own session, with none of our files open. Returns its id. Raises OSError.

    `errors`: a file that is there, for what it says on standard error.
    """
    quiet = [(os.POSIX_SPAWN_OPEN, fd, errors if fd == 2 else os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    actions = [*quiet, *[(os.POSIX_SPAWN_CLOSE, fd) for fd in _inherited()]]
    try:
        return os.posix_spawn(words[0], words, os.environ, file_actions=actions, setsid=True)
    except (AttributeError, NotImplementedError):
        import subprocess

        nowhere = subprocess.DEVNULL
        with open(errors, "wb") as told:
            return subprocess.Popen(words, stdin=nowhere, stdout=nowhere, stderr=told, start_new_session=True).pid


def _inherited() -> list[int]:
    """Returns the open files that a child would keep: a pipe of the harness would never end for it."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        try:
            numbers = [int(name) for name in os.listdir(folder)]
        except (OSError, ValueError):
            continue
        return [fd for fd in numbers if fd > 2 and _is_inheritable(fd)]
    return []


def _is_inheritable(fd: int) -> bool:
    try:
        return os.get_inheritable(fd)
    except OSError:
        return False
