"""The letterbox: events of harnesses, one row each, put there by a hook in one insert."""

from __future__ import annotations

import apsw

from memcli.records import Record
from memcli.store.db import LATEST, connect, look_at, rows, version, wait_for_locks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

PATIENCE_MS = 1_000  # a harness waits for its hook; what cannot be stored by then is put aside as a file
CHECKPOINT_PAGES = 128  # of the write-ahead log. Whoever opens it next reads it; 0.5 MB takes less than a millisecond
SAME_MS = 5_000  # an event without an id of its own that comes again within this time was fired twice
WAITING = "status IN ('pending', 'processing')"


class Job(Record):
    """An event on its way to the worker. `payload`: JSON, redacted. A `dedupe` that ends in @ gets the moment behind it."""

    dedupe: str
    harness: str
    session: str
    event: str
    payload: str
    created_at: int


def open_letterbox(path: str) -> Connection:
    """Opens a store for one insert: it does not wait long for a lock, and not at all for the disk.

    A killed process loses nothing, a machine that loses power may lose the last events. Raises MemError, apsw.Error.
    """
    look_at(path)
    db = connect(path, apsw.SQLITE_OPEN_READWRITE)
    try:
        wait_for_locks(db, PATIENCE_MS)
        if version(db) < LATEST:
            from memcli.store.schema import migrate

            migrate(db, path)
        # The log stays when the last handle closes: emptying it there would cost every hook three fsyncs.
        db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        rows(db, f"PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    except BaseException:
        db.close()
        raise
    return db


def put(db: Connection, job: Job) -> bool:
    """Puts an event into the letterbox. Returns False where it was there already."""
    dedupe = f"{job.dedupe}{job.created_at}" if job.dedupe.endswith("@") else job.dedupe
    rows(db, _PUT, (dedupe, *job[1:], job.dedupe, SAME_MS))  # type: ignore[index]
    return db.changes() > 0


# '@' and 'A' are neighbours, so that the range holds what is the same but for the moment.
_PUT = """
    INSERT INTO job(dedupe, harness, session, event, payload, status, attempts, not_before, lease_until, error, result,
                    created_at)
    SELECT ?1, ?2, ?3, ?4, ?5, 'pending', 0, 0, 0, '', '', ?6
    WHERE ?7 NOT LIKE '%@' OR NOT EXISTS (
        SELECT 1 FROM job WHERE dedupe >= ?7 AND dedupe < substr(?7, 1, length(?7) - 1) || 'A'
        AND created_at BETWEEN ?6 - ?8 AND ?6 + ?8)
    ON CONFLICT(dedupe) DO NOTHING
"""


def waiting(db: Connection) -> int:
    """Returns how many events are not worked up yet."""
    return int(rows(db, f"SELECT count(*) FROM job WHERE {WAITING}")[0][0])


def prompts(db: Connection, harness: str, session: str) -> int:
    """Returns how many prompts a session had so far, those that wait in the letterbox among them."""
    known = "SELECT prompts FROM session WHERE harness = ?1 AND key = ?2"
    new = f"SELECT count(*) FROM job WHERE {WAITING} AND session = ?2 AND harness = ?1 AND event = 'user-prompt'"
    return int(rows(db, f"SELECT coalesce(({known}), 0) + ({new})", (harness, session))[0][0])


def place(db: Connection, dedupe: str) -> int | None:
    """Returns the number of the newest event that is known by this, None where there is none."""
    sql = """
        SELECT max(n) FROM job WHERE dedupe = ?1
          OR (?1 LIKE '%@' AND dedupe >= ?1 AND dedupe < substr(?1, 1, length(?1) - 1) || 'A')
    """
    return rows(db, sql, (dedupe,))[0][0]  # type: ignore[no-any-return]


def last_of_session(db: Connection, key: str) -> int | None:
    """Returns when something happened last in a session of this name, in ms since 1970, waiting events too; None for none."""
    waiting = f"SELECT created_at FROM job WHERE session = ?1 AND {WAITING}"
    found = rows(db, f"SELECT max(at) FROM (SELECT last_at AS at FROM session WHERE key = ?1 UNION ALL {waiting})", (key,))
    return None if found[0][0] is None else int(found[0][0])


def of_session(db: Connection, key: str) -> tuple[int, int]:
    """Returns how many events of a session wait or are worked on, and how many were given up."""
    waiting = f"SELECT count(*) FROM job WHERE session = ?1 AND {WAITING}"
    failed = "SELECT count(*) FROM job WHERE status = 'failed' AND session = ?1"
    return rows(db, f"SELECT ({waiting}), ({failed})", (key,))[0]  # type: ignore[no-any-return]
