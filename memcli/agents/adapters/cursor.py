"""Cursor: hooks in hooks.json, servers in mcp.json.

Files and events: the vendor's pages on hooks and MCP. Not measured: it is a program with windows.
"""

from __future__ import annotations

from memcli.agents.adapters.spec import PROJECT, USER, Hooks, Server, Spec, shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.agents.adapters.spec import Handler

EVENTS = {
    "sessionStart": ("session-start", 10),
    "beforeSubmitPrompt": ("user-prompt", 5),
    "postToolUse": ("post-tool-use", 5),
    "postToolUseFailure": ("post-tool-use", 5),
    "stop": ("stop", 10),
    "preCompact": ("pre-compact", 10),
    "sessionEnd": ("session-end", 5),
}


def entry(words: Sequence[str], event: str, timeout: int) -> Handler:
    """Returns what stands in the list of an event."""
    return {"command": shell(words), "timeout": timeout}


def server(words: Sequence[str]) -> Handler:
    """Returns a server."""
    return {"command": words[0], "args": list(words[1:])}


ON = "Cursor lists servers in its settings: switch mem on there"
SPEC = Spec(
    "cursor",
    "Cursor",
    Hooks(".cursor/hooks.json", "~/.cursor/hooks.json", EVENTS, entry, {"version": 1}),
    Server(".cursor/mcp.json", "~/.cursor/mcp.json", ("mcpServers",), server),
    approve={PROJECT: ("trust the workspace when Cursor asks: it runs no hooks of another",)},
    approve_server={PROJECT: (ON,), USER: (ON,)},
)
