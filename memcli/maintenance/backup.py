"""Copies of a store's files, made before a repair changes them, and the lock that lets one repair run at a time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from memcli import system
from memcli.errors import MemError
from memcli.text.files import sync_folder

_LOCK_WAIT = 60.0  # seconds to wait for another repair
_BLOCK = 1 << 20


class Original:
    """A store's file, kept open while SQLite works on it.

    Closing any descriptor of a file drops all locks that the process has on it, SQLite's included. So this descriptor is opened
    before SQLite and closed after it, and everything that reads the file in between goes through it.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._file: BinaryIO | None = None

    def __enter__(self) -> Original:
        if os.path.exists(self.path):
            self._file = os.fdopen(system.open_private(self.path, os.O_RDONLY), "rb")
        return self

    def __exit__(self, *error: object) -> None:
        if self._file:
            self._file.close()

    def copy(self, label: str) -> str:
        """Copies the file and its write-ahead log to `memory.db.LABEL-N` and `-wal`. Returns the copy's path.

        If the newest copy of that label is identical, it is returned instead.
        """
        number = 1
        while os.path.lexists(f"{self.path}.{label}-{number}"):
            number += 1
        newest = f"{self.path}.{label}-{number - 1}"
        if number > 1 and self.equals(newest):
            return newest
        path = f"{self.path}.{label}-{number}"
        with _open(self.path + "-wal") as wal:
            if wal is not None and os.fstat(wal.fileno()).st_size:
                _write_copy(wal, path + "-wal")
        _write_copy(self._file, path)
        sync_folder(os.path.dirname(path))
        return path

    def equals(self, copy: str) -> bool:
        """Tells whether nothing was written since `copy` was made: same file, and the same write-ahead log unless it is gone."""
        if os.path.exists(self.path) and not self._is_in_place():
            return False
        with _open(copy) as file, _open(self.path + "-wal") as wal, _open(copy + "-wal") as wal_copy:
            return _equal(self._file, file) and (wal is None or not wal.read(1) or _equal(wal, wal_copy))

    def _is_in_place(self) -> bool:
        """Tells whether the path still leads to the file that was opened; where there was none, an empty one does not count."""
        status = os.stat(self.path)
        return status.st_size == 0 if self._file is None else status.st_ino == os.fstat(self._file.fileno()).st_ino


@contextmanager
def _open(path: str) -> Iterator[BinaryIO | None]:
    try:
        file = os.fdopen(system.open_private(path, os.O_RDONLY), "rb")
    except FileNotFoundError:
        yield None
        return
    with file:
        yield file


def _write_copy(file: BinaryIO | None, path: str) -> None:
    """Copies a file's bytes to `path`; None becomes an empty file. The name appears once the disk has all of it."""
    unfinished = f"{path}.{os.getpid()}.new"
    try:
        with os.fdopen(system.open_private(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as copy:
            if file is not None:
                file.seek(0)
                shutil.copyfileobj(file, copy, _BLOCK)
            copy.flush()
            os.fsync(copy.fileno())
        os.replace(unfinished, path)
    finally:
        if os.path.exists(unfinished):
            os.unlink(unfinished)


def _equal(first: BinaryIO | None, second: BinaryIO | None) -> bool:
    for file in (first, second):
        if file is not None:
            file.seek(0)
    while True:
        ours, theirs = (file.read(_BLOCK) if file is not None else b"" for file in (first, second))
        if ours != theirs:
            return False
        if not ours:
            return True


@contextmanager
def locked(folder: str) -> Iterator[None]:
    """Lets one repair of a store run at a time. Raises MemError when another one does not finish."""
    file = system.open_private(os.path.join(folder, "repair.lock"), os.O_RDWR | os.O_CREAT)
    try:
        if not system.lock_within(file, _LOCK_WAIT):
            raise MemError("another repair of this store is running", "wait until it has finished", "busy")
        yield
    finally:
        os.close(file)
