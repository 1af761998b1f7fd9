"""Safe changes of other people's files: a copy is kept, the new file appears as a whole or not at all, links are followed."""

from __future__ import annotations

import os
import stat

from memcli.errors import InvalidInput, MemError
from memcli.store import explain
from memcli.text import bounded, files

LARGEST = 64 << 20  # bytes of a configuration of the person's, in which some harnesses keep a history, too
LARGEST_OF_PROJECT = 1 << 17  # of one that came with a repository
COPY = ".before-mem"


def read(path: str, most: int = LARGEST) -> str | None:
    """Returns the text of a file with its line ends unchanged, None if there is no such file.

    Raises MemError, or InvalidInput for anything but a regular file of at most `most` bytes.
    """
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):
            raise InvalidInput(f"{path} is not a settings file", "move it away, and run it again")
        if status.st_size > most:
            raise InvalidInput(f"{path} has more than {most >> 10} KiB", "move it away, and run it again")
        with open(bounded.open_regular(path), "rb") as file:
            return file.read(most).decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise InvalidInput(f"{path} is not UTF-8", "correct it, or move it away; nothing was changed") from None
    except OSError as problem:
        raise _failed(path, problem) from None


def copies(path: str) -> list[str]:
    """Returns the kept copies of a file, oldest first."""
    target = os.path.realpath(path)
    paths: list[str] = []
    while os.path.lexists(name := target + COPY + (f".{len(paths) + 1}" if paths else "")):
        paths.append(name)
    return paths


def check(path: str) -> None:
    """Raises MemError for a file that cannot be written, before anything is."""
    target = os.path.realpath(path)
    folder = target
    while not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    if not os.path.isdir(folder) and folder != target:
        raise MemError(f"{folder} is not a directory", "move it away, and run it again", "unwritable")
    try:
        is_locked = os.path.isfile(target) and not os.stat(target).st_mode & 0o222
    except OSError as problem:
        raise _failed(path, problem) from None
    above = folder if os.path.isdir(folder) else os.path.dirname(folder)
    if is_locked or not os.access(folder, os.W_OK) or not os.access(above, os.W_OK):
        raise MemError(f"{path} is read-only", "make it writable, or see what belongs in it with --print", "unwritable")


def keep(path: str, text: str) -> str:
    """Keeps a copy of a file with `text`, unless there is one already. Returns the copy's path. Raises MemError."""
    existing = copies(path)
    for name in existing:
        if read(name) == text:
            return name
    target = os.path.realpath(path)
    name = target + COPY + (f".{len(existing) + 1}" if existing else "")
    _write(name, text, target)
    return name


def write(path: str, text: str) -> None:
    """Replaces the content of a file atomically, keeping its permissions. Raises MemError."""
    target = os.path.realpath(path)
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
    except OSError as problem:
        raise _failed(path, problem) from None
    _write(target, text, target)


def remove(path: str) -> None:
    """Removes a file, or the target of a link but never the link. Its directory stays. Raises MemError."""
    try:
        os.remove(os.path.realpath(path))
    except OSError as problem:
        raise _failed(path, problem) from None


def discard(path: str) -> None:
    """Removes a useless copy, if possible."""
    try:
        os.remove(path)
    except OSError:
        pass


def _write(path: str, text: str, like: str) -> None:
    try:
        files.write(path, text, like)
    except OSError as problem:
        raise _failed(path, problem) from None


def _failed(path: str, problem: OSError) -> MemError:
    explained = explain(problem)
    return MemError(
        f"{path}: {(problem.strerror or explained.message).lower()}", explained.hint or "make it writable", "unwritable"
    )
