"""The queue as the worker sees it: claiming jobs, finishing them, giving up on them. inbox.py puts events in.

A job goes pending -> processing -> processed, or back to pending after a failure, and to failed after the last attempt.
Within a session only the oldest unfinished job may be claimed. A claim is a lease: who lets it run out is taken for dead, and
only the newest claim may finish a job, so that what a dead or slow worker did is never stored twice.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from apsw import Connection

from memcli.records import Record, many
from memcli.store import first_record, rows, transaction

PENDING, FAILED = "pending", "failed"
ATTEMPTS = 3  # unless a setting says otherwise
BACKOFF_MS = 5_000  # before the second attempt
_LONGER_WAITS = 2  # each four times as long as the one before; further ones are as long as the last
LONGEST_WAIT = BACKOFF_MS * 4 ** (_LONGER_WAITS + 1)  # a later moment than that was set before the clock was put back
_MOST_ERROR = 500  # characters of an error that are kept


class Job(Record):
    """One event that a hook put into the queue. Times in ms since 1970 UTC, 0 for not yet. `tool`: known once it is processed."""

    n: int
    harness: str
    session: str
    event: str
    payload: str
    status: str
    attempts: int
    not_before: int
    lease_until: int
    claim: str
    error: str
    result: str
    created_at: int
    tool: str = ""
    started_at: int = 0
    finished_at: int = 0


class JobCounts(Record):
    """How many jobs are in which state, and since when (ms since 1970) the oldest of those that wait does."""

    pending: int
    processing: int
    stuck: int
    failed: int
    processed: int
    oldest: int | None


class LeaseLost(Exception):
    """The job is no longer ours: its lease ran out and another process has it, or it is done."""


_JOB = ", ".join(Job._fields)
# A lease or a wait that ends later than either can was given before the clock was put back, and holds no longer.
_LEASE_OVER = "(lease_until < :now OR lease_until > :now + 2 * :lease)"
_FIRST = """
    SELECT n FROM job WHERE status = '{}' AND attempts < :attempts AND {}
      AND NOT EXISTS (
        SELECT 1 FROM job AS earlier
        WHERE earlier.session = job.session AND earlier.n < job.n AND earlier.status IN ('pending', 'processing'))
    ORDER BY n LIMIT 1
"""
_DUE = f"(not_before <= :now OR not_before > :now + {LONGEST_WAIT})"
_CLAIM = f"""
    UPDATE job SET status = 'processing', attempts = attempts + 1, lease_until = :now + :lease, claim = :claim, started_at = :now
    WHERE n = (
      SELECT n FROM ({_FIRST.format("pending", _DUE)})
      UNION ALL SELECT n FROM ({_FIRST.format("processing", _LEASE_OVER)}) ORDER BY n LIMIT 1)
    RETURNING {_JOB}
"""
_WAITS = f"""
    SELECT n FROM ({_FIRST.format("pending", _DUE)}) UNION ALL SELECT n FROM ({_FIRST.format("processing", _LEASE_OVER)})
    UNION ALL SELECT n FROM job WHERE status = 'processing' AND attempts >= :attempts AND {_LEASE_OVER} LIMIT 1
"""
_GIVE_UP = f"""
    UPDATE job SET status = 'failed', claim = '', error = CASE error WHEN '' THEN 'the worker died of it' ELSE error END,
      finished_at = :now
    WHERE status = 'processing' AND attempts >= :attempts AND {_LEASE_OVER}
