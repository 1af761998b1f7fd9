"""Token counts of many lines: the same numbers as `text.tokens.count`, three times as fast, and nine times what was met before.

Only cold commands come here: the pattern of cl100k is a regular expression, pieces and lines that were met are remembered, and
the whole vocabulary is loaded once a file or more needs it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate, compress

from memcli.store import vocabulary
from memcli.text import forms, terminal, tokens

# The pattern of text/tokens.py where all characters are ASCII: any other is first replaced by one of its class (_Alike).
_PIECE = re.compile(
    r"'(?:[sdmtSDMT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\nA-Za-z0-9]?+[A-Za-z]++|[0-9]{1,3}+| ?[^\sA-Za-z0-9]++[\r\n]*+"
    r"|\s++\Z|\s*[\r\n]|\s+(?!\S)|\s",
    re.ASCII,
)
_TAIL = re.compile(r" ?(?:[^\s\w]|_)+\Z|\Z")
_LOOKED_UP = 2_000  # pieces that are asked for one by one before the whole vocabulary is worth its 0.1 s
_PIECES = 60_000  # remembered; five times as many save a twentieth of the time, and take 30 MB of every process that reads
_ROWS = 10_000


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
known: dict[str, tuple[int, int]] = {}
"""What `row` has found, for a caller that cannot afford a call a row."""


def count(text: str) -> int:
    """Returns the number of tokens of a text, as `tokens.count` does."""
    return sum(map(_table().__getitem__, split(text)))


def split(text: str) -> list[str]:
    """Returns the pieces of a text, as `tokens.pieces` does."""
    if text.isascii():
        return _PIECE.findall(text)
    return [text[found.start() : found.end()] for found in _PIECE.finditer(text.translate(_alike))]


def _table() -> _Pieces:
    global _pieces
    if _pieces is None:
        _pieces = _Pieces()
    return _pieces


def row(shown: str) -> tuple[int, int]:
    """Returns what a printable row of a chunk costs in a prompt and in XML, with its line break."""
    if not shown:
        return 1, 1
    if shown not in known:
        if len(known) >= _ROWS:
            known.clear()
        _learn([shown])
    return known[shown]


def _learn(rows: list[str]) -> None:
    """Counts rows that are not empty and remembers them."""
    marked = [shown for shown in rows if "&" in shown or "<" in shown or ">" in shown or '"' in shown]
    costs = _costs([*rows, *map(terminal.xml, marked)])
    known.update(zip(rows, zip(costs, costs)))
    known.update(zip(marked, zip([known[shown][0] for shown in marked], costs[len(rows) :])))


def _costs(rows: list[str]) -> list[int]:
    """Returns what rows cost. Those with other characters than ASCII are apart: they take several times as long."""
    plain = [row for row in rows if row.isascii()]
    if len(plain) < len(rows):
        other = [row for row in rows if not row.isascii()]
        found = (iter(_in_one_go(plain)), iter(_in_one_go(other)))
        return [next(found[not row.isascii()]) for row in rows]
    return _in_one_go(rows)


def _in_one_go(rows: list[str]) -> list[int]:
    """Returns what rows cost: each ends in a piece with its line break, which no other piece has."""
    if not rows:
        return []
    pieces = split(f"\n{forms.INDENT}".join(["", *rows])[1:] + "\n")
    totals = [*compress(accumulate(map(_table().__getitem__, pieces)), [piece[-1] == "\n" for piece in pieces])]
    return [total - before for before, total in zip([0, *totals], totals)]


def breaks(shown: str, more: int) -> tuple[int, int]:
    """Returns what further line breaks after a printable row cost in a prompt and in XML: they are one piece with its own, and
    with the signs that it ends in."""
    found = _TAIL.search(f" {shown}")
    return _breaks(found[0] if found else "", more)


@lru_cache(maxsize=1_000)
def _breaks(tail: str, more: int) -> tuple[int, int]:
    marked = terminal.xml(tail)
    ends = "\n" * (more + 1)
    plain = count(tail + ends) - count(f"{tail}\n")
    return plain, plain if marked == tail else count(marked + ends) - count(f"{marked}\n")


def lines(texts: list[str]) -> list[int]:
    """Returns what each line of a file costs when it is printed: in the form where it costs more. An empty one costs nothing
    below another: its line break is one piece with that line's."""
    shown = [line.rstrip() for line in terminal.visible("\n".join(texts)).split("\n")]
    long = {line: forms.folded(line) for line in shown if len(line) > forms.FOLD}
    rows = [line for line in shown if line and line not in long]
    for folded in long.values():
        rows += [part for part in folded if part]
    if len(known) + len(rows) > _ROWS:
        known.clear()
    _learn([line for line in dict.fromkeys(rows) if line not in known])
    costs = {line: sum([max(known[part]) for part in folded if part]) for line, folded in long.items()}
    costs[""] = 0
    return [max(known[line]) if line in known else costs[line] for line in shown]
