"""Checks the arguments of a call against the schema of its tool."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from memcli.errors import InvalidInput
from memcli.text import json
from memcli.text.terminal import is_storable, oneline

MAX_TEXT = 1 << 20  # characters of one argument; memories and questions are far smaller
_TYPES = {"string": "a string", "integer": "a whole number", "boolean": "true or false", "array": "a list of strings"}


def check(arguments: Mapping[str, Any], properties: Mapping[str, dict[str, Any]], required: tuple[str, ...]) -> dict[str, Any]:
    """Returns a call's arguments in the types of their schemas. Null counts as missing. Raises InvalidInput."""
    values = {name: value for name, value in arguments.items() if value is not None}
    for name in values:
        if name not in properties:
            raise InvalidInput(f"no argument {oneline(str(name))[:40]!r}", f"the arguments are {', '.join(properties)}")
    for name in required:
        if name not in values:
            raise InvalidInput(f"{name} is missing", f"required: {', '.join(required)}")
    return {name: _value(name, value, properties[name]) for name, value in values.items()}


def _value(name: str, value: Any, schema: dict[str, Any]) -> Any:
    kind = schema["type"]
    if kind == "array" and isinstance(value, str):  # some models write a list as one string
        value = value.split(",")
    if kind == "string" and name.endswith("_json") and isinstance(value, (dict, list)):  # and others JSON as what it says
        value = json.dumps(value)
    if kind == "integer" and (number := _whole(value)) is not None:
        value = number
    matches = {
        "string": isinstance(value, str),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "boolean": isinstance(value, bool),
        "array": isinstance(value, list) and all(isinstance(item, str) for item in value),
    }[kind]
    if not matches:
        raise InvalidInput(f"{name} is not {_TYPES[kind]}", "see the tool's schema")
    for text in [value] if isinstance(value, str) else value if isinstance(value, list) else []:
        if len(text) > MAX_TEXT:
            raise InvalidInput(f"{name} has {len(text):,} characters", f"the limit is {MAX_TEXT:,}")
        if not is_storable(text):
            raise InvalidInput(f"{name} contains a NUL or half a surrogate pair", "send Unicode text only")
    if "enum" in schema and value not in schema["enum"]:
        raise InvalidInput(f"{name} is {oneline(str(value))[:40]!r}", f"use {', '.join(filter(None, schema['enum']))}")
    return tuple(value) if kind == "array" else value


def _whole(value: Any) -> int | None:
    """Returns the whole number that a model means by a number or a numeric text; None for anything else."""
    if isinstance(value, str) and len(value) < 20:
        try:
            value = float(value)
        except ValueError:
            return None
    return int(value) if isinstance(value, float) and math.isfinite(value) else None
