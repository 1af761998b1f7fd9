"""Where a hook leaves an event: in a row of the queue, with a single insert, or in a file beside the store if that refuses it.

A file holds one event a line, as JSON with the fields of a QueuedEvent. It appears whole, by a rename, and is deleted when its
events are in the store. A writer that is killed in between leaves it, and it is read again: the store knows an event by its
`dedupe`.
"""

from __future__ import annotations

import os
import time

import apsw

from memcli import config
from memcli.records import Record, as_dict
from memcli.store import LATEST, check_file, connect, rows, sync_commits, transaction, version, wait_for_locks
from memcli.store.opening import migrate
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

PATIENCE_MS = 1_000  # a harness waits for its hook; what cannot be stored by then is put aside as a file
# Bytes of the write-ahead log from which on it is emptied: 128 pages. Whoever opens it next reads it, which takes less than a
# millisecond.
LONG_LOG = 128 * 4_120
SAME_MS = 5_000  # an event without an id of its own that comes again within this time was fired twice
WAITING = "status IN ('pending', 'processing')"
READ_COMMIT = "read commit"  # key in meta: what was checked out when commits were read last
LOOKED_AT = "looked at"  # key in meta: when the files of a working tree were looked at last, in ns, and which tree it was


class QueuedEvent(Record):
    """An event on its way to the worker. `payload`: JSON, redacted. A `dedupe` that ends in @ gets the moment behind it."""

    dedupe: str
    harness: str
    session: str
    event: str
    payload: str
    created_at: int


def open_queue(path: str) -> Connection:
    """Opens a store for one insert, without waiting long for a lock, or for the disk at all.

    A killed process loses nothing, a machine that loses power may lose the last events. Raises MemError, apsw.Error.
    """
    check_file(path)
    db = connect(path, apsw.SQLITE_OPEN_READWRITE)
    try:
        if has_long_log(path):
            _empty_log(db)
        wait_for_locks(db, PATIENCE_MS)
        if version(db) < LATEST:
            migrate(db, path)
        # The log stays when the last handle closes: emptying it there would cost every hook three fsyncs.
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        sync_commits(db, False)
    except BaseException:
        db.close()
        raise
    return db


def has_long_log(path: str) -> bool:
    """Tells whether the write-ahead log of a store is to be emptied.

    Where only hooks write, each is the first to open it, and cannot know what of it is in the store already: at the end of a
    commit, SQLite would copy all of it again, by every hook from then on.
    """
    try:
        return os.stat(path + "-wal").st_size > LONG_LOG
    except OSError:
        return False


def _empty_log(db: Connection) -> None:
    """Puts what the write-ahead log holds into the store. Where somebody is at work or no room is left, a later hook does it."""
    wait_for_locks(db, 0)
    try:
        rows(db, "PRAGMA wal_checkpoint(TRUNCATE)")
    except (apsw.FullError, apsw.IOError):
        pass  # there may still be room for the event


def put(db: Connection, job: QueuedEvent) -> bool:
    """Puts an event into the queue. Returns False if it was there already."""
    dedupe = f"{job.dedupe}{job.created_at}" if job.dedupe.endswith("@") else job.dedupe
    rows(db, _PUT, (dedupe, *job[1:], job.dedupe, SAME_MS))  # type: ignore[index]
    return db.changes() > 0


# '@' and 'A' are neighbours, so that the range holds what is the same but for the moment. After another prompt or an answer it is
# new.
_PUT = """
    INSERT INTO job(dedupe, harness, session, event, payload, status, attempts, not_before, lease_until, error, result,
                    created_at)
    SELECT ?1, ?2, ?3, ?4, ?5, 'pending', 0, 0, 0, '', '', ?6
    WHERE ?7 NOT LIKE '%@' OR NOT EXISTS (
        SELECT 1 FROM job WHERE dedupe >= ?7 AND dedupe < substr(?7, 1, length(?7) - 1) || 'A'
        AND created_at BETWEEN ?6 - ?8 AND ?6 + ?8
        AND NOT EXISTS (
            SELECT 1 FROM job AS later
            WHERE later.n > job.n AND later.session = ?3 AND later.event IN ('user-prompt', 'stop')))
    ON CONFLICT(dedupe) DO NOTHING
"""


