"""A file as the cutters see it: its lines, what each costs when it is printed, and cutting by that measure."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from memcli.ingest import counting
from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

CLIP = 8_000
"""Characters of a line that a chunk keeps. Whoever writes longer ones does not mean them to be read."""

_HEADING_TOKENS = (
    48  # of the limit, put aside for the heading, id, path, lines and name. Not counted from the path itself: a file
)
# that is renamed must be cut as before, so that its chunks keep their ids.
_LEAST = 16  # tokens: below it a limit would part every line from its neighbours
_SYMBOL = 120  # characters
_NAMES = 3  # of the definitions in one chunk, that its symbol lists


class Piece(Record):
    """Lines `first_line` to `last_line` (from 1) of a file. `text` has no end after its last line."""

    first_line: int
    last_line: int
    text: str
    symbol: str
    kind: str


class Unit(Record):
    """Rows of a file (from 0, the last included) that stay together where they fit. `name` is qualified; `source` is
    whatever its maker needs to cut it further."""

    first: int
    last: int
    name: str
    kind: str
    is_definition: bool
    source: object = None


class Sheet:
    """The rows of a file with what they cost. A chunk may cost `limit` tokens; `overlap` are repeated inside a definition."""

    def __init__(self, lines: list[str], chunk_tokens: int, overlap_tokens: int) -> None:
        self.lines = [line if len(line) <= CLIP else line[:CLIP] + "…" for line in lines]
        self.limit = max(chunk_tokens - _HEADING_TOKENS, chunk_tokens // 2, _LEAST)
        self.overlap = max(0, min(overlap_tokens, self.limit // 4))
        self.sums = [0, *accumulate(counting.lines(self.lines) if lines else [])]
        self.solid: set[int] = set()  # rows inside fenced code
        self.blank = [not line.strip() for line in self.lines]

    def cost(self, first: int, last: int) -> int:
        """Returns what rows cost in tokens, the last included."""
        return self.sums[last + 1] - self.sums[first]

    def piece(self, first: int, last: int, symbol: str, kind: str) -> Piece:
        """Returns rows as a piece."""
        return Piece(first + 1, last + 1, "\n".join(self.lines[first : last + 1]), symbol, kind)

    def is_blank(self, first: int, last: int) -> bool:
        """Tells whether nothing is written in the rows."""
        return all(self.blank[first : last + 1])


def qualified(outer: str, name: str, sign: str) -> str:
    """Returns a name below an outer one; of a very long one the end."""
    whole = f"{outer}{sign}{name}" if outer and name else outer or name
    return whole if len(whole) <= _SYMBOL else "…" + whole[-_SYMBOL:]


def join(sheet: Sheet, units: Iterable[Unit]) -> list[list[Unit]]:
    """Returns neighbours in groups that make a chunk each; one that is too large by itself is alone.

    Text without a definition of its own is joined up to the limit, definitions up to three quarters of it, so that a large one is
    alone; what is smaller than an eighth goes with a neighbour wherever it fits.
    """
    groups: list[list[Unit]] = []
    before = 0
    for unit in units:
        size = sheet.cost(unit.first, unit.last)
        both = before + size
        named = unit.is_definition or (bool(groups) and any(one.is_definition for one in groups[-1]))
        small = min(before, size) < sheet.limit // 8 or both <= sheet.limit * 3 // 4
        if groups and both <= sheet.limit and (small or not named):
            groups[-1].append(unit)
            before = both
        else:
            groups.append([unit])
            before = size
    return groups


def in_order(pieces: list[Piece]) -> list[Piece]:
    """Returns pieces in the order of their lines."""
    return sorted(pieces, key=lambda piece: piece.first_line)


def labels(group: Sequence[Unit]) -> tuple[str, str]:
    """Returns the symbol and the kind of a chunk: the names of its definitions, the kind of the first."""
    named = [unit for unit in group if unit.is_definition] or group[:1]
    names = list(dict.fromkeys([unit.name for unit in named if unit.name]))
    symbol = ", ".join(names[:_NAMES]) + (", …" if len(names) > _NAMES else "")
    return qualified("", symbol, "") if len(names) == 1 else symbol, named[0].kind


def fill(sheet: Sheet, first: int, last: int, level: Callable[[int], int], overlaps: bool = False) -> list[tuple[int, int]]:
    """Returns rows in stretches (first, last) of about the same cost within the limit, a single row that costs more alone.

    `level` tells how good a place a row is to begin a stretch: 0 the best. Where the stretches `overlaps`, each but the first
    repeats the end of the one before.
    """
    limit = sheet.limit - (sheet.overlap if overlaps else 0)
    stretches: list[tuple[int, int]] = []
    start = first
    while start <= last:
        rest = sheet.cost(start, last)
        end = last
        if rest > limit:
            share = rest / -(-rest // limit)
            most = sheet.sums[start] + min(limit, int(share * 1.2) + 1)
            end = max(start, min(last, bisect_right(sheet.sums, most, start + 1, last + 2) - 2))
            end = _best_end(sheet, start, end, level) if end < last else end
            while end < last and (sheet.blank[end + 1] or sheet.is_blank(start, end)):
                end += 1
        stretches.append((_reach_back(sheet, stretches, start) if overlaps else start, end))
        start = end + 1
    return stretches


def _best_end(sheet: Sheet, start: int, end: int, level: Callable[[int], int]) -> int:
    """Returns where a stretch ends that may reach `end`: before the best row in its second half, the last of equals."""
    half = (sheet.sums[start] + sheet.sums[end + 1]) / 2
    best, found = level(end + 1), end
    for row in range(end, start, -1):
        if sheet.sums[row] < half:
            break
        if level(row) < best:
            best, found = level(row), row - 1
    return found


def _reach_back(sheet: Sheet, before: Sequence[tuple[int, int]], start: int) -> int:
    """Returns the row from which a stretch that begins at `start` repeats what is before it, whole rows only."""
    if not before:
        return start
    row = start
    while row - 1 > before[-1][0] and sheet.cost(row - 1, start - 1) <= sheet.overlap:
        row -= 1
    while row < start and sheet.blank[row]:
        row += 1
    return row
