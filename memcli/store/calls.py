"""Calls to the model that condenses: counted before they are made, so that one that kills the worker counts, too."""

from __future__ import annotations

from memcli.store.db import rows, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

HOUR_MS, DAY_MS = 3_600_000, 86_400_000
_REST_MS = 600_000  # after three failures in a row no call is made for ten minutes
_ROW = 3


def spent(db: Connection, now: int) -> tuple[int, int]:
    """Returns (calls of the last hour, tokens of the last day). Rows from far ahead are from before the clock was put back."""
    sql = """
        SELECT coalesce(sum(abs(at - :now) < :hour), 0), coalesce(sum(CASE WHEN abs(at - :now) < :day THEN tokens END), 0)
        FROM model_call
    """
    calls, tokens = rows(db, sql, {"now": now, "hour": HOUR_MS, "day": DAY_MS})[0]
    return int(calls), int(tokens)


def reserve(db: Connection, now: int, purpose: str, tokens: int, caps: tuple[int, int]) -> int | None:
    """Enters a call of about `tokens` tokens. Returns its number, None where the caps do not allow it.

    `caps`: (calls an hour, tokens a day). None, too, after three failures in a row, for ten minutes.
    """
    with transaction(db):
        rows(db, "DELETE FROM model_call WHERE abs(at - ?) > ?", (now, 2 * DAY_MS))
        calls, used = spent(db, now)
        last = rows(db, "SELECT at, error FROM model_call ORDER BY n DESC LIMIT ?", (_ROW,))
        rests = len(last) == _ROW and all(error and abs(now - at) < _REST_MS for at, error in last)
        if calls + 1 > caps[0] or used + tokens > caps[1] or rests:
            return None
        rows(db, "INSERT INTO model_call(at, purpose, tokens, error) VALUES (?, ?, ?, '')", (now, purpose, tokens))
        return db.last_insert_rowid()


def settle(db: Connection, n: int, tokens: int, error: str) -> None:
    """Notes how a call ended; `tokens` 0: nobody counted them, the estimate stands."""
    with transaction(db):
        rows(
            db,
            "UPDATE model_call SET tokens = CASE ? WHEN 0 THEN tokens ELSE ? END, error = ? WHERE n = ?",
            (tokens, tokens, error, n),
        )
