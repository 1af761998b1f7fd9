"""The part of a text that shows why it was found."""

from __future__ import annotations

from memcli.store import search
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.recall.candidates import ParsedQuery
    from memcli.store.db import Connection

WORDS = 24


def excerpts(db: Connection, asked: ParsedQuery) -> Callable[[str], str]:
    """Returns a function from a text to its WORDS words with most of what is asked, on one line; the first where none is there.

    FTS5's snippet() chooses alike, but looks up all words of the question again for every row: ten times the work.
    """
    places = search.placer(db)
    words, begun = _demanded(asked.required)
    wanted = {stem for _, _, stem in places(" ".join([*asked.all_terms(), *words]))}

    def excerpt(text: str) -> str:
        tokens = places(text)
        start = _start([(n, stem) for n, (_, _, stem) in enumerate(tokens) if stem in wanted or stem.startswith(begun)])
        end = start + WORDS
        said = text.encode()
        if end < len(tokens):
            said = said[: tokens[end - 1][1]] + "…".encode()
        if start > 0:
            said = "…".encode() + said[tokens[start][0] :]
        return oneline(said.decode())

    return excerpt


def _start(found: Sequence[tuple[int, str]]) -> int:
    """Returns the word at which to begin, so that most different stems, then most words of `found` are shown, in the middle."""
    best, start = (0, 0), 0
    for place, (first, _) in enumerate(found):
        inside = [(n, stem) for n, stem in found[place : place + WORDS] if n < first + WORDS]
        worth = len({stem for _, stem in inside}), len(inside)
        if worth > best:
            best, start = worth, max(0, first - (WORDS - (inside[-1][0] - first + 1)) // 2)
    return start


def _demanded(expression: str) -> tuple[list[str], tuple[str, ...]]:
    """Returns the words and the beginnings of words that stand in an FTS5 expression, where all of them are quoted."""
    outside, inside = expression.split('"')[::2], expression.split('"')[1::2]
    words = [word for word, after in zip(inside, outside[1:]) if not after.startswith("*")]
    return words, tuple([word.split()[-1].lower() for word, after in zip(inside, outside[1:]) if after.startswith("*")])
