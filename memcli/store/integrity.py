"""Checking a store: problems of the file, its tables and indexes, and how much it holds.

Problems are returned as text. The caller explains SQLite's errors.
"""

from __future__ import annotations

import apsw
from apsw import Connection

from memcli.records import Record
from memcli.store import INDEXES, begin_snapshot, rows, wait_for_locks
from memcli.store.opening import empty_store, has_log, open_reader, open_writer

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
