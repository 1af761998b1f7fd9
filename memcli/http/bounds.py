"""Page sizes from clients of other memories: clamped to bounds, where this program's own routes would refuse."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BeforeValidator

T = TypeVar("T")


def number_within(value: str | None, default: T, most: int, least: int = 1) -> int | T:
    """Returns the number that a client means, clamped to bounds: models send 0, 100, 2.5 or no number at all."""
    try:
        number = float(value or "")
        return int(min(max(number, least), most))
    except ValueError:  # no number, or none of the numbers
        return default


def within(default: int | None, most: int, least: int = 1) -> BeforeValidator:
    """Returns a function that makes a page size of whatever a client sends; `default` if it is not a number."""
    return BeforeValidator(lambda value: number_within(str(value), default, most, least))