def waiting(db: Connection) -> int:
    """Returns how many events are not processed yet."""
    return int(rows(db, f"SELECT count(*) FROM job WHERE {WAITING}")[0][0])


def prompts(db: Connection, harness: str, session: str) -> int:
    """Returns how many prompts a session has had, including those waiting in the queue."""
    counted = "SELECT prompts FROM session WHERE harness = ?1 AND key = ?2"
    new = f"SELECT count(*) FROM job WHERE {WAITING} AND session = ?2 AND harness = ?1 AND event = 'user-prompt'"
    return int(rows(db, f"SELECT coalesce(({counted}), 0) + ({new})", (harness, session))[0][0])


def payloads(db: Connection, harness: str, session: str, event: str, limit: int) -> list[str]:
    """Returns the waiting payloads of an event in a session, latest first."""
    sql = f"SELECT payload FROM job WHERE {WAITING} AND session = ? AND harness = ? AND event = ? ORDER BY n DESC LIMIT ?"
    return [payload for (payload,) in rows(db, sql, (session, harness, event, limit))]


def started_at(db: Connection, harness: str, session: str) -> int | None:
    """Returns when a session began, as far as its events tell, in ms since 1970; None where nothing is known of it."""
    sql = """
        SELECT min(at) FROM (SELECT started_at AS at FROM session WHERE harness = ?1 AND key = ?2
          UNION ALL SELECT created_at FROM job WHERE harness = ?1 AND session = ?2)
    """
    return rows(db, sql, (harness, session))[0][0]  # type: ignore[no-any-return]


def number_of(db: Connection, dedupe: str) -> int | None:
    """Returns the number of the newest event with this key, or None."""
    sql = """
        SELECT max(n) FROM job WHERE dedupe = ?1
          OR (?1 LIKE '%@' AND dedupe >= ?1 AND dedupe < substr(?1, 1, length(?1) - 1) || 'A')
    """
    return rows(db, sql, (dedupe,))[0][0]  # type: ignore[no-any-return]


def last_of_session(db: Connection, key: str) -> int | None:
    """Returns when something happened last in a session of this name, in ms since 1970; None for never. Waiting events count."""
    waiting = f"SELECT created_at FROM job WHERE session = ?1 AND {WAITING}"
    latest = rows(db, f"SELECT max(at) FROM (SELECT last_at AS at FROM session WHERE key = ?1 UNION ALL {waiting})", (key,))
    return None if latest[0][0] is None else int(latest[0][0])


def of_session(db: Connection, key: str) -> tuple[int, int]:
    """Returns how many events of a session wait or are worked on, and how many were given up."""
    waiting = f"SELECT count(*) FROM job WHERE session = ?1 AND {WAITING}"
    failed = "SELECT count(*) FROM job WHERE status = 'failed' AND session = ?1"
    return rows(db, f"SELECT ({waiting}), ({failed})", (key,))[0]  # type: ignore[no-any-return]


FOLDER = "spool"
RESERVE = "reserve.used"  # reserve.py
MAX_FILES = 5_000  # in one directory: a store that nobody repairs must not fill the disk
_AT_ONCE = 200  # files that one writer takes in: the next takes the rest
_LARGEST = 1 << 20  # bytes of a file that can be one of ours
_STALE = 3_600  # seconds after which a file that is still being written is not


class SpooledEvents(Record):
    """How many events wait in files, since when (ms since 1970) the oldest does, and how many files hold none that is ours."""

    events: int
    oldest: int | None
    unreadable: int


def spooled(folder: str) -> SpooledEvents:
    """Counts the events that wait in files for the store in `folder`, by the files' names."""
    names: list[str] = []
    for directory in folders(folder):
        try:
            names += [] if os.path.islink(directory) else os.listdir(directory)
        except OSError:
            continue
    ours = sorted([name for name in names if name.endswith(".jsonl")])
    began = ours[0].partition("-")[0] if ours else ""
    bad = len([name for name in names if name.endswith(".jsonl.bad")])
    return SpooledEvents(len(ours), int(began) if began.isascii() and began.isdigit() else None, bad)


