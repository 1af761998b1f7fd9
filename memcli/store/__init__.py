"""The store: every SQL statement of the project, and the only room that knows SQLite's driver.

Here: connecting to a file, running statements in it, transactions, what an error means. `opening` makes and migrates stores.
"""

from __future__ import annotations

import _collections_abc
import errno
import os
import sys
import time

from memcli.errors import MemError

# APSW asks for `collections.abc` when it is imported, to know what a Mapping is. CPython has that module loaded at every start,
# under the name `_collections_abc`; only its public name comes from `collections`, which costs 1.4 ms, half of importing APSW.
# So the names are lent while APSW is imported, and taken back: a later `import collections` finds the real thing.
_LENT = ("collections", "collections.abc")
if "apsw" not in sys.modules and not any(name in sys.modules for name in _LENT):
    sys.modules.update(dict.fromkeys(_LENT, _collections_abc))
    try:
        import apsw
    finally:
        for _name in _LENT:
            del sys.modules[_name]
import apsw  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeVar

    from apsw import Connection as Connection

    T = TypeVar("T")

Error = apsw.Error
LATEST = 39  # number of the newest migration in migrations/; written by scripts/generate.py
APPLICATION_ID = 0x6D656D31  # "mem1" in the file's header: this is our store, not another program's database
LOCK_WAIT_MS = 10_000
_EAGER, _SHORT, _LONG = 0.25, 0.001, 0.01  # seconds: how long a lock is polled at short intervals, then at long ones
INDEXES = ("memory_fts", "passage_fts", "chunk_fts")  # the full-text indexes
_KIND, _LINK, _REGULAR = 0o170000, 0o120000, 0o100000  # of a file's mode
SMALLEST = 512  # bytes: one page of the smallest size
# Keys in meta that are read without the module that writes them: the remote that a person agreed to share memories through, as
# JSON; the steps of an erasure that the next writer has to finish.
SYNC_AGREEMENT, UNFINISHED_ERASURE = "sync", "erasing"
RESTORED = "restored"  # in `meta`: the last revision of the copy that a store was restored from
LOST_IN_REPAIR = "lost_in_repair"  # names the fact how much a repair could not save, and when: "COUNT MS"
WAL_LIMIT = 4_194_304  # bytes that a write-ahead log keeps after a checkpoint


