"""Cutting by an outline: marks (headings, keys) of a depth and with a name, each of which rules the lines below it."""

from __future__ import annotations

from memcli.ingest.cut.sheet import Unit, fill, in_order, join, labels, qualified
from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.ingest.cut.sheet import Piece, Sheet


class Mark(Record):
    """A line that begins a part. What is deeper belongs to it."""

    row: int
    depth: int
    name: str


class Style(Record):
    """How the parts of an outline are named and cut. `level` tells how good a row of plain text is for a cut (`fill`)."""

    kind: str
    sign: str
    level: Callable[[Sheet, int], int]


def cut(sheet: Sheet, marks: Sequence[Mark], style: Style) -> list[Piece]:
    """Returns the pieces of a text by its marks, in order of rows: whole parts where they fit, else the parts of these.

    Of several marks on one row the first counts.
    """
    marks = [mark for place, mark in enumerate(marks) if not place or marks[place - 1].row < mark.row]
    pieces: list[Piece] = []
    waiting = [Unit(0, len(sheet.lines) - 1, "", style.kind, False, (0, len(marks)))]
    while waiting:
        part = waiting.pop()
        for group in join(sheet, _parts(part, marks, style)):
            first, last = group[0].first, group[-1].last
            name, kind = labels(group)
            if sheet.cost(first, last) <= sheet.limit:
                pieces.append(sheet.piece(first, last, name, kind))
            elif group[0].source and group[0] != part:  # one alone: what is joined fits
                waiting.append(group[0])
            else:
                stretches = fill(sheet, first, last, lambda row: style.level(sheet, row))
                pieces += [sheet.piece(start, end, name, kind) for start, end in stretches]
    return in_order(pieces)


def _parts(part: Unit, marks: Sequence[Mark], style: Style) -> list[Unit]:
    """Returns the parts of a part: what is before its first mark, then one for each of its uppermost marks.

    The source of a part is (first, end): the marks that it holds below its own.
    """
    low, high = part.source if isinstance(part.source, tuple) else (0, 0)
    if low == high:
        return [part]
    top, tops = marks[low].depth, [low]
    for place in range(low + 1, high):
        if marks[place].depth <= top:  # of an outline that begins too deep each shallower mark is uppermost, too
            top = marks[place].depth
            tops.append(place)
    parts = []
    if marks[low].row > part.first:
        parts.append(Unit(part.first, marks[low].row - 1, part.name, style.kind, bool(part.name)))
    for place, end in zip(tops, [*tops[1:], high]):
        last = marks[end].row - 1 if end < high else part.last
        name = qualified(part.name, marks[place].name, style.sign)
        parts.append(Unit(marks[place].row, last, name, style.kind, bool(marks[place].name), (place + 1, end)))
    return parts
