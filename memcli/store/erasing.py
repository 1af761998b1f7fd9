"""Erasing text for good, from the log, tables, indexes, freed pages and the write-ahead log; and reading every text."""

from __future__ import annotations

import os

import apsw

from memcli.store import (
    INDEXES,
    LOCK_WAIT_MS,
    UNFINISHED_ERASURE,
    chunks,
    delete_meta,
    meta,
    rows,
    set_meta,
    transaction,
    turns,
    wait_for_locks,
)
from memcli.text import ids, json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from apsw import Connection

NAMELESS = "T-(erased)"  # what the log calls a thread whose name was erased
_REBUILD, _TRUNCATE = "rebuild", "truncate"


def is_erased(db: Connection, object_id: str) -> bool:
    """Tells whether the text of an object was erased, according to the log."""
    return bool(rows(db, "SELECT 1 FROM op WHERE object = ? AND kind = 'erase' LIMIT 1", (object_id,)))


def is_purged(db: Connection, object_id: str) -> bool:
    """Tells whether the text of an object was erased because another member purged it."""
    return bool(rows(db, "SELECT 1 FROM op WHERE object = ? AND kind = 'erase' AND actor = 'sync' LIMIT 1", (object_id,)))


def erased(db: Connection, objects: Iterable[str]) -> set[str]:
    """Returns those of some objects that were erased, according to the log."""
    sql = "SELECT DISTINCT object FROM op WHERE kind = 'erase' AND object IN (SELECT value FROM json_each(?))"
    return {object_id for (object_id,) in rows(db, sql, (json.dumps(list(objects)),))}


def objects(db: Connection, prefix: str, limit: int) -> list[str]:
    """Returns the objects of the log whose id begins with `prefix`, in the order of ids."""
    sql = "SELECT DISTINCT object FROM op WHERE object >= ? AND object < ? ORDER BY object LIMIT ?"
    return [name for (name,) in rows(db, sql, (prefix, prefix + "~", limit))]


def of_session(db: Connection, session_id: str) -> list[str]:
    """Returns what a session left: its prompts, the memories that were observed in it or sum it up, the note about it."""
    sql = """
        SELECT prompt.id FROM prompt JOIN session ON session.n = prompt.session WHERE session.id = ?1
        UNION SELECT memory.id FROM memory JOIN session ON session.n = memory.session WHERE session.id = ?1 AND memory.session > 0
        UNION SELECT summary FROM session WHERE id = ?1 AND summary IS NOT NULL
        UNION SELECT object FROM op WHERE object = ?2 ORDER BY 1
    """
    return [name for (name,) in rows(db, sql, (session_id, ids.of_text("N", session_id)))]


def replaced_by(db: Connection, memory_id: str) -> list[str]:
    """Returns the memories that one replaced."""
    sql = "SELECT id FROM memory WHERE superseded_by = ? ORDER BY id"
    return [name for (name,) in rows(db, sql, (memory_id,))]


def threads_of(db: Connection, objects: Iterable[str]) -> list[str]:
    """Returns the threads in which objects are or ever were."""
    sql = """
        SELECT json_extract(body, '$.thread') FROM op WHERE object IN (SELECT value FROM json_each(?1)) AND json_valid(body)
        UNION SELECT thread FROM chunk WHERE id IN (SELECT value FROM json_each(?1))
    """
    return [thread for (thread,) in rows(db, sql, (json.dumps(list(objects)),)) if isinstance(thread, str)]


def count_in_thread(db: Connection, thread: str, but: Iterable[str] = ()) -> int:
    """Returns how many memories, states and chunks, except some, are or ever were in a thread."""
    sql = """
        SELECT count(*) FROM (
          SELECT id FROM memory WHERE thread = ?1 UNION SELECT id FROM state WHERE thread = ?1
          UNION SELECT id FROM chunk WHERE thread = ?1
          UNION SELECT object FROM op WHERE body LIKE '%"thread":%' AND json_valid(body) AND json_extract(body, '$.thread') = ?1
        ) WHERE id NOT IN (SELECT value FROM json_each(?2))
    """
    return int(rows(db, sql, (thread, json.dumps(list(but))))[0][0])


def has_thread(db: Connection, thread: str) -> bool:
    """Tells whether a thread has this name, or had it when it was made."""
    return bool(rows(db, "SELECT 1 FROM op WHERE object = ?1 UNION SELECT 1 FROM thread WHERE 'T-' || id = ?1", (f"T-{thread}",)))


def blank(db: Connection, object_ids: Sequence[str]) -> None:
    """Empties the bodies of the operations on these objects, keeps their positions, and requests a rebuild of the file.

    Inside the caller's transaction; the caller writes the rows again from the log.
    """
    from memcli.store import authorship, usage  # the everyday path only asks what was erased

    for object_id in object_ids:
        rows(db, "UPDATE op SET body = '{}' WHERE object = ? AND kind <> 'erase'", (object_id,))
        rows(db, "DELETE FROM vector WHERE id = ?", (object_id,))
        usage.erase(db, object_id)
        authorship.erase(db, object_id)
        if object_id.startswith(("P-", "A-")):
            _drop_session(db, object_id)
        elif object_id.startswith("C-"):
            for chunk in chunks.by_prefix(db, object_id, 1):
                chunks.remove(db, chunk)
    turns.forget_all(db)  # digests of texts can be guessed at
    authorship.forget_digests(db)
    set_meta(db, UNFINISHED_ERASURE, _REBUILD)


def unname(db: Connection, thread: str) -> None:
    """Removes a thread, and its name from the log, where it names an object: `T-…`."""
    rows(db, "UPDATE op SET object = ?, body = '{}' WHERE object = ?", (NAMELESS, f"T-{thread}"))
    rows(db, "DELETE FROM thread WHERE id = ?", (thread,))
    rows(db, "DELETE FROM shared WHERE object = ?", (f"T-{thread}",))