def immutable(path: str) -> Connection:
    """Returns a connection to a file that ships with the program, which takes no lock and needs no writable directory."""
    return apsw.Connection(f"{uri(path)}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


def uri(path: str) -> str:
    """Returns the URI of a file, to which parameters of SQLite's can be added behind a `?`."""
    escaped = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{escaped}"


def rows(db: Connection, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[Any]:
    """Runs every statement of `sql` to its end and returns the rows of all, as tuples."""
    return db.execute(sql, values).fetchall()


def first(db: Connection, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> Any:
    """Returns the first row of a query as a tuple, None where there is none."""
    result = rows(db, sql, values)
    return result[0] if result else None


def first_record(kind: type[T], db: Connection, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> T | None:
    """Returns the first row of a query as a record, None where there is none."""
    row = first(db, sql, values)
    return kind(*row) if row else None


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


class rehearsal(transaction):
    """`with rehearsal(db):` takes the write lock, and keeps nothing of what is written inside."""

    def __exit__(self, kind: object, error: object, trace: object) -> None:
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


def meta(db: Connection, key: str) -> str | None:
    """Returns a fact about the store itself, such as `repo_id` or `writer`; None where it is not noted."""
    row = first(db, "SELECT value FROM meta WHERE key = ?", (key,))
    return row[0] if row else None


def set_meta(db: Connection, key: str, value: str) -> None:
    """Notes a fact about the store itself."""
    rows(db, "INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value", (key, value))


def delete_meta(db: Connection, key: str) -> None:
    """Removes a fact about the store itself, where it is noted."""
    rows(db, "DELETE FROM meta WHERE key = ?", (key,))


def connect(path: str, flags: int) -> Connection:
    """Opens a file as every store is opened: waiting for locks, trusting nothing that the file itself says."""
    db = apsw.Connection(path, flags | apsw.SQLITE_OPEN_URI)
    wait_for_locks(db, LOCK_WAIT_MS)
    db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    db.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)  # else FTS5's inner statements are prepared again for other segments
    rows(db, "PRAGMA cell_size_check = 1")
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


def version(db: Connection) -> int:
    """Returns the schema number of our store; 0 for an empty file. Raises MemError for a newer or a foreign one."""
    (number,), (owner,) = rows(db, "PRAGMA user_version; PRAGMA application_id")
    if owner != APPLICATION_ID and (number or rows(db, "SELECT 1 FROM sqlite_schema LIMIT 1")):
        is_mempack = rows(db, "SELECT 1 FROM sqlite_schema WHERE name = 'state_current'")
        hint = "move it away, then: mem import --from mempack PATH" if is_mempack else "move it away; mem did not touch it"
        raise MemError(f"{db.filename} is another program's database", hint, "foreign")
    if number > LATEST:
        raise MemError(
            f"the store has schema {number}, newer than this mem knows ({LATEST})",
            "upgrade memcli; the store was not touched",
            "newer_schema",
        )
    return int(number)


def check_file(path: str) -> None:
    """Raises MemError for what is no store of ours, before SQLite sees it: it would follow a link, and take an empty file for a
    new store. A missing file is none of that."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return
    kind = status.st_mode & _KIND
    if kind == _LINK:
        raise MemError("the store's file is a symbolic link", "put the real file there; mem does not follow links", "symlink")
    if kind != _REGULAR:  # SQLite would wait for a pipe
        raise MemError("the store's file is no regular file", f"move it away: {path}", "damaged")
    if status.st_size < SMALLEST:
        problem = "is not a database" if status.st_size else "is empty"
        raise MemError(f"the store's file {problem}", "run mem doctor --repair", "damaged")
    if not os.access(path, os.R_OK):
        raise MemError(f"permission denied: {path}", "let yourself read it, or set MEMPACK_DATA_DIR to another directory", "os")


_MESSAGES: tuple[tuple[str, str, str], ...] = (
    ("Busy", "the store is busy: another process keeps it locked", "try again in a moment"),
    ("Locked", "the store is busy: another process keeps it locked", "try again in a moment"),
    ("Full", "no space left on the disk", "free some space and try again"),
    ("ReadOnly", "the store is read-only", "let yourself write its files and their directory"),
    ("CantOpen", "unable to open the store", "check the permissions of its directory, or set MEMPACK_DATA_DIR"),
    ("Corrupt", "the store is damaged", "run mem doctor --repair; it keeps the original"),
    ("NotADB", "the store's file is not a database", "run mem doctor --repair; it keeps the original"),
    ("IO", "the disk failed while the store was read or written", "check the disk, then run mem doctor"),
    ("NoMem", "out of memory", "free some memory and try again"),
)


def explain_known(error: Exception) -> MemError | None:
    """Returns the error to show for an exception, None for one that is a bug."""
    if isinstance(error, MemError):
        return error
    if isinstance(error, (Error, OSError, MemoryError)):
        return explain(error)
    if isinstance(error, UnicodeDecodeError):
        return MemError("the store holds text that is not UTF-8", "run mem doctor --repair; it keeps the original", "damaged")
    return None


def explain(error: Exception) -> MemError:
    """Returns the error to show for one of SQLite, of the file system, or for want of memory."""
    name = type(error).__name__.removesuffix("Error")
    if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHMSIZE:
        name = "Full"  # no room for the file that all who have the store open share
    for kind, message, hint in _MESSAGES:
        if name == kind:
            return MemError(message, hint, kind.lower())
    if isinstance(error, OSError):
        reason = os.strerror(error.errno).lower() if error.errno else str(error)
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        hint = "free some space and try again" if is_full else "check the path and its permissions"
        return MemError(f"{reason}: {error.filename}" if error.filename else reason, hint, "os")
    return MemError(f"the store could not be used: {error}", "run mem doctor", "store")
