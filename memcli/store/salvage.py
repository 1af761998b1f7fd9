"""Salvaging a damaged store: copying what is readable, operations in place of lost ones, and the new file in place of the old."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import apsw
from apsw import Connection

from memcli.errors import MemError
from memcli.records import Record
from memcli.store import rows, set_meta
from memcli.store.memories import Memory
from memcli.store.opening import empty_store
from memcli.store.oplog import Change, LoggedOperation
from memcli.store.pages import Value, cut_off, records
from memcli.text import ids, json

_TABLES = """
    op session prompt job memory chunk state thread memory_link tree artifact tree_file profile note telling authored meta
""".split()
_WITHOUT_ROWID = ("memory_link", "tree_file", "profile", "note", "telling", "meta")
_NAMED = {"profile": "K-", "note": "N-", "telling": "A-"}  # of the same shape as another table or an index: ids tell them apart
_BATCH = 1_000  # records held before they are written
_MOST_EXAMINED = 100_000  # records of a file without one of ours, after which it is called another program's
_MOST_OPERATIONS = 1 << 32  # in a log; more is damage
_LATEST = 1 << 47  # ms since 1970; a clock beyond is damage


class TableShape(Record):
    """The shape of a table's rows: its name, and for each column the type and whether it may be NULL."""

    table: str
    columns: tuple[tuple[str, bool], ...]


class Salvaged(Record):
    """What was salvaged, how many operations are missing, as far as the rest mentions them, and how many pages were cut off."""

    operations: int
    memories: int
    chunks: int
    missing: int
    cut_off: int = 0


def copy_readable(db: Connection, damaged: str, usable: Callable[[LoggedOperation], bool]) -> Salvaged:
    """Copies every row that can still be read from the file `damaged` into the new store `db`, in the caller's transaction.

    Operations that are not `usable` stay behind. The text indexes are left empty: rebuild them.
    """
    shapes = _shapes(db)
    batches: dict[str, list[Sequence[Value]]] = {table: [] for table in _TABLES}
    mentioned = 0  # the highest revision that an index leads to
    for number, values in records(damaged):
        if number is None and _is_place_in_log(values):
            mentioned = max(mentioned, int(values[1]))  # type: ignore[arg-type]
        table = _table_of(shapes, number, values)
        row = values if number is None or values[0] is not None else [number, *values[1:]]
        if table is None or (table == "op" and not _is_sound(row, usable)) or (table == "memory" and not _is_memory(row)):
            continue
        batches[table].append(row)
        if len(batches[table]) >= _BATCH:
            _write(db, table, batches[table])
    for table, batch in batches.items():
        _write(db, table, batch)
    counted = rows(db, "SELECT (SELECT count(*) FROM op), (SELECT count(*) FROM memory), (SELECT count(*) FROM chunk)")[0]
    highest = rows(db, "SELECT max((SELECT coalesce(max(revision), 0) FROM op), (SELECT coalesce(max(revision), 0) FROM memory))")
    cut = cut_off(damaged)
    missing = max(highest[0][0], mentioned if cut else 0) - counted[0]
    return Salvaged(counted[0], counted[1], counted[2], missing, cut)


def _is_place_in_log(values: Sequence[Value]) -> bool:
    """Tells whether a record is an entry of the index op_by_object for a memory, or of one that has lower numbers."""
    if len(values) != 2 or not str(values[0]).startswith("M-"):
        return False
    return isinstance(values[1], int) and 0 < values[1] < _MOST_OPERATIONS


def holds_operations(path: str, usable: Callable[[LoggedOperation], bool]) -> bool:
    """Tells whether a file that no longer says whose it is holds operations of ours."""
    shapes = _shapes(empty_store())
    for count, (number, values) in enumerate(records(path)):
        if _table_of(shapes, number, values) == "op" and _is_sound([number, *values[1:]], usable):
            return True
        if count > _MOST_EXAMINED:
            break
    return False


def _shapes(db: Connection) -> dict[tuple[bool, int], list[TableShape]]:
    """Returns the shapes of the tables by (has row numbers, how many columns)."""
    shapes: dict[tuple[bool, int], list[TableShape]] = {}
    for table in _TABLES:
        columns = rows(db, "SELECT type, \"notnull\" OR pk > 0, pk > 0 AND type = 'INTEGER' FROM pragma_table_info(?)", (table,))
        has_number = table not in _WITHOUT_ROWID
        shape = TableShape(
            table, tuple([("ALIAS" if alias and has_number else kind, not needed) for kind, needed, alias in columns])
        )
        shapes.setdefault((has_number, len(columns)), []).append(shape)
    return shapes


