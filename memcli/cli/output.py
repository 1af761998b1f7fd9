"""The one place that prints. Data goes to standard output, everything else to standard error."""

from __future__ import annotations

import os

from memcli.errors import MemError
from memcli.text.terminal import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

STYLES = {"heading": "35;1", "id": "36", "dim": "2", "bold": "1", "warn": "33", "error": "31", "ok": "32"}
_without_color = False
_masked: tuple[str, ...] = ()  # rules that the next JSON answer names


def use_color(enabled: bool) -> None:
    """Turns colour off for this process; on a terminal it is on by default."""
    global _without_color
    _without_color = not enabled


def is_terminal(stream: int = 1) -> bool:
    """True when a person sees what is written to the stream (1: output, 2: errors)."""
    try:
        return os.isatty(stream)
    except OSError:
        return False


def wants_color() -> bool:
    """True unless somebody asked for no colour."""
    return not (_without_color or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb")


def paint(text: str, style: str, stream: int = 1) -> str:
    """Returns the text in a style of STYLES, where a terminal shows colour and nobody asked for none."""
    if not is_terminal(stream) or not wants_color():
        return text
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m"


def width() -> int:
    """Returns how many columns a line may have."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 20:
        return int(columns)
    try:
        return os.get_terminal_size(1).columns or 100
    except OSError:
        return 100


def clip(text: str, room: int) -> str:
    """Returns the text in at most `room` characters, with … where it was cut."""
    return text if len(text) <= room else text[: max(room - 1, 0)].rstrip() + "…"


def row(name: str, middle: str, tail: str) -> str:
    """Returns one line of an id, a text that gives way, and a tail."""
    room = max(20, width() - len(name) - len(tail) - 4)
    text = clip(middle, room)
    return f"{paint(name, 'id')}  {text}{' ' * max(0, min(room, 44) - len(text))}  {paint(tail, 'dim')}"


def show(text: str) -> None:
    """Prints a line, or lines, on standard output."""
    _write(1, text if text.endswith("\n") or not text else text + "\n")


def masked(rules: tuple[str, ...], as_json: bool) -> None:
    """Says what was left out of what was just written: in the JSON answer that follows (`"masked"`), else on standard error."""
    global _masked
    _masked = rules if as_json else ()
    if not as_json:
        tell(f"{paint('Masked:', 'warn', 2)} {', '.join(rules)} (mem stores no secrets and nothing private)")


def data(value: Any) -> None:
    """Prints a value as one line of JSON on standard output."""
    global _masked
    from memcli.text import json

    if _masked and isinstance(value, dict):
        value = {**value, "masked": list(_masked)}
    _masked = ()
    _write(1, json.dumps(value) + "\n")


def tell(text: str) -> None:
    """Prints a line on standard error."""
    try:
        _write(2, text + "\n")
    except OSError:
        pass  # there is nowhere left to say it


def fail(error: MemError, as_json: bool) -> None:
    """Prints an error: one line and a hint, or the same as JSON on standard error."""
    if as_json:
        from memcli.text import json

        return tell(json.dumps({"error": {"code": error.code, "message": error.message, "hint": error.hint}}))
    tell(f"{paint('Error:', 'error', 2)} {_flat(error.message)}")
    if error.hint:
        tell(f"{paint('Hint:', 'warn', 2)} {_flat(error.hint)}")


def _flat(text: str) -> str:
    return " ".join(visible(text).split())


def _write(stream: int, text: str) -> None:
    remaining = memoryview(text.encode("utf-8", "backslashreplace"))
    try:
        while remaining:
            remaining = remaining[os.write(stream, remaining) :]
    except OSError as problem:
        import errno

        if problem.errno in (errno.EPIPE, errno.EBADF):
            raise BrokenPipeError(errno.EPIPE, "nobody reads the output") from None
        raise
