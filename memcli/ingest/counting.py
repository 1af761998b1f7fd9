"""Token counts of many lines: the same numbers as `text.tokens.count`, some thirty times as fast.

Only cold commands come here: the pattern of cl100k is a regular expression, pieces and lines that were met are remembered, and
the whole vocabulary is loaded once a file or more needs it.
"""

from __future__ import annotations

import re

from memcli.store import vocabulary
from memcli.text import forms, terminal, tokens

# The pattern of text/tokens.py where all characters are ASCII: any other is first replaced by one of its class (_Alike).
_PIECE = re.compile(
    r"'(?:[sdmtSDMT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\nA-Za-z0-9]?+[A-Za-z]++|[0-9]{1,3}+| ?[^\sA-Za-z0-9]++[\r\n]*+"
    r"|\s++\Z|\s*[\r\n]|\s+(?!\S)|\s",
    re.ASCII,
)
_LOOKED_UP = 2_000  # pieces that are asked for one by one before the whole vocabulary is worth its 0.1 s
_PIECES = 200_000
_LINES = 50_000


class _Alike(dict[int, str]):
    """An ASCII character of the same class for every character, for `str.translate`."""

    def __missing__(self, point: int) -> str:
        kind = tokens.kind(chr(point))
        self[point] = char = chr(point) if point < 0x80 else "s" if point == 0x17F else "a0\t!"[kind]
        return char


class _Pieces(dict[str, int]):
    """The tokens of each piece, counted when it is first met."""

    def __init__(self) -> None:
        self.rank = vocabulary.ranks()
        self.missed = 0

    def __missing__(self, piece: str) -> int:
        self.missed += 1
        if self.missed == _LOOKED_UP:
            self.rank = vocabulary.whole()
        if len(self) >= _PIECES:
            self.clear()
        self[piece] = found = tokens.count_piece(piece, self.rank)
        return found


_alike = _Alike()
_pieces: _Pieces | None = None
_rows: dict[str, tuple[int, int]] = {}


def count(text: str) -> int:
    """Returns the number of tokens of a text, as `tokens.count` does."""
    global _pieces
    if _pieces is None:
        _pieces = _Pieces()
    if text.isascii():
        return sum(map(_pieces.__getitem__, _PIECE.findall(text)))
    same = text.translate(_alike)
    return sum([_pieces[text[found.start() : found.end()]] for found in _PIECE.finditer(same)])


def row(shown: str) -> tuple[int, int]:
    """Returns what a printable row of a chunk costs in a prompt and in XML, with the line breaks that may follow it."""
    found = _rows.get(shown)
    if found is None:
        plain = count(f"{forms.INDENT}{shown}\n") if shown else 1
        marked = terminal.xml(shown)
        if len(_rows) >= _LINES:
            _rows.clear()
        _rows[shown] = found = (plain, plain if marked == shown else count(f"{forms.INDENT}{marked}\n"))
    return found


def line(text: str) -> int:
    """Returns what a line of a file costs when it is printed: in the form where it costs more."""
    found = _rows.get(text)
    if found is None:
        shown = terminal.visible(text).rstrip()
        if len(shown) > forms.FOLD:
            return sum([max(row(part)) for part in forms.folded(shown)])
        found = row(shown)
    return max(found)
