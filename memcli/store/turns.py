"""Turns that were prepared for sessions, and what sessions were told."""

from __future__ import annotations

from memcli.records import Record, many
from memcli.store import first, first_record, rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from apsw import Connection

PREPARED, SUCCESS, FAILED = "prepared", "success", "failed"
_AT_ONCE = 100  # rows that one pruning looks at
# The memories that a turn told, of the JSON list of what it names: by themselves, or as the statement of which hooks made one.
TOLD = """
    SELECT memory.id FROM json_each({names}) AS name JOIN memory ON memory.id = name.value
    UNION SELECT memory.id FROM json_each({names}) AS name JOIN passage ON passage.id = name.value
    JOIN memory ON memory.session > 0 AND memory.session = passage.session AND memory.prompt = passage.prompt
      AND memory.source_id GLOB '*/decision:*' AND instr(passage.statement, rtrim(memory.title, '…')) > 0
"""


class TurnRow(Record):
    """One prepared turn; the columns are explained in migrations/0012_turns.sql, the last four in 0016, 0031 and 0033."""

    n: int
    id: str
    engine: str
    session: str
    mode: str
    status: str
    cause: str
    before: int
    revision: int
    stamp: str
    shown: str
    hits: str
    prepared_at: int
    size: int = 0
    memories: str = ""
    told: str = ""
    tokens: int = 0


class Delivery(Record):
    """What a session was told by acknowledged turns, the newest of which is in row `turn`."""

    turn: int
    revision: int
    stamp: str
    shown: str
    hits: str


_TURN = ", ".join(TurnRow._fields)


def put(db: Connection, turn: TurnRow) -> None:
    """Stores a prepared turn. `turn.n` is ignored."""
    rows(db, f"INSERT INTO turn({_TURN}) VALUES (NULL{', ?' * (len(TurnRow._fields) - 1)})", turn[1:])  # type: ignore[index]


def find(db: Connection, turn_id: str) -> TurnRow | None:
    """Returns one turn by its id."""
    return first_record(TurnRow, db, f"SELECT {_TURN} FROM turn WHERE id = ?", (turn_id,))


def waiting(db: Connection, engine: str, session: str) -> TurnRow | None:
    """Returns the newest turn of a session that nobody has acknowledged or failed, and that answers an event."""
    sql = f"""
        SELECT {_TURN} FROM turn WHERE engine = ? AND session = ? AND status = 'prepared' AND cause <> '' ORDER BY n DESC LIMIT 1
    """
    return first_record(TurnRow, db, sql, (engine, session))


def settle(db: Connection, turn: TurnRow, status: str) -> None:
    """Records how a turn ended. What it would have told is kept only if it may still be acknowledged."""
    if status == FAILED:
        rows(db, "UPDATE turn SET status = 'failed', size = 0, tokens = 0, memories = '', told = '' WHERE n = ?", (turn.n,))
    else:
        rows(db, "UPDATE turn SET status = 'success', stamp = '', shown = '', hits = '' WHERE n = ?", (turn.n,))


def delivered(db: Connection, engine: str, session: str) -> Delivery | None:
    """Returns what a session was told, None if that is not known."""
    sql = "SELECT turn, revision, stamp, shown, hits FROM delivery WHERE engine = ? AND session = ?"
    return first_record(Delivery, db, sql, (engine, session))


def was_told(db: Connection, engine: str, session: str) -> bool:
    """Tells whether a session was ever told something, even if the record of it was removed."""
    sql = "SELECT 1 FROM turn WHERE engine = ? AND session = ? AND status = 'success' AND mode <> 'none' LIMIT 1"
    return bool(rows(db, sql, (engine, session)))


def deliver(db: Connection, engine: str, session: str, delivery: Delivery, at: int) -> None:
    """Records what a session has been told, unless a newer record exists. The row goes to the end of the table."""
    sql = """
        INSERT INTO delivery(turn, revision, stamp, shown, hits, engine, session, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT(engine, session) DO UPDATE SET turn = excluded.turn, revision = excluded.revision, stamp = excluded.stamp,
          shown = excluded.shown, hits = excluded.hits, at = excluded.at, n = (SELECT max(n) + 1 FROM delivery)
        WHERE excluded.turn >= delivery.turn
    """
    rows(db, sql, (*delivery, engine, session, at))  # type: ignore[misc]


