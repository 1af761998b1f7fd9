"""Turns of sessions, for the routes that tell a session something."""

from __future__ import annotations

from importlib import import_module

from memcli.http.problem import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def module() -> Any:
    """Returns what prepares turns and takes note of them. Raises Problem where this mem has none."""
    try:
        return import_module("memcli.turns.turn")
    except ImportError:
        raise Problem(501, "this mem prepares no turns", "use GET /v2/get", "unavailable") from None
