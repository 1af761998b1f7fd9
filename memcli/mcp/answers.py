"""What a call gives back, and what its arguments must be, without a word of the protocol."""

from __future__ import annotations

from memcli.errors import InvalidInput, MemError
from memcli.mcp import hints
from memcli.records import Record
from memcli.serving import errors
from memcli.text.terminal import is_storable, oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MAX_TEXT = 1 << 20  # characters of one argument; memories and questions are far smaller
_NAMES = {"string": "a text", "integer": "a whole number", "boolean": "true or false", "array": "a list of texts"}


class Answer(Record):
    """The text for the model, and the same as data where the answer is a small record."""

    text: str
    data: dict[str, Any] | None = None


def checked(given: Mapping[str, Any], fields: Mapping[str, dict[str, Any]], required: tuple[str, ...]) -> dict[str, Any]:
    """Returns a call's arguments as its fields say. Null is as good as nothing. Raises InvalidInput."""
    values = {name: value for name, value in given.items() if value is not None}
    for name in values:
        if name not in fields:
            raise InvalidInput(f"no argument {oneline(str(name))[:40]!r}", f"the arguments are {', '.join(fields)}")
    for name in required:
        if name not in values:
            raise InvalidInput(f"{name} is missing", f"needed: {', '.join(required)}")
    return {name: _value(name, value, fields[name]) for name, value in values.items()}


def _value(name: str, value: Any, schema: dict[str, Any]) -> Any:
    kind = schema["type"]
    if kind == "array" and isinstance(value, str):
        value = value.split(",")
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        value = int(value)
    fits = {
        "string": isinstance(value, str),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "boolean": isinstance(value, bool),
        "array": isinstance(value, list) and all(isinstance(part, str) for part in value),
    }[kind]
    if not fits:
        raise InvalidInput(f"{name} is not {_NAMES[kind]}", "see the tool's schema")
    for text in [value] if isinstance(value, str) else value if isinstance(value, list) else []:
        if len(text) > MAX_TEXT:
            raise InvalidInput(f"{name} has {len(text):,} characters", f"the limit is {MAX_TEXT:,}")
        if not is_storable(text):
            raise InvalidInput(f"{name} holds a NUL or half a surrogate pair", "send Unicode text only")
    if "enum" in schema and value not in schema["enum"]:
        raise InvalidInput(f"{name} is {oneline(str(value))[:40]!r}", f"use {', '.join(schema['enum'])}")
    return tuple(value) if kind == "array" else value


def explained(error: Exception) -> MemError:
    """Returns any error as one that can be shown to who calls tools."""
    told = errors.explain(error, "this is a bug: run mem mcp --debug and report it")
    return MemError(told.message, hints.for_tools(told.hint), told.code)


def failed(error: MemError) -> dict[str, Any]:
    """Returns an error as the data of an answer."""
    return {"ok": False, "error": {"code": error.code, "message": error.message[:500], "hint": error.hint[:500]}}
