"""What holds for every cut of every text."""

from __future__ import annotations

from memcli.ingest.cut import Cut
from memcli.ingest.cut.sheet import CLIP
from memcli.text import lines as text_lines

KINDS = {"module", "class", "interface", "struct", "enum", "function", "method", "type", "constant", "section", "key", "text"}


def check(text: str, cut: Cut) -> None:
    """Fails unless every line is in exactly one piece, or in two neighbours of one definition, and each piece says its lines."""
    lines = text_lines.split(text)
    if not any(line.strip() for line in lines):
        assert cut.pieces == ()
        return
    done, before = 0, None
    for piece in cut.pieces:
        assert piece.first_line <= done + 1, f"lines {done + 1} to {piece.first_line - 1} are in no piece"
        assert piece.last_line > done
        if piece.first_line <= done:
            assert before
            assert before.symbol == piece.symbol
            assert before.first_line < piece.first_line
            assert piece.symbol, "only definitions overlap"
        said = lines[piece.first_line - 1 : piece.last_line]
        assert piece.text == "\n".join([line if len(line) <= CLIP else line[:CLIP] + "…" for line in said])
        assert piece.text.strip()
        assert piece.kind in KINDS
        assert len(piece.symbol) <= 3 * 121 + 10
        done, before = piece.last_line, piece
    assert done == len(lines)
