"""Cursor: hooks in hooks.json, servers in mcp.json.

Files and events: the vendor's pages on hooks and MCP. Not measured: it is a program with windows. 10,000 characters of context:
the vendor's page on third-party hooks.
"""

from __future__ import annotations

from memcli.agents.adapters import PROJECT, USER, Adapter, shell_line, to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.agents.adapters import Handler

SWITCH_ON = "enable the server mem in Cursor's settings"


class Cursor(Adapter):
    """Cursor."""

    name = "cursor"
    title = "Cursor"
    max_bytes = 10_000
    events = {
        "sessionStart": ("session-start", 10),
        "beforeSubmitPrompt": ("user-prompt", 5),
        "postToolUse": ("post-tool-use", 5),
        "postToolUseFailure": ("post-tool-use", 5),
        "afterAgentResponse": ("stop", 5),
        "stop": ("stop", 10),
        "preCompact": ("pre-compact", 10),
        "sessionEnd": ("session-end", 5),
    }
    event_aliases = {
        "afterFileEdit": "post-tool-use",
        "afterShellExecution": "post-tool-use",
    }
    edit_tools = "editfile searchreplace deletefile afterfileedit"
    read_tools = "readfile listdir grepsearch filesearch codebasesearch"
    shell_tools = "shell terminal runterminalcmd aftershellexecution"
    web_tools = "browser"
    own_places = (".cursor", "~/.cursor")
    hook_files = (".cursor/hooks.json", "~/.cursor/hooks.json")
    new_hook_file = {"version": 1}
    server_files = (".cursor/mcp.json", "~/.cursor/mcp.json")
    approvals = {PROJECT: ("trust the workspace when Cursor asks: until then it runs no hooks",)}
    server_approvals = {PROJECT: (SWITCH_ON,), USER: (SWITCH_ON,)}

    def context(self, event: str, text: str) -> str:
        """Returns a flat object; that of a prompt also lets the prompt pass."""
        return to_json({"continue": True, "additional_context": text} if event == "user-prompt" else {"additional_context": text})

    def go_on(self, hook: str, request: str) -> str:
        """Returns the message that Cursor sends next."""
        return to_json({"followup_message": request}) if hook == "stop" else ""

    def hook_entry(self, words: Sequence[str], event: str, timeout: int) -> Handler:
        """Returns a hook that a shell runs."""
        return {"command": shell_line(words), "timeout": timeout}


ADAPTER = Cursor()
