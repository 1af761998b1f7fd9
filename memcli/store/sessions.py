"""Sessions of agents and their prompts, according to the log. They are searched by their passages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.records import Record, many
from memcli.store import first, first_record, rows
from memcli.text import json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

ACTIVE, COMPLETED = "active", "completed"
FORGOTTEN = "forgotten"  # why a prompt has no text


class Session(Record):
    """One session of an agent. Times in ms since 1970 UTC. `root`, `prompts` and `last_at` are not in the log."""

    n: int
    id: str
    harness: str
    key: str
    status: str
    reason: str
    root: str
    prompts: int
    summary: str | None
    started_at: int
    last_at: int
    ended_at: int | None


class Prompt(Record):
    """What a person asked in a session, and the last thing the agent answered. `session` is the session's row."""

    n: int
    id: str
    session: int
    number: int
    text: str
    reply: str
    skipped: str
    files: str
    created_at: int

    @property
    def forgotten(self) -> bool:
        """Whether it was forgotten, and keeps only its position."""
        return self.skipped == FORGOTTEN


_SESSION = ", ".join(Session._fields)
_PROMPT = ", ".join(Prompt._fields)


def save(db: Connection, session: Session) -> None:
    """Writes one session. Its row number, its root and how far it went stay as they were; `session.n` is ignored."""
    sql = f"""
        INSERT INTO session({_SESSION}) VALUES ({", ".join("?" for _ in Session._fields)})
        ON CONFLICT(id) DO UPDATE SET harness = excluded.harness, key = excluded.key, status = excluded.status,
          reason = excluded.reason, summary = excluded.summary, started_at = excluded.started_at, ended_at = excluded.ended_at
    """
    rows(db, sql, (None, *session[1:]))  # type: ignore[index]
    _count(db, session.id)


def _count(db: Connection, session_id: str) -> None:
    """Updates what a session's row says about its prompts."""
    sql = """
        UPDATE session SET
          prompts = (SELECT coalesce(max(number), 0) FROM prompt WHERE prompt.session = session.n),
          last_at = max(last_at, started_at, coalesce(ended_at, 0),
            coalesce((SELECT max(created_at) FROM prompt WHERE prompt.session = session.n), 0),
            coalesce((SELECT max(created_at) FROM memory WHERE memory.session = session.n AND memory.session > 0), 0))
        WHERE id = ?
    """
    rows(db, sql, (session_id,))


def remove(db: Connection, session_id: str) -> None:
    """Removes a session that is no longer in the log from the projection."""
    rows(db, "DELETE FROM session WHERE id = ?", (session_id,))


def touch(db: Connection, session_id: str, at: int, root: str) -> None:
    """Records that something happened in a session at a moment, in a working tree."""
    sql = "UPDATE session SET last_at = max(last_at, ?), root = CASE WHEN root = '' THEN ? ELSE root END WHERE id = ?"
    rows(db, sql, (at, root, session_id))


def save_prompt(db: Connection, prompt: Prompt) -> None:
    """Writes one prompt, replacing what was there. `prompt.n` is ignored."""
    before = first(db, "SELECT n FROM prompt WHERE id = ?", (prompt.id,))
    number = before[0] if before else None
    rows(db, "DELETE FROM prompt WHERE id = ?", (prompt.id,))
    rows(db, f"INSERT INTO prompt({_PROMPT}) VALUES ({', '.join('?' for _ in Prompt._fields)})", (number, *prompt[1:]))  # type: ignore[index]
    for (session_id,) in rows(db, "SELECT id FROM session WHERE n = ?", (prompt.session,)):
        _count(db, session_id)


def remove_prompt(db: Connection, prompt_id: str) -> None:
    """Removes a prompt that is no longer in the log from the projection."""
    rows(db, "DELETE FROM prompt WHERE id = ?", (prompt_id,))


def number(db: Connection, session_id: str) -> int:
    """Returns the row of a session, or 0."""
    row = first(db, "SELECT n FROM session WHERE id = ?", (session_id,))
    return row[0] if row else 0


def id_of(db: Connection, n: int) -> str | None:
    """Returns the id of the session in a row, or None."""
    row = first(db, "SELECT id FROM session WHERE n = ?", (n,))
    return row[0] if row else None


def find(db: Connection, session_id: str) -> Session | None:
    """Returns one session by its id."""
    return first_record(Session, db, f"SELECT {_SESSION} FROM session WHERE id = ?", (session_id,))


def by_key(db: Connection, harness: str, key: str) -> Session | None:
    """Returns one session by its harness's name for it."""
    return first_record(Session, db, f"SELECT {_SESSION} FROM session WHERE harness = ? AND key = ?", (harness, key))


