"""Opening a store, running statements in it, and its one kind of transaction. Making and migrating one: schema.py."""

from __future__ import annotations

import os
import time

import apsw

from memcli.errors import MemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection as Connection

Error = apsw.Error
LATEST = 13  # number of the newest migration in migrations/
APPLICATION_ID = 0x6D656D31  # "mem1" in the file's header: this is our store, not another program's database
LOCK_WAIT_MS = 10_000
_EAGER, _SHORT, _LONG = 0.25, 0.001, 0.01  # seconds: so long a lock is looked for after short naps, then after longer ones
_SMALLEST = 512  # bytes: one page of the smallest size
_WAL_LIMIT = 4_194_304  # bytes that a write-ahead log keeps after a checkpoint


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


class snapshot:
    """`with snapshot(db):` reads one moment of the store, whatever other processes write meanwhile; keeps no change."""

    def __init__(self, db: Connection) -> None:
        self.db = db

    def __enter__(self) -> None:
        begin_snapshot(self.db)

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        end_snapshot(self.db)


def begin_snapshot(db: Connection) -> None:
    """Makes all that is read from now on be of one moment, until `end_snapshot` or until the connection closes."""
    rows(db, "BEGIN")


def end_snapshot(db: Connection) -> None:
    """Ends a snapshot where there is one, so that the next read sees what other processes wrote."""
    if db.in_transaction:
        rows(db, "ROLLBACK")


def sync_commits(db: Connection, every: bool) -> None:
    """Sets whether each commit waits for the disk; if not, a loss of power may cost the last commits, never the file."""
    rows(db, f"PRAGMA synchronous = {'FULL' if every else 'NORMAL'}")


def open_reader(path: str) -> Connection:
    """Opens an existing store that this process promises not to change.

    A read-write handle with `query_only` is used, because a read-only one leaves `-wal` and `-shm` behind; read-only media
    are read through a read-only or immutable handle. Raises MemError for a store that is damaged, newer or not ours.
    """
    look_at(path)
    try:
        db = connect(path, apsw.SQLITE_OPEN_READWRITE)
        found = version(db)
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        db = _connect_unwritable(path)
        found = version(db)
    if found < LATEST:
        from memcli.store.schema import migrate_now

        migrate_now(path)
    rows(db, "PRAGMA query_only = 1")
    return db


def open_writer(path: str) -> Connection:
    """Opens an existing store for writing and brings it to the current schema. Raises MemError."""
    look_at(path)
    db = connect(path, apsw.SQLITE_OPEN_READWRITE)
    if version(db) < LATEST:
        from memcli.store.schema import migrate

        migrate(db, path)
    rows(db, f"PRAGMA secure_delete = 1; PRAGMA journal_size_limit = {_WAL_LIMIT}; PRAGMA synchronous = FULL")
    return db


def meta(db: Connection, key: str) -> str | None:
    """Returns a fact about the store itself, such as `repo_id` or `writer`."""
    found = rows(db, "SELECT value FROM meta WHERE key = ?", (key,))
    return found[0][0] if found else None


def set_meta(db: Connection, key: str, value: str) -> None:
    """Notes a fact about the store itself."""
    rows(db, "INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value", (key, value))


def connect(path: str, flags: int) -> Connection:
    """Opens a file as every store is opened: waiting for locks, trusting nothing that the file itself says."""
    db = apsw.Connection(path, flags | apsw.SQLITE_OPEN_URI)
    wait_for_locks(db, LOCK_WAIT_MS)
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    rows(db, "PRAGMA trusted_schema = 0; PRAGMA cell_size_check = 1")
    return db


def wait_for_locks(db: Connection, most_ms: float) -> None:
    """Lets a connection wait for locks of others, so many ms at most.

    SQLite's own timeout looks ever more seldom, at last every 100 ms, and misses the gaps that a busy writer leaves.
    """
    began = 0.0

    def again(tries: int) -> bool:
        nonlocal began
        began = began if tries else time.monotonic()
        waited = time.monotonic() - began
        if waited * 1000 >= most_ms:
            return False
        time.sleep(_SHORT if waited < _EAGER else _LONG)
        return True

    db.set_busy_handler(again)


def _connect_unwritable(path: str) -> Connection:
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    try:
        db = connect(f"file:{quoted}?mode=ro", apsw.SQLITE_OPEN_READONLY)
        version(db)
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        if os.path.exists(path + "-wal") and os.path.getsize(path + "-wal"):
            raise  # an immutable handle would not see what is still in the log
        db = connect(f"file:{quoted}?mode=ro&immutable=1", apsw.SQLITE_OPEN_READONLY)
    return db


def version(db: Connection) -> int:
    """Returns the schema number of our store; 0 for an empty file. Raises MemError for a newer or a foreign one."""
    (number,), (owner,) = rows(db, "PRAGMA user_version; PRAGMA application_id")
    if owner != APPLICATION_ID and (number or rows(db, "SELECT 1 FROM sqlite_schema LIMIT 1")):
        raise MemError(
            "the file at the store's place is another program's database", "move it away; mem did not touch it", "foreign"
        )
    if number > LATEST:
        raise MemError(
            f"the store has schema {number}, newer than this mem knows ({LATEST})",
            "upgrade memcli; the store was not touched",
            "newer_schema",
        )
    return int(number)


def look_at(path: str) -> None:
    """Refuses what is no store of ours before SQLite sees it: it would follow a link, and take an empty file for a new store."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if found.st_mode & 0o170000 == 0o120000:
        raise MemError("the store's file is a symbolic link", "put the real file there; mem does not follow links", "symlink")
    if found.st_size < _SMALLEST and found.st_mode & 0o170000 == 0o100000:
        what = "is not a database" if found.st_size else "is empty"
        raise MemError(f"the store's file {what}", "run mem doctor --repair", "damaged")
