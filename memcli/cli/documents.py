"""A memory as a text for editing: its short fields between two lines of dashes, its summary below them."""

from __future__ import annotations

from typing import Any

from memcli.errors import InvalidInput
from memcli.fields import Field
from memcli.memory import FIELDS, may_lack
from memcli.text import json
from memcli.text.terminal import oneline

_BODY, _TITLE, _REVISION = "summary", "title", "revision"
_FENCE, _COMMENT = "---", "#"
_HINT = "# Change what is wrong, save and leave the editor. Without a text below, the title says it all."
HEADED = {name: field for name, field in FIELDS.items() if name != _BODY}


def document(values: dict[str, Any], revision: int) -> str:
    """Returns the text of a memory, given its fields. `revision`: that of the log on which a change is based."""
    head = [f"{name}: {_written(HEADED[name], values[name])}".rstrip() for name in HEADED]
    body = "" if values[_BODY] == values[_TITLE] else f"{values[_BODY]}\n"
    return "\n".join([_FENCE, _HINT, *head, f"{_REVISION}: {revision}", _FENCE, body])


def parsed(text: str) -> tuple[dict[str, Any], int | None]:
    """Returns the fields of a text, None for those it lacks, and the revision that it is based on. Raises InvalidInput."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != _FENCE or _FENCE not in [line.rstrip() for line in lines[1:]]:
        raise InvalidInput(f"the fields do not stand between two lines of {_FENCE}", "put the lines of dashes back")
    end = next(number for number, line in enumerate(lines) if number and line.rstrip() == _FENCE)
    values: dict[str, Any] = {}
    revision = None
    for number, line in enumerate(lines[1:end], 2):
        name, colon, value = (part.strip() for part in line.partition(":"))
        if not line.strip() or line.startswith(_COMMENT):
            continue
        if not colon or name not in (*HEADED, _REVISION):
            raise InvalidInput(f"line {number} is not a field: {oneline(line)[:60]!r}", f"use {', '.join([*HEADED, _REVISION])}")
        if name == _REVISION:
            revision = _number(name, value)
        else:
            values[name] = _read(name, HEADED[name], value) if value or not may_lack(name) else None
    body = "\n".join(lines[end + 1 :]).rstrip("\n")  # editors add line ends
    return values | {_BODY: body if body.strip() else values.get(_TITLE, "")}, revision


def _written(field: Field, value: Any) -> str:
    """Returns a value for a line: unchanged, or as JSON if it could not be read back otherwise."""
    if field.kind == "labels":
        plain = ", ".join(value)
        return plain if _labels(plain) == list(value) and plain[:1] != "[" else json.canonical(list(value))
    if not isinstance(value, str):
        return "" if value is None else str(value)
    return value if value == value.strip() and value[:1] != '"' and len(value.splitlines()) < 2 else json.canonical(value)


def _read(name: str, field: Field, value: str) -> Any:
    if field.kind == "number":
        return _number(name, value)
    kind, mark = (list, "[") if field.kind == "labels" else (str, '"')
    if value[:1] != mark:
        return _labels(value) if kind is list else value
    try:
        read = json.loads(value)
    except json.Malformed:
        read = None
    if not isinstance(read, kind) or (kind is list and not all(isinstance(item, str) for item in read)):
        raise InvalidInput(f"the {name} begins with {mark} and is not JSON", f"write it without {mark}, or as JSON")
    return read


def _labels(text: str) -> list[str]:
    return [label.strip() for label in text.split(",") if label.strip()]


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise InvalidInput(f"the {name} is not a number: {oneline(text)[:40]!r}", "write digits only")
    return int(text)
