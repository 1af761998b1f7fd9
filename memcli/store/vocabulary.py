"""The shipped vocabulary of cl100k_base: from a byte string to its merge rank. `scripts/vocabulary` makes the file."""

from __future__ import annotations

import os

import apsw

from memcli.errors import MemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.text.tokens import Rank

PATH = os.path.join(os.path.dirname(__file__), "cl100k.db")
_REMEMBERED = 50_000

_rank: Rank | None = None


def ranks() -> Rank:
    """Returns the function from a byte string to its rank; the vocabulary is opened once a process."""
    global _rank
    if _rank is None:
        _rank = opened(PATH)
    return _rank


def opened(path: str) -> Rank:
    """Returns the rank function of the vocabulary at `path`; MemError if it is missing or damaged, now or when read."""
    # Immutable: no lock is taken for any of the many look-ups, and the directory may be read-only.
    escaped = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    known: dict[bytes, int | None] = {}
    try:
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        execute = apsw.Connection(f"file:{escaped}?immutable=1", flags=flags).execute
        execute("SELECT tokens FROM about")
    except apsw.Error as error:
        raise _unusable(path, error) from error

    def rank(token: bytes) -> int | None:
        try:
            return known[token]
        except KeyError:
            pass
        try:
            found: int | None = execute("SELECT rank FROM token WHERE bytes = ?", (token,)).get
        except apsw.Error as error:
            raise _unusable(path, error) from error
        if len(known) >= _REMEMBERED:
            known.clear()
        known[token] = found
        return found

    return rank


def _unusable(path: str, error: apsw.Error) -> MemError:
    return MemError(f"the vocabulary {path} cannot be read: {error}", "reinstall memcli", "damaged_installation")