_BLANK = "UPDATE turn SET status = 'failed', stamp = '', shown = '', hits = '' WHERE status <> 'success'"


def forget(db: Connection, engine: str, session: str) -> None:
    """Removes what a session was told; what it is being told no longer counts either."""
    rows(db, "DELETE FROM delivery WHERE engine = ? AND session = ?", (engine, session))
    rows(db, f"{_BLANK} AND engine = ? AND session = ?", (engine, session))


def forget_all(db: Connection) -> None:
    """Removes what every session was told."""
    rows(db, f"DELETE FROM delivery; {_BLANK}; UPDATE turn SET memories = '', told = ''")


def prune(db: Connection, turns: int, deliveries: int) -> None:
    """Removes turns and deliveries from before two moments, a few at a time. Both tables are in the order of time."""
    for table, column, before in (("turn", "prepared_at", turns), ("delivery", "at", deliveries)):
        oldest = f"SELECT n FROM {table} ORDER BY n LIMIT {_AT_ONCE}"
        rows(db, f"DELETE FROM {table} WHERE n IN ({oldest}) AND {column} < ?", (before,))


def has_changed(db: Connection, since: int, session: int, note: str) -> bool:
    """Tells whether the log has something after revision `since` that a session may have to be told.

    Prompts, sessions and threads are none of it, nor is what hooks observed in the session of row `session` itself, nor the note
    `note` about it.
    """
    sql = """
        SELECT 1 FROM op
        WHERE revision > ?1 AND kind NOT IN ('prompt', 'session') AND substr(object, 1, 2) NOT IN ('P-', 'A-', 'T-')
          AND object <> ?3 AND NOT EXISTS (SELECT 1 FROM memory WHERE id = op.object AND memory.session = ?2 AND ?2 > 0) LIMIT 1
    """
    return bool(rows(db, sql, (since, session, note)))


def written_by(db: Connection, since: int, session: str) -> dict[str, bool]:
    """Returns each object that changed after revision `since`, and whether only the session of a key changed it itself.

    "state" stands for what was left open.
    """
    sql = """
        SELECT CASE kind WHEN 'state' THEN kind ELSE object END, min(coalesce(json_extract(body, '$.via.session') = ?, 0))
        FROM op WHERE revision > ? GROUP BY 1
    """
    return {name: bool(is_own) for name, is_own in rows(db, sql, (session, since))}


def revision(db: Connection) -> int:
    """Returns the log's position: the revision of its last operation, 0 for an empty log."""
    return int(rows(db, "SELECT coalesce(max(revision), 0) FROM op")[0][0])


def last_moment(db: Connection, but: int) -> int:
    """Returns the last moment of all sessions but the one in a row, in ms since 1970; 0 where there is no other."""
    row = first(db, "SELECT last_at FROM session WHERE n <> ? ORDER BY last_at DESC LIMIT 1", (but,))
    return int(row[0]) if row else 0


def session_of(db: Connection, engine: str, session: str) -> tuple[int, str]:
    """Returns (row, id) of the session that a harness calls so; (-1, "") where nothing was kept of it yet."""
    row = first(db, "SELECT n, id FROM session WHERE harness = ? AND key = ?", (engine, session))
    return row if row else (-1, "")


def row_of(db: Connection, session: str) -> int:
    """Returns the row of a session given by its id; -1 for none."""
    row = first(db, "SELECT n FROM session WHERE id = ?", (session,))
    return int(row[0]) if row else -1


def observed_in(db: Connection, session: int) -> frozenset[str]:
    """Returns the ids of what hooks observed in the session of a row, of its summary, and of what was said in it."""
    sql = """
        SELECT id FROM memory WHERE session = ?1 AND session > 0
        UNION ALL SELECT id FROM passage WHERE session = ?1 AND session > 0
    """
    return frozenset([name for (name,) in rows(db, sql, (session,))])


