"""Claude Code: hooks in its settings, without a shell in between; servers in .mcp.json, or in .claude.json for the person.

Files, events and seconds: the vendor's pages on hooks, settings and MCP; what of it runs was measured with 2.1.330. All hooks of
SessionEnd share 1.5 s. More than 10,000 characters of context become a file and a preview (measured, too).
"""

from __future__ import annotations

from memcli.agents.adapters import PROJECT, USER, Adapter, blocked_stop, nested_context, nested_refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from memcli.agents.adapters import Handler, Problem

BEFORE = "Bash|Edit|MultiEdit|NotebookEdit|Read|Write"  # the tools before which there is something to say


class Claude(Adapter):
    """Claude Code."""

    name = "claude"
    title = "Claude Code"
    max_bytes = 10_000
    events = {
        "SessionStart": ("session-start", 10),
        "UserPromptSubmit": ("user-prompt", 5),
        "PreToolUse": ("pre-tool-use", 5),
        "PostToolUse": ("post-tool-use", 5),
        "PostToolUseFailure": ("post-tool-use", 5),
        "Stop": ("stop", 10),
        "PreCompact": ("pre-compact", 10),
        "SessionEnd": ("session-end", 5),
    }
    event_aliases = {"StopFailure": "stop", "PostCompact": "pre-compact"}
    edit_tools = "edit write multiedit notebookedit"
    read_tools = """read grep glob ls notebookread todoread todowrite toolsearch lsp getdiagnostics exitplanmode enterplanmode
        viewimage getgoal"""
    shell_tools = "bash"
    web_tools = "webfetch websearch"
    own_places = (".claude", "${CLAUDE_CONFIG_DIR:-~/.claude}")
    hook_files = (".claude/settings.json", "${CLAUDE_CONFIG_DIR:-~/.claude}/settings.json")
    local_hook_file = ".claude/settings.local.json"
    server_files = (".mcp.json", "${CLAUDE_CONFIG_DIR:-~}/.claude.json")
    plugin_id = "mem@memcli"  # as enabledPlugins names it: plugin and marketplace
    approvals = {
        PROJECT: ("open claude here and trust the folder: until then it runs no hooks (claude -p runs them without asking)",),
        USER: ("trust a folder when claude asks: until then it runs no hooks there",),
    }
    server_approvals = {PROJECT: ("claude asks once whether to use the server of .mcp.json",)}

    def hint(self, hook: str, text: str) -> str:
        """Returns a nested object: a plain text is no context after a tool call."""
        return nested_context(hook, text) if hook in self.events else ""

    def refusal(self, hook: str, reason: str) -> str:
        """Returns the decision that forbids the call."""
        return nested_refusal(reason)

    def go_on(self, hook: str, request: str) -> str:
        """Returns the decision that blocks the stop."""
        return blocked_stop(request) if hook == "Stop" else ""

    def hook_entry(self, words: Sequence[str], event: str, timeout: int) -> Handler:
        """Returns a hook with `args`, which makes Claude Code start the program itself."""
        matcher = {"matcher": BEFORE} if event == "PreToolUse" else {}
        hook = {"type": "command", "command": words[0], "args": list(words[1:]), "timeout": timeout}
        return {**matcher, "hooks": [hook]}

    def server_entry(self, words: Sequence[str]) -> Handler:
        """Returns a server as `claude mcp add` writes it."""
        return {"type": "stdio", "command": words[0], "args": list(words[1:]), "env": {}}

    def switched_off(self, settings: Mapping[str, Any]) -> list[Problem]:
        """Returns the switches of Claude Code that are on."""
        switches = ("disableAllHooks", "allowManagedHooksOnly")
        return [(f"{switch} is on", f"take {switch} out of it") for switch in switches if settings.get(switch) is True]


ADAPTER = Claude()
