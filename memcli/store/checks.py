"""Questions to a store about its own soundness. What is wrong comes back as text; SQLite's errors are the caller's to explain."""

from __future__ import annotations

import os

import apsw

from memcli.records import Record
from memcli.store.db import begin_snapshot, open_reader, open_writer, rows, wait_for_locks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

_INDEXES = ("memory_fts", "chunk_fts", "prompt_fts")
_SHADOWS = tuple([f"{index}_{part}" for index in _INDEXES for part in ("data", "idx", "content", "docsize", "config")])
_PATIENCE_MS = 2_000  # wait for a writer before the text index is left unchecked
_TABLES = (
    *("op", "memory", "memory_link", "thread", "state", "profile", "note"),
    *("chunk", "tree", "artifact", "tree_file", "session", "prompt", "job"),
    *("turn", "delivery"),
)


class Counts(Record):
    """How much a store holds."""

    operations: int
    memories: int
    threads: int
    chunks: int
    states: int
    invalid_states: int


def opened(path: str) -> Connection:
    """Opens a store to look at it; one moment of it is seen until it is closed. Raises as open_reader does."""
    db = open_reader(path)
    _leave_log(db, path)
    begin_snapshot(db)
    return db


def _leave_log(db: Connection, path: str) -> None:
    """Keeps a write-ahead log that was there before from being folded into the file: a repair keeps both as they were."""
    if os.path.exists(path + "-wal") and os.path.getsize(path + "-wal"):
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)


def file_problems(db: Connection, thorough: bool) -> list[str]:
    """Returns what SQLite finds wrong with the file, at most a few lines; thorough: every index entry is looked up."""
    found = rows(db, "PRAGMA integrity_check(5)" if thorough else "PRAGMA quick_check(5)")
    lines = [" ".join(line.removeprefix("*** in database main ***").split()) for (line,) in found]
    return [line for line in lines if line != "ok" and "inverted index" not in line]  # the indexes are mended by themselves


def schema_problems(db: Connection) -> list[str]:
    """Returns what in the schema is not as the migrations made it, such as a trigger that somebody added."""
    from memcli.store.schema import memory_store

    there, wanted = _schema(db), _schema(memory_store())
    missing, added = wanted - there, there - wanted
    changed = {name for _, name, *_ in missing} & {name for _, name, *_ in added}
    words = [f"{kind} {name} was changed" for kind, name, *_ in added if name in changed]
    words += [f"{kind} {name} is not ours" for kind, name, *_ in added if name not in changed]
    return sorted(words + [f"{kind} {name} is missing" for kind, name, *_ in missing if name not in changed])


def _schema(db: Connection) -> set[tuple[str, str, str, str]]:
    """Returns what a schema consists of, without comments and line breaks; the insides of a text index are its own affair."""
    found = set()
    for kind, name, table, sql in rows(db, "SELECT type, name, tbl_name, sql FROM sqlite_schema"):
        if name not in _SHADOWS and not name.startswith("sqlite_"):
            plain = " ".join([line.partition("--")[0] for line in (sql or "").splitlines()])
            found.add((kind, name, table, " ".join(plain.split())))
    return found


def text_problems(db: Connection) -> list[str]:
    """Returns the tables that hold a value which is no text in UTF-8 and no number. Reads every row."""
    found = []
    for table in _TABLES:
        try:
            if any(bytes in [type(value) for value in row] for row in db.execute(f"SELECT * FROM {table}")):
                found.append(f"{table} holds bytes where a text should be")
        except UnicodeDecodeError:
            found.append(f"a text in {table} is not UTF-8")
    return found


def index_problems(path: str) -> list[str] | None:
    """Compares the text indexes with the texts. Returns what is wrong; None where the store cannot be written now.

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
    """Returns the text indexes that do not say what the texts say; inside the caller's write transaction."""
    found = []
    for index in _INDEXES:
        try:
            rows(db, f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)")
        except (apsw.CorruptError, apsw.SQLError):
            found.append(index)
    return found


