"""Turns as a program prepares and acknowledges them."""

from __future__ import annotations

from typing import Any

from tests.conftest import Terminal


def prepare(terminal: Terminal, *more: str, session: str = "s") -> dict[str, Any]:
    return dict(terminal.mem("turn", "prepare", "--session", session, *more).json)


def told(terminal: Terminal, *more: str, session: str = "s") -> dict[str, Any]:
    """A turn that is prepared and reaches the session."""
    made = prepare(terminal, *more, session=session)
    assert terminal.mem("turn", "ack", "--prepare-id", made["prepareId"], "--status", "success").json == {"ok": True}
    return made
