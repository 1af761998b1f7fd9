"""Who may write: nobody, unless the person allows it in their own settings or when starting the server.

A repository's committed settings can only narrow that.
"""

from __future__ import annotations

from typing import Literal

from memcli.config import Config
from memcli.errors import InvalidInput, MemError
from memcli.records import Record
from memcli.registry import digested

Mode = Literal["off", "ask", "auto"]
MODES: tuple[Mode, ...] = ("off", "ask", "auto")  # each allows more than the one before
SETTING = "mcp.write"


class WriteGate(Record):
    """What the person allowed at the start: whether to write, and the mode; None: not stated."""

    allow: bool = False
    mode: str | None = None

    def mode_for(self, config: Config) -> Mode:
        """Returns the write mode for a memory with these settings."""
        mode = config[SETTING]
        if self.allow and mode == "off":
            mode = "ask"
        if self.mode is not None and mode != "off":
            mode = self.mode
        return narrower(mode, config.ceilings.get(SETTING, MODES[-1]))


def narrower(first: str, second: str) -> Mode:
    """Returns the more restrictive mode."""
    return MODES[min(MODES.index(first), MODES.index(second))]


def checked(mode: str | None) -> str | None:
    """Returns the mode. Raises InvalidInput for an unknown one."""
    if mode is not None and mode not in MODES:
        raise InvalidInput(f"no write mode {mode!r}", f"use {', '.join(MODES)}")
    return mode


def elsewhere() -> MemError:
    """The error of a call for a repository that the server does not serve."""
    hint = "the person can allow it: mem config set mcp.repos with its id or path"
    return MemError("this server serves its own repository only", hint, "other_repository")


def serves_workspace(own: str | None, name: str, config: Config) -> bool:
    """Tells whether calls may open a workspace: any if the server has none, else its own or one from the person's setting.

    A workspace that an import renamed has two names.
    """
    allowed = [it.strip() for it in config["mcp.workspaces"].split(",") if it.strip()]
    return own is None or "*" in allowed or any(not _names(name).isdisjoint(_names(other)) for other in (own, *allowed))


def _names(workspace: str) -> set[str]:
    return {workspace.lower(), digested(workspace).lower()}


def other_workspace() -> MemError:
    """The error of a call for a workspace that the server does not serve."""
    hint = "the person can allow it: mem config set mcp.workspaces with its name"
    return MemError("this server serves its own workspace only", hint, "other_workspace")


def not_own() -> MemError:
    """The error of a call that changes the person's own memory from a workspace that does not show it."""
    hint = "leave scope out, or the person can allow it: mem config set workspace.own_memory with the workspace's name"
    return MemError("this workspace does not reach the person's own memory", hint, "other_workspace")


def closed() -> MemError:
    """The error of a call that writes while writing is off."""
    hint = "the person can allow it: mem config set mcp.write ask, or mem mcp --allow-write"
    return MemError("writing is off here", hint, "write_off")


def unconfirmed() -> MemError:
    """The error of a call that nobody confirmed."""
    return MemError("the person has to agree", "ask them; if they do, call again with confirmed=true", "confirmation_required")


def not_asked() -> MemError:
    """The error of a call that changes the person's own memory where nobody can be asked."""
    hint = "they can write it (mem profile set KEY VALUE --user), or allow it without a scope (mem config set mcp.scope user)"
    return MemError("this client cannot ask the person about their own memory", hint, "confirmation_required")


def declined() -> MemError:
    """The error of a call that the person declined."""
    return MemError("the person declined", "nothing was stored; do not ask again for the same", "declined")
