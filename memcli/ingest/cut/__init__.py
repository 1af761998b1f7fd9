"""Cutting a text into chunks along its own structure.

    cut("src/a.py", text).pieces    every line in exactly one piece, in order

What is cut where, and why: docs/ingestion.md.
"""

from __future__ import annotations

from memcli import extras
from memcli.ingest.cut import definitions, headings, keys, languages, outline
from memcli.ingest.cut.document import Piece, SourceDocument, cut_text
from memcli.ingest.cut.grammars import HARMLESS, MAX_BYTES, Unusable
from memcli.ingest.cut.rules import GRAMMARS
from memcli.records import Record
from memcli.text import files as text_lines

CUT_BY = "2" if extras.is_installed("ingest") else "2 without grammars"
"""The version of the rules and limits of this package and of the grammars. Raise it with any change that cuts a file differently:
files that were ingested before are then cut again."""


class Cut(Record):
    """The pieces of a file, in order. `fell_back` says why its structure could not be used; empty normally."""

    language: str
    pieces: tuple[Piece, ...]
    fell_back: str


_OUTLINES = {
    "markdown": (headings.markdown, headings.STYLE),
    "rst": (headings.rst, headings.STYLE),
    "json": (keys.json, keys.STYLE),
    "yaml": (keys.yaml, keys.STYLE),
    "ini": (keys.ini, keys.STYLE),
}


def cut(path: str, text: str, chunk_tokens: int = 320, overlap_tokens: int = 40, parses: bool = True) -> Cut:
    """Returns the pieces of a file, whatever its content. `parses`: else its structure is not used.

    A piece costs at most `chunk_tokens` as packs print it, with its heading, unless a single line costs more. Of consecutive
    pieces of one definition the later repeats up to `overlap_tokens` of the one before. A text without any visible character
    has no pieces.
    """
    lines = text_lines.split(text)
    language = languages.of(path, lines)
    document = SourceDocument(lines, chunk_tokens, overlap_tokens)
    if document.is_blank(0, len(lines) - 1):
        return Cut(language, (), "")
    try:
        if not parses:
            raise Unusable("takes too much memory to parse")
        return Cut(language, tuple(_by_structure(document, language)), "")
    except Unusable as error:
        return Cut(language, tuple(cut_text(document)), str(error))


def is_harmless(path: str, size: int) -> bool:
    """Tells whether cutting a file of so many bytes surely takes little memory, whatever it contains."""
    is_parsed = languages.of(path, []) in GRAMMARS or "." not in path.rpartition("/")[2]  # a first line may name a language
    return size <= HARMLESS or not is_parsed


def _by_structure(document: SourceDocument, language: str) -> list[Piece]:
    if language in GRAMMARS:
        return definitions.cut(document, language)
    if language not in _OUTLINES:
        return cut_text(document)
    if sum(map(len, document.lines)) > MAX_BYTES:
        raise Unusable(f"larger than {MAX_BYTES >> 20} MB")
    find_marks, style = _OUTLINES[language]
    marks = find_marks(document)
    return outline.cut(document, marks, style) if marks else cut_text(document)


__all__ = ["CUT_BY", "Cut", "Piece", "cut", "is_harmless"]
