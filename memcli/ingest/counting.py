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
_MARKED = re.compile(r'[^ &<>"]*+[&<>"][^ ]*+')  # a run with what XML escapes
_TAIL = re.compile(r" ?(?:[^\s\w]|_)+\Z|\Z")
_LOOKED_UP = 2_000  # pieces that are asked for one by one before the whole vocabulary is worth its 0.1 s
_PIECES = 300_000
_ROWS = 50_000


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


class _Escapes(dict[str, int]):
    """By how much a run without a space, as it is after one, costs more in XML. No piece goes on after a space, so that this
    is all that escaping changes."""

    def __missing__(self, run: str) -> int:
        if len(self) >= _PIECES:
            self.clear()
        self[run] = more = count(f" {terminal.xml(run)}") - count(f" {run}")
        return more


_alike = _Alike()
_escapes = _Escapes()
_pieces: _Pieces | None = None
known: dict[str, tuple[int, int]] = {}
"""What `row` has found, for a caller that cannot afford a call a row."""


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
    """Returns what a printable row of a chunk costs in a prompt and in XML, with its line break."""
    found = known.get(shown)
    if found is None:
        marked = plain = count(f"{forms.INDENT}{shown}\n") if shown else 1
        if "&" in shown or "<" in shown or ">" in shown or '"' in shown:
            marked += sum(map(_escapes.__getitem__, _MARKED.findall(shown + "\n")))
        if len(known) >= _ROWS:
            known.clear()
        known[shown] = found = (plain, marked)
    return found


def breaks(shown: str, more: int) -> tuple[int, int]:
    """Returns what further line breaks after a printable row cost in a prompt and in XML: they are one piece with its own, and
    with the signs that it ends in."""
    found = _TAIL.search(f" {shown}")
    tail = found[0] if found else ""
    marked = terminal.xml(tail)
    ends = "\n" * (more + 1)
    plain = count(tail + ends) - count(f"{tail}\n")
    return plain, plain if marked == tail else count(marked + ends) - count(f"{marked}\n")


def lines(texts: list[str]) -> list[int]:
    """Returns what each line of a file costs when it is printed: in the form where it costs more."""
    shown = [line.rstrip() for line in terminal.visible("\n".join(texts)).split("\n")]
    return [
        max(known.get(line) or row(line)) if len(line) <= forms.FOLD else sum([max(row(part)) for part in forms.folded(line)])
        for line in shown
    ]
