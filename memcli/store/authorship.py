"""Which files each session changed, on which commit, and which commits it made."""

from __future__ import annotations

import zlib

from memcli.records import Record, many
from memcli.store import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from apsw import Connection

_MOST_NAMES = 500  # names that one question is about
_MOST_LINES = 64  # of one edit whose digests are kept
_LEAST_CHARACTERS = 4  # letters and digits of a line that gets a digest: others have no brackets of their own


class Authored(Record):
    """A row: an edit of a file or, without a path, a commit; the columns are explained in migrations/0017_authored.sql."""

    n: int
    session: str
    prompt: int
    path: str
    anchor: str | None
    at: int
    lines: str

    @property
    def is_commit(self) -> bool:
        """Whether a commit was made."""
        return self.path == ""


_COLUMNS = ", ".join(Authored._fields)


def save(db: Connection, entries: Sequence[Authored]) -> None:
    """Writes entries; their `n` is ignored."""
    for entry in entries:
        rows(db, f"INSERT INTO authored({_COLUMNS}) VALUES (NULL, ?, ?, ?, ?, ?, ?)", entry[1:])  # type: ignore[index]


def edits(db: Connection, paths: Sequence[str], limit: int) -> list[Authored]:
    """Returns the last edits of some files, latest first."""
    marks = ", ".join("?" for _ in paths[:_MOST_NAMES])
    sql = f"SELECT {_COLUMNS} FROM authored WHERE path IN ({marks}) AND path <> '' ORDER BY n DESC LIMIT ?"
    return many(Authored, rows(db, sql, (*paths[:_MOST_NAMES], limit)))


def commits_at(db: Connection, commit: str) -> list[Authored]:
    """Returns the entries of those who made a commit, by the hash that it had then; the first one first."""
    return many(Authored, rows(db, f"SELECT {_COLUMNS} FROM authored WHERE path = '' AND anchor = ? ORDER BY n", (commit,)))


def edits_at(db: Connection, commit: str, limit: int) -> list[Authored]:
    """Returns the last edits that were made while a commit was checked out, oldest first."""
    sql = f"SELECT {_COLUMNS} FROM authored WHERE anchor = ? AND path <> '' ORDER BY n DESC LIMIT ?"
    return many(Authored, rows(db, sql, (commit, limit)))[::-1]


def of_sessions(db: Connection, sessions: Sequence[str], limit: int) -> list[Authored]:
    """Returns the last actions of some sessions, oldest first."""
    marks = ", ".join("?" for _ in sessions[:_MOST_NAMES])
    sql = f"SELECT {_COLUMNS} FROM authored WHERE session IN ({marks}) ORDER BY n DESC LIMIT ?"
    return many(Authored, rows(db, sql, (*sessions[:_MOST_NAMES], limit)))[::-1]


def everything(db: Connection, after: int, limit: int) -> list[Authored]:
    """Returns a page of all entries, after row `after`, oldest first."""
    return many(Authored, rows(db, f"SELECT {_COLUMNS} FROM authored WHERE n > ? ORDER BY n LIMIT ?", (after, limit)))


def reanchor(db: Connection, to: dict[str, str]) -> None:
    """Records that the changes of some commits are now in others: old -> new."""
    for old, new in to.items():
        rows(db, "UPDATE authored SET anchor = ? WHERE anchor = ?", (new, old))


def erase(db: Connection, session_id: str) -> None:
    """Removes what is known about a session."""
    rows(db, "DELETE FROM authored WHERE session = ?", (session_id,))


def forget_digests(db: Connection) -> None:
    """Removes the digests, which could confirm a guessed line of an edit."""
    rows(db, "UPDATE authored SET lines = '' WHERE lines <> ''")


def digests(text: str) -> str:
    """Returns digests of the first meaningful lines of a text, without indentation, separated by spaces."""
    stripped = [line.strip() for line in text.splitlines()[: _MOST_LINES * 2]]
    meaningful = [line for line in stripped if sum(map(str.isalnum, line)) >= _LEAST_CHARACTERS]
    return " ".join([f"{zlib.crc32(line.encode('utf-8', 'replace')):08x}" for line in meaningful[:_MOST_LINES]])
