"""Copilot CLI, and VS Code with it: hooks in a file of their own, servers in mcp-config.json.

Files and events: the vendor's reference of hooks, the command's own help on MCP, and measured with 1.0.102. preToolUse is left
alone: there a hook that fails forbids the tool. 10 KB of context: all hooks together. The hooks of a start and of the first
prompt run at once, and a resumed session has nothing of what the start was answered; what the prompt was answered is kept.
"""

from __future__ import annotations

from memcli.agents.adapters import PROJECT, Adapter, blocked_stop, shell_line, to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.agents.adapters import Handler


class Copilot(Adapter):
    """Copilot CLI."""

    name = "copilot"
    title = "Copilot CLI"
    max_bytes = 10_000
    context_events = ("user-prompt",)
    events = {
        "sessionStart": ("session-start", 10),
        "userPromptSubmitted": ("user-prompt", 5),
        "postToolUse": ("post-tool-use", 5),
        "postToolUseFailure": ("post-tool-use", 5),
        "agentStop": ("stop", 10),
        "preCompact": ("pre-compact", 10),
        "sessionEnd": ("session-end", 5),
    }
    edit_tools = """create strreplace strreplaceeditor strreplacebasededittool createfile editfile replacestringinfile
        inserteditintofile"""
    read_tools = "view listdir readfile grepsearch filesearch findfiles semanticsearch managetodolist askuser"
    shell_tools = "bash powershell runinterminal"
    web_tools = "fetch fetchwebpage"
    own_places = (".github/copilot-instructions.md", "${COPILOT_HOME:-~/.copilot}")
    hook_files = (".github/hooks/mem.json", "${COPILOT_HOME:-~/.copilot}/hooks/mem.json")
    new_hook_file = {"version": 1}
    server_files = (".github/mcp.json", "${COPILOT_HOME:-~/.copilot}/mcp-config.json")
    approvals = {PROJECT: ("trust the folder when copilot asks: until then it loads no hooks",)}
    server_approvals = {PROJECT: ("trust the folder when copilot asks: until then it loads no servers",)}

    def context(self, event: str, text: str) -> str:
        """Returns a flat object: Copilot drops a nested one."""
        return to_json({"additionalContext": text})

    def hint(self, hook: str, text: str) -> str:
        """Returns a flat object after a tool call; before one there is no hook of ours."""
        return self.context("", text)

    def go_on(self, hook: str, request: str) -> str:
        """Returns the decision that blocks the stop."""
        return blocked_stop(request)

    def hook_entry(self, words: Sequence[str], event: str, timeout: int) -> Handler:
        """Returns a hook that a shell runs."""
        return {"type": "command", "bash": shell_line(words), "timeoutSec": timeout}

    def server_entry(self, words: Sequence[str]) -> Handler:
        """Returns a server as `copilot mcp add` writes it."""
        return {"type": "local", "command": words[0], "args": list(words[1:]), "tools": ["*"]}


ADAPTER = Copilot()