class ListedTurn(Record):
    """A turn in a list. `key`: what the harness calls the session; `session`, `prompt`, `number`: of what it answers.

    `uncounted`: the memories that it told, until they are counted.
    """

    n: int
    id: str
    engine: str
    key: str
    mode: str
    status: str
    cause: str
    prepared_at: int
    tokens: int
    session: str
    prompt: str
    number: int
    asked: str
    uncounted: str
    revision: int
    told: str


_OF_EVENT = """
    SELECT {} FROM job JOIN prompt ON prompt.id = job.result
    WHERE turn.cause <> '' AND job.dedupe IN (turn.cause, turn.cause || job.created_at) LIMIT 1
"""
_NEAR_MS = 10_000  # between a prompt and the turn that answers it
# Events are kept no longer than a week, turns until a session starts after that: then the prompt is known by its moment.
_OF_MOMENT = f"""
    SELECT {{}} FROM session JOIN prompt ON prompt.session = session.n
    WHERE instr(turn.cause, '|user-prompt|') > 0 AND session.harness = turn.engine AND session.key = turn.session
      AND prompt.created_at BETWEEN turn.prepared_at - {_NEAR_MS} AND turn.prepared_at + {_NEAR_MS}
      AND NOT EXISTS (SELECT 1 FROM job WHERE job.dedupe IN (turn.cause, turn.cause || job.created_at))
    ORDER BY abs(prompt.created_at - turn.prepared_at) LIMIT 1
"""


def _of_prompt(column: str, otherwise: str) -> str:
    """Returns a column of the prompt that a turn answers, as SQL."""
    return f"coalesce(({_OF_EVENT.format(column)}), ({_OF_MOMENT.format(column)}), {otherwise})"


def prompt_of(db: Connection, turn: TurnRow) -> str:
    """Returns what a person asked that a turn answers, "" where it answers none or nothing is kept of it."""
    text = _of_prompt("prompt.text", "''")
    sql = f"SELECT {text} FROM turn WHERE n = ?"
    row = first(db, sql, (turn.n,))
    return str(row[0]) if row else ""


# Of jobs joined with their prompts: those that hooks answered since a moment, if with nothing. Where a program prepares the turns
# of a session by itself, nobody knows which prompts they are for.
_OF_HOOKS = """
    event = 'user-prompt' AND job.status = 'processed' AND job.created_at >= :since AND skipped = ''
    AND NOT EXISTS (SELECT 1 FROM turn WHERE turn.engine = job.harness AND turn.session = job.session AND cause = '')
"""
# Whether a turn told something in answer to the event of a job. It knows the event by `cause`, which lacks the moment if it ends
# in @.
_ANSWERED = """
    EXISTS (
      SELECT 1 FROM turn WHERE size > 0 AND turn.engine = job.harness AND turn.session = job.session
      AND cause <> '' AND job.dedupe IN (cause, cause || job.created_at)
    )
"""


class SilentPrompt(Record):
    """A prompt that hooks answered with nothing. `session`: its id; `created_at` in ms since 1970."""

    id: str
    session: str
    number: int
    text: str
    created_at: int


def silent(db: Connection, since: int, session: str | None, limit: int, offset: int) -> tuple[list[SilentPrompt], int]:
    """Returns the prompts since a moment to which nothing was told, the newest first, and how many there are."""
    source = f"""
        FROM job JOIN prompt ON prompt.id = job.result JOIN session ON session.n = prompt.session
        WHERE {_OF_HOOKS} AND (:session IS NULL OR session.id = :session)
        GROUP BY prompt.id HAVING max({_ANSWERED}) = 0
    """
    values = {"since": since, "session": session}
    columns = "prompt.id, session.id, number, substr(text, 1, 400), prompt.created_at"
    sql = f"SELECT {columns} {source} ORDER BY prompt.created_at DESC, prompt.n DESC LIMIT :limit OFFSET :offset"
    prompts = many(SilentPrompt, rows(db, sql, {**values, "limit": limit, "offset": offset}))
    return prompts, int(rows(db, f"SELECT count(*) FROM (SELECT 1 {source})", values)[0][0])


