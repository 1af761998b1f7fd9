"""The operation log: append, read, and the clock that orders operations of many stores."""

from __future__ import annotations

from memcli.errors import InvalidInput
from memcli.records import Record, many
from memcli.store import first, first_record, meta, rows
from memcli.text import ids, json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from apsw import Connection

MAX_BODY = 65_536  # bytes of one operation's canonical body, the line limit of the sync format
SHARE, UNSHARE = "share", "unshare"  # kinds of operations that say who is given an object, and change nothing of what it says
BY_RULES = "rules"  # in their bodies: what the object was before, or is again, is for the rules of the settings to say
# Values of `vis`: in this store only; undone while it was, or the undo of that, so that nothing of it counts, and nothing leaves.
LOCAL, WITHDRAWN = "local", "withdrawn"
ANCHOR_ACTOR = "anchor"  # writes where the change of a memory's commit went
NO_COMMAND = 0  # of operations that nobody asked for: undo passes them by
_COLUMNS = "revision, id, hlc_ms, hlc_n, writer, kind, object, body, actor, vis, command"


class LoggedOperation(Record):
    """One entry of the operation log. `body` is canonical JSON of the changed fields; `command` groups what undo takes back."""

    revision: int
    id: str
    hlc_ms: int
    hlc_n: int
    writer: str
    kind: str
    object: str
    body: str
    actor: str
    vis: str
    command: int


class Change(Record):
    """What an operation says, before the log gives it a place: `body` holds the changed fields of `object`."""

    kind: str
    object: str
    body: dict[str, Any]


def append(db: Connection, changes: Sequence[Change], actor: str, now: int, command: int | None = None) -> list[LoggedOperation]:
    """Appends changes inside the caller's transaction: those of a new command, or more of `command`. `now` is wall time in ms.

    Raises InvalidInput if one of them is too large.
    """
    last = rows(db, "SELECT hlc_ms, hlc_n FROM op ORDER BY hlc_ms DESC, hlc_n DESC LIMIT 1")
    last_ms, counter = last[0] if last else (0, 0)
    at = max(now, last_ms)
    counter = counter + 1 if at == last_ms else 0
    writer = meta(db, "writer") or ""
    revision = rows(db, "SELECT coalesce(max(revision), 0) + 1 FROM op")[0][0]
    command = revision if command is None else command
    written = []
    for change in changes:
        body = body_of(change)
        op = LoggedOperation(
            revision, ids.stamp(at), at, counter, writer, change.kind, change.object, body, actor, LOCAL, command
        )
        db.execute(f"INSERT INTO op({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", op)  # type: ignore[arg-type]
        written.append(op)
        revision, counter = revision + 1, counter + 1
    return written


def body_of(change: Change) -> str:
    """Returns a change's body as the log keeps it. Raises InvalidInput for one that is too large."""
    body = json.canonical(change.body)
    if len(body) * 4 > MAX_BODY and len(body.encode("utf-8")) > MAX_BODY:
        raise InvalidInput(
            f"too large: {len(body.encode('utf-8')):,} bytes",
            f"the limit is {MAX_BODY:,} bytes a memory or state; split or shorten it",
        )
    return body


def append_following(db: Connection, change: Change, actor: str) -> None:
    """Appends a change that nobody asked for, whose clock and id follow from the log: they are the same whenever it is made."""
    (op,) = append(db, [change], actor, 0, NO_COMMAND)
    name = ids.stamp_of(op.hlc_ms, json.canonical([op.hlc_n, op.writer, op.kind, op.object, op.body]))
    rows(db, "UPDATE op SET id = ? WHERE revision = ?", (name, op.revision))


def of_object(db: Connection, object_id: str) -> list[LoggedOperation]:
    """Returns every operation on one object in the order of the clock: the order in which they count."""
    return many(
        LoggedOperation, rows(db, f"SELECT {_COLUMNS} FROM op WHERE object = ? ORDER BY hlc_ms, hlc_n, writer, id", (object_id,))
    )


