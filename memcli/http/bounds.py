"""Sizes of pages as clients of other memories give them: brought within bounds, where this program's own routes refuse."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BeforeValidator

T = TypeVar("T")


def number_within(value: str | None, default: T, most: int, least: int = 1) -> int | T:
    """Returns the number that a client means, within bounds: models give 0, 100, 2.5 or nothing that is a number."""
    try:
        number = float(value or "")
        return int(min(max(number, least), most))
    except ValueError:  # no number, or none of the numbers
        return default


def within(default: int | None, most: int, least: int = 1) -> BeforeValidator:
    """Returns what makes a size of a page of whatever a client gives; `default` of what is no number."""
    return BeforeValidator(lambda value: number_within(str(value), default, most, least))
