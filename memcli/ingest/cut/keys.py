"""The keys of JSON, YAML and INI files, found without reading the values.

YAML is read line by line, because templates of it (Helm, Jinja) are no YAML: the tree-sitter grammar gives up the rest of such a
file at its first `{{- if`.
"""

from __future__ import annotations

import re

from memcli.ingest.cut.document import SourceDocument, text_level
from memcli.ingest.cut.grammars import Unusable
from memcli.ingest.cut.outline import Mark, Style

DEEPEST = 6
"""Levels of nested keys that are read; deeper ones are cut as lines."""

_NAME = 60  # characters of a key
_JSON = re.compile(
    r'"((?:[^"\\\n]++|\\.)*+)"(\s*+:)?|([\[{])|([\]}])|//[^\n]*+|/\*.*?\*/|("|/\*)|([^\s,:"\[\]{}]++)',
    re.DOTALL,
)
# Indentation, dashes, then a key with its value, or a dash alone. A `#` begins a comment only after a space.
_YAML = re.compile(
    r"""([ ]*+)((?:-[ ]+)*)"""
    r"""(?:("(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+'|[^\s#&*!|>'"%@`\[\]{},-](?:[^#\s]|\s(?!#)|#)*?|-[^\s#:]+):(?=\s|$)(.*)|(-)(?:\s.*)?)"""
)
_BLOCK = re.compile(r"(?:^|.*\s)[|>][-+0-9]*\s*(?:#.*)?")  # the value continues verbatim on the more indented lines
_SECTION = re.compile(r"\s*\[\[?([^\[\]]+)\]\]?\s*(?:[#;].*)?")
_KEY = re.compile(r"""\s*([\w.-]+|"[^"]*"|'[^']*')(?:\s*[.]\s*(?:[\w-]+|"[^"]*"|'[^']*'))*\s*[=:]""")


def _level(document: SourceDocument, row: int) -> int:
    """Rates a row of data as a place for a cut: the less it is indented, the better."""
    line = document.lines[row]
    return 0 if text_level(document, row) == 0 else 1 + min(len(line) - len(line.lstrip()), 40)


STYLE = Style("key", ".", _level)


def json(document: SourceDocument) -> list[Mark]:
    """Returns keys, and lists and objects in lists, of JSON with or without comments. Raises Unusable for unmatched brackets."""
    text = "\n".join(document.lines)
    marks: list[Mark] = []
    row = position = 0
    closing: list[str] = []
    for token in _JSON.finditer(text):
        key, colon, opening, close, unclosed, _ = token.groups()
        if unclosed:
            raise Unusable("a string or comment without an end")
        if close:
            if not closing or closing.pop() != close:
                raise Unusable("brackets that do not match")
            continue
        in_list = bool(closing) and closing[-1] == "]"
        if 0 < len(closing) <= DEEPEST and (opening if in_list else colon):
            row += text.count("\n", position, token.start())
            position = token.start()
            if not marks or marks[-1].row < row:
                marks.append(Mark(row, len(closing), "" if in_list else key[:_NAME]))
        if opening:
            closing.append("]" if opening == "[" else "}")
    if closing:
        raise Unusable("brackets without an end")
    return _require_marks(marks)


def yaml(document: SourceDocument) -> list[Mark]:
    """Returns keys and list items by their indentation; other lines belong to what is above. Raises Unusable without a key."""
    marks: list[Mark] = []
    block_indent = -1  # of the key whose value is a block of text
    for row, line in enumerate(document.lines):
        indent = len(line) - len(line.lstrip(" "))
        if document.blank[row] or (block_indent >= 0 and indent > block_indent):
            continue
        block_indent = -1
        if line.startswith(("---", "...", "%")):
            continue
        match = _YAML.fullmatch(line)
        if not match:
            continue
        _, dashes, key, value, dash = match.groups()
        if dashes or dash:
            marks.append(Mark(row, 2 * indent + 1, ""))
        else:
            marks.append(Mark(row, 2 * indent, key.strip("'\" ")[:_NAME]))
        if _BLOCK.fullmatch((value or line.lstrip()[1:]).strip()):
            block_indent = indent + len(dashes) if key else indent
    return _require_marks(marks)


def ini(document: SourceDocument) -> list[Mark]:
    """Returns sections and unindented keys. Raises Unusable without either."""
    marks: list[Mark] = []
    for row, line in enumerate(document.lines):
        if line[:1].isspace() or line.startswith(("#", ";")):
            continue
        if match := _SECTION.fullmatch(line):
            marks.append(Mark(row, 1, match[1].strip()[:_NAME]))
        elif match := _KEY.match(line):
            marks.append(Mark(row, 2, match[1][:_NAME]))
    return _require_marks(marks)


def _require_marks(marks: list[Mark]) -> list[Mark]:
    if not marks:
        raise Unusable("no key")
    return marks