def ways_superseded(db: Connection, objects: Sequence[str]) -> dict[str, str]:
    """Returns for some memories how they were superseded last, "" where nobody noted it."""
    sql = """
        SELECT object, coalesce(json_extract(body, '$.how'), '') FROM op
        WHERE kind = 'supersede' AND object IN (SELECT value FROM json_each(?)) AND json_extract(body, '$.on')
        ORDER BY hlc_ms, hlc_n, writer, id
    """
    return dict(rows(db, sql, (json.dumps(list(objects)),))) if objects else {}


def find(db: Connection, operation_id: str) -> LoggedOperation | None:
    """Returns one operation."""
    return first_record(LoggedOperation, db, f"SELECT {_COLUMNS} FROM op WHERE id = ?", (operation_id,))


def of_command(db: Connection, command: int) -> list[LoggedOperation]:
    """Returns the operations that one command appended, in order."""
    return many(LoggedOperation, rows(db, f"SELECT {_COLUMNS} FROM op WHERE command = ? ORDER BY revision", (command,)))


def is_undo(db: Connection, command: int) -> bool:
    """True for a command that took another one back: it begins with its mark."""
    return bool(rows(db, "SELECT 1 FROM op WHERE revision = ? AND kind = 'undo'", (command,)))


def undos(db: Connection, limit: int) -> list[LoggedOperation]:
    """Returns the newest marks of commands that took another one back, newest first; `object`: the first operation taken back."""
    sql = f"SELECT {_COLUMNS} FROM op WHERE kind = 'undo' ORDER BY revision DESC LIMIT ?"
    return many(LoggedOperation, rows(db, sql, (limit,)))


def further(db: Connection, latest: int, limit: int) -> list[LoggedOperation]:
    """Returns operations that somebody asked for and that restore or change what was there, of the `latest`, newest first.

    Without those by which a command was undone.
    """
    sql = f"""
        SELECT {_COLUMNS} FROM op
        WHERE revision > (SELECT max(revision) FROM op) - ? AND command != {NO_COMMAND}
          AND kind IN ('restore', 'put', 'profile', 'note') AND substr(object, 1, 2) IN ('M-', 'K-', 'N-', 'S-', 'P-')
          AND EXISTS (SELECT 1 FROM op AS earlier WHERE earlier.object = op.object AND earlier.revision < op.revision)
          AND NOT EXISTS (SELECT 1 FROM op AS first WHERE first.revision = op.command AND first.kind = 'undo')
        ORDER BY revision DESC LIMIT ?
    """
    return many(LoggedOperation, rows(db, sql, (latest, limit)))


def undone_by(db: Connection, command: int) -> int | None:
    """Returns the command that took another one back, None where none did."""
    sql = """
        SELECT mark.command FROM op AS first JOIN op AS mark ON mark.object = first.id AND mark.kind = 'undo'
        WHERE first.revision = ?
    """
    row = first(db, sql, (command,))
    return row[0] if row else None


def command_of(db: Connection, object_id: str) -> int:
    """Returns the command that began an object; 0 where nobody asked for it."""
    row = first(db, "SELECT command FROM op WHERE object = ? ORDER BY revision LIMIT 1", (object_id,))
    return row[0] if row else NO_COMMAND


def standing(db: Connection, object_id: str) -> list[LoggedOperation]:
    """Returns the operations on one object that were neither undone nor appended by an undo, in the order of the clock."""
    sql = f"""
        SELECT {_COLUMNS} FROM op
        WHERE object = ?
          AND NOT EXISTS (
            SELECT 1 FROM op AS first
            WHERE first.revision = op.command
              AND (first.kind = 'undo' OR EXISTS (SELECT 1 FROM op AS mark WHERE mark.object = first.id AND mark.kind = 'undo'))
          )
        ORDER BY hlc_ms, hlc_n, writer, id
    """
    return many(LoggedOperation, rows(db, sql, (object_id,)))


