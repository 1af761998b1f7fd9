"""What differs between operating systems: locks, files that only their owner opens, processes without a parent.

docs/platforms.md says what else does, and where. Light: hooks load it.
"""

from __future__ import annotations

import os
import time

PRIVATE = 0o600
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_RANGE = 1 << 30  # where Windows locks a byte: what is locked cannot be read, and no file of ours is as long
_NAP = 0.02  # seconds


def open_private(path: str, flags: int) -> int:
    """Opens a file as `os.open` does, a new one for its owner only. Refuses symbolic links, and waits for no FIFO."""
    return os.open(path, flags | _SAFE, PRIVATE)


def try_lock(file: int, shared: bool = False) -> bool:
    """Takes the lock on an open file unless another process has it. Returns whether it is ours. Raises OSError.

    Closing the file, or the end of the process, gives it back. `shared`: others may share it where the system can.
    """
    try:
        import fcntl
    except ImportError:
        return _try_range(file)
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _try_range(file: int) -> bool:
    import msvcrt

    place = os.lseek(file, 0, os.SEEK_CUR)
    try:
        os.lseek(file, _RANGE, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    except PermissionError:
        return False
    finally:
        os.lseek(file, place, os.SEEK_SET)
    return True


def wait_lock(file: int) -> None:
    """Waits for the lock on an open file. Raises OSError."""
    try:
        import fcntl
    except ImportError:
        while not _try_range(file):
            time.sleep(_NAP)
    else:
        fcntl.flock(file, fcntl.LOCK_EX)


def sign(file: int, text: bytes) -> None:
    """Makes an open file, such as that of a lock, have this text."""
    os.ftruncate(file, 0)
    os.lseek(file, 0, os.SEEK_SET)
    os.write(file, text)


def signature(file: int, most: int = 64) -> bytes:
    """Returns the beginning of an open file."""
    os.lseek(file, 0, os.SEEK_SET)
    return os.read(file, most)


def spawn_detached(words: list[str], errors: str = os.devnull) -> int:
    """Starts a process of its own session, with none of our files open. Returns its id. Raises OSError.

    `errors`: an existing file for its standard error.
    """
    if not hasattr(os, "posix_spawn"):
        return _spawn_portable(words, errors)
    streams = [(os.POSIX_SPAWN_OPEN, fd, errors if fd == 2 else os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    actions = [*streams, *[(os.POSIX_SPAWN_CLOSE, fd) for fd in _inheritable_files()]]
    try:
        return os.posix_spawn(words[0], words, os.environ, file_actions=actions, setsid=True)
    except NotImplementedError:  # a system that cannot begin a session so
        return _spawn_portable(words, errors)


def _spawn_portable(words: list[str], errors: str) -> int:
    import subprocess

    null, flags = subprocess.DEVNULL, getattr(subprocess, "DETACHED_PROCESS", 0)
    with open(errors, "wb") as file:
        return subprocess.Popen(words, stdin=null, stdout=null, stderr=file, start_new_session=True, creationflags=flags).pid


def _inheritable_files() -> list[int]:
    """Returns the open files that a child would inherit: a pipe of the harness would never end for it."""
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


def limit_memory(most: int) -> None:
    """Lets this process take so many bytes more than it has, where the system can say how many those are."""
    try:
        import resource

        with open("/proc/self/statm", "rb") as file:
            pages = int(file.read().split()[0])
        limit = pages * resource.getpagesize() + most
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        if soft == resource.RLIM_INFINITY or limit < soft:
            resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (ImportError, OSError, ValueError):
        pass