def matching(db: Connection, prefix: str, key: str, limit: int) -> list[Session]:
    """Returns the sessions whose id starts with `prefix`, or whose name in its harness starts with `key`, newest first."""
    sql = f"""
        SELECT {_SESSION} FROM session
        WHERE substr(id, 1, length(?1)) = ?1 OR substr(key, 1, length(?2)) = ?2 ORDER BY last_at DESC, n DESC LIMIT ?3
    """
    return many(Session, rows(db, sql, (prefix, key, limit)))


def latest(db: Connection, limit: int) -> list[Session]:
    """Returns the most recently active sessions, newest first."""
    return many(Session, rows(db, f"SELECT {_SESSION} FROM session ORDER BY last_at DESC, n DESC LIMIT ?", (limit,)))


def told(db: Connection, memory_id: str, limit: int) -> list[Session]:
    """Returns the sessions that were told a memory, the last one told first."""
    columns = ", ".join(f"session.{column}" for column in Session._fields)
    sql = f"""
        SELECT {columns} FROM telling JOIN session ON session.id = telling.session
        WHERE telling.memory = ? ORDER BY telling.told_at DESC, session.n DESC LIMIT ?
    """
    return many(Session, rows(db, sql, (memory_id, limit)))


# The index of memories by session holds only those that have one: it serves only where the condition says so.
_SUMMARY_IS_OLD = """
    coalesce((SELECT created_at FROM memory WHERE memory.id = session.summary), -1) < last_at
    AND (EXISTS (SELECT 1 FROM memory WHERE memory.id = session.summary)
      OR EXISTS (SELECT 1 FROM prompt WHERE prompt.session = session.n AND reply <> '')
      OR EXISTS (SELECT 1 FROM memory
                 WHERE memory.session = session.n AND memory.session > 0 AND kind <> 'summary' AND forgotten = 0))
"""


def needing_summary(db: Connection, since: int, before: int, limit: int) -> list[Session]:
    """Returns the sessions whose summary lacks what was observed or answered since, and which were last active in a period.

    From `since` to `before`, in ms since 1970; the longest inactive first.
    """
    sql = f"SELECT {_SESSION} FROM session WHERE last_at BETWEEN ? AND ? AND {_SUMMARY_IS_OLD} ORDER BY last_at, n LIMIT ?"
    return many(Session, rows(db, sql, (since, before, limit)))


def idle(db: Connection, before: int, now: int, limit: int) -> list[Session]:
    """Returns the active sessions without activity after `before` and without waiting events.

    One that is as far ahead of now as `before` is behind was active before the clock was put back.
    """
    sql = f"""
        SELECT {_SESSION} FROM session
        WHERE status = 'active' AND (last_at <= :before OR last_at > 2 * :now - :before)
          AND NOT EXISTS (SELECT 1 FROM job WHERE job.session = session.key AND job.status IN ('pending', 'processing'))
        ORDER BY last_at, n LIMIT :limit
    """
    return many(Session, rows(db, sql, {"before": before, "now": now, "limit": limit}))


def find_prompt(db: Connection, prompt_id: str) -> Prompt | None:
    """Returns one prompt by its id."""
    return first_record(Prompt, db, f"SELECT {_PROMPT} FROM prompt WHERE id = ?", (prompt_id,))


def prompt(db: Connection, session: int, prompt_number: int) -> Prompt | None:
    """Returns one prompt by its session's row and its number within the session."""
    return first_record(Prompt, db, f"SELECT {_PROMPT} FROM prompt WHERE session = ? AND number = ?", (session, prompt_number))


def is_at_work(db: Connection, at: int, late: int) -> bool:
    """Tells whether a session was at work at a moment in ms since 1970, or had been up to `late` ms before."""
    return bool(rows(db, "SELECT 1 FROM session WHERE started_at <= ?1 AND last_at >= ?1 - ?2 LIMIT 1", (at, late)))


def prompts(db: Connection, session: int, limit: int) -> list[Prompt]:
    """Returns the prompts of a session in order."""
    sql = f"SELECT {_PROMPT} FROM prompt WHERE session = ? ORDER BY number LIMIT ?"
    return many(Prompt, rows(db, sql, (session, limit)))


def latest_prompts(db: Connection, limit: int) -> list[Prompt]:
    """Returns the last prompts of all sessions that are kept, latest first."""
    return many(Prompt, rows(db, f"SELECT {_PROMPT} FROM prompt WHERE text <> '' ORDER BY n DESC LIMIT ?", (limit,)))


def count_kept(db: Connection, session: int) -> int:
    """Returns how many prompts of a session were not forgotten."""
    return int(rows(db, "SELECT count(*) FROM prompt WHERE session = ? AND skipped <> ?", (session, FORGOTTEN))[0][0])


def replies(db: Connection, session: int) -> dict[str, int]:
    """Returns when each prompt of a session was answered, in ms since 1970.

    As the log says it, which has more than the table: where the answer came without a moment, when it was noted.
    """
    sql = """
        SELECT object, body, hlc_ms FROM op
        WHERE object IN (SELECT id FROM prompt WHERE session = ? AND reply <> '') AND body LIKE '%"reply"%'
        ORDER BY hlc_ms, hlc_n, writer, id
    """
    times = {}
    for prompt, body, noted in rows(db, sql, (session,)):
        fields = json.loads(body)
        if fields.get("reply"):
            at = fields.get("replied")
            times[prompt] = at if isinstance(at, int) else noted
    return times