def last_undoable(db: Connection, before: int = 1 << 62) -> int | None:
    """Returns the newest command, `before` one, that is not itself an undo, which begins with its mark, and was not undone."""
    sql = """
        SELECT command FROM op AS first
        WHERE revision = command AND kind != 'undo' AND revision < ?
          AND NOT EXISTS (SELECT 1 FROM op WHERE object = first.id AND kind = 'undo')
        ORDER BY revision DESC LIMIT 1
    """
    row = first(db, sql, (before,))
    return row[0] if row else None


def was_saved(db: Connection, session: str, since: int, limit: int) -> bool:
    """Tells whether something was written on purpose from a moment on, in a session or one that is not named.

    Some harnesses do not tell a command whose session it runs in. Looks at the last operations, `limit` of them.
    """
    sql = """
        SELECT 1 FROM (SELECT * FROM op ORDER BY revision DESC LIMIT ?)
        WHERE actor IN ('agent', 'mcp', 'cli', 'ci') AND kind IN ('put', 'state', 'profile', 'note') AND hlc_ms > ?
          AND coalesce(json_extract(body, '$.via.session'), ?3) = ?3 LIMIT 1
    """
    return first(db, sql, (limit, since, session)) is not None


_MEANT = """
    (:object IS NULL OR object = :object) AND (:since IS NULL OR hlc_ms >= :since) AND (:until IS NULL OR hlc_ms < :until)
"""


def latest(
    db: Connection, limit: int, object_id: str | None = None, since: int | None = None, until: int | None = None
) -> list[LoggedOperation]:
    """Returns the newest operations, newest first: on one object, from a moment on, before another, where these are given."""
    sql = f"SELECT {_COLUMNS} FROM op WHERE {_MEANT} ORDER BY revision DESC LIMIT :limit"
    return many(LoggedOperation, rows(db, sql, {"object": object_id, "since": since, "until": until, "limit": limit}))


def count(db: Connection, object_id: str | None, since: int | None, until: int | None) -> int:
    """Returns how many operations there are, of those that `latest` would return."""
    sql = f"SELECT count(*) FROM op WHERE {_MEANT}"
    return int(rows(db, sql, {"object": object_id, "since": since, "until": until})[0][0])


def revision(db: Connection) -> int:
    """Returns the log's position: the revision of its last operation, 0 for an empty log."""
    return int(rows(db, "SELECT coalesce(max(revision), 0) FROM op")[0][0])


def after(db: Connection, revision: int, limit: int) -> list[LoggedOperation]:
    """Returns the operations behind a position of the log, in order."""
    return many(
        LoggedOperation, rows(db, f"SELECT {_COLUMNS} FROM op WHERE revision > ? ORDER BY revision LIMIT ?", (revision, limit))
    )


def last_of(db: Connection, object_id: str) -> int:
    """Returns the revision of the last operation that somebody asked for and that changed an object, 0 where there is none.

    What arrived from another store belongs to no command here; what only follows a commit is nobody's.
    """
    sql = f"""
        SELECT coalesce(max(revision), 0) FROM op
        WHERE object = ? AND kind NOT IN ('{SHARE}', '{UNSHARE}') AND (
            command != {NO_COMMAND} OR (writer != (SELECT value FROM meta WHERE key = 'writer') AND actor != '{ANCHOR_ACTOR}')
        )
    """
    return int(rows(db, sql, (object_id,))[0][0])


def begun_here(db: Connection, objects: Sequence[str]) -> set[str]:
    """Returns those of some objects of which the first operation, by the clock, is this store's."""
    sql = """
        SELECT value FROM json_each(?)
        WHERE (SELECT actor FROM op WHERE object = value ORDER BY hlc_ms, hlc_n, writer LIMIT 1) NOT LIKE '%@%'
    """
    return {name for (name,) in rows(db, sql, (json.dumps(objects),))}


def first_of(db: Connection, object_id: str) -> int:
    """Returns the revision of the first operation on an object, 0 where there is none."""
    return int(rows(db, "SELECT coalesce(min(revision), 0) FROM op WHERE object = ?", (object_id,))[0][0])
