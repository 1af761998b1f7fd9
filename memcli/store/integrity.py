"""Checking and salvaging a store: problems of the file, tables and indexes; copying what is readable.

Problems are returned as text. The caller explains SQLite's errors.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import apsw
from apsw import Connection

from memcli.errors import MemError
from memcli.records import Record
from memcli.store import INDEXES, begin_snapshot, rows, set_meta, wait_for_locks
from memcli.store.memories import Memory
from memcli.store.opening import empty_store, has_log, open_reader, open_writer
from memcli.store.oplog import Change, LoggedOperation
from memcli.store.pages import Value, records
from memcli.text import ids, json

_SHADOWS = tuple([f"{index}_{part}" for index in INDEXES for part in ("data", "idx", "content", "docsize", "config")])
_PATIENCE_MS = 2_000  # wait for a writer before the text index is left unchecked
_TABLES = """
    op memory passage memory_link thread state profile note chunk tree artifact tree_file session prompt job turn delivery telling
    authored
""".split()


class StoreCounts(Record):
    """How much a store holds."""

    operations: int
    memories: int
    threads: int
    chunks: int
    states: int
    invalid_states: int


def open_for_checks(path: str) -> Connection:
    """Opens a store to look at it; one moment of it is seen until it is closed. Raises as open_reader does."""
    db = open_reader(path)
    _leave_log(db, path)
    begin_snapshot(db)
    return db


def _leave_log(db: Connection, path: str) -> None:
    """Keeps a write-ahead log that was there before from being folded into the file: a repair keeps both as they were."""
    if has_log(path):
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)


def file_problems(db: Connection, thorough: bool) -> list[str]:
    """Returns what SQLite finds wrong with the file, at most a few lines; thorough: every index entry is looked up."""
    check = "integrity_check" if thorough else "quick_check"
    try:
        reports = rows(db, f"PRAGMA {check}(5)")
    except apsw.NoMemError:  # a damaged text index may ask for more than there is: only the tables are checked then
        reports = [report for table in _TABLES for report in rows(db, f"PRAGMA {check}({table})")]
    lines = [" ".join(line.removeprefix("*** in database main ***").split()) for (line,) in reports]
    return [line for line in lines if line != "ok" and "inverted index" not in line]  # the indexes are mended by themselves


def schema_problems(db: Connection) -> list[str]:
    """Returns differences between the schema and that of the migrations, such as an added trigger."""
    actual, expected = _schema(db), _schema(empty_store())
    missing, added = expected - actual, actual - expected
    changed = {name for _, name, *_ in missing} & {name for _, name, *_ in added}
    words = [f"{kind} {name} was changed" for kind, name, *_ in added if name in changed]
    words += [f"{kind} {name} is not ours" for kind, name, *_ in added if name not in changed]
    return sorted(words + [f"{kind} {name} is missing" for kind, name, *_ in missing if name not in changed])


def _schema(db: Connection) -> set[tuple[str, str, str, str]]:
    """Returns what a schema consists of, without comments and line breaks; the insides of a text index are its own affair."""
    objects = set()
    for kind, name, table, sql in rows(db, "SELECT type, name, tbl_name, sql FROM sqlite_schema"):
        if name not in _SHADOWS and not name.startswith("sqlite_"):
            plain = " ".join([line.partition("--")[0] for line in (sql or "").splitlines()])
            objects.add((kind, name, table, " ".join(plain.split())))
    return objects


def text_problems(db: Connection) -> list[str]:
    """Returns the tables with a value that is neither UTF-8 text nor a number. Reads every row."""
    problems = []
    for table in _TABLES:
        try:
            columns = rows(db, "SELECT name FROM pragma_table_info(?) WHERE type <> 'BLOB'", (table,))
            values = f"SELECT {', '.join([name for (name,) in columns])} FROM {table}"
            if any(bytes in [type(value) for value in row] for row in db.execute(values)):
                problems.append(f"{table} holds bytes where a text should be")
        except UnicodeDecodeError:
            problems.append(f"a text in {table} is not UTF-8")
    return problems


def index_problems(path: str) -> list[str] | None:
    """Compares the text indexes with the texts. Returns the problems; None if the store cannot be written now.

    SQLite does this by a command that takes the write lock; nothing is changed.
    """
    try:
        db = open_writer(path)
    except (apsw.ReadOnlyError, apsw.CantOpenError):
        return None
    try:
        _leave_log(db, path)
        wait_for_locks(db, _PATIENCE_MS)
        rows(db, "BEGIN IMMEDIATE")
        return indexes_out_of_step(db)
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.BusyError, apsw.LockedError, apsw.FullError):
        return None
    finally:
        if db.in_transaction:
            rows(db, "ROLLBACK")
        db.close()


def indexes_out_of_step(db: Connection) -> list[str]:
    """Returns the text indexes that do not match the texts. Runs inside the caller's write transaction."""
    indexes = []
    for index in INDEXES:
        try:
            rows(db, f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)")
        except (apsw.CorruptError, apsw.SQLError, apsw.NoMemError):
            indexes.append(index)
    return indexes


