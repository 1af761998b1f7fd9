"""Who may write: nobody unless the person said so, in their own settings or as they started the server.

A repository's committed settings can only narrow that.
"""

from __future__ import annotations

from memcli.errors import InvalidInput, MemError
from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from memcli.config import Config

    Mode = Literal["off", "ask", "auto"]

MODES: tuple[Mode, ...] = ("off", "ask", "auto")  # each allows more than the one before it
SETTING = "mcp.write"


class Gate(Record):
    """What the person said at the start: whether writing is allowed, and how; None: nothing."""

    allow: bool = False
    mode: str | None = None

    def of(self, config: Config) -> Mode:
        """Returns how a memory with these settings may be written."""
        wanted = config[SETTING]
        if self.allow and wanted == "off":
            wanted = "ask"
        if self.mode is not None and wanted != "off":
            wanted = self.mode
        return narrower(wanted, config.ceilings.get(SETTING, MODES[-1]))


def narrower(one: str, other: str) -> Mode:
    """Returns the one of two modes that allows less."""
    return MODES[min(MODES.index(one), MODES.index(other))]


def checked(mode: str | None) -> str | None:
    """Returns a mode as given. Raises InvalidInput for what is none."""
    if mode is not None and mode not in MODES:
        raise InvalidInput(f"no write mode {mode!r}", f"use {', '.join(MODES)}")
    return mode


def closed() -> MemError:
    """The error of a call that writes where that is off."""
    return MemError(
        "writing is off here", "the person can allow it: mem config set mcp.write ask, or mem mcp --allow-write", "write_off"
    )


def unconfirmed() -> MemError:
    """The error of a call that nobody confirmed."""
    return MemError("the person has to agree", "ask them; if they do, call again with confirmed=true", "confirmation_required")


def declined() -> MemError:
    """The error of a call that the person did not want."""
    return MemError("the person said no", "nothing was stored; do not ask again for the same", "declined")
