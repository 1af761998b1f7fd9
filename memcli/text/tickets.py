"""Tickets that a text names: what is filed under a number is kept elsewhere."""

from __future__ import annotations

from memcli.text import _open_cues


def is_filed(text: str) -> bool:
    """Tells whether a text says that something was put down for later under a number."""
    return bool(_open_cues.FILED.search(text))


def names(text: str) -> frozenset[str]:
    """Returns the names of tickets in a text."""
    return frozenset(_open_cues.TICKET.findall(text))
