"""A file as the cutters see it: its lines, what each costs when it is printed, and how to cut by that cost."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from memcli.ingest import counting
from memcli.records import Record

CLIP = 8_000
"""Characters of a line that a chunk keeps. Nobody writes longer ones to be read."""

# Tokens of the limit that are reserved for the heading: id, path, lines and name. Not counted from the path itself, because a
# renamed file must be cut as before, so that its chunks keep their ids.
_HEADING_TOKENS = 48
_MIN_TOKENS = 16  # below this limit every line would be a chunk of its own
_SYMBOL = 120  # characters
_NAMES = 3  # definitions of a chunk that its symbol lists


class Piece(Record):
    """Lines `first_line` to `last_line` (from 1) of a file. `text` has no line break after its last line."""

    first_line: int
    last_line: int
    text: str
    symbol: str
    kind: str


class Unit(Record):
    """Rows of a file (from 0, the last included) that stay together where they fit. `name` is qualified; `source` is whatever
    its creator needs to cut it further."""

    first: int
    last: int
    name: str
    kind: str
    is_definition: bool
    source: object = None


class SourceDocument:
    """The rows of a file and what they cost. A chunk may cost `limit` tokens; chunks of one definition overlap by `overlap`."""

    def __init__(self, lines: list[str], chunk_tokens: int, overlap_tokens: int) -> None:
        self.lines = [line if len(line) <= CLIP else line[:CLIP] + "…" for line in lines]
        self.limit = max(chunk_tokens - _HEADING_TOKENS, chunk_tokens // 2, _MIN_TOKENS)
        self.overlap = max(0, min(overlap_tokens, self.limit // 4))
        self.sums = [0, *accumulate(counting.lines(self.lines) if lines else [])]
        self.code_rows: set[int] = set()  # inside fenced code
        self.blank = [not line.strip() for line in self.lines]

    def cost(self, first: int, last: int) -> int:
        """Returns what rows cost in tokens, the last included."""
        return self.sums[last + 1] - self.sums[first]

    def piece(self, first: int, last: int, symbol: str, kind: str) -> Piece:
        """Returns rows as a piece."""
        return Piece(first + 1, last + 1, "\n".join(self.lines[first : last + 1]), symbol, kind)

    def is_blank(self, first: int, last: int) -> bool:
        """Tells whether all the rows are blank."""
        return all(self.blank[first : last + 1])


def qualified(outer: str, name: str, separator: str) -> str:
    """Returns a name below an outer one; of a very long one the end."""
    full = f"{outer}{separator}{name}" if outer and name else outer or name
    return full if len(full) <= _SYMBOL else "…" + full[-_SYMBOL:]


def join(document: SourceDocument, units: Iterable[Unit]) -> list[list[Unit]]:
    """Groups neighbours into chunks; a unit that is too large is alone.

    Text that defines nothing is joined up to the limit, definitions up to three quarters of it, so that a large one is alone; a
    unit smaller than an eighth joins a neighbour wherever it fits.
    """
    groups: list[list[Unit]] = []
    group_size = 0
    for unit in units:
        size = document.cost(unit.first, unit.last)
        joint_size = group_size + size
        defines = unit.is_definition or (bool(groups) and any(member.is_definition for member in groups[-1]))
        is_small = min(group_size, size) < document.limit // 8 or joint_size <= document.limit * 3 // 4
        if groups and joint_size <= document.limit and (is_small or not defines):
            groups[-1].append(unit)
            group_size = joint_size
        else:
            groups.append([unit])
            group_size = size
    return groups


def in_order(pieces: list[Piece]) -> list[Piece]:
    """Returns pieces in the order of their lines."""
    return sorted(pieces, key=lambda piece: piece.first_line)


def labels(group: Sequence[Unit]) -> tuple[str, str]:
    """Returns the symbol and the kind of a chunk: the names of its definitions, the kind of the first."""
    definitions = [unit for unit in group if unit.is_definition] or group[:1]
    names = list(dict.fromkeys([unit.name for unit in definitions if unit.name]))
    symbol = ", ".join(names[:_NAMES]) + (", …" if len(names) > _NAMES else "")
    return qualified("", symbol, "") if len(names) == 1 else symbol, definitions[0].kind


def fill(
    document: SourceDocument, first: int, last: int, level: Callable[[int], int], overlaps: bool = False
) -> list[tuple[int, int]]:
    """Cuts rows into stretches (first, last) of about equal cost within the limit; a row that costs more is alone.

    `level` rates a row as the start of a stretch: 0 is best. With `overlaps`, each stretch repeats the end of the one before.
    """
    limit = document.limit - (document.overlap if overlaps else 0)
    stretches: list[tuple[int, int]] = []
    start = first
    while start <= last:
        remaining = document.cost(start, last)
        end = last
        if remaining > limit:
            # Stretches of equal cost rather than full ones and a small one at the end; 1.2 leaves room to find a good place.
            share = remaining / -(-remaining // limit)
            max_sum = document.sums[start] + min(limit, int(share * 1.2) + 1)
            end = max(start, min(last, bisect_right(document.sums, max_sum, start + 1, last + 2) - 2))
            end = _best_end(document, start, end, level) if end < last else end
            while end < last and (document.blank[end + 1] or document.is_blank(start, end)):
                end += 1
        stretches.append((_overlap_start(document, stretches, start) if overlaps else start, end))
        start = end + 1
    return stretches


def _best_end(document: SourceDocument, start: int, end: int, level: Callable[[int], int]) -> int:
    """Returns the last row of a stretch that may reach `end`: before the best row in its second half, the last of equals."""
    half = (document.sums[start] + document.sums[end + 1]) / 2
    best_level, best_end = level(end + 1), end
    for row in range(end, start, -1):
        if document.sums[row] < half:
            break
        if level(row) < best_level:
            best_level, best_end = level(row), row - 1
    return best_end


def _overlap_start(document: SourceDocument, before: Sequence[tuple[int, int]], start: int) -> int:
    """Returns the row from which a stretch that begins at `start` repeats the one before, whole rows only."""
    if not before:
        return start
    row = start
    while row - 1 > before[-1][0] and document.cost(row - 1, start - 1) <= document.overlap:
        row -= 1
    while row < start and document.blank[row]:
        row += 1
    return row


def cut_text(document: SourceDocument) -> list[Piece]:
    """Returns the pieces of a text without a structure: cut at blank lines where that makes good chunks, else between lines."""
    stretches = fill(document, 0, len(document.lines) - 1, lambda row: text_level(document, row))
    return [document.piece(first, last, "", "text") for first, last in stretches]


def text_level(document: SourceDocument, row: int) -> int:
    """Rates a row as a place for a cut: 0 unindented after a blank line, 1 either of these, 2 neither; 3 in code."""
    if row in document.code_rows:
        return 3
    return (not document.blank[row - 1] or document.blank[row]) + document.lines[row][:1].isspace()
