"""Files: a text written all at once, so that a reader meanwhile finds the old one or the new one, whole; and advisory locks."""

from __future__ import annotations

import os
import time

_ENDING = ".tmp"
_RANDOM = 4  # bytes of a name
_LEFT = 600  # seconds after which a file aside has no writer any more: one needs a hundredth of a second


def write(path: str, text: str, like: str = "") -> None:
    """Makes the file at `path` have `text`; it keeps its permissions, a new one gets those of `like`. Raises OSError.

    A writer that is killed leaves the new file beside its place; one that comes ten minutes later takes it away.
    """
    target = os.path.realpath(path)
    _sweep(target)
    mode = next(
        (os.stat(existing).st_mode & 0o7777 for existing in (target, like) if existing and os.path.exists(existing)), None
    )
    aside = f"{target}.{os.getpid()}.{os.urandom(_RANDOM).hex()}{_ENDING}"
    try:
        handle = os.open(aside, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600 if mode is not None else 0o666)
        with open(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            if mode is not None:
                os.fchmod(handle, mode)
            file.flush()
            os.fsync(handle)
        os.replace(aside, target)
    except OSError:
        try:
            os.remove(aside)
        except OSError:
            pass
        raise


def _sweep(target: str) -> None:
    """Removes what writers of this file left beside it long ago. A process id tells nothing where machines share a home."""
    folder, name = os.path.split(target)
    before = time.time() - _LEFT
    try:
        for entry in os.listdir(folder):
            path = os.path.join(folder, entry)
            if entry.startswith(f"{name}.") and _is_aside(entry[len(name) + 1 :]) and os.lstat(path).st_mtime < before:
                os.remove(path)
    except OSError:
        pass  # another writer was faster, or the directory may not be listed


def _is_aside(ending: str) -> bool:
    """True for the end of a name that `write` makes: a process id and random digits."""
    pid, _, suffix = ending.partition(".")
    random = suffix.removesuffix(_ENDING)
    return pid.isdigit() and suffix.endswith(_ENDING) and len(random) == 2 * _RANDOM and not random.strip("0123456789abcdef")


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
