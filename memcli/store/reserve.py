"""Room for events on a full disk: a file of 256 KiB that is made with the store, or by the worker, while there is space, and that
hooks write in place.

It holds lines, as the files of inbox.py do, then NULs, and in its last bytes how many events there was no room for. Its name says
whether something waits in it. Who changes it holds its lock.
"""

from __future__ import annotations

import os
import time

from memcli import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FREE, USED = "reserve.free", "reserve.used"
SIZE = 1 << 18
_COUNT = 12  # bytes of that number
_TRIES, _PAUSE = 50, 0.02  # to get the lock; seconds between two of them


def make(folder: str) -> None:
    """Makes the file in the directory of a store, where there is none and there is space."""
    partial = os.path.join(folder, FREE + ".part")
    if _is_there(folder):
        return
    try:
        file = system.open_private(partial, os.O_CREAT | os.O_RDWR)
    except OSError:
        return
    try:
        if not system.try_lock(file):
            return  # another process makes it
        if _is_there(folder):  # another has just done so
            os.unlink(partial)
        else:
            _write(file, 0, bytes(SIZE))
            os.rename(partial, os.path.join(folder, FREE))
    except OSError:
        try:
            os.unlink(partial)
        except OSError:
            pass
    finally:
        os.close(file)


def _is_there(folder: str) -> bool:
    return any(os.path.exists(os.path.join(folder, name)) for name in (FREE, USED))


def give_back(folder: str) -> bool:
    """Removes the file where nothing waits in it, so that a person can free space. Returns whether it did."""
    try:
        os.unlink(os.path.join(folder, FREE))
    except OSError:
        return False
    return True


def put(folder: str, line: bytes) -> bool:
    """Writes a line into the file. Returns False where there is no file or no room in it; the file counts the latter."""
    used, free = os.path.join(folder, USED), os.path.join(folder, FREE)
    if not _begin(used, free):
        return False
    try:
        file = _open(used)
    except OSError:
        return False
    try:
        content = _read(file)
        end = content.find(b"\0")
        line = b"\n" + line if end and content[end - 1 : end] != b"\n" else line  # after one that was cut off
        has_room = 0 <= end < SIZE - _COUNT - len(line)
        if has_room:
            _write(file, end, line)
        else:
            _write(file, SIZE - _COUNT, b"%012d" % (_count(content) + 1))
        return _begin(used, free) and has_room  # somebody may have emptied it while we waited for the lock
    except OSError:
        return False
    finally:
        os.close(file)


def take_in(folder: str, store: Callable[[list[bytes]], int]) -> int:
    """Gives the lines that wait to `store`, and empties the file when they are stored. Returns what `store` does, 0 for none."""
    used = os.path.join(folder, USED)
    try:
        file = _open(used)
    except OSError:
        return 0
    try:
        content = _read(file)
        end = max(content.find(b"\0"), 0)
        count = store(content[:end].split(b"\n"))
        _write(file, 0, bytes(end))
        if os.path.exists(used):  # else somebody emptied it while we waited for the lock
            os.rename(used, os.path.join(folder, FREE))
        return count
    finally:
        os.close(file)


def status(folder: str) -> tuple[int, int, float]:
    """Returns how many lines wait, how many events were lost for want of room, and when the file last changed.

    The last in seconds since 1970; 0 where there is no file.
    """
    for name in (USED, FREE):
        path = os.path.join(folder, name)
        try:
            file = system.open_private(path, os.O_RDONLY)
        except OSError:
            continue
        try:
            content = _read(file)
            return content.partition(b"\0")[0].count(b"\n"), _count(content), os.fstat(file).st_mtime
        finally:
            os.close(file)
    return 0, 0, 0.0


def _begin(used: str, free: str) -> bool:
    """Gives the file the name of one in use. Returns whether it has it."""
    try:
        os.rename(free, used)
    except OSError:
        return os.path.exists(used)
    return True


def _open(path: str) -> int:
    """Returns the file, locked. Raises OSError."""
    file = system.open_private(path, os.O_RDWR)
    try:
        for _ in range(_TRIES):
            if system.try_lock(file):
                return file
            time.sleep(_PAUSE)
        raise BlockingIOError
    except BaseException:
        os.close(file)
        raise


def _read(file: int) -> bytes:
    os.lseek(file, 0, os.SEEK_SET)
    return os.read(file, SIZE)


def _write(file: int, position: int, content: bytes) -> None:
    from memcli.text.files import write_all

    os.lseek(file, position, os.SEEK_SET)
    write_all(file, content)


def _count(content: bytes) -> int:
    """Returns how many events there was no room for."""
    digits = content[SIZE - _COUNT :].strip(b"\0")
    return int(digits) if digits.isdigit() else 0
