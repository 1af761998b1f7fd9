"""What memories belong to and point at: threads, other memories, files, and the commits they are anchored at."""

from __future__ import annotations

from memcli.records import Record, many, replace
from memcli.store import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

_THREADS = """
    SELECT thread.id, thread.title, thread.created_at, count(memory.n)
    FROM thread LEFT JOIN memory ON memory.thread = thread.id AND memory.forgotten = 0
"""


class Link(Record):
    """An edge from a memory to another or, where `rel` is file, mention, edited or read, to the path of a file.

    `hash`: the SHA-1 of the file's bytes then; None where they were not read.
    """

    from_id: str
    rel: str
    to_id: str
    hash: str | None
    created_at: int


class Thread(Record):
    """A line of work or a subject that memories belong to."""

    id: str
    title: str
    created_at: int
    memory_count: int
    invalid_count: int = 0  # of these, those that do not hold at HEAD; the store does not know
    chunk_count: int = 0


def save_thread(db: Connection, thread_id: str, title: str, created_at: int) -> None:
    """Writes one thread."""
    sql = "INSERT INTO thread(id, title, created_at) VALUES (?, ?, ?) ON CONFLICT(id) DO UPDATE SET title = excluded.title"
    rows(db, sql, (thread_id, title, created_at))


def remove_thread(db: Connection, thread_id: str) -> None:
    """Removes a thread that is no longer in the log from the projection."""
    rows(db, "DELETE FROM thread WHERE id = ?", (thread_id,))


_CHUNKS = "SELECT thread, count(*), min(created_at) FROM chunk WHERE hidden = 0 {} GROUP BY thread"


def threads(db: Connection) -> list[Thread]:
    """Returns every thread with the number of its live memories and chunks, ordered by id."""
    live_threads = many(Thread, rows(db, f"{_THREADS} GROUP BY thread.id"))
    return sorted(_with_chunks(live_threads, rows(db, _CHUNKS.format(""))), key=lambda thread: thread.id)


def thread(db: Connection, thread_id: str) -> Thread | None:
    """Returns one thread, even if it has only evidence."""
    logged = logged_thread(db, thread_id)
    chunks = rows(db, _CHUNKS.format("AND thread = ?"), (thread_id,))
    return next(iter(_with_chunks([logged] if logged else [], chunks)), None)


def logged_thread(db: Connection, thread_id: str) -> Thread | None:
    """Returns one thread of the log, without the number of its chunks."""
    return next(iter(many(Thread, rows(db, f"{_THREADS} WHERE thread.id = ? GROUP BY thread.id", (thread_id,)))), None)


def _with_chunks(threads: list[Thread], chunks: list[tuple[str, int, int]]) -> list[Thread]:
    """Returns threads with the number of their chunks, and those that have nothing else."""
    counts = {thread: (count, created_at) for thread, count, created_at in chunks}
    counted = [replace(thread, chunk_count=counts.pop(thread.id, (0, 0))[0]) for thread in threads]
    return counted + [Thread(name, name, created_at, 0, 0, count) for name, (count, created_at) in counts.items()]


def thread_exists(db: Connection, thread_id: str) -> bool:
    """Tells whether the log has a thread with this name."""
    return bool(rows(db, "SELECT 1 FROM thread WHERE id = ?", (thread_id,)))


def save_links(db: Connection, from_id: str, links: Sequence[Link]) -> None:
    """Writes the links that leave one memory, replacing all that were there."""
    rows(db, "DELETE FROM memory_link WHERE from_id = ?", (from_id,))
    for link in links:
        rows(db, "INSERT INTO memory_link(from_id, rel, to_id, hash, created_at) VALUES (?, ?, ?, ?, ?)", link)  # type: ignore[arg-type]


def links_from(db: Connection, from_id: str) -> list[Link]:
    """Returns the links that leave one memory."""
    sql = "SELECT from_id, rel, to_id, hash, created_at FROM memory_link WHERE from_id = ? ORDER BY rel, to_id"
    return many(Link, rows(db, sql, (from_id,)))