def count_answered(db: Connection, since: int) -> tuple[int, int]:
    """Returns how many prompts hooks answered since a moment, and how many of them with nothing, which leaves no turn."""
    sql = f"""
        SELECT count(*), coalesce(sum(is_answered = 0), 0) FROM (
          SELECT max({_ANSWERED}) AS is_answered FROM job JOIN prompt ON prompt.id = job.result
          WHERE {_OF_HOOKS} GROUP BY prompt.id)
    """
    prompts, silent_prompts = rows(db, sql, {"since": since})[0]
    return prompts, silent_prompts


def page(db: Connection, session: str | None, limit: int, offset: int) -> tuple[list[ListedTurn], int]:
    """Returns turns, the newest first, and how many there are. `session`: the id of one session; None: of all."""
    session_id = "coalesce((SELECT id FROM session WHERE harness = engine AND key = turn.session), '')"
    of_prompt = ", ".join(
        _of_prompt(column, other)
        for column, other in (("prompt.id", "''"), ("prompt.number", "0"), ("substr(prompt.text, 1, 400)", "''"))
    )
    columns = (
        f"n, id, engine, session, mode, status, cause, prepared_at, tokens, {session_id}, {of_prompt}, memories, revision, told"
    )
    where = "true" if session is None else f"{session_id} = :session"
    values = {"session": session} if session is not None else {}
    sql = f"SELECT {columns} FROM turn WHERE {where} ORDER BY n DESC LIMIT :limit OFFSET :offset"
    listed = many(ListedTurn, rows(db, sql, {**values, "limit": limit, "offset": offset}))
    return listed, int(rows(db, f"SELECT count(*) FROM turn WHERE {where}", values)[0][0])


def told_until(db: Connection, engine: str, session: str, at: int) -> list[str]:
    """Returns the parts of the turns that a session had got up to a moment, oldest first, as each turn keeps them."""
    sql = """
        SELECT told FROM turn
        WHERE engine = ? AND session = ? AND prepared_at <= ? AND status <> 'failed' AND told <> '' ORDER BY n
    """
    return [told for (told,) in rows(db, sql, (engine, session, at))]


def prompts_before(db: Connection, moment: int, session: str | None) -> int:
    """Returns how many prompts that hooks saw before a moment have no turn: what they were told is no longer known.

    `session`: the id of one session; None: of all.
    """
    sql = """
        SELECT (
          SELECT count(*) FROM prompt JOIN session ON session.n = prompt.session
          WHERE prompt.created_at < :moment AND skipped = '' AND (:session IS NULL OR session.id = :session)
            AND EXISTS (SELECT 1 FROM op WHERE object = prompt.id AND actor = 'hook')
        ) - (
          SELECT count(*) FROM turn LEFT JOIN session ON harness = engine AND session.key = turn.session
          WHERE prepared_at < :moment AND size > 0 AND instr(cause, '|user-prompt|') > 0
            AND (:session IS NULL OR session.id = :session)
        )
    """
    return max(0, int(rows(db, sql, {"moment": moment, "session": session})[0][0]))


def first_told(db: Connection, session: str, at: int, uncounted: str) -> list[tuple[str, str, int | None, int]]:
    """Returns (id, title, ms since 1970 of its use, revision) of the memories that a session was first told by a turn.

    `uncounted`: what the turn itself still lists.
    """
    sql = f"""
        SELECT memory.id, title, used_at, memory.revision FROM telling JOIN memory ON memory.id = telling.memory
        WHERE telling.session = :session AND told_at = :at
        UNION SELECT id, title, NULL, revision FROM memory
        WHERE :uncounted <> '' AND id IN ({TOLD.format(names=":uncounted")})
        ORDER BY 1
    """
    return rows(db, sql, {"session": session, "at": at, "uncounted": uncounted or "[]"})
