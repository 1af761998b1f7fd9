"""A piece of a file as the store keeps it: with the words that find it, and what it costs to print."""

from __future__ import annotations

import re
from functools import lru_cache

from memcli.ingest import counting
from memcli.store.chunks import Chunk
from memcli.text import analysis, forms, terminal
from memcli.text.injection import is_suspicious

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.ingest.cut import Piece

_DEAREST_ID = "C-0A0A0A0A0A"  # no two of its characters make one token, and no id has more characters
_MOST_LINES = 999_999  # what a line number is charged for, so that a chunk that has moved in its file costs no more
_RUN = re.compile(r"[\w\u0300-\u036f\u3099\u309a-]+")  # as analysis.runs
_TOKEN = re.compile(r"[^\W_]+")  # what the index takes for a word
# The same where all characters are ASCII, several times as fast: what is not part of one becomes a space, and the text is split.
_BETWEEN_RUNS = {point: " " for point in range(0x80) if not chr(point).isalnum() and chr(point) not in "_-"}
_BETWEEN_WORDS = {**_BETWEEN_RUNS, ord("_"): " ", ord("-"): " "}
_RUNS = 20_000  # remembered; ten times as many bring nothing that shows, and take 15 MB of every process that reads

_extra: dict[str, dict[str, None]] = {}


def finished(path: str, piece: Piece, cap: int, thread: str, now: int) -> Chunk:
    """Returns a piece as a chunk of a thread, made at `now` (Unix ms), without number and id: these are the store's.

    `cap` is the number of tokens up to which packs print it (budget.chunk_each): the chunk notes how many of its printable lines
    are within it in either form, and what these cost. Counts are exact but for the id and the line numbers, which are charged as
    the dearest ones, so that neither name nor place makes a chunk dearer than is noted.
    """
    symbol, text = piece.symbol, piece.text
    shown, prompt, xml = _shown(_heading(path, symbol, max(piece.last_line, _MOST_LINES)), text, cap)
    words = further_words(path, symbol, text)
    suspicious = int(is_suspicious(text))
    head = (0, "", path, piece.first_line, piece.last_line, symbol, thread, "")
    return Chunk(*head, text, words, now, suspicious, shown, prompt, xml, 0, piece.kind, 0)


def _heading(path: str, symbol: str, line: int) -> tuple[int, int]:
    """Returns what a chunk costs in a prompt and in XML without its lines. No piece crosses the space before a symbol."""
    prompt, xml = _place(path, line)
    if not symbol:
        return prompt, xml + counting.count('"')
    name = terminal.oneline(symbol)
    return prompt + counting.count(f", {name}"), xml + counting.count(f', {terminal.xml(name)}"')


@lru_cache(maxsize=64)
def _place(path: str, line: int) -> tuple[int, int]:
    """Returns what the heading costs up to the symbol, and what is printed after the lines."""
    place = forms.chunk_place(path, line, line, "")
    prompt = counting.count(f"[{_DEAREST_ID}] {place}") + counting.count("\n")
    xml = counting.count(f'<chunk id="{_DEAREST_ID}" place="{terminal.xml(place)}')
    return prompt, xml + counting.count(">\n") + counting.count("</chunk>\n")


def _shown(heading: tuple[int, int], text: str, cap: int) -> tuple[int, int, int]:
    """Returns how many printable lines of a text are within `cap` tokens below a heading, and their cost in prompt and XML.

    A printed row that is not empty, with the empty ones after it, shares no token with any other (text/forms.py).
    """
    prompt, xml = heading
    known, row = counting.known, counting.row
    shown = (0, prompt, xml)
    rows = forms.chunk_lines(text)
    written = [at for at, line in enumerate(rows) if line]
    for at, after in zip(written, [*written[1:], len(rows)]):
        line = rows[at]
        plain, marked = known.get(line) or row(line)
        if prompt + plain > cap or xml + marked > cap:
            break
        shown = (at + 1, prompt + plain, xml + marked)
        if after > at + 1:
            more = counting.breaks(line, after - at - 1)
            plain, marked = plain + more[0], marked + more[1]
        prompt += plain
        xml += marked
    return shown


def further_words(*texts: str) -> str:
    """Returns the words of `analysis.extra_words` that the tokenizer does not find in the texts by itself: half of them."""
    found: dict[str, None] = {}
    for text in texts:
        for run in dict.fromkeys(text.translate(_BETWEEN_RUNS).split() if text.isascii() else _RUN.findall(text)):
            terms = _extra.get(run)
            if terms is None:
                terms = _terms(run)
            if terms:
                found.update(terms)
    whole = " ".join(texts).lower() if found else ""
    seen = set(whole.translate(_BETWEEN_WORDS).split() if whole.isascii() else _TOKEN.findall(whole))
    return " ".join([word for word in found if word not in seen])


def _terms(run: str) -> dict[str, None]:
    if len(_extra) >= _RUNS:
        _extra.clear()
    bare = run.strip("_-")
    is_word = bare.isascii() and bare.isalpha() and (bare[1:].islower() or bare.islower() or bare.isupper())
    _extra[run] = terms = {} if is_word or bare.isdecimal() else dict.fromkeys(analysis.extra(bare))
    return terms