def _table_of(shapes: dict[tuple[bool, int], list[TableShape]], number: int | None, values: Sequence[Value]) -> str | None:
    """Returns the table that a record must be from, None where it looks like none of ours."""
    for shape in shapes.get((number is not None, len(values)), ()):
        if all(_fits(value, kind, empty) for value, (kind, empty) in zip(values, shape.columns)) and (
            str(values[0]).startswith(_NAMED.get(shape.table, ""))
        ):
            return shape.table
    return None


def _fits(value: Value, kind: str, may_be_empty: bool) -> bool:
    if kind == "ALIAS":  # an INTEGER PRIMARY KEY is the row's number, and NULL in the record
        return value is None
    if value is None:
        return may_be_empty
    return isinstance(value, {"INTEGER": int, "BLOB": bytes}.get(kind, str))


def _is_sound(row: Sequence[Any], usable: Callable[[LoggedOperation], bool]) -> bool:
    """Tells whether a row can be the operation that was written: numbers in their range, a body that says something."""
    op = LoggedOperation(*row)
    return 0 <= op.command <= op.revision and op.revision > 0 and 0 <= op.hlc_ms < _LATEST and op.hlc_n >= 0 and usable(op)


def _is_memory(row: Sequence[Any]) -> bool:
    memory = Memory(*row[: len(Memory._fields)])
    flags = memory.forgotten, memory.pinned, memory.suspicious
    return memory.id.startswith("M-") and -_LATEST < memory.created_at < _LATEST and all(flag in (0, 1) for flag in flags)


def _write(db: Connection, table: str, batch: list[Sequence[Value]]) -> None:
    """Writes rows as they are. What is there already stays: pages that were given up may hold older copies."""
    if not batch:
        return
    if table == "meta":
        for key, value in batch:
            if key != "last_migration_at":
                set_meta(db, str(key), str(value))
    else:
        marks = ", ".join("?" for _ in batch[0])
        db.executemany(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", batch)
    batch.clear()


def append_recovered(db: Connection, changes: Sequence[Change], actor: str, at: int) -> None:
    """Appends operations in place of lost ones, in the caller's transaction, dated `at`, after all known ones of that time.

    They belong to no command, so that undo never reverts them as something that a person just did.
    """
    revision, counter = rows(
        db, "SELECT coalesce(max(revision), 0), (SELECT coalesce(max(hlc_n), -1) FROM op WHERE hlc_ms = ?) FROM op", (at,)
    )[0]
    writer = (rows(db, "SELECT value FROM meta WHERE key = 'writer'") or [("",)])[0][0]
    for offset, change in enumerate(changes, 1):
        stamp, body = ids.stamp(at), json.canonical(change.body)
        op = (revision + offset, stamp, at, counter + offset, writer, change.kind, change.object, body, actor, "local", 0)
        rows(db, "INSERT INTO op VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", op)


def drop_operations(db: Connection, object_id: str) -> int:
    """Removes the operations on an unrecoverable object from a salvaged log. Returns how many."""
    rows(db, "DELETE FROM op WHERE object = ?", (object_id,))
    return db.changes()


def put_in_place(new: Connection, path: str, unchanged: Callable[[], bool]) -> bool:
    """Makes the file at `path`, whatever it is now, a copy of the store `new`, in one transaction of SQLite's own.

    Killed at any moment, the file is the old one or the new one; a process that waits to write finds the new one. Once
    nobody else can write, `unchanged` is asked; if it says no, nothing is done and False is returned. Raises MemError.
    """
    target = apsw.Connection(path)
    try:
        target.set_busy_timeout(10_000)
        target.config(apsw.SQLITE_DBCONFIG_RESET_DATABASE, 1)  # what the file holds now need not make sense
        with target.backup("main", new, "main") as copying:
            copying.step(0)  # takes the lock, copies nothing
            if not unchanged():
                return False
            copying.step(-1)
        target.config(apsw.SQLITE_DBCONFIG_RESET_DATABASE, 0)
        os.chmod(path, 0o600)
        return True
    except (apsw.BusyError, apsw.LockedError):
        raise MemError("the store is busy: another process keeps it locked", "try again in a moment", "busy") from None
    finally:
        target.close()
