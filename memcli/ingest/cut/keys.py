"""The keys of JSON, YAML, TOML and INI files, found without reading the values."""

from __future__ import annotations

import re

from memcli.ingest.cut.outline import Mark, Style
from memcli.ingest.cut.paragraphs import paragraph

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.ingest.cut.sheet import Sheet

DEEPEST = 6
"""Levels of nested keys that are looked at; what is below is cut as lines."""

_NAME = 60  # characters of a key
_JSON = re.compile(
    r'"((?:[^"\\\n]++|\\.)*+)"(\s*+:)?|([\[{])|([\]}])|//[^\n]*+|/\*.*?\*/|("|/\*)|([^\s,:"\[\]{}]++)',
    re.DOTALL,
)
_YAML = re.compile(
    r"""([ ]*+)((?:-[ ]+)*)"""
    r"""(?:("(?:[^"\\]|\\.)*+"|'(?:[^']|'')*+'|[^\s#&*!|>'"%@`\[\]{},-][^#]*?|-[^\s#:]+):(?=\s|$)(.*)|(-)(?:\s.*)?)"""
)
_BLOCK = re.compile(r"(?:^|.*\s)[|>][-+0-9]*\s*(?:#.*)?")  # the value goes on in the deeper lines as it stands
_TABLE = re.compile(r"\s*\[\[?([^\[\]]+)\]\]?\s*(?:[#;].*)?")
_KEY = re.compile(r"""\s*([\w.-]+|"[^"]*"|'[^']*')(?:\s*[.]\s*(?:[\w-]+|"[^"]*"|'[^']*'))*\s*[=:]""")
_TOML = re.compile(r'"""|\'\'\'|"(?:[^"\\]|\\.)*"|\'[^\']*\'|#.*|[\[{]|[\]}]')


class Malformed(Exception):
    """A file that is not what its name says."""


def _level(sheet: Sheet, row: int) -> int:
    """Tells how good a place for a cut a row of data is: the less it is indented, the better."""
    line = sheet.lines[row]
    return 0 if paragraph(sheet, row) == 0 else 1 + min(len(line) - len(line.lstrip()), 40)


STYLE = Style("key", ".", _level)


def json(sheet: Sheet) -> list[Mark]:
    """Returns keys, and the lists and objects in lists, of JSON with or without comments; Malformed if brackets do not match."""
    text = "\n".join(sheet.lines)
    marks: list[Mark] = []
    row = place = 0
    closing: list[str] = []
    for found in _JSON.finditer(text):
        key, colon, opening, close, broken, _ = found.groups()
        if broken:
            raise Malformed("a string or comment without an end")
        if close:
            if not closing or closing.pop() != close:
                raise Malformed("brackets that do not match")
            continue
        in_list = bool(closing) and closing[-1] == "]"
        if 0 < len(closing) <= DEEPEST and (opening if in_list else colon):
            row += text.count("\n", place, found.start())
            place = found.start()
            if not marks or marks[-1].row < row:
                marks.append(Mark(row, len(closing), "" if in_list else key[:_NAME]))
        if opening:
            closing.append("]" if opening == "[" else "}")
    if closing or not marks:
        raise Malformed("brackets without an end" if closing else "no key")
    return marks


def yaml(sheet: Sheet) -> list[Mark]:
    """Returns keys and the items of lists by their indentation; Malformed for tabs there or what cannot stand at the margin."""
    marks: list[Mark] = []
    inside = -1  # the indentation of the key whose value is a block of text
    for row, line in enumerate(sheet.lines):
        indent = len(line) - len(line.lstrip(" "))
        if sheet.blank[row] or (inside >= 0 and indent > inside):
            continue
        inside = -1
        if line.startswith(("#", "---", "...", "%")) or line.lstrip().startswith("#"):
            continue
        found = _YAML.fullmatch(line)
        if not found:
            if indent == 0 and (line[0] not in "]}" or not marks):
                raise Malformed("a line that is no key")
            continue
        depth = indent + len(found[2])
        if found[2] or found[5]:
            marks.append(Mark(row, 2 * indent + 1, ""))
        else:
            marks.append(Mark(row, 2 * indent, found[3].strip("'\" ")[:_NAME]))
        value = found[4] or line.lstrip()[1:]
        if _BLOCK.fullmatch(value.strip()):
            inside = depth if found[3] else indent
    if not marks:
        raise Malformed("no key")
    return marks


def toml(sheet: Sheet) -> list[Mark]:
    """Returns tables and their keys; Malformed if a string or list has no end. INI files are read alike."""
    marks: list[Mark] = []
    text_end, depth = "", 0
    for row, line in enumerate(sheet.lines):
        if not text_end and not depth:
            if found := _TABLE.fullmatch(line):
                marks.append(Mark(row, 1, found[1].replace('"', "").strip()[:_NAME]))
                continue
            if found := _KEY.match(line):
                marks.append(Mark(row, 2 if marks and marks[0].depth == 1 else 1, found[1].strip("'\"")[:_NAME]))
        text_end, depth = _open_at_end(line, text_end, depth)
    if text_end or depth or not marks:
        raise Malformed("no key" if not marks else "a value without an end")
    return marks


def _open_at_end(line: str, text_end: str, depth: int) -> tuple[str, int]:
    """Returns which string and how many brackets are open after a line, given those before it."""
    place = 0
    while place < len(line):
        if text_end:
            end = line.find(text_end, place)
            if end < 0:
                return text_end, depth
            place, text_end = end + len(text_end), ""
        found = _TOML.search(line, place)
        if not found:
            break
        sign, place = found[0], found.end()
        if sign in ('"""', "'''"):
            text_end = sign
        elif sign in "[{":
            depth += 1
        elif sign in "]}":
            depth = max(0, depth - 1)
    return text_end, depth


def ini(sheet: Sheet) -> list[Mark]:
    """Returns sections and, above or in them, keys at the margin."""
    marks: list[Mark] = []
    for row, line in enumerate(sheet.lines):
        if line[:1].isspace() or line.startswith(("#", ";")):
            continue
        if found := _TABLE.fullmatch(line):
            marks.append(Mark(row, 1, found[1].strip()[:_NAME]))
        elif found := _KEY.match(line):
            marks.append(Mark(row, 2, found[1][:_NAME]))
    if not marks:
        raise Malformed("no key")
    return marks
