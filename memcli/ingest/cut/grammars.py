"""Parsing with tree-sitter, within limits. The grammars are the packages that bring theirs compiled: nothing is fetched."""

from __future__ import annotations

import time
from importlib import import_module

from tree_sitter import Language, Parser

from memcli.ingest.cut.rules import GRAMMARS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Tree

MOST = 4 << 20
"""Bytes that are parsed: a tree takes some twenty times as much memory."""

SECONDS = 3.0
"""Time that one file may take to parse: a grammar reads megabytes in that, unless the text was made to confuse it."""

_BLOCK = 1 << 16  # bytes that the parser asks for at a time

_languages: dict[str, Language] = {}


class Unusable(Exception):
    """The structure of a text cannot be used; says why."""


def parse(language: str, data: bytes, seconds: float = SECONDS) -> Tree:
    """Returns the tree of a text in UTF-8, errors in it or not; Unusable without the grammar or beyond the limits."""
    if len(data) > MOST:
        raise Unusable(f"larger than {MOST >> 20} MB")
    end = time.monotonic() + seconds
    try:
        parser = Parser(_language(language))
        return parser.parse(lambda at, _: data[at : at + _BLOCK], progress_callback=lambda _at, _failed: time.monotonic() > end)
    except ValueError as error:  # the callback ended it
        raise Unusable("takes too long to parse") from error


def _language(name: str) -> Language:
    if name not in _languages:
        grammar = GRAMMARS[name]
        try:
            _languages[name] = Language(getattr(import_module(grammar.module), grammar.function)())
        except (ImportError, AttributeError, ValueError) as error:
            raise Unusable(f"the grammar {grammar.module} cannot be loaded") from error
    return _languages[name]
