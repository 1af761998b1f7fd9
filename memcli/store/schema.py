"""Making a store and bringing an older one to the current schema."""

from __future__ import annotations

import errno
import os
import time

import apsw

from memcli.errors import MemError
from memcli.store.db import APPLICATION_ID, LATEST, connect, rows, set_meta, transaction, version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection


def create(path: str, about: dict[str, str]) -> None:
    """Makes a new store at `path` with `about` in its meta table. Does nothing where one exists.

    The store is born whole: built aside and linked into place, so no other process ever meets half a schema.
    """
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    if os.path.lexists(path):
        return
    if os.path.exists(path + "-wal") and os.path.getsize(path + "-wal"):
        raise MemError("the store's file is gone, but not its write-ahead log", "run mem doctor --repair", "damaged")
    aside = f"{path}.{os.getpid()}.{os.urandom(4).hex()}.new"
    try:
        db = apsw.Connection(aside)
        try:
            rows(db, f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA journal_mode = WAL")
            migrate(db, aside)
            with transaction(db):
                for key, value in about.items():
                    set_meta(db, key, value)
        finally:
            db.close()
        os.chmod(aside, 0o600)
        _put_in_place(aside, path)
    finally:
        for leftover in (aside, aside + "-wal", aside + "-shm", aside + "-journal"):
            if os.path.lexists(leftover):
                os.unlink(leftover)


def _put_in_place(aside: str, path: str) -> None:
    handle = os.open(aside, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    try:
        os.link(aside, path)
    except FileExistsError:
        return
    except OSError as problem:
        if problem.errno not in (errno.EOPNOTSUPP, errno.EPERM, errno.ENOSYS, errno.ENOTSUP):
            raise
        _rename(aside, path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _rename(aside: str, path: str) -> None:
    """Puts a store in place on a file system without hard links: under a lock, because a rename would replace another's."""
    import fcntl

    lock = os.open(f"{path}.lock", os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.lexists(path):
            os.rename(aside, path)
    finally:
        os.close(lock)


def memory_store() -> Connection:
    """Returns an empty store that exists only in this process: what reading finds where nothing was written yet."""
    db = apsw.Connection(":memory:")
    rows(db, f"PRAGMA application_id = {APPLICATION_ID}")
    migrate(db, "")
    return db


def migrate(db: Connection, path: str) -> list[str]:
    """Applies every pending migrations/NNNN_name.sql, each in its own transaction. Returns the names applied.

    An older store is copied aside first (`path` + `.schema-N`). Safe with many processes at once: the version is read
    again under the lock.
    """
    folder = os.path.join(os.path.dirname(__file__), "migrations")
    found = version(db)
    if 0 < found < LATEST and path:
        _copy_aside(db, found, f"{path}.schema-{found}")
    applied = []
    for name in sorted(os.listdir(folder)):
        number = int(name[:4]) if name.endswith(".sql") else 0
        if number <= found:
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            script = file.read()
        with transaction(db):
            if number > version(db):  # another process may have been first
                rows(db, script)
                rows(db, f"PRAGMA user_version = {number}")
                set_meta(db, "last_migration_at", str(int(time.time() * 1000)))
                applied.append(name)
    return applied


def _copy_aside(db: Connection, number: int, to: str) -> None:
    """Copies a store of schema `number`; another process may migrate it meanwhile, and what was copied then is no copy."""
    if os.path.exists(to):
        return
    part = f"{to}.{os.getpid()}.new"
    try:
        rows(db, "VACUUM INTO ?", (part,))
        os.chmod(part, 0o600)
        copy = apsw.Connection(part)
        is_old = version(copy) == number
        copy.close()
        if is_old:
            os.replace(part, to)
    finally:
        if os.path.exists(part):
            os.unlink(part)


def migrate_now(path: str) -> None:
    """Migrates a store that a reader met. Raises MemError where that cannot be."""
    try:
        db = connect(path, apsw.SQLITE_OPEN_READWRITE)
        try:
            migrate(db, path)
        finally:
            db.close()
    except (apsw.BusyError, apsw.ReadOnlyError, apsw.CantOpenError, OSError):
        raise MemError(
            "the store has an older schema and cannot be migrated now", "run any writing command, such as mem doctor --repair"
        ) from None
