"""Stands in until the detector of secrets is there."""

from __future__ import annotations

from memcli.records import Record


class Masked(Record):
    """A text without its secrets, and the rules that found some."""

    text: str
    rules: tuple[str, ...]


def mask(text: str) -> Masked:
    """Returns the text as it is."""
    return Masked(text, ())
