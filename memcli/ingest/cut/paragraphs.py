"""Cutting any text: at blank lines where that makes good chunks, else between lines."""

from __future__ import annotations

from memcli.ingest.cut.document import Piece, SourceDocument, fill

KIND = "text"


def cut(document: SourceDocument) -> list[Piece]:
    """Returns the pieces of a text without a structure."""
    stretches = fill(document, 0, len(document.lines) - 1, lambda row: level(document, row))
    return [document.piece(first, last, "", KIND) for first, last in stretches]


def level(document: SourceDocument, row: int) -> int:
    """Rates a row as a place for a cut: 0 unindented after a blank line, 1 either of these, 2 neither; 3 in code."""
    if row in document.code_rows:
        return 3
    return (not document.blank[row - 1] or document.blank[row]) + document.lines[row][:1].isspace()
