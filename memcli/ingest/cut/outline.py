"""Cutting by an outline: marks (headings, keys) with a depth and a name; each covers the lines below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memcli.ingest.cut.document import Piece, SourceDocument, Unit, fill, in_order, join, labels, qualified
from memcli.records import Record


class Mark(Record):
    """A line that begins a section. Deeper marks below belong to it."""

    row: int
    depth: int
    name: str


class Style(Record):
    """How the sections of an outline are named and cut. `level` rates a row of plain text as a place for a cut (`fill`)."""

    kind: str
    separator: str
    level: Callable[[SourceDocument, int], int]


def cut(document: SourceDocument, marks: Sequence[Mark], style: Style) -> list[Piece]:
    """Returns the pieces of a text by its marks, in order of rows: whole sections where they fit, else their subsections.

    Of several marks on one row the first counts.
    """
    marks = [mark for index, mark in enumerate(marks) if not index or marks[index - 1].row < mark.row]
    pieces: list[Piece] = []
    pending = [Unit(0, len(document.lines) - 1, "", style.kind, False, (0, len(marks)))]
    while pending:
        section = pending.pop()
        for group in join(document, _subsections(section, marks, style)):
            first, last = group[0].first, group[-1].last
            name, kind = labels(group)
            if document.cost(first, last) <= document.limit:
                pieces.append(document.piece(first, last, name, kind))
            elif group[0].source and group[0] != section:  # a single unit: joined units fit
                pending.append(group[0])
            else:
                stretches = fill(document, first, last, lambda row: style.level(document, row))
                pieces += [document.piece(start, end, name, kind) for start, end in stretches]
    return in_order(pieces)


def _subsections(section: Unit, marks: Sequence[Mark], style: Style) -> list[Unit]:
    """Returns what is before the first mark of a section, then a unit for each of its topmost marks.

    The source of a unit is (first, end): the marks below its own.
    """
    low, high = section.source if isinstance(section.source, tuple) else (0, 0)
    if low == high:
        return [section]
    top_depth, tops = marks[low].depth, [low]
    for index in range(low + 1, high):
        if marks[index].depth <= top_depth:  # if an outline begins too deep, each shallower mark is topmost, too
            top_depth = marks[index].depth
            tops.append(index)
    units = []
    if marks[low].row > section.first:
        units.append(Unit(section.first, marks[low].row - 1, section.name, style.kind, bool(section.name)))
    for index, end in zip(tops, [*tops[1:], high]):
        mark = marks[index]
        last = marks[end].row - 1 if end < high else section.last
        name = qualified(section.name, mark.name, style.separator)
        units.append(Unit(mark.row, last, name, style.kind, bool(mark.name), (index + 1, end)))
    return units
