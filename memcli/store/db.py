"""Opening, creating, migrating and locking a store, and what to tell a person when SQLite refuses."""

from __future__ import annotations

import os
import time

import apsw

from memcli.errors import MemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from apsw import Connection

Error = apsw.Error
LATEST = 3  # number of the newest migration in migrations/
APPLICATION_ID = 0x6D656D31  # "mem1" in the file's header: this is our store, not another program's database
LOCK_WAIT_MS = 10_000
_WAL_LIMIT = 4_194_304  # bytes that a write-ahead log keeps after a checkpoint
_LINK_UNSUPPORTED = 95  # EOPNOTSUPP: a file system without hard links


def rows(db: Connection, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[Any]:
    """Runs every statement of `sql` to its end and returns the rows of all, as tuples."""
    return db.execute(sql, values).fetchall()


class transaction:
    """`with transaction(db):` takes the write lock at once, commits at the end, rolls back on any exception."""

    def __init__(self, db: Connection) -> None:
        self.db = db

    def __enter__(self) -> None:
        rows(self.db, "BEGIN IMMEDIATE")

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        try:
            if kind is None:
                rows(self.db, "COMMIT")
        finally:
            if self.db.in_transaction:
                rows(self.db, "ROLLBACK")


def open_reader(path: str) -> Connection:
    """Opens an existing store that this process promises not to change.

    A read-write handle with `query_only` is used, because a read-only one leaves `-wal` and `-shm` behind; read-only media
    are read through a read-only or immutable handle. Raises MemError for a store that is damaged, newer or not ours.
    """
    _refuse_symlink(path)
    try:
        db = _connect(path, apsw.SQLITE_OPEN_READWRITE)
        version = _version(db)
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        db = _connect_unwritable(path)
        version = _version(db)
    if version < LATEST:
        _migrate_if_possible(path)
    rows(db, "PRAGMA query_only = 1")
    return db


def open_writer(path: str) -> Connection:
    """Opens an existing store for writing and brings it to the current schema. Raises MemError."""
    _refuse_symlink(path)
    db = _connect(path, apsw.SQLITE_OPEN_READWRITE)
    if _version(db) < LATEST:
        migrate(db, path)
    rows(db, f"PRAGMA secure_delete = 1; PRAGMA journal_size_limit = {_WAL_LIMIT}; PRAGMA synchronous = FULL")
    return db


def create(path: str, about: dict[str, str]) -> None:
    """Makes a new store at `path` with `about` in its meta table. Does nothing where one exists.

    The store is born whole: built aside and linked into place, so no other process ever meets half a schema.
    """
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    if os.path.lexists(path):
        return
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
        if problem.errno not in (_LINK_UNSUPPORTED, 1):
            raise
        os.rename(aside, path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


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
    found = _version(db)
    if 0 < found < LATEST and path:
        _copy_aside(db, f"{path}.schema-{found}")
    applied = []
    for name in sorted(os.listdir(folder)):
        number = int(name[:4]) if name.endswith(".sql") else 0
        if number <= found:
            continue
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            script = file.read()
        with transaction(db):
            if number > _version(db):  # another process may have been first
                rows(db, script)
                rows(db, f"PRAGMA user_version = {number}")
                set_meta(db, "last_migration_at", str(int(time.time() * 1000)))
                applied.append(name)
    return applied


def _copy_aside(db: Connection, to: str) -> None:
    if not os.path.exists(to):
        part = f"{to}.{os.getpid()}"
        rows(db, "VACUUM INTO ?", (part,))
        os.chmod(part, 0o600)
        os.replace(part, to)


def meta(db: Connection, key: str) -> str | None:
    """Returns a fact about the store itself, such as `repo_id` or `writer`."""
    found = rows(db, "SELECT value FROM meta WHERE key = ?", (key,))
    return found[0][0] if found else None


def set_meta(db: Connection, key: str, value: str) -> None:
    """Notes a fact about the store itself."""
    rows(db, "INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value", (key, value))


def _connect(path: str, flags: int) -> Connection:
    db = apsw.Connection(path, flags | apsw.SQLITE_OPEN_URI)
    db.set_busy_timeout(LOCK_WAIT_MS)
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    rows(db, "PRAGMA trusted_schema = 0; PRAGMA cell_size_check = 1")
    return db


def _connect_unwritable(path: str) -> Connection:
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    try:
        db = _connect(f"file:{quoted}?mode=ro", apsw.SQLITE_OPEN_READONLY)
        _version(db)
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        if os.path.exists(path + "-wal") and os.path.getsize(path + "-wal"):
            raise  # an immutable handle would not see what is still in the log
        db = _connect(f"file:{quoted}?mode=ro&immutable=1", apsw.SQLITE_OPEN_READONLY)
    return db


def _version(db: Connection) -> int:
    """Returns the schema number of our store; 0 for an empty file. Raises MemError for a newer or a foreign one."""
    number, owner = rows(db, "SELECT * FROM pragma_user_version, pragma_application_id")[0]
    if owner != APPLICATION_ID and (number or rows(db, "SELECT 1 FROM sqlite_schema LIMIT 1")):
        raise MemError("the file at the store's place is another program's database", "move it away; mem did not touch it", "foreign")
    if number > LATEST:
        raise MemError(
            f"the store has schema {number}, newer than this mem knows ({LATEST})", "upgrade memcli; the store was not touched", "newer_schema"
        )
    return int(number)


def _migrate_if_possible(path: str) -> None:
    try:
        db = _connect(path, apsw.SQLITE_OPEN_READWRITE)
        try:
            db.set_busy_timeout(0)
            migrate(db, path)
        finally:
            db.close()
    except (apsw.BusyError, apsw.ReadOnlyError, apsw.CantOpenError, OSError):
        raise MemError("the store has an older schema and cannot be migrated now", "run any writing command, such as mem doctor --repair") from None


def _refuse_symlink(path: str) -> None:
    if os.path.islink(path):
        raise MemError("the store's file is a symbolic link", "put the real file there; mem does not follow links", "symlink")


_WORDS: tuple[tuple[str, str, str], ...] = (
    ("Busy", "the store is busy: another process keeps it locked", "try again in a moment"),
    ("Locked", "the store is busy: another process keeps it locked", "try again in a moment"),
    ("Full", "no space left on the disk; nothing was stored", "free some space and try again"),
    ("ReadOnly", "the store is read-only; nothing was stored", "make its directory writable, or set MEMPACK_DATA_DIR"),
    ("CantOpen", "unable to open the store", "check the permissions of its directory, or set MEMPACK_DATA_DIR"),
    ("Corrupt", "the store is damaged", "run mem doctor --repair; it keeps the original"),
    ("NotADB", "the store's file is not a database", "run mem doctor --repair; it keeps the original"),
    ("IO", "the disk failed while the store was read or written", "check the disk, then run mem doctor"),
    ("NoMem", "out of memory", "free some memory and try again"),
)


def explain(error: Exception) -> MemError:
    """Returns what to tell a person about an error of SQLite or of the file system."""
    name = type(error).__name__.removesuffix("Error")
    for known, message, hint in _WORDS:
        if name == known:
            return MemError(message, hint, known.lower())
    if isinstance(error, OSError):
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
        return MemError(f"{reason}: {error.filename}" if error.filename else reason, "check the path and its permissions", "os")
    return MemError(f"the store could not be used: {error}", "run mem doctor", "store")


def stems(db: Connection) -> Callable[[str], list[str]]:
    """Returns the function by which SQLite's own tokenizer turns a text into index terms."""
    tokenizer = db.fts5_tokenizer("porter", ["unicode61"])

    def split(text: str) -> list[str]:
        found = tokenizer(text.encode("utf-8"), apsw.FTS5_TOKENIZE_DOCUMENT, None, include_offsets=False, include_colocated=False)
        return list(found)

    return split
