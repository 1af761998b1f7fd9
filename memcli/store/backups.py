"""Backups: copies of a whole store that a person makes from one in use, or restores."""

from __future__ import annotations

import apsw
from apsw import Connection

from memcli.errors import MemError
from memcli.store import check_file, connect, copies, rows, version
from memcli.store.opening import migrate


def make(source: str, to: str) -> None:
    """Copies the store at `source` to a file. Raises MemError, and what SQLite and the file system raise."""
    check_file(source)
    db = connect(source, apsw.SQLITE_OPEN_READWRITE)
    try:
        version(db)
        copies.write(db, to)
    finally:
        db.close()


def current(path: str) -> Connection:
    """Opens a copy that nobody else uses, migrated to the current schema. Raises MemError if it is not one of our stores."""
    check_file(path)
    db = connect(path, apsw.SQLITE_OPEN_READWRITE)
    try:
        if not version(db):
            raise MemError(f"{path} is empty", "use another file", "foreign")
        migrate(db, "")
        rows(db, "PRAGMA journal_mode = WAL")
        return db
    except BaseException:
        db.close()
        raise