def rebuild_indexes(db: Connection) -> None:
    """Rebuilds the text indexes from the texts, in the caller's transaction."""
    for index in INDEXES:
        rows(db, f"INSERT INTO {index}({index}) VALUES ('rebuild')")


def counts(db: Connection) -> StoreCounts:
    """Returns how much there is."""
    sql = """
        SELECT (SELECT count(*) FROM op), (SELECT count(*) FROM memory WHERE forgotten = 0), (SELECT count(*) FROM thread),
               (SELECT count(*) FROM chunk WHERE NOT hidden), (SELECT count(*) FROM state),
               (SELECT count(*) FROM state WHERE NOT json_valid(body))
    """
    return StoreCounts(*rows(db, sql)[0])


def everything(db: Connection) -> list[str]:
    """Returns the id of every object that the log or a table mentions, as the log names it."""
    sql = """
        SELECT object FROM op WHERE kind <> 'undo'
        UNION SELECT id FROM memory UNION SELECT id FROM state UNION SELECT 'T-' || id FROM thread
        UNION SELECT id FROM session UNION SELECT id FROM prompt
        UNION SELECT id FROM profile UNION SELECT id FROM note ORDER BY 1
    """
    return [object_id for (object_id,) in rows(db, sql)]


def newest(db: Connection, limit: int) -> list[str]:
    """Returns the objects of the newest operations."""
    sql = "SELECT DISTINCT object FROM (SELECT object FROM op WHERE kind <> 'undo' ORDER BY revision DESC LIMIT ?)"
    return [object_id for (object_id,) in rows(db, sql, (limit,))]


# Objects of a kind by the beginning of their ids, which the index of the log has in their order, that a table has no row of.
_WITHOUT_ROW = """
    SELECT object FROM (SELECT DISTINCT object FROM op WHERE object >= '{0}-' AND object < '{0}.') AS named
    WHERE NOT EXISTS (SELECT 1 FROM {1} WHERE id = named.object)
      AND EXISTS (SELECT 1 FROM op WHERE op.object = named.object AND kind = '{2}')
"""
_KINDS_OF_ROWS = (("A", "session", "session"), ("P", "prompt", "prompt"), ("M", "memory", "put"))


def strays(db: Connection, limit: int) -> list[str]:
    """Returns objects that only the log or only a table may know, or whose row may be old. Cheap: no body is read."""
    sql = f"""
        SELECT id FROM memory WHERE revision IS NOT (SELECT max(revision) FROM op WHERE object = memory.id)
        UNION ALL SELECT id FROM state WHERE NOT EXISTS (SELECT 1 FROM op WHERE object = state.id)
        UNION ALL SELECT id FROM session WHERE NOT EXISTS (SELECT 1 FROM op WHERE object = session.id)
        UNION ALL SELECT id FROM prompt WHERE NOT EXISTS (SELECT 1 FROM op WHERE object = prompt.id)
        UNION ALL SELECT 'T-' || id FROM thread WHERE NOT EXISTS (SELECT 1 FROM op WHERE object = 'T-' || thread.id)
        UNION ALL SELECT id FROM profile WHERE revision IS NOT (SELECT max(revision) FROM op WHERE object = profile.id)
        UNION ALL SELECT id FROM note WHERE revision IS NOT (SELECT max(revision) FROM op WHERE object = note.id)
        UNION ALL {" UNION ALL ".join([_WITHOUT_ROW.format(*of_kind) for of_kind in _KINDS_OF_ROWS])}
        LIMIT ?
    """
    return [object_id for (object_id,) in rows(db, sql, (limit,))]