"""


def claim(db: Connection, now: int, lease: int, attempts: int = ATTEMPTS) -> Job | None:
    """Claims the oldest due job for `lease` ms. The attempt counts from here, so that a job that kills the worker is given up."""
    values = {"now": now, "lease": lease, "attempts": attempts}
    with transaction(db):
        rows(db, _GIVE_UP, values)
        return first_record(Job, db, _CLAIM, {**values, "claim": os.urandom(8).hex()})


def is_due(db: Connection, now: int, lease: int, attempts: int = ATTEMPTS) -> bool:
    """Tells, without the write lock, whether there is something to claim or to give up."""
    return bool(rows(db, _WAITS, {"now": now, "lease": lease, "attempts": attempts}))


def has_unfinished(db: Connection) -> bool:
    """Tells whether a job waits or is being worked on."""
    return bool(rows(db, "SELECT 1 FROM job WHERE status IN ('pending', 'processing') LIMIT 1"))


def follows(db: Connection, job: Job, events: Sequence[str]) -> bool:
    """Tells whether a later event of the same session, one of `events`, waits."""
    sql = f"""
        SELECT 1 FROM job WHERE session = ? AND harness = ? AND n > ? AND status = 'pending'
          AND event IN ({", ".join("?" for _ in events)}) LIMIT 1
    """
    return bool(rows(db, sql, (job.session, job.harness, job.n, *events)))


def tools_since_prompt(db: Connection, job: Job) -> list[str]:
    """Returns the tools that were called in a session between its last prompt and a job, in order, without duplicates."""
    sql = """
        SELECT tool FROM job WHERE session = ?1 AND harness = ?2 AND event = 'post-tool-use' AND tool <> '' AND n < ?3
          AND n > coalesce((SELECT max(n) FROM job WHERE session = ?1 AND harness = ?2 AND event = 'user-prompt' AND n < ?3), 0)
        ORDER BY n
    """
    return list(dict.fromkeys([tool for (tool,) in rows(db, sql, (job.session, job.harness, job.n))]))


def finish(db: Connection, job: Job, result: str, tool: str = "", now: int = 0) -> None:
    """Marks a job as processed and drops its payload, inside the transaction that stores its result. Raises LeaseLost."""
    sql = """
        UPDATE job SET status = 'processed', payload = '', claim = '', error = '', result = ?, tool = ?, finished_at = ?
        WHERE n = ? AND status = 'processing' AND claim = ?
    """
    rows(db, sql, (result, tool, now, job.n, job.claim))
    if db.changes() != 1:
        raise LeaseLost


def fail(db: Connection, job: Job, error: str, now: int, attempts: int = ATTEMPTS) -> bool:
    """Returns a job to the queue, or gives it up after its last attempt. Returns whether it was given up."""
    is_last = job.attempts >= attempts
    wait = BACKOFF_MS * 4 ** min(job.attempts - 1, _LONGER_WAITS)
    sql = """
        UPDATE job SET status = ?, claim = '', error = ?, not_before = ?, finished_at = ?
        WHERE n = ? AND status = 'processing' AND claim = ?
    """
    status, finished = (FAILED, now) if is_last else (PENDING, 0)
    with transaction(db):
        rows(db, sql, (status, error[:_MOST_ERROR], now + wait, finished, job.n, job.claim))
    return is_last


def take_over(db: Connection, now: int, attempts: int = ATTEMPTS) -> int:
    """Returns claimed jobs, whose worker is dead, to the queue, or fails them after their last attempt. Returns how many.

    Only for the holder of the worker's lock, which the kernel takes from the dead. The attempts that were made still count.
    """
    if not rows(db, "SELECT 1 FROM job WHERE status = 'processing' LIMIT 1"):
        return 0
    sql = """
        UPDATE job SET status = CASE WHEN attempts >= :attempts THEN 'failed' ELSE 'pending' END, claim = '',
          error = CASE WHEN attempts >= :attempts AND error = '' THEN 'the worker died of it' ELSE error END,
          finished_at = CASE WHEN attempts >= :attempts THEN :now ELSE 0 END
        WHERE status = 'processing'
    """
    with transaction(db):
        rows(db, sql, {"now": now, "attempts": attempts})
        return db.changes()


def retry(db: Connection, n: int | None, now: int, lease: int) -> int:
    """Returns failed and stuck jobs, or one of them, to the queue with all their attempts. Returns how many."""
    sql = f"""
        UPDATE job SET status = 'pending', attempts = 0, not_before = 0, claim = '', error = '', finished_at = 0
        WHERE (:n IS NULL OR n = :n) AND (status = 'failed' OR (status = 'processing' AND {_LEASE_OVER}))
    """
    with transaction(db):
        rows(db, sql, {"n": n, "now": now, "lease": lease})
        return db.changes()


def purge(db: Connection, n: int | None) -> int:
    """Removes the failed jobs, or one of them, with their payloads. Returns how many."""
    with transaction(db):
        rows(db, "DELETE FROM job WHERE status = 'failed' AND (:n IS NULL OR n = :n)", {"n": n})
        return db.changes()


def prune(db: Connection, before: int, limit: int) -> int:
    """Removes the rows of jobs that were finished and queued before a moment: a harness no longer repeats their events."""
    sql = "DELETE FROM job WHERE n IN (SELECT n FROM job WHERE status = 'processed' AND created_at < ? LIMIT ?)"
    with transaction(db):
        rows(db, sql, (before, limit))
        return db.changes()


def counts(db: Connection, now: int, lease: int) -> JobCounts:
    """Returns how many jobs are in each state. A stuck one is being processed but its lease has run out."""
    sql = f"""
        SELECT coalesce(sum(status = 'pending'), 0), coalesce(sum(status = 'processing' AND NOT {_LEASE_OVER}), 0),
               coalesce(sum(status = 'processing' AND {_LEASE_OVER}), 0), coalesce(sum(status = 'failed'), 0),
               coalesce(sum(status = 'processed'), 0), min(CASE WHEN status IN ('pending', 'processing') THEN created_at END)
        FROM job
    """
    return JobCounts(*rows(db, sql, {"now": now, "lease": lease})[0])


def with_status(db: Connection, status: str, limit: int) -> list[Job]:
    """Returns the newest jobs in a state, without their payloads."""
    columns = _JOB.replace("payload", "'' AS payload")
    return many(Job, rows(db, f"SELECT {columns} FROM job WHERE status = ? ORDER BY n DESC LIMIT ?", (status, limit)))


def next_due(db: Connection) -> int | None:
    """Returns when the first job that waits may be claimed, in ms since 1970; None where none waits."""
    return rows(db, "SELECT min(not_before) FROM job WHERE status = 'pending'")[0][0]  # type: ignore[no-any-return]


def last_processed(db: Connection) -> int | None:
    """Returns when the last event was processed, in ms since 1970, or None."""
    return rows(db, "SELECT max(created_at) FROM job WHERE status = 'processed'")[0][0]  # type: ignore[no-any-return]


def recent(db: Connection, limit: int) -> list[Job]:
    """Returns the newest jobs, newest first."""
    return many(Job, rows(db, f"SELECT {_JOB} FROM job ORDER BY n DESC LIMIT ?", (limit,)))


# Calls of the model that condenses: noted before they are made, so that one that kills the worker counts, too.

HOUR_MS, DAY_MS = 3_600_000, 86_400_000
_REST_MS = 600_000  # after three failures in a row no call is made for ten minutes
_FAILURES = 3


def spent_calls(db: Connection, now: int) -> tuple[int, int]:
    """Returns (calls of the last hour, tokens of the last day). Rows from far ahead are from before the clock was put back."""
    sql = """
        SELECT coalesce(sum(abs(at - :now) < :hour), 0), coalesce(sum(CASE WHEN abs(at - :now) < :day THEN tokens END), 0)
        FROM model_call
    """
    calls, tokens = rows(db, sql, {"now": now, "hour": HOUR_MS, "day": DAY_MS})[0]
    return int(calls), int(tokens)


def last_failure(db: Connection) -> str:
    """Returns why the last call failed; "" if it did not, or none was made."""
    return next((str(error) for (error,) in rows(db, "SELECT error FROM model_call ORDER BY n DESC LIMIT 1")), "")


def reserve_call(db: Connection, now: int, purpose: str, tokens: int, caps: tuple[int, int]) -> int | None:
    """Records a call of about `tokens` tokens. Returns its number, or None if the caps do not allow it.

    `caps`: (calls an hour, tokens a day). None, too, after three failures in a row, for ten minutes.
    """
    with transaction(db):
        rows(db, "DELETE FROM model_call WHERE abs(at - ?) > ?", (now, 2 * DAY_MS))
        calls, used = spent_calls(db, now)
        last = rows(db, "SELECT at, error FROM model_call ORDER BY n DESC LIMIT ?", (_FAILURES,))
        is_resting = len(last) == _FAILURES and all(error and abs(now - at) < _REST_MS for at, error in last)
        if calls + 1 > caps[0] or used + tokens > caps[1] or is_resting:
            return None
        rows(db, "INSERT INTO model_call(at, purpose, tokens, error) VALUES (?, ?, ?, '')", (now, purpose, tokens))
        return db.last_insert_rowid()


def settle_call(db: Connection, n: int, tokens: int, error: str) -> None:
    """Records how a call ended. `tokens` 0: not counted, the estimate stands."""
    with transaction(db):
        rows(
            db,
            "UPDATE model_call SET tokens = CASE ? WHEN 0 THEN tokens ELSE ? END, error = ? WHERE n = ?",
            (tokens, tokens, error, n),
        )
