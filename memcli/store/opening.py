"""Opening a store for reading or writing, a new one, or an empty one, each with the current schema.

A new store gets the schema as a whole (schema.sql, which `scripts/docs` writes); an older one goes through the migrations that it
lacks.
"""

from __future__ import annotations

import os
import time

import apsw

from memcli.errors import MemError
from memcli.store import (
    APPLICATION_ID,
    LATEST,
    WAL_LIMIT,
    check_file,
    connect,
    rows,
    set_meta,
    transaction,
    uri,
    version,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.store import Connection

_FOLDER = os.path.dirname(__file__)
lost: dict[str, None] = {}  # collects the stores that were looked for and are gone, while copies of them are left
_SHARED_MEMORY = 32_768  # bytes of the file that a reader makes where there is none
_UNWRITABLE = (apsw.CantOpenError, apsw.ReadOnlyError, apsw.FullError, apsw.IOError)  # what is raised where it cannot


def is_there(path: str, data: str) -> bool:
    """Tells whether there is a store. `data`: the directory of all stores.

    Raises MemError if it is missing or invisible for another reason than that nothing was stored yet.
    """
    if os.path.lexists(path):
        return True
    if os.path.lexists(data) and not os.path.isdir(data):
        raise MemError(f"no directory: {data}", "set MEMPACK_DATA_DIR to one, or move what stands there away")
    for place in (os.path.join(data, "repos", "index"), path):
        if folder := closed_folder(place):
            raise MemError(
                f"permission denied: {folder}", "let yourself read it, or set MEMPACK_DATA_DIR to another directory", "os"
            )
    if os.path.isabs(path) and os.path.lexists(f"{path}-wal"):
        if os.path.lexists(path):  # another process has made both meanwhile
            return True
        raise MemError(f"{path} is gone, but not its -wal file", "restore it from a backup; or move the -wal file away")
    if is_lost(path):
        lost[path] = None
    return False


def is_lost(path: str) -> bool:
    """Tells whether there are copies of a store that is not there, beside it or elsewhere: it was deleted, and not by mem."""
    if not os.path.isabs(path):
        return False
    try:
        names = os.listdir(os.path.dirname(path))
    except OSError:
        names = []
    prefixes = tuple([f"{os.path.basename(path)}.{label}-" for label in ("backup", "before-restore", "before-repair", "schema")])
    if any(name.startswith(prefixes) and ".new" not in name for name in names):
        return True
    from memcli.store import elsewhere

    return bool(elsewhere.of(path))


def closed_folder(path: str) -> str:
    """Returns the directory on the way to a file that this process may not search, or ""."""
    try:
        os.lstat(path)
    except PermissionError:
        while not os.path.lexists(path := os.path.dirname(path)):
            pass
        return path
    except OSError:
        pass
    return ""


def open_reader(path: str) -> Connection:
    """Opens an existing store that this process promises not to change.

    A read-write handle with `query_only` is used, because a read-only one leaves `-wal` and `-shm` behind; read-only media
    and full disks are read through a read-only or immutable handle. Raises MemError for a store that is damaged, newer, not ours.
    """
    check_file(path)
    try:
        db = connect(path, apsw.SQLITE_OPEN_READWRITE)
        schema = version(db)
    except _UNWRITABLE:
        db = _connect_unwritable(path)
        schema = version(db)
    if schema < LATEST:
        _migrate_for_reader(path)
    rows(db, "PRAGMA query_only = 1")
    return db


def open_writer(path: str) -> Connection:
    """Opens an existing store for writing and brings it to the current schema. Raises MemError."""
    check_file(path)
    _make_writable(path + "-wal", path + "-shm", like=path)
    db = connect(path, apsw.SQLITE_OPEN_READWRITE)
    if version(db) < LATEST:
        migrate(db, path)
    rows(db, f"PRAGMA secure_delete = 1; PRAGMA journal_size_limit = {WAL_LIMIT}; PRAGMA synchronous = FULL")
    return db


def _make_writable(*beside: str, like: str) -> None:
    """Makes writable what a reader left beside a read-only store, to which SQLite gave the store's mode."""
    for path in beside:
        if not os.access(path, os.W_OK) and os.path.isfile(path) and not os.path.islink(path) and os.access(like, os.W_OK):
            try:
                os.chmod(path, 0o600)
            except OSError:
                pass  # another owner's: writing says so


def unwritable(path: str) -> str:
    """Returns what this process may not write of a store: the directory, the file or one beside it; "" if it may write all."""
    parts = (os.path.dirname(path), path, path + "-wal", path + "-shm")
    return next((part for part in parts if os.path.lexists(part) and not os.access(part, os.W_OK)), "")


def _connect_unwritable(path: str) -> Connection:
    try:
        db = connect(f"{uri(path)}?mode=ro", apsw.SQLITE_OPEN_READONLY)
        version(db)
    except _UNWRITABLE:
        if has_log(path):  # an immutable handle would not see what is in it
            if _is_full(path):
                raise MemError(
                    "no space left on the disk, which reading the newest memories takes, too",
                    "free some space and try again",
                    "full",
                ) from None
            raise
        db = connect(f"{uri(path)}?mode=ro&immutable=1", apsw.SQLITE_OPEN_READONLY)
    return db


def has_log(path: str) -> bool:
    """Tells whether a non-empty write-ahead log is beside the store. Whoever closes the store last removes it."""
    try:
        return os.stat(path + "-wal").st_size > 0
    except OSError:
        return False


def _is_full(path: str) -> bool:
    from memcli import system

    free = system.free_bytes(os.path.dirname(path) or ".")
    return free is not None and free < _SHARED_MEMORY


def create_store(path: str, about: dict[str, str]) -> None:
    """Creates a store at `path` with `about` in its meta table, unless it exists.

    The store is born whole: built aside, without a log that a full disk could cut off, and linked into place. Room for events
    on a full disk comes with it.
    """
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    has_old_log = has_log(path)  # checked first: whoever makes the store meanwhile makes a log, too
    if os.path.lexists(path):
        return
    if has_old_log:
        raise MemError("the store's file is gone, but not its write-ahead log", "run mem doctor --repair", "damaged")
    aside = f"{path}.{os.getpid()}.{os.urandom(4).hex()}.new"
    try:
        db = apsw.Connection(aside)
        try:
            rows(db, f"PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = {APPLICATION_ID}")
            rows(db, "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
            migrate(db, aside)
            with transaction(db):
                for key, value in about.items():
                    set_meta(db, key, value)
            rows(db, "PRAGMA journal_mode = WAL")
        finally:
            db.close()
        os.chmod(aside, 0o600)
        _put_in_place(aside, path)
    finally:
        for leftover in filter(os.path.lexists, (aside, aside + "-wal", aside + "-shm", aside + "-journal")):
            os.unlink(leftover)
    from memcli.store import reserve

    reserve.make(os.path.dirname(path))


def _put_in_place(aside: str, path: str) -> None:
    from memcli.text.files import sync_folder

    handle = os.open(aside, os.O_RDWR)  # Windows syncs no file that is only read
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    try:
        os.link(aside, path)
    except FileExistsError:
        return
    except OSError as problem:
        import errno

        if problem.errno not in (errno.EOPNOTSUPP, errno.EPERM, errno.ENOSYS, errno.ENOTSUP):
            raise
        _rename(aside, path)
    sync_folder(os.path.dirname(path))


def _rename(aside: str, path: str) -> None:
    """Puts a store in place on a file system without hard links, under a lock, because a rename would replace another one."""
    from memcli import system

    lock = system.open_private(f"{path}.lock", os.O_CREAT | os.O_WRONLY)
    try:
        system.wait_lock(lock)
        if not os.path.lexists(path):
            os.rename(aside, path)
    finally:
        os.close(lock)


def empty_store() -> Connection:
    """Returns an empty store that exists only in this process: what reading finds where nothing was written yet."""
    db = apsw.Connection(":memory:")
    rows(db, f"PRAGMA application_id = {APPLICATION_ID}")
    migrate(db, "")
    return db


def migrate(db: Connection, path: str) -> list[str]:
    """Migrates a store to the current schema. Returns the names of the applied migrations (migrations/NNNN_name.sql).

    Each runs in a transaction of its own, after the older store was copied aside (`path` + `.schema-N`). Safe with many
    processes at once: the version is read again under the lock.
    """
    current = version(db)
    if not current:
        _make_schema(db)
        return []
    if current < LATEST and path:
        from memcli.store import copies

        copies.before_migration(db, current, path)
    applied = []
    folder = os.path.join(_FOLDER, "migrations")
    for name in sorted(os.listdir(folder)):
        number = int(name[:4]) if name.endswith(".sql") else 0
        if number <= current:
            continue
        script = _text_of(os.path.join(folder, name))
        with transaction(db):
            if number > version(db):  # another process may have been first
                rows(db, script)
                rows(db, f"PRAGMA user_version = {number}")
                _note_migration(db)
                applied.append(name)
    return applied


def _make_schema(db: Connection) -> None:
    """Gives an empty file the schema that all migrations lead to, in an eighth of their time."""
    script = _text_of(os.path.join(_FOLDER, "schema.sql"))
    with transaction(db):
        if not version(db):
            rows(db, script)
            rows(db, f"PRAGMA user_version = {LATEST}")
            _note_migration(db)


def _note_migration(db: Connection) -> None:
    set_meta(db, "last_migration_at", str(int(time.time() * 1000)))


def _text_of(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _migrate_for_reader(path: str) -> None:
    """Migrates a store that a reader opened. Raises MemError if that is not possible."""
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
