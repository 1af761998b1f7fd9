"""Changes one place in a JSON text and no other byte: comments, order and indentation stay.

Reads JSON, JSON with comments and trailing commas, and of JSON5 what people write in settings: plain keys and single quotes.
A path is a sequence of keys and numbers, `("hooks", "Stop", 0)`.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Sequence
from typing import Any

from memcli.records import Record

Path = Sequence[str | int]

_TRIVIA = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.S)
_STRING = re.compile(r'"(?:[^"\\\n\r]|\\.)*"|\'(?:[^\'\\\n\r]|\\.)*\'', re.S)
_WORD = re.compile(r"[^\s,:{}\[\]\"'/]+")
_INDENT = re.compile(r"[{\[][^\S\n]*\r?\n([^\S\n]+)\S")
_SHORT = 140  # characters of a value that is written on one line
_NO_NUMBER = ("Infinity", "-Infinity", "NaN")


class MalformedJson(ValueError):
    """The text is not JSON. `line`: where the error is, from 1."""

    def __init__(self, line: int, expected: str) -> None:
        super().__init__(f"line {line}: {expected}")
        self.line = line


class JsonNode(Record):
    """A value in the text: its position, the value, and the children of an object or array by key or number."""

    start: int
    end: int
    value: Any
    children: dict[str | int, JsonNode]

    def at(self, path: Path) -> JsonNode | None:
        """Returns the value at a path below, or None."""
        node: JsonNode | None = self
        for step in path:
            node = node.children.get(step) if node else None
        return node


@functools.lru_cache(maxsize=2)  # an edit reads the text several times
def parse(text: str) -> JsonNode:
    """Returns the value of a text. Raises MalformedJson."""
    try:
        node = _value(text, _skip(text, 0))
    except RecursionError:
        raise MalformedJson(1, "nested too deeply") from None
    if _skip(text, node.end) != len(text):
        raise _malformed(text, _skip(text, node.end), "something follows the end")
    return node


def put(text: str, path: Path, value: Any) -> str:
    """Returns the text with `value` at `path`, which may be new; a number one beyond the last appends. Raises MalformedJson."""
    root = parse(text)
    for depth in range(len(path), -1, -1):
        node = root.at(path[:depth])
        if node is None:
            continue
        if depth == len(path):
            return text[: node.start] + _formatted(text, value, _depth_at(text, node.start)) + text[node.end :]
        for step in reversed(path[depth + 1 :]):
            value = {step: value} if isinstance(step, str) else [value]
        return _insert(text, node, path[depth], value)
    raise AssertionError("the root is always there")


def drop(text: str, path: Path) -> str:
    """Returns the text without what is at `path`, its comma, and the blanks before it. Raises MalformedJson, KeyError."""
    parent = parse(text).at(path[:-1])
    if parent is None or path[-1] not in parent.children:
        raise KeyError(path[-1])
    spans = _spans(text, parent)
    position = list(parent.children).index(path[-1])
    start, end = spans[position]
    after = _skip(text, end)
    if text[after] == ",":
        end = after + 1
    elif position:
        before = spans[position - 1][1]
        comma = text.index(",", _skip(text, before))
        head = text[:comma] + text[comma + 1 : start].rstrip()
        return _collapsed(head + text[end:], parent.start)
    return _collapsed(text[:start].rstrip() + text[end:], parent.start)


def _collapsed(text: str, start: int) -> str:
    """Returns the text with empty brackets for a container at `start` that only has blanks left."""
    node = next(node for node in _containers(parse(text)) if node.start == start)
    inner = text[start + 1 : node.end - 1]
    return text if node.children or inner.strip() else text[: start + 1] + text[node.end - 1 :]


def _containers(node: JsonNode) -> list[JsonNode]:
    """Returns a value and all values in it."""
    containers = [node]
    for child in node.children.values():
        containers += _containers(child)
    return containers


def _insert(text: str, parent: JsonNode, key: str | int, value: Any) -> str:
    """Returns the text with one more child at the end of an object or array."""
    prefix = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(key, str) else ""
    close = parent.end - 1
    inner = text[parent.start + 1 : close]
    position = parent.start + 1 + len(inner.rstrip())
    spans = _spans(text, parent)
    comma = ""
    if spans:
        after = _skip(text, spans[-1][1])
        if text[after] == ",":
            comma = ","  # here the last one ends with a comma, too
        else:
            last = spans[-1][1]
            text, position, close = text[:last] + "," + text[last:], position + 1, close + 1
    if "\n" not in inner and (spans or _is_one_line(text)):
        blank = " " if spans else ""
        return f"{text[:position]}{blank}{prefix}{json.dumps(value, ensure_ascii=False)}{comma}{text[position:]}"
    newline, depth = _newline(text), _depth_at(text, parent.start)
    inside = newline + _unit(text) * (depth + 1)
    tail = text[position:close] if "\n" in text[position:close] else newline + _unit(text) * depth
    return f"{text[:position]}{inside}{prefix}{_formatted(text, value, depth + 1)}{comma}{tail}{text[close:]}"


def _is_one_line(text: str) -> bool:
    """Tells whether a text is on one line. An empty `{}` does not show how its writer formats."""
    return "\n" not in text.strip() and bool(text.strip("{}[] \t\r\n\ufeff"))


def _formatted(text: str, value: Any, depth: int) -> str:
    """Returns a value formatted for a depth of the text: on one line if it is short, or if the text has no line breaks."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or len(flat) <= _SHORT or _is_one_line(text):
        return flat
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    inside, outside = (_newline(text) + _unit(text) * levels for levels in (depth + 1, depth))
    if isinstance(value, dict):
        pieces = [f"{json.dumps(key, ensure_ascii=False)}: {_formatted(text, child, depth + 1)}" for key, child in value.items()]
    else:
        pieces = [_formatted(text, child, depth + 1) for child in value]
    return f"{opening}{inside}{f',{inside}'.join(pieces)}{outside}{closing}"


