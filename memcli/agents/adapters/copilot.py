"""Copilot CLI, and VS Code with it: hooks in a file of their own, servers in mcp-config.json.

Files and events: the vendor's reference of hooks, the command's own help on MCP, and measured with 1.0.102. preToolUse is left
alone: there a hook that fails forbids the tool.
"""

from __future__ import annotations

from memcli.agents.adapters.spec import PROJECT, Hooks, Server, Spec, shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.agents.adapters.spec import Handler

EVENTS = {
    "sessionStart": ("session-start", 10),
    "userPromptSubmitted": ("user-prompt", 5),
    "postToolUse": ("post-tool-use", 5),
    "postToolUseFailure": ("post-tool-use", 5),
    "agentStop": ("stop", 10),
    "preCompact": ("pre-compact", 10),
    "sessionEnd": ("session-end", 5),
}


def entry(words: Sequence[str], event: str, timeout: int) -> Handler:
    """Returns what stands in the list of an event."""
    return {"type": "command", "bash": shell(words), "timeoutSec": timeout}


def server(words: Sequence[str]) -> Handler:
    """Returns a server as `copilot mcp add` writes it."""
    return {"type": "local", "command": words[0], "args": list(words[1:]), "tools": ["*"]}


SPEC = Spec(
    "copilot",
    "Copilot CLI",
    Hooks(".github/hooks/mem.json", "${COPILOT_HOME:-~/.copilot}/hooks/mem.json", EVENTS, entry, {"version": 1}),
    Server(".github/mcp.json", "${COPILOT_HOME:-~/.copilot}/mcp-config.json", ("mcpServers",), server),
    approve={PROJECT: ("trust the folder when copilot asks: it loads no hooks of another",)},
    approve_server={PROJECT: ("trust the folder when copilot asks: it loads no servers of another",)},
)