def first_and_last(db: Connection, session: int, limit: int) -> list[Prompt]:
    """Returns the first prompt of a session and the last ones, `limit` in all, in order."""
    sql = f"""
        SELECT * FROM (SELECT {_PROMPT} FROM prompt WHERE session = :session ORDER BY number LIMIT 1)
        UNION SELECT * FROM (SELECT {_PROMPT} FROM prompt WHERE session = :session ORDER BY number DESC LIMIT :last)
        ORDER BY number
    """
    return many(Prompt, rows(db, sql, {"session": session, "last": limit - 1}))


def prompts_by_prefix(db: Connection, prefix: str, limit: int) -> list[Prompt]:
    """Returns the prompts whose id starts with `prefix`, ordered by id."""
    sql = f"SELECT {_PROMPT} FROM prompt WHERE id >= ? AND id < ? ORDER BY id LIMIT ?"
    return many(Prompt, rows(db, sql, (prefix, prefix + "~", limit)))


def prompts_between(db: Connection, since: int | None, until: int | None, session: int | None) -> list[Prompt]:
    """Returns the live prompts from a moment on, before another, of a session's row; None: whatever. Newest first."""
    sql = f"""
        SELECT {_PROMPT} FROM prompt WHERE skipped <> '{FORGOTTEN}' AND created_at >= coalesce(:since, created_at)
          AND created_at < coalesce(:until, created_at + 1) AND session = coalesce(:session, session)
        ORDER BY created_at DESC, n DESC
    """
    return many(Prompt, rows(db, sql, {"since": since, "until": until, "session": session}))


def items_around(db: Connection, at: int, before: int, after: int) -> Sequence[tuple[str, int]]:
    """Returns (id, moment) of the live memories and prompts around a moment, oldest first.

    All of the moment itself, and beyond it `before` earlier and `after` later ones.
    """
    everything = f"""
        SELECT id, created_at AS at, n, 1 AS place FROM memory WHERE forgotten = 0 AND created_at {{0}}
        UNION ALL SELECT id, created_at, n, 0 FROM prompt WHERE skipped <> '{FORGOTTEN}' AND created_at {{0}}
    """
    sql = f"""
        SELECT id, at FROM (
          SELECT * FROM (SELECT * FROM ({everything.format("< :at")}) ORDER BY at DESC, place DESC, n DESC LIMIT :before)
          UNION ALL SELECT * FROM ({everything.format("= :at")})
          UNION ALL SELECT * FROM (SELECT * FROM ({everything.format("> :at")}) ORDER BY at, place, n LIMIT :after))
        ORDER BY at, place, n
    """
    return rows(db, sql, {"at": at, "before": before, "after": after})


def page(db: Connection, limit: int, offset: int) -> tuple[list[Session], int]:
    """Returns a page of sessions, the most recently active first, and how many there are."""
    sessions = rows(db, f"SELECT {_SESSION} FROM session ORDER BY last_at DESC, n DESC LIMIT ? OFFSET ?", (limit, offset))
    return many(Session, sessions), int(rows(db, "SELECT count(*) FROM session")[0][0])


def prompt_page(db: Connection, limit: int, offset: int) -> tuple[list[tuple[Prompt, str]], int]:
    """Returns a page of prompts, newest first, each with the id of its session, and how many there are."""
    columns = ", ".join(f"prompt.{column}" for column in Prompt._fields)
    source = f"prompt JOIN session ON session.n = prompt.session WHERE prompt.skipped <> '{FORGOTTEN}'"
    sql = f"SELECT {columns}, session.id FROM {source} ORDER BY prompt.created_at DESC, prompt.n DESC LIMIT ? OFFSET ?"
    prompts = [(Prompt(*row[:-1]), row[-1]) for row in rows(db, sql, (limit, offset))]
    return prompts, int(rows(db, f"SELECT count(*) FROM {source}")[0][0])


def names(db: Connection, numbers: Sequence[int]) -> dict[int, tuple[str, str]]:
    """Returns (id, the harness's name) of the sessions in some rows."""
    marks = ", ".join("?" for _ in numbers)
    return {
        n: (session_id, key)
        for n, session_id, key in rows(db, f"SELECT n, id, key FROM session WHERE n IN ({marks})", list(numbers))
    }


def by_name(db: Connection, key: str) -> Session | None:
    """Returns the session with a harness's name; of several, the most recently active one."""
    return first_record(
        Session, db, f"SELECT {_SESSION} FROM session WHERE key = ? ORDER BY last_at DESC, n DESC LIMIT 1", (key,)
    )
