"""JSON over CPython's own C scanner and encoder: a fifth of a millisecond, where `json` costs seven to import.

Where `_json` is missing (another Python), the standard library does the same work.
"""

from __future__ import annotations

from memcli.text import terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SPACE = " \t\n\r"
_DEEPEST = 500  # levels of arrays and objects: what one Python reads, each of the others reads, too

_QUOTES = 200_000  # that are split at once, for the memory that it takes: an even number


class Malformed(ValueError):
    """The text is not one JSON value."""


def _number(text: str) -> float:
    value = float(text)
    if value - value != 0:  # 1e999 would come back as Infinity, which is no JSON
        raise Malformed(f"number out of range: {text[:40]}")
    return value


def _no_constant(name: str) -> None:
    raise Malformed(f"{name} is not JSON")


class _Context:
    strict = True
    object_hook = object_pairs_hook = None
    parse_float = staticmethod(_number)
    parse_int = int
    parse_constant = staticmethod(_no_constant)
    memo: dict[str, str] = {}


def loads(text: str) -> Any:
    """Returns the one JSON value in `text`. Raises Malformed, and nothing else, for anything that is not one."""
    try:
        if (c := _c_library()) is None:
            import json

            return _checked(json.loads(text, parse_float=_number, parse_constant=_no_constant), text)
        value, end = _scan(c, text, len(text) - len(text.lstrip(_SPACE)))
    except StopIteration as stop:
        raise Malformed(f"no JSON value at character {stop.value}") from None
    except (ValueError, RecursionError) as problem:
        raise Malformed(str(problem) or "nested too deeply") from None
    if text[end:].strip(_SPACE):
        raise Malformed(f"unexpected text after the JSON value, at character {end}")
    return _checked(value, text)


def has_more_parts(text: bytes, most: int) -> bool:
    """Tells whether a JSON text has more than `most` names, arrays and objects. To read it takes a time that depends on these."""
    if _count_parts(text) <= most:
        return False
    text, count = text.replace(b"\\\\", b"").replace(b'\\"', b""), 0
    while text and count <= most:
        *pieces, text = text.split(b'"', _QUOTES)
        if len(pieces) < _QUOTES:
            pieces, text = [*pieces, text], b""
        count += _count_parts(b"".join(pieces[::2]))  # what stands between strings
    return count > most


def _count_parts(text: bytes) -> int:
    return text.count(b":") + text.count(b"[") + text.count(b"{")


def _checked(value: Any, text: str) -> Any:
    """Returns the value of a text. Raises Malformed where it is nested too deeply."""
    if text.count("[") + text.count("{") <= _DEEPEST:
        return value
    containers = [value]
    for _ in range(_DEEPEST + 1):
        containers = [
            item
            for container in containers
            for item in (container.values() if isinstance(container, dict) else container if isinstance(container, list) else ())
            if isinstance(item, (dict, list))
        ]
        if not containers:
            return value
    raise Malformed("nested too deeply")


def _c_library() -> Any:
    """Returns CPython's C functions for JSON, None in another Python. Most commands that could read JSON never do."""
    try:
        import _json

        return _json
    except ImportError:
        return None


def _scan(c: Any, text: str, start: int) -> Any:
    try:
        return c.make_scanner(_Context)(text, start)
    except SystemError:  # the C scanner raises json's own error class, and fails at that while json is not imported
        import json.decoder  # noqa: F401  (only a malformed text pays for it)

        return c.make_scanner(_Context)(text, start)


def dumps(value: Any) -> str:
    """Returns `value` as JSON in ASCII on one line, keys in their own order: safe for any terminal and encoding.

    And for a model that reads it: no text in it has a tag of a harness's frame.
    """
    text = _encode(value, ascii_only=True, sort=False)
    return text.replace("<", "\\u003c") if "<" in text and terminal.has_frame(text) else text


def canonical(value: Any) -> str:
    """Returns the one form in which operations are stored and compared: sorted keys, no spaces, UTF-8 text."""
    return _encode(value, ascii_only=False, sort=True)


def _encode(value: Any, ascii_only: bool, sort: bool) -> str:
    if (c := _c_library()) is None:
        import json

        return json.dumps(value, ensure_ascii=ascii_only, sort_keys=sort, separators=(",", ":"), allow_nan=False)
    string = c.encode_basestring_ascii if ascii_only else c.encode_basestring
    encode = c.make_encoder(None, _unknown, string, None, ":", ",", sort, False, False)
    return "".join(encode(value, 0))


def _unknown(value: object) -> None:
    raise TypeError(f"not JSON: {type(value).__name__}")