def rebuild_indexes(db: Connection) -> None:
    """Writes the text indexes anew from the texts, in the caller's transaction."""
    for index in _INDEXES:
        rows(db, f"INSERT INTO {index}({index}) VALUES ('rebuild')")


def counts(db: Connection) -> Counts:
    """Returns how much there is."""
    sql = """
        SELECT (SELECT count(*) FROM op), (SELECT count(*) FROM memory WHERE forgotten = 0), (SELECT count(*) FROM thread),
               (SELECT count(*) FROM chunk WHERE NOT hidden), (SELECT count(*) FROM state),
               (SELECT count(*) FROM state WHERE NOT json_valid(body))
    """
    return Counts(*rows(db, sql)[0])


def everything(db: Connection) -> list[str]:
    """Returns the id of every object that the log or a table speaks of, as the log names it."""
    sql = """
        SELECT object FROM op WHERE kind <> 'undo'
        UNION SELECT id FROM memory UNION SELECT id FROM state UNION SELECT 'T-' || id FROM thread
        UNION SELECT id FROM session UNION SELECT id FROM prompt
        UNION SELECT id FROM profile UNION SELECT id FROM note ORDER BY 1
    """
    return [row[0] for row in rows(db, sql)]


def newest(db: Connection, limit: int) -> list[str]:
    """Returns the objects of the newest operations."""
    sql = "SELECT DISTINCT object FROM (SELECT object FROM op WHERE kind <> 'undo' ORDER BY revision DESC LIMIT ?)"
    return [row[0] for row in rows(db, sql, (limit,))]


def strays(db: Connection, limit: int) -> list[str]:
    """Returns objects that only the log or only a table may know, or whose row may be old. Cheap: no body is read."""
    sql = """
        SELECT id FROM memory WHERE revision IS NOT (SELECT max(revision) FROM op WHERE object = memory.id)
        UNION ALL SELECT id FROM state WHERE NOT EXISTS (SELECT 1 FROM op WHERE object = state.id)
        UNION ALL SELECT id FROM session WHERE NOT EXISTS (SELECT 1 FROM op WHERE object = session.id)
        UNION ALL SELECT id FROM prompt WHERE NOT EXISTS (SELECT 1 FROM op WHERE object = prompt.id)
        UNION ALL SELECT DISTINCT object FROM op
          WHERE kind = 'session' AND NOT EXISTS (SELECT 1 FROM session WHERE id = op.object)
        UNION ALL SELECT DISTINCT object FROM op
          WHERE kind = 'prompt' AND NOT EXISTS (SELECT 1 FROM prompt WHERE id = op.object)
        UNION ALL SELECT 'T-' || id FROM thread WHERE NOT EXISTS (SELECT 1 FROM op WHERE object = 'T-' || thread.id)
        UNION ALL SELECT id FROM profile WHERE revision IS NOT (SELECT max(revision) FROM op WHERE object = profile.id)
        UNION ALL SELECT id FROM note WHERE revision IS NOT (SELECT max(revision) FROM op WHERE object = note.id)
        UNION ALL SELECT DISTINCT object FROM op
          WHERE kind = 'put' AND object LIKE 'M-%' AND NOT EXISTS (SELECT 1 FROM memory WHERE id = op.object)
        LIMIT ?
    """
    return [row[0] for row in rows(db, sql, (limit,))]


def thread_title(db: Connection, thread_id: str) -> str | None:
    """Returns the title of a thread's row."""
    found = rows(db, "SELECT title FROM thread WHERE id = ?", (thread_id,))
    return found[0][0] if found else None


def threads_without_row(db: Connection) -> list[tuple[str, int]]:
    """Returns the threads that memories belong to and the log does not know, each with the time of its first memory."""
    sql = """
        SELECT thread, min(created_at) FROM memory
        WHERE NOT EXISTS (SELECT 1 FROM op WHERE object = 'T-' || memory.thread) GROUP BY thread ORDER BY thread
    """
    return [(name, at) for name, at in rows(db, sql)]


def sqlite_version() -> str:
    """Returns the version of the SQLite in use."""
    return apsw.sqlite_lib_version()
