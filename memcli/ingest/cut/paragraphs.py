"""Cutting any text: at empty lines where that makes good chunks, else between lines."""

from __future__ import annotations

from memcli.ingest.cut.sheet import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.ingest.cut.sheet import Piece, Sheet

KIND = "text"


def cut(sheet: Sheet) -> list[Piece]:
    """Returns the pieces of a text without a structure."""
    stretches = fill(sheet, 0, len(sheet.lines) - 1, lambda row: paragraph(sheet, row))
    return [sheet.piece(first, last, "", KIND) for first, last in stretches]


def paragraph(sheet: Sheet, row: int) -> int:
    """Tells how good a place for a cut a row is: 0 at the margin after an empty line, 1 one of these, 2 neither; 3 in code."""
    if row in sheet.solid:
        return 3
    return (not sheet.blank[row - 1] or sheet.blank[row]) + sheet.lines[row][:1].isspace()