def threads_without_row(db: Connection) -> list[tuple[str, int]]:
    """Returns the threads that memories belong to and the log does not know, each with the time of its first memory."""
    sql = """
        SELECT thread, min(created_at) FROM memory
        WHERE NOT EXISTS (SELECT 1 FROM op WHERE object = 'T-' || memory.thread) GROUP BY thread ORDER BY thread
    """
    return rows(db, sql)


def sqlite_version() -> str:
    """Returns the version of the SQLite in use."""
    return apsw.sqlite_lib_version()


_MOVED_TABLES = """
    op session prompt job memory chunk state thread memory_link tree artifact tree_file profile note telling authored meta
""".split()
_WITHOUT_ROWID = ("memory_link", "tree_file", "profile", "note", "telling", "meta")
_NAMED = {"profile": "K-", "note": "N-", "telling": "A-"}  # of the same shape as another table or an index: ids tell them apart
_BATCH = 1_000  # records held before they are written
_MOST_EXAMINED = 100_000  # records of a file without one of ours, after which it is called another program's
_LATEST = 1 << 47  # ms since 1970; a clock beyond is damage


class TableShape(Record):
    """The shape of a table's rows: its name, and for each column the type and whether it may be NULL."""

    table: str
    columns: tuple[tuple[str, bool], ...]


class Salvaged(Record):
    """What was salvaged, and how many operations are missing in between."""

    operations: int
    memories: int
    chunks: int
    missing: int


def fill(db: Connection, damaged: str, usable: Callable[[LoggedOperation], bool]) -> Salvaged:
    """Copies every row that can still be read from the file `damaged` into the new store `db`, in the caller's transaction.

    Operations that are not `usable` stay behind. The text indexes are left empty: rebuild them.
    """
    shapes = _shapes(db)
    waiting: dict[str, list[Sequence[Value]]] = {table: [] for table in _MOVED_TABLES}
    for number, values in records(damaged):
        table = _table_of(shapes, number, values)
        row = values if number is None or values[0] is not None else [number, *values[1:]]
        if table is None or (table == "op" and not _is_sound(row, usable)) or (table == "memory" and not _is_memory(row)):
            continue
        waiting[table].append(row)
        if len(waiting[table]) >= _BATCH:
            _write(db, table, waiting[table])
    for table, batch in waiting.items():
        _write(db, table, batch)
    counted = rows(db, "SELECT (SELECT count(*) FROM op), (SELECT count(*) FROM memory), (SELECT count(*) FROM chunk)")[0]
    missing = rows(db, "SELECT coalesce(max(revision), 0) - count(*) FROM op")[0][0]
    return Salvaged(counted[0], counted[1], counted[2], missing)


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
    for table in _MOVED_TABLES:
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


def totals(db: Connection) -> dict[str, int]:
    """Returns how many items of each kind are stored."""
    counted = {
        "memories": "memory WHERE forgotten = 0",
        "observations": "memory WHERE forgotten = 0 AND session > 0 AND kind <> 'summary'",
        "summaries": "memory WHERE forgotten = 0 AND kind = 'summary'",
        "pinned": "memory WHERE forgotten = 0 AND pinned = 1",
        "superseded": "memory INDEXED BY memory_by_text WHERE forgotten = 0 AND superseded_by IS NULL",
        "forgotten": "memory",
        "threads": "thread",
        "sessions": "session",
        "prompts": "prompt",
        "chunks": "chunk",
        "operations": "op",
    }
    columns = ", ".join(f"(SELECT count(*) FROM {source})" for source in counted.values())
    totals = dict(zip(counted, rows(db, f"SELECT {columns}")[0]))
    # Of neither is there an index: they are the others of all live ones, and of all.
    live = totals["memories"]
    return totals | {"superseded": live - totals["superseded"], "forgotten": totals["forgotten"] - live}
