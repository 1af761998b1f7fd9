"""The shipped vocabulary of cl100k_base: from a byte string to its merge rank. `scripts/vocabulary` makes the file."""

from __future__ import annotations

import os
from _thread import allocate_lock  # threading costs 2 ms to import

import apsw

from memcli.errors import MemError
from memcli.store import immutable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from memcli.text.tokens import Rank

    Execute = Callable[..., apsw.Cursor]

PATH = os.path.join(os.path.dirname(__file__), "cl100k.db")
_MOST_KEPT = 50_000
_AT_ONCE = 500  # pieces in one question

_ranks_of_pieces: dict[bytes, int | None] = {}
_all_ranks: dict[bytes, int] = {}
_execute: Execute | None = None
_lock = allocate_lock()  # of the connection, which raises where two threads use it at once


def ranks() -> Rank:
    """Returns the function from a byte string to its rank; the vocabulary is opened once a process."""
    return _all_ranks.get if _all_ranks else _ranks(PATH, _shipped(), _ranks_of_pieces)


def learn(pieces: Iterable[str]) -> None:
    """Looks many pieces of text up at once, which costs a fifth of asking for one after the other. Raises MemError."""
    if _all_ranks:
        return
    unknown = [
        piece for piece in dict.fromkeys([piece.encode("utf-8", "replace") for piece in pieces]) if piece not in _ranks_of_pieces
    ]
    for start in range(0, len(unknown), _AT_ONCE):
        batch = unknown[start : start + _AT_ONCE]
        _ranks_of_pieces.update(dict.fromkeys(batch))
        try:
            marks = ", ".join("?" for _ in batch)
            with _lock:
                ranked: list[Any] = _shipped()(f"SELECT bytes, rank FROM token WHERE bytes IN ({marks})", batch).fetchall()
        except apsw.Error as error:
            raise _unusable(PATH, error) from error
        _ranks_of_pieces.update(ranked)


def whole() -> Rank:
    """Returns the function of `ranks` with the whole vocabulary in memory from now on. Raises MemError.

    That takes 0.1 s and 14 MB; then no look-up costs more than a dict's. For a command that counts megabytes.
    """
    try:
        with _lock:
            _all_ranks.update(dict(_shipped()("SELECT bytes, rank FROM token")) if not _all_ranks else ())
    except apsw.Error as error:
        raise _unusable(PATH, error) from error
    return _all_ranks.get


def ranks_of(path: str) -> Rank:
    """Returns the rank function of the vocabulary at `path`; MemError if it is missing or damaged, now or when read."""
    return _ranks(path, _open(path), {})


def _shipped() -> Execute:
    global _execute
    if _execute is None:
        _execute = _open(PATH)
    return _execute


def _open(path: str) -> Execute:
    try:
        return immutable(path).execute
    except apsw.Error as error:
        raise _unusable(path, error) from error


def _ranks(path: str, execute: Execute, cache: dict[bytes, int | None]) -> Rank:
    def rank(token: bytes) -> int | None:
        try:
            return cache[token]
        except KeyError:
            pass
        try:
            with _lock:
                merge_rank: int | None = execute("SELECT rank FROM token WHERE bytes = ?", (token,)).get
        except apsw.Error as error:
            raise _unusable(path, error) from error
        if len(cache) >= _MOST_KEPT:
            cache.clear()
        cache[token] = merge_rank
        return merge_rank

    return rank


def _unusable(path: str, error: apsw.Error) -> MemError:
    return MemError(f"the vocabulary {path} cannot be read: {error}", "reinstall memcli", "damaged_installation")