def _depth_at(text: str, position: int) -> int:
    """Returns the indentation of a position's line, in the text's own units."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    blank = len(line) - len(line.lstrip(" \t"))
    return blank // len(_unit(text))


def _unit(text: str) -> str:
    """Returns the text's unit of indentation, by default two spaces."""
    match = _INDENT.search(text)
    return match.group(1) if match else "  "


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _spans(text: str, parent: JsonNode) -> list[tuple[int, int]]:
    """Returns the span of each child, with its key."""
    spans, position = [], parent.start + 1
    for child in parent.children.values():
        start = _skip(text, position)
        spans.append((start, child.end))
        position = _skip(text, child.end) + 1
    return spans


def _skip(text: str, position: int) -> int:
    """Returns the position of what follows blanks and comments."""
    match = _TRIVIA.match(text, position)
    return match.end() if match else position


def _value(text: str, position: int) -> JsonNode:
    """Returns the value that begins at a position. Raises MalformedJson."""
    if text[position : position + 1] == "{":
        return _object(text, position)
    if text[position : position + 1] == "[":
        return _array(text, position)
    if match := _STRING.match(text, position):
        return JsonNode(position, match.end(), _unquoted(text, match.group(), position), {})
    match = _WORD.match(text, position)
    try:
        if match is None or match.group() in _NO_NUMBER:
            raise ValueError
        return JsonNode(position, match.end(), json.loads(match.group()), {})
    except ValueError:
        raise _malformed(text, position, "no value") from None


def _object(text: str, start: int) -> JsonNode:
    children: dict[str | int, JsonNode] = {}
    position = _skip(text, start + 1)
    while text[position : position + 1] != "}":
        if quoted := _STRING.match(text, position):
            key, end = _unquoted(text, quoted.group(), position), quoted.end()
        elif plain := _WORD.match(text, position):
            key, end = plain.group(), plain.end()
        else:
            raise _malformed(text, position, "no key" if position < len(text) else "an object does not end")
        colon = _skip(text, end)
        if text[colon : colon + 1] != ":":
            raise _malformed(text, colon, "no colon after a key")
        if key in children:
            raise _malformed(text, position, f"{key!r} stands twice in one object")
        children[key] = _value(text, _skip(text, colon + 1))
        position = _next(text, children[key].end, "}")
    return JsonNode(start, position + 1, {key: child.value for key, child in children.items()}, children)


def _array(text: str, start: int) -> JsonNode:
    children: dict[str | int, JsonNode] = {}
    position = _skip(text, start + 1)
    while text[position : position + 1] != "]":
        children[len(children)] = child = _value(text, position)
        position = _next(text, child.end, "]")
    return JsonNode(start, position + 1, [child.value for child in children.values()], children)


def _next(text: str, end: int, close: str) -> int:
    """Returns the position of the next child, or of the closing bracket."""
    position = _skip(text, end)
    if text[position : position + 1] == ",":
        return _skip(text, position + 1)
    if text[position : position + 1] != close:
        raise _malformed(text, position, f"neither a comma nor {close}" if position < len(text) else f"{close} is missing")
    return position


def _unquoted(text: str, quoted: str, position: int) -> str:
    """Returns what a quoted string says. Raises MalformedJson. `position`: of the string in the text."""
    if quoted[0] == "'":
        inner = re.sub(r"\\.|\"", lambda match: {"\\'": "'", '"': '\\"'}.get(match.group(), match.group()), quoted[1:-1])
        quoted = f'"{inner}"'
    try:
        return str(json.loads(quoted, strict=False))
    except ValueError:
        raise _malformed(text, position, "no string") from None


def _malformed(text: str, position: int, expected: str) -> MalformedJson:
    return MalformedJson(text.count("\n", 0, position) + 1, expected)