def links_to(db: Connection, to_id: str) -> list[Link]:
    """Returns the links that point at one memory or file."""
    sql = "SELECT from_id, rel, to_id, hash, created_at FROM memory_link WHERE to_id = ? ORDER BY rel, from_id"
    return many(Link, rows(db, sql, (to_id,)))


_MAX_COMMITS = 500  # commits that one question is about
NOTED, IN_VAIN = 1, 2  # of a commit that was examined: its changes are noted, or it could not be read


class CommitNote(Record):
    """A row about one commit; the columns are explained in migrations/0004_anchors.sql."""

    id: str
    noted: int
    at: int = 0
    author: str = ""
    subject: str = ""
    total: int = 0
    changes: str = ""
    patch: str = ""


def often_superseded(db: Connection) -> list[str]:
    """Returns the ids of what several memories supersede."""
    sql = "SELECT to_id FROM memory_link WHERE rel = 'supersedes' GROUP BY to_id HAVING count(*) > 1 ORDER BY to_id"
    return [memory_id for (memory_id,) in rows(db, sql)]


def expect_commit(db: Connection, commit: str) -> None:
    """Makes a later write examine a commit, unless it was examined already."""
    rows(db, "INSERT OR IGNORE INTO anchor(id) VALUES (?)", (commit,))


def unread_commits(db: Connection, head: str, limit: int) -> list[str]:
    """Returns commits that were not examined yet, except the one that is checked out, which cannot get lost."""
    return [commit for (commit,) in rows(db, "SELECT id FROM anchor WHERE noted = 0 AND id != ? LIMIT ?", (head, limit))]


def save_commit_notes(db: Connection, commit_notes: Sequence[CommitNote]) -> None:
    """Writes notes, replacing what was there."""
    for note in commit_notes:
        rows(db, "INSERT OR REPLACE INTO anchor VALUES (?, ?, ?, ?, ?, ?, ?, ?)", note)  # type: ignore[arg-type]


def commit_notes(db: Connection, commits: Sequence[str]) -> list[CommitNote]:
    """Returns what is noted of these commits, of the first 500."""
    first = commits[:_MAX_COMMITS]
    marks = ", ".join("?" for _ in first)
    sql = f"SELECT id, noted, at, author, subject, total, changes, patch FROM anchor WHERE noted = {NOTED} AND id IN ({marks})"
    return many(CommitNote, rows(db, sql, first))


_WAITING = "anchor GLOB '* [1-9]*'"  # as in migrations/0021_next_commit.sql


def awaited(db: Connection, limit: int) -> list[str]:
    """Returns the anchors of memories and passages that wait for the next commit of a branch (repo/next_commit.py)."""
    sql = f"""
        SELECT anchor FROM memory WHERE forgotten = 0 AND {_WAITING}
        UNION SELECT anchor FROM passage WHERE {_WAITING} LIMIT ?
    """
    return [anchor for (anchor,) in rows(db, sql, (limit,))]


def waiting_at(db: Connection, anchor: str) -> list[str]:
    """Returns the memories and prompts that have an anchor which waits for a commit."""
    sql = f"""
        SELECT id FROM memory WHERE forgotten = 0 AND {_WAITING} AND anchor = ?1
        UNION SELECT owner FROM passage WHERE {_WAITING} AND anchor = ?1
    """
    return [item_id for (item_id,) in rows(db, sql, (anchor,))]


def memories_anchored_at(db: Connection, commits: Sequence[str], limit: int) -> list[tuple[str, str]]:
    """Returns (id, anchor) of live memories that are anchored at one of these commits, of the first 500."""
    first = commits[:_MAX_COMMITS]
    marks = ", ".join("?" for _ in first)
    return rows(db, f"SELECT id, anchor FROM memory WHERE forgotten = 0 AND anchor IN ({marks}) LIMIT ?", (*first, limit))