def folders(folder: str) -> tuple[str, str]:
    """Returns the directories for the events of a store: beside it and, where that cannot be written, in the data directory."""
    name = os.path.relpath(folder, config.data_dir()).replace(os.sep, "-")
    return os.path.join(folder, FOLDER), os.path.join(config.data_dir(), FOLDER, name)


def put_aside(folder: str, job: QueuedEvent) -> bool:
    """Writes an event to its own file, readable only by the owner, or else to the reserve. Returns False if neither works."""
    from memcli.store import reserve

    line = (json.dumps(as_dict(job)) + "\n").encode()
    name = f"{job.created_at:014d}-{time.monotonic_ns():020d}-{os.getpid()}-{os.urandom(3).hex()}"
    return any(_write(directory, name, line) for directory in folders(folder)) or reserve.put(folder, line)


def _write(directory: str, name: str, line: bytes) -> bool:
    """Writes a file of one event. Returns False where that is not possible, or there are too many files already."""
    from memcli import system
    from memcli.text.files import write_all

    partial = os.path.join(directory, f"{name}.part")
    try:
        os.makedirs(directory, mode=0o700, exist_ok=True)
        if os.path.islink(directory) or len(os.listdir(directory)) >= MAX_FILES:
            return False
        handle = system.open_private(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    except OSError:
        return False
    try:
        try:
            write_all(handle, line)
        finally:
            os.close(handle)
        os.rename(partial, os.path.join(directory, f"{name}.jsonl"))
    except OSError:
        _remove(partial)
        return False
    return True


def take_in(db: Connection, folder: str) -> int:
    """Moves the events that wait in files into the store, oldest first. Returns how many were new.

    Raises apsw.Error where the store refuses; the files stay then.
    """
    count = 0
    for directory in folders(folder):
        try:
            names = [] if os.path.islink(directory) else sorted(os.listdir(directory))
        except OSError:
            continue
        count += _take_from(db, directory, [name for name in names if name.endswith(".jsonl")][:_AT_ONCE])
        for name in names:
            if name.endswith(".part"):
                _remove_stale(os.path.join(directory, name))
        try:
            os.rmdir(directory)  # so that nobody looks into it again
            os.rmdir(os.path.dirname(directory))
        except OSError:
            pass
    if os.path.exists(os.path.join(folder, RESERVE)):
        from memcli.store import reserve

        count += reserve.take_in(folder, lambda lines: _store(db, [job for line in lines for job in _events(line) or ()]))
    return count


def _store(db: Connection, events: list[QueuedEvent]) -> int:
    """Puts events into the queue, in one transaction. Returns how many were new."""
    sync_commits(db, True)  # the files are gone afterwards
    with transaction(db):
        return sum([put(db, job) for job in events])


def _take_from(db: Connection, directory: str, names: list[str]) -> int:
    """Moves the events of some files into the store; what is none of ours is set aside. Returns how many were new."""
    contents = {os.path.join(directory, name): _read(os.path.join(directory, name)) for name in names}
    if not contents:
        return 0
    count = _store(db, [job for events in contents.values() for job in events or ()])
    for path, events in contents.items():
        if events is None:
            os.rename(path, path + ".bad")
        else:
            _remove(path)
    return count


def _read(path: str) -> list[QueuedEvent] | None:
    """Returns the events in a file, None where it is not one of ours."""
    from memcli import system

    try:
        handle = system.open_private(path, os.O_RDONLY)
    except FileNotFoundError:
        return []
    except OSError:
        return None
    try:
        return _events(os.read(handle, _LARGEST))
    except OSError:
        return None
    finally:
        os.close(handle)


def _events(content: bytes) -> list[QueuedEvent] | None:
    """Returns the events in some lines, None where they are not ours."""
    try:
        values = [json.loads(line) for line in content.decode("utf-8").splitlines()]
        events = [QueuedEvent(**value) for value in values]
    except (ValueError, TypeError):
        return None
    texts = all(isinstance(field, str) for event in events for field in list(as_dict(event).values())[:-1])
    return events if texts and all(isinstance(event.created_at, int) for event in events) else None


def _remove_stale(path: str) -> None:
    try:
        if time.time() - os.lstat(path).st_mtime > _STALE:
            os.unlink(path)
    except OSError:
        pass


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        pass
