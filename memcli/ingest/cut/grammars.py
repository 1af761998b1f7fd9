"""Parsing with tree-sitter, within limits. The grammar packages ship compiled: nothing is downloaded.

Without them (memcli's extra [ingest]) no structure can be used.
"""

from __future__ import annotations

import time
from importlib import import_module
from typing import TYPE_CHECKING

from memcli.ingest.cut.rules import GRAMMARS

if TYPE_CHECKING:
    from tree_sitter import Language, Tree

MAX_BYTES = 4 << 20
"""Bytes that are parsed: a tree takes some twenty times as much memory."""

SECONDS = 0.5
SECONDS_PER_MB = 1.5
"""Time to parse one file: a grammar needs a fraction of it, unless the text was written to confuse it."""

HARMLESS = 1 << 10
"""Bytes of which no grammar makes more than 60 MB. There are 8 KB of which one makes gigabytes within a step, so that it cannot
be stopped: see `pool.py`."""

_BLOCK = 1 << 16  # bytes that the parser reads at a time

_languages: dict[str, Language] = {}


class Unusable(Exception):
    """The structure of a text cannot be used; the message says why."""


def parse(language: str, data: bytes, seconds: float | None = None) -> Tree:
    """Returns the tree of a text in UTF-8, even if it has errors. Raises Unusable without the grammar or beyond the limits."""
    if len(data) > MAX_BYTES:
        raise Unusable(f"larger than {MAX_BYTES >> 20} MB")
    deadline = time.monotonic() + (SECONDS + SECONDS_PER_MB * len(data) / (1 << 20) if seconds is None else seconds)
    grammar = _language(language)
    from tree_sitter import Parser

    try:
        parser = Parser(grammar)
        return parser.parse(
            lambda at, _: data[at : at + _BLOCK], progress_callback=lambda _at, _failed: time.monotonic() > deadline
        )
    except ValueError as error:  # the callback canceled it
        raise Unusable("takes too long to parse") from error


def _language(name: str) -> Language:
    if name not in _languages:
        grammar = GRAMMARS[name]
        try:
            from tree_sitter import Language

            _languages[name] = Language(getattr(import_module(grammar.module), grammar.function)())
        except (ImportError, AttributeError, ValueError) as error:
            raise Unusable(f"the grammar {grammar.module} cannot be loaded") from error
    return _languages[name]
