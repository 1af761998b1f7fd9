"""Cutting a text into chunks where its own structure is.

    cut("src/a.py", text).pieces    every line in exactly one piece, in order

What is cut where, and why: docs/ingestion.md.
"""

from __future__ import annotations

from memcli.ingest.cut import definitions, headings, keys, languages, outline, paragraphs
from memcli.ingest.cut.grammars import MOST, Unusable
from memcli.ingest.cut.keys import Malformed
from memcli.ingest.cut.rules import GRAMMARS
from memcli.ingest.cut.sheet import Piece, Sheet
from memcli.records import Record
from memcli.text import lines as text_lines

CUT_BY = "1"
"""The rules and limits of this room, and the grammars. Raise it with any change that cuts a file in another way: what was
ingested before is then cut again."""


class Cut(Record):
    """The pieces of a file, in order. `fell_back` tells why its structure could not be used; empty normally."""

    language: str
    pieces: tuple[Piece, ...]
    fell_back: str


_OUTLINES = {
    "markdown": (headings.markdown, headings.STYLE),
    "rst": (headings.rst, headings.STYLE),
    "json": (keys.json, keys.STYLE),
    "yaml": (keys.yaml, keys.STYLE),
    "toml": (keys.toml, keys.STYLE),
    "ini": (keys.ini, keys.STYLE),
}


def cut(path: str, text: str, chunk_tokens: int = 320, overlap_tokens: int = 40) -> Cut:
    """Returns the pieces of a file, whatever is in it.

    A piece costs at most `chunk_tokens` as packs print it, with its heading, unless a single line costs more. Of consecutive
    pieces of one definition the later repeats up to `overlap_tokens` of the one before. A text without any visible character
    has no pieces.
    """
    lines = text_lines.split(text)
    language = languages.of(path, lines)
    sheet = Sheet(lines, chunk_tokens, overlap_tokens)
    if sheet.is_blank(0, len(lines) - 1):
        return Cut(language, (), "")
    try:
        return Cut(language, tuple(_by_structure(sheet, language)), "")
    except (Unusable, Malformed) as error:
        return Cut(language, tuple(paragraphs.cut(sheet)), str(error))


def _by_structure(sheet: Sheet, language: str) -> list[Piece]:
    if language in GRAMMARS:
        return definitions.cut(sheet, language)
    if language not in _OUTLINES:
        return paragraphs.cut(sheet)
    if sum(map(len, sheet.lines)) > MOST:
        raise Unusable(f"larger than {MOST >> 20} MB")
    find, style = _OUTLINES[language]
    marks = find(sheet)
    return outline.cut(sheet, marks, style) if marks else paragraphs.cut(sheet)


__all__ = ["CUT_BY", "Cut", "Piece", "cut"]
