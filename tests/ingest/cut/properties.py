"""What holds for every cut of every text."""

from __future__ import annotations

from memcli.ingest.cut import Cut, Piece
from memcli.ingest.cut.document import CLIP
from memcli.text import files as text_lines

KINDS = {"module", "class", "interface", "struct", "enum", "function", "method", "type", "constant", "section", "key", "text"}


def faults(text: str, cut: Cut) -> list[str]:
    """Returns what is wrong: every line must be in exactly one piece, or in two neighbours of one definition, and each piece must
    say its lines."""
    lines = text_lines.split(text)
    if not any(line.strip() for line in lines):
        return ["pieces of a text without a visible character"] if cut.pieces else []
    found: list[str] = []
    done, before = 0, None
    for piece in cut.pieces:
        said = lines[piece.first_line - 1 : piece.last_line]
        holds = {
            f"lines {done + 1} to {piece.first_line - 1} are in no piece": piece.first_line <= done + 1,
            "a piece brings no line": piece.last_line > done,
            "an overlap outside one definition": piece.first_line > done or _goes_on(before, piece),
            "a text that is not that of its lines": piece.text == "\n".join(map(_kept, said)),
            "a blank piece": bool(piece.text.strip()),
            f"the kind {piece.kind}": piece.kind in KINDS,
            f"a symbol of {len(piece.symbol)} characters": len(piece.symbol) <= 3 * 121 + 10,
        }
        found += [f"{piece.first_line}-{piece.last_line}: {what}" for what, is_so in holds.items() if not is_so]
        done, before = piece.last_line, piece
    return found if done == len(lines) else [*found, f"the last {len(lines) - done} lines are in no piece"]


def _kept(line: str) -> str:
    return line if len(line) <= CLIP else line[:CLIP] + "…"


def _goes_on(before: Piece | None, piece: Piece) -> bool:
    return bool(before and piece.symbol and before.symbol == piece.symbol and before.first_line < piece.first_line)