def unname_shared(db: Connection, name: str, but: Iterable[str]) -> None:
    """Takes what a thread or a writer is called out of the log and the tables; a thread that others than `but` are in stays.

    Inside the caller's transaction; it is not shared any more until something that is shared names it again.
    """
    rows(db, "UPDATE op SET body = '{}' WHERE object = ?", (name,))
    rows(db, "DELETE FROM shared WHERE object = ?", (name,))
    thread = name.removeprefix("T-")
    if thread == name:
        rows(db, "DELETE FROM writer WHERE 'W-' || id = ?", (name,))
    elif count_in_thread(db, thread, but):
        rows(db, "UPDATE thread SET title = id WHERE id = ?", (thread,))
    elif name != NAMELESS:
        unname(db, thread)


def _drop_session(db: Connection, object_id: str) -> None:
    """Removes a prompt, or a session with its prompts and events."""
    from memcli.store import failures, passages, sessions  # the everyday path only asks what was erased

    failures.drop_session(db, object_id)
    passages.save(db, object_id, ())
    sessions.remove_prompt(db, object_id)
    for number, harness, key in rows(db, "SELECT n, harness, key FROM session WHERE id = ?", (object_id,)):
        for (prompt_id,) in rows(db, "SELECT id FROM prompt WHERE session = ?", (number,)):
            passages.save(db, prompt_id, ())
            sessions.remove_prompt(db, prompt_id)
        rows(db, "DELETE FROM job WHERE harness = ? AND session = ?", (harness, key))
        rows(db, "DELETE FROM session WHERE n = ?", (number,))


def finish(db: Connection, wait_ms: int) -> bool:
    """Rebuilds the file without what was erased, and empties the write-ahead log. Must run outside any transaction.

    Returns False where another process is still reading what was there before, or writes, or the disk has no room for a second
    file: then it is to be called again.
    """
    wait_for_locks(db, wait_ms)
    try:
        if meta(db, UNFINISHED_ERASURE) == _REBUILD:
            with transaction(db):
                for index in INDEXES:  # an index keeps deleted words until its segments are merged
                    rows(db, f"INSERT INTO {index}({index}) VALUES ('optimize')")
            rows(db, "VACUUM")
            with transaction(db):
                set_meta(db, UNFINISHED_ERASURE, _TRUNCATE)
        if _truncated(db):
            with transaction(db):
                delete_meta(db, UNFINISHED_ERASURE)
            return _truncated(db) or True
        return False
    except (apsw.BusyError, apsw.LockedError, apsw.FullError, apsw.IOError):
        return False
    finally:
        wait_for_locks(db, LOCK_WAIT_MS)


def _truncated(db: Connection) -> bool:
    """Empties the write-ahead log. Returns whether it is empty: not while another process reads or writes."""
    return bool(rows(db, "PRAGMA wal_checkpoint(TRUNCATE)")[0][0] == 0)


# Every column with text that was not made here: what it belongs to, the columns as one text, and whether it is JSON. One NULL
# makes the text of all NULL: what may be NULL needs coalesce.
_TEXT_COLUMNS = (
    ("SELECT object, body FROM op ORDER BY revision", True),
    ("SELECT object, object FROM op WHERE object >= 'T-' AND object < 'T~' GROUP BY object", False),
    (
        "SELECT id, title || char(10) || summary || char(10) || tags || char(10) || entities || char(10) || thread FROM memory",
        False,
    ),
    ("SELECT id, coalesce(source_id, '') || char(10) || tools FROM memory", False),
    ("SELECT from_id, to_id FROM memory_link", False),
    ("SELECT id, body FROM state", True),
    ("SELECT id, reason || char(10) || thread FROM state", False),
    ("SELECT 'T-' || id, id || char(10) || title FROM thread", False),
    ("SELECT id, key || char(10) || value FROM profile", False),
    ("SELECT id, text FROM note", False),
    ("SELECT id, text || char(10) || tags || char(10) || symbol || char(10) || path FROM chunk", False),
    ("SELECT id, text || char(10) || reply FROM prompt", False),
    ("SELECT owner, heading || char(10) || text || char(10) || question FROM passage", False),
    ("SELECT id, harness || char(10) || key || char(10) || reason FROM session", False),
    ("SELECT 'turn ' || id, session FROM turn", False),
    ("SELECT 'fact ' || key, value FROM meta WHERE key IN ('mode', 'name', 'root')", False),
    ("SELECT json_extract(line, '$.o'), line FROM quarantine", True),
    ("SELECT 'job ' || n, payload FROM job", True),
    ("SELECT 'job ' || n, session || char(10) || error || char(10) || result FROM job", False),
)


def texts(db: Connection, folder: str) -> Iterator[tuple[str, str, bool]]:
    """Yields (id, text, whether it is JSON) of everything in a store, and of the cache beside it."""
    for sql, is_json in _TEXT_COLUMNS:
        for name, text in db.execute(sql):
            yield str(name), str(text), is_json
    for text in cached_texts(os.path.join(folder, "cache.db")) if folder else ():
        yield "cache", text, False


def cached_texts(path: str) -> Iterator[str]:
    """Yields every text of a cache; none if it is not a cache, or is a link."""
    if not os.path.isfile(path) or os.path.islink(path):
        return
    cache = apsw.Connection(path, apsw.SQLITE_OPEN_READWRITE)
    try:
        for (text,) in rows(cache, "SELECT key || char(10) || value FROM note"):
            yield str(text)
    except apsw.Error:
        pass  # no cache that can be read holds anything for anybody
    finally:
        cache.close()
