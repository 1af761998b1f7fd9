"""Token counts of many lines: the same numbers as `text.tokens.count`, three times as fast, and nine times with a warm cache.

For cold commands only: the pattern of cl100k is a regular expression, counts of pieces and lines are cached, and the whole
vocabulary is loaded as soon as that is faster.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate, compress

from memcli.store import vocabulary
from memcli.text import forms, terminal, tokens

# The pattern of text/tokens.py where all characters are ASCII: any other is first replaced by one of its class (_AsciiClass).
_PIECE = re.compile(
    r"'(?:[sdmtSDMT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\nA-Za-z0-9]?+[A-Za-z]++|[0-9]{1,3}+| ?[^\sA-Za-z0-9]++[\r\n]*+"
    r"|\s++\Z|\s*[\r\n]|\s+(?!\S)|\s",
    re.ASCII,
)
_TAIL = re.compile(r" ?(?:[^\s\w]|_)+\Z|\Z")
_MAX_LOOKUPS = 2_000  # of single pieces before it is worth 0.1 s to load the whole vocabulary
_MAX_PIECES = 60_000  # cached; five times as many save a twentieth of the time and take 30 MB of every process that reads
_MAX_ROWS = 10_000  # cached


class _AsciiClass(dict[int, str]):
    """An ASCII character of the same class for every character, for `str.translate`."""

    def __missing__(self, point: int) -> str:
        kind = tokens.kind(chr(point))
        self[point] = char = chr(point) if point < 0x80 else "s" if point == 0x17F else "a0\t!"[kind]
        return char


class _PieceCounts(dict[str, int]):
    """The tokens of each piece, counted on first use."""

    def __init__(self) -> None:
        self.rank = vocabulary.ranks()
        self.misses = 0

    def __missing__(self, piece: str) -> int:
        self.misses += 1
        if self.misses == _MAX_LOOKUPS:
            self.rank = vocabulary.whole()
        if len(self) >= _MAX_PIECES:
            self.clear()
        self[piece] = count = tokens.count_piece(piece, self.rank)
        return count


_ascii_class = _AsciiClass()
_piece_counts: _PieceCounts | None = None
row_costs: dict[str, tuple[int, int]] = {}
"""The cache of `row_cost`, for a caller that cannot afford a function call for each row."""


def count(text: str) -> int:
    """Returns the number of tokens of a text, as `tokens.count` does."""
    return sum(map(_table().__getitem__, split(text)))


def split(text: str) -> list[str]:
    """Returns the pieces of a text, as `tokens.pieces` does."""
    if text.isascii():
        return _PIECE.findall(text)
    return [text[match.start() : match.end()] for match in _PIECE.finditer(text.translate(_ascii_class))]


def _table() -> _PieceCounts:
    global _piece_counts
    if _piece_counts is None:
        _piece_counts = _PieceCounts()
    return _piece_counts


def row_cost(row: str) -> tuple[int, int]:
    """Returns what a printable row of a chunk costs in a prompt and in XML, with its line break."""
    if not row:
        return 1, 1
    if row not in row_costs:
        if len(row_costs) >= _MAX_ROWS:
            row_costs.clear()
        _count_rows([row])
    return row_costs[row]


def _count_rows(rows: list[str]) -> None:
    """Counts rows that are not empty and caches the counts."""
    escaped = [row for row in rows if "&" in row or "<" in row or ">" in row or '"' in row]
    counts = _counts([*rows, *map(terminal.xml, escaped)])
    row_costs.update(zip(rows, zip(counts, counts)))
    row_costs.update(zip(escaped, zip([row_costs[row][0] for row in escaped], counts[len(rows) :])))


def _counts(rows: list[str]) -> list[int]:
    """Returns the tokens of rows. Those with other characters than ASCII are counted apart: they take several times as long."""
    ascii_rows = [row for row in rows if row.isascii()]
    if len(ascii_rows) < len(rows):
        non_ascii_rows = [row for row in rows if not row.isascii()]
        counts = (iter(_counts_at_once(ascii_rows)), iter(_counts_at_once(non_ascii_rows)))
        return [next(counts[not row.isascii()]) for row in rows]
    return _counts_at_once(rows)


def _counts_at_once(rows: list[str]) -> list[int]:
    """Returns the tokens of rows: each ends in a piece with its line break, which no other piece has."""
    if not rows:
        return []
    pieces = split(f"\n{forms.INDENT}".join(["", *rows])[1:] + "\n")
    totals = [*compress(accumulate(map(_table().__getitem__, pieces)), [piece[-1] == "\n" for piece in pieces])]
    return [total - before for before, total in zip([0, *totals], totals)]


def break_costs(row: str, count: int) -> tuple[int, int]:
    """Returns what further line breaks after a printable row cost in a prompt and in XML: they are one piece with its own, and
    with the signs in which it ends."""
    tail = _TAIL.search(f" {row}")
    return _tail_costs(tail[0] if tail else "", count)


@lru_cache(maxsize=1_000)
def _tail_costs(tail: str, breaks: int) -> tuple[int, int]:
    escaped = terminal.xml(tail)
    ends = "\n" * (breaks + 1)
    plain = count(tail + ends) - count(f"{tail}\n")
    return plain, plain if escaped == tail else count(escaped + ends) - count(f"{escaped}\n")


def lines(texts: list[str]) -> list[int]:
    """Returns what each line of a file costs when it is printed, in the form where it costs more. A blank one costs nothing
    below another: its line break is one piece with that line's."""
    printed = [line.rstrip() for line in terminal.visible("\n".join(texts)).split("\n")]
    folded = {line: forms.folded(line) for line in printed if len(line) > forms.FOLD}
    rows = [line for line in printed if line and line not in folded]
    for folds in folded.values():
        rows += [fold for fold in folds if fold]
    if len(row_costs) + len(rows) > _MAX_ROWS:
        row_costs.clear()
    _count_rows([row for row in dict.fromkeys(rows) if row not in row_costs])
    costs = {line: sum([max(row_costs[fold]) for fold in folds if fold]) for line, folds in folded.items()}
    costs[""] = 0
    return [max(row_costs[line]) if line in row_costs else costs[line] for line in printed]
