"""What failed in sessions, what made it pass, and the commands that ran well."""

from __future__ import annotations

from memcli.records import Record, many
from memcli.store import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from apsw import Connection

    from memcli.text.signatures import ErrorLine

_AT_ONCE = 200  # rows that one pruning takes out
_FORMS = 40  # commands of one program that are kept


class Failure(Record):
    """A command that failed, and what made it pass, if anything. Columns: migrations/0019_moments.sql."""

    n: int
    session: str
    prompt: str
    command: str
    failed_at: int
    steps: str
    calls: int
    proof: str = ""
    remedy: str = ""
    passed_at: int | None = None


class SolvedError(Record):
    """A line of a failure that was solved, with the failure's row and command, and what made it pass."""

    failure: int
    template: str
    names: str
    line: str
    session: str
    command: str
    proof: str
    remedy: str
    passed_at: int


_COLUMNS = ", ".join(Failure._fields)


def add(db: Connection, failure: Failure, lines: Sequence[ErrorLine]) -> None:
    """Adds a failure with the lines that say what went wrong. `failure.n` is ignored."""
    rows(db, f"INSERT INTO failure({_COLUMNS}) VALUES (NULL{', ?' * (len(Failure._fields) - 1)})", failure[1:])  # type: ignore[index]
    number = db.last_insert_rowid()
    for line in lines:
        values = (number, line.template, line.names, line.text)
        rows(db, "INSERT OR IGNORE INTO failure_line(failure, template, names, line) VALUES (?, ?, ?, ?)", values)


def unsolved(db: Connection, session: str) -> list[Failure]:
    """Returns the failures of a session that nothing has solved yet, oldest first."""
    sql = f"SELECT {_COLUMNS} FROM failure WHERE session = ? AND passed_at IS NULL ORDER BY n"
    return many(Failure, rows(db, sql, (session,)))


def lines_of(db: Connection, number: int) -> set[tuple[str, str]]:
    """Returns the template and names of each line of a failure."""
    return set(rows(db, "SELECT template, names FROM failure_line WHERE failure = ?", (number,)))


def texts_of(db: Connection, number: int, limit: int) -> list[str]:
    """Returns the first lines of a failure as they were printed."""
    return [text for (text,) in rows(db, "SELECT line FROM failure_line WHERE failure = ? LIMIT ?", (number, limit))]


def lines_of_all(db: Connection, numbers: Iterable[int]) -> list[tuple[int, str, str]]:
    """Returns (failure, template, names) of each line of some failures."""
    from memcli.text import json

    sql = "SELECT failure, template, names FROM failure_line WHERE failure IN (SELECT value FROM json_each(?))"
    return rows(db, sql, (json.dumps(list(numbers)),))


def note_steps(db: Connection, number: int, steps: str, calls: int) -> None:
    """Notes what was done since a failure, and how many calls that took."""
    rows(db, "UPDATE failure SET steps = ?, calls = ? WHERE n = ?", (steps, calls, number))


def solve(db: Connection, number: int, proof: str, remedy: str, at: int) -> None:
    """Notes what made a command pass."""
    sql = "UPDATE failure SET proof = ?, remedy = ?, passed_at = ?, steps = '' WHERE n = ?"
    rows(db, sql, (proof, remedy, at, number))


def remove(db: Connection, number: int) -> None:
    """Removes a failure."""
    rows(db, "DELETE FROM failure_line WHERE failure = ?", (number,))
    rows(db, "DELETE FROM failure WHERE n = ?", (number,))


def solved(db: Connection, templates: Iterable[str], limit: int) -> list[SolvedError]:
    """Returns the lines of solved failures that have one of some templates, the newest first."""
    from memcli.text import json

    sql = """
        SELECT failure, template, names, line, session, command, proof, remedy, passed_at
        FROM failure_line JOIN failure ON failure.n = failure_line.failure
        WHERE template IN (SELECT value FROM json_each(?)) AND passed_at IS NOT NULL
        ORDER BY passed_at DESC, failure DESC LIMIT ?
    """
    return many(SolvedError, rows(db, sql, (json.dumps(list(templates)), limit)))


def note_working(db: Connection, program: str, command: str, session: str, at: int) -> None:
    """Records that a program ran well in this form. Of many forms, the last ones are kept."""
    sql = """
        INSERT INTO working_command(program, command, session, times, last_at) VALUES (?1, ?2, ?3, 1, ?4)
        ON CONFLICT(program, command) DO UPDATE SET times = times + 1, session = ?3, last_at = max(last_at, ?4)
    """
    rows(db, sql, (program, command, session, at))
    newest = "SELECT command FROM working_command WHERE program = ?1 ORDER BY last_at DESC LIMIT ?2"
    rows(db, f"DELETE FROM working_command WHERE program = ?1 AND command NOT IN ({newest})", (program, _FORMS))


def working(db: Connection, programs: Sequence[str], but: str) -> list[tuple[str, str, int, str]]:
    """Returns (program, command, when last, session) of forms that ran well, most frequent first.

    Not those of session `but` alone.
    """
    from memcli.text import json

    sql = """
        SELECT program, command, last_at, session FROM working_command
        WHERE program IN (SELECT value FROM json_each(?)) AND (session <> ? OR times > 1) ORDER BY times DESC, last_at DESC
    """
    return rows(db, sql, (json.dumps(list(programs)), but))


def drop_session(db: Connection, object_id: str) -> None:
    """Removes the failures of a prompt or session, and the commands that it ran."""
    for (number,) in rows(db, "SELECT n FROM failure WHERE session = ?1 OR prompt = ?1", (object_id,)):
        remove(db, number)
    session = "SELECT ?1 UNION SELECT session.id FROM prompt JOIN session ON session.n = prompt.session WHERE prompt.id = ?1"
    rows(db, f"DELETE FROM working_command WHERE session IN ({session})", (object_id,))


def prune(db: Connection, before: int, hints_before: int) -> None:
    """Removes failures and commands from before one moment and hints from before another, a few at a time."""
    old = "SELECT n FROM failure WHERE failed_at < ? ORDER BY failed_at LIMIT ?"
    for (number,) in rows(db, old, (before, _AT_ONCE)):
        remove(db, number)
    rows(db, "DELETE FROM working_command WHERE last_at < ?", (before,))
    rows(db, "DELETE FROM hint WHERE at < ?", (hints_before,))
