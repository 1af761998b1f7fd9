"""Copies of a store's files put aside before anything is changed, and the lock that lets one repair run at a time."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import contextmanager

from memcli.errors import MemError
from memcli.store.locks import try_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

_PATIENCE = 60.0  # seconds for another repair to end
_OLD = 3600.0  # seconds after which an unfinished file belongs to nobody any more
_BLOCK = 1 << 20
_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)


class Original:
    """A store's file, held open while SQLite works on it.

    Closing any descriptor of a file drops the locks that the process has on it, SQLite's included. So this one is opened
    before SQLite and closed after it, and every look at the file in between goes through it.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._file: BinaryIO | None = None

    def __enter__(self) -> Original:
        if os.path.exists(self.path):
            self._file = os.fdopen(os.open(self.path, os.O_RDONLY | _FLAGS), "rb")
        return self

    def __exit__(self, *problem: object) -> None:
        if self._file:
            self._file.close()

    def keep(self, label: str) -> str:
        """Copies the file and its write-ahead log to `memory.db.LABEL-N` and `-wal`. Returns the copy's path.

        A copy that is there already and says the same is taken.
        """
        number = 1
        while os.path.lexists(f"{self.path}.{label}-{number}"):
            number += 1
        last = f"{self.path}.{label}-{number - 1}"
        if number > 1 and self.is_same_as(last):
            return last
        kept = f"{self.path}.{label}-{number}"
        with _opened(self.path + "-wal") as wal:
            if wal is not None and os.fstat(wal.fileno()).st_size:
                _copy(wal, kept + "-wal")
        _copy(self._file, kept)
        sync_folder(kept)
        return kept

    def is_same_as(self, copy: str) -> bool:
        """Tells whether nothing was written since `copy` was made: the file is the same, and so is its log unless it is gone."""
        if os.path.exists(self.path) and not self._is_at_its_place():
            return False
        with _opened(copy) as kept, _opened(self.path + "-wal") as wal, _opened(copy + "-wal") as kept_wal:
            return _equal(self._file, kept) and (wal is None or not wal.read(1) or _equal(wal, kept_wal))

    def _is_at_its_place(self) -> bool:
        found = os.stat(self.path)
        return found.st_size == 0 if self._file is None else found.st_ino == os.fstat(self._file.fileno()).st_ino


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO | None]:
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | _FLAGS), "rb")
    except FileNotFoundError:
        yield None
        return
    with file:
        yield file


def _copy(file: BinaryIO | None, to: str) -> None:
    """Writes a copy of a file's bytes, or an empty file for None; it has its name only once the disk has it whole."""
    part = f"{to}.{os.getpid()}.new"
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _FLAGS, 0o600), "wb") as copy:
            if file is not None:
                file.seek(0)
                shutil.copyfileobj(file, copy, _BLOCK)
            copy.flush()
            os.fsync(copy.fileno())
        os.replace(part, to)
    finally:
        if os.path.exists(part):
            os.unlink(part)


def _equal(one: BinaryIO | None, other: BinaryIO | None) -> bool:
    for file in (one, other):
        if file is not None:
            file.seek(0)
    while True:
        left, right = (file.read(_BLOCK) if file is not None else b"" for file in (one, other))
        if left != right:
            return False
        if not left:
            return True


def sync_folder(path: str) -> None:
    """Makes the names in the directory of `path` last."""
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextmanager
def locked(folder: str) -> Iterator[None]:
    """Lets one repair of a store run at a time. Raises MemError when another one does not end."""
    file = os.open(os.path.join(folder, "repair.lock"), os.O_RDWR | os.O_CREAT | _FLAGS, 0o600)
    try:
        end = time.monotonic() + _PATIENCE
        while not try_lock(file):
            if time.monotonic() > end:
                raise MemError("another repair of this store is running", "wait until it has ended", "busy")
            time.sleep(0.05)
        yield
    finally:
        os.close(file)


def leftovers(path: str) -> list[str]:
    """Returns the unfinished files beside a store that nobody works on any more: what a killed command left behind."""
    folder, name = os.path.split(path)
    found = []
    for entry in os.scandir(folder) if os.path.isdir(folder) else ():
        unfinished = ".new" in entry.name[len(name) :]
        if entry.name.startswith(name + ".") and unfinished and entry.is_file(follow_symlinks=False):
            try:
                if time.time() - entry.stat(follow_symlinks=False).st_mtime > _OLD:
                    found.append(entry.path)
            except FileNotFoundError:
                continue
    return sorted(found)


def copies(path: str) -> list[str]:
    """Returns the copies of a store that were kept beside it: from before a migration, from before a repair."""
    folder, name = os.path.split(path)
    labels = tuple([f"{name}.{label}-" for label in ("schema", "damaged", "before-repair")])
    entries = os.listdir(folder) if os.path.isdir(folder) else []
    return sorted([os.path.join(folder, one) for one in entries if one.startswith(labels) and not one.endswith(("-wal", ".new"))])
