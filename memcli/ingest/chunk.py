"""A piece of a file as the store keeps it: with the words by which it is found, and its cost in tokens."""

from __future__ import annotations

import re
from functools import lru_cache

from memcli.ingest import counting
from memcli.ingest.cut import Piece
from memcli.screening import is_suspicious
from memcli.store.chunks import Chunk
from memcli.text import analysis, forms, terminal

_COSTLIEST_ID = "C-0A0A0A0A0A"  # no two of its characters make one token, and no id has more characters
_MAX_LINE = 999_999  # the line number that is charged, so that a chunk that moves in its file costs no more
_RUN = re.compile(r"[\w\u0300-\u036f\u3099\u309a-]+")  # as analysis.runs
_TOKEN = re.compile(r"[^\W_]+")  # what the index splits off as a word
# The same for ASCII, several times as fast: what is not part of one becomes a space, and the text is split.
_BETWEEN_RUNS = {point: " " for point in range(0x80) if not chr(point).isalnum() and chr(point) not in "_-"}
_BETWEEN_WORDS = {**_BETWEEN_RUNS, ord("_"): " ", ord("-"): " "}
_MAX_CACHED = 20_000  # runs; ten times as many save no measurable time and take 15 MB of every process that reads

_terms_of_run: dict[str, dict[str, None]] = {}


def to_chunk(path: str, piece: Piece, cap: int, thread: str, now: int) -> Chunk:
    """Returns a piece as a chunk of a thread, created at `now` (Unix ms), without number and id, which the store assigns.

    `cap` is the number of tokens up to which packs print it (budget.chunk_each): the chunk records how many of its printable
    lines fit into it, as a prompt and as XML, and what these cost. Counts are exact but for the id and the line numbers, which
    are charged as the costliest ones, so that neither id nor place makes a chunk cost more than is recorded.
    """
    symbol, text = piece.symbol, piece.text
    shown_lines, prompt_tokens, xml_tokens = _fitting_lines(
        _heading_cost(path, symbol, max(piece.last_line, _MAX_LINE)), text, cap
    )
    words = further_words(path, symbol, text)
    suspicious = int(is_suspicious(text))
    head = (0, "", path, piece.first_line, piece.last_line, symbol, thread, "")
    return Chunk(*head, text, words, now, suspicious, shown_lines, prompt_tokens, xml_tokens, 0, piece.kind, 0)


def _heading_cost(path: str, symbol: str, line: int) -> tuple[int, int]:
    """Returns what a chunk costs in a prompt and in XML without its lines. No token spans the space before a symbol."""
    prompt, xml = _place_cost(path, line)
    if not symbol:
        return prompt, xml + counting.count('"')
    name = terminal.oneline(symbol)
    return prompt + counting.count(f", {name}"), xml + counting.count(f', {terminal.xml(name)}"')


@lru_cache(maxsize=64)
def _place_cost(path: str, line: int) -> tuple[int, int]:
    """Returns the cost of the heading up to the symbol, and of what is printed after the lines."""
    label = forms.chunk_place(path, line, line, "")
    prompt = counting.count(f"[{_COSTLIEST_ID}] {label}") + counting.count("\n")
    xml = counting.count(f'<chunk id="{_COSTLIEST_ID}" place="{terminal.xml(label)}')
    return prompt, xml + counting.count(">\n") + counting.count("</chunk>\n")


def _fitting_lines(heading: tuple[int, int], text: str, cap: int) -> tuple[int, int, int]:
    """Returns how many printable lines of a text fit in `cap` tokens below a heading, and their cost in prompt and XML.

    A printed row with the blank ones after it shares no token with any other (text/forms.py).
    """
    prompt, xml = heading
    row_costs, row_cost = counting.row_costs, counting.row_cost
    fitting = (0, prompt, xml)
    rows = forms.chunk_lines(text)
    written = [index for index, line in enumerate(rows) if line]
    for index, following in zip(written, [*written[1:], len(rows)]):
        line = rows[index]
        plain, marked = row_costs.get(line) or row_cost(line)
        if prompt + plain > cap or xml + marked > cap:
            break
        fitting = (index + 1, prompt + plain, xml + marked)
        if following > index + 1:
            breaks = counting.break_costs(line, following - index - 1)
            plain, marked = plain + breaks[0], marked + breaks[1]
        prompt += plain
        xml += marked
    return fitting


def further_words(*texts: str) -> str:
    """Returns the words of `analysis.extra_words` that the tokenizer does not find in the texts by itself: half of them."""
    words: dict[str, None] = {}
    for text in texts:
        for run in dict.fromkeys(text.translate(_BETWEEN_RUNS).split() if text.isascii() else _RUN.findall(text)):
            terms = _terms_of_run.get(run)
            if terms is None:
                terms = _terms(run)
            if terms:
                words.update(terms)
    joined = " ".join(texts).lower() if words else ""
    indexed = set(joined.translate(_BETWEEN_WORDS).split() if joined.isascii() else _TOKEN.findall(joined))
    return " ".join([word for word in words if word not in indexed])


def _terms(run: str) -> dict[str, None]:
    if len(_terms_of_run) >= _MAX_CACHED:
        _terms_of_run.clear()
    bare = run.strip("_-")
    is_word = bare.isascii() and bare.isalpha() and (bare[1:].islower() or bare.islower() or bare.isupper())
    _terms_of_run[run] = terms = {} if is_word or bare.isdecimal() else dict.fromkeys(analysis.extra(bare))
    return terms
