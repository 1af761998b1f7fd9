"""Claude Code: hooks in its settings, without a shell in between; servers in .mcp.json, or in .claude.json for the person.

Files, events and seconds: the vendor's pages on hooks, settings and MCP; what of it runs was measured with 2.1.330. All hooks of
SessionEnd share 1.5 s.
"""

from __future__ import annotations

from memcli.agents.adapters.spec import PROJECT, USER, Hooks, Server, Spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.agents.adapters.spec import Handler

EVENTS = {
    "SessionStart": ("session-start", 10),
    "UserPromptSubmit": ("user-prompt", 5),
    "PostToolUse": ("post-tool-use", 5),
    "PostToolUseFailure": ("post-tool-use", 5),
    "Stop": ("stop", 10),
    "PreCompact": ("pre-compact", 10),
    "SessionEnd": ("session-end", 5),
}
PLUGIN = "mem@memcli"  # as enabledPlugins names ours: plugin and marketplace


def entry(words: Sequence[str], event: str, timeout: int) -> Handler:
    """Returns what stands in the list of an event. `args` makes Claude Code start the program itself."""
    return {"hooks": [{"type": "command", "command": words[0], "args": list(words[1:]), "timeout": timeout}]}


def server(words: Sequence[str]) -> Handler:
    """Returns a server as `claude mcp add` writes it."""
    return {"type": "stdio", "command": words[0], "args": list(words[1:]), "env": {}}


SPEC = Spec(
    "claude",
    "Claude Code",
    Hooks(
        ".claude/settings.json", "${CLAUDE_CONFIG_DIR:-~/.claude}/settings.json", EVENTS, entry, {}, ".claude/settings.local.json"
    ),
    Server(".mcp.json", "${CLAUDE_CONFIG_DIR:-~}/.claude.json", ("mcpServers",), server),
    approve={
        PROJECT: ("open claude here and trust the folder: until then it holds hooks back (claude -p runs them without asking)",),
        USER: ("where claude asks whether you trust a folder, say so: until then it holds hooks back there",),
    },
    approve_server={PROJECT: ("claude asks once whether to use the server of .mcp.json",)},
)
