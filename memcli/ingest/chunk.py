"""A piece of a file as the store keeps it. Stands in until counting is fast."""

from __future__ import annotations

from memcli.store.chunks import Chunk
from memcli.store.vocabulary import learn, ranks
from memcli.text import forms, tokens
from memcli.text.analysis import extra_words
from memcli.text.injection import is_suspicious

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.ingest.cut import Piece


def finished(path: str, piece: Piece, cap: int, thread: str, now: int) -> Chunk:
    """Returns a piece as a chunk without number and id, with the lines of it that are printed within `cap` tokens."""
    rank = ranks()
    learn(tokens.pieces(piece.text))
    place = forms.chunk_place(path, 999_999, 999_999, piece.symbol)
    lines = forms.chunk_lines(piece.text)
    while True:
        prompt = sum([tokens.count(part, rank) for part in forms.chunk_prompt("C-0A0A0A0A0A", place, lines)])
        xml = sum([tokens.count(part, rank) for part in forms.chunk_xml("C-0A0A0A0A0A", place, lines)])
        if max(prompt, xml) <= cap or not lines:
            break
        lines = lines[: min(len(lines) - 1, len(lines) * cap // max(prompt, xml))]
    words = extra_words(path, piece.symbol, piece.text)
    head = (0, "", path, piece.first_line, piece.last_line, piece.symbol, thread, "")
    counts = (len(lines), prompt, xml)
    return Chunk(*head, piece.text, words, now, int(is_suspicious(piece.text)), *counts, 0, piece.kind, 0)
