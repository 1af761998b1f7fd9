"""OpenCode: no hooks, but a plugin of ours in its plugin directory; servers in opencode.json.

Files: the vendor's pages on plugins and MCP; events: the types of @opencode-ai/plugin 1.18.33, measured with OpenCode 1.18.33.
"""

from __future__ import annotations

from memcli.agents.adapters import Adapter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.agents.adapters import Handler

PROGRAM = 'const MEM = ["mem"]'  # the line of the plugin that names the program
FOLDER = "${XDG_CONFIG_HOME:-~/.config}/opencode"


class OpenCode(Adapter):
    """OpenCode."""

    name = "opencode"
    title = "OpenCode"
    event_aliases = {
        "session.created": "session-start",
        "session.resume": "session-start",
        "chat.message": "user-prompt",
        "tool.execute.after": "post-tool-use",
        "session.idle": "stop",
        "experimental.session.compacting": "pre-compact",
        "session.deleted": "session-end",
        "dispose": "session-end",
    }
    edit_tools = "edit write patch"
    read_tools = "read grep glob list todoread todowrite"
    shell_tools = "bash"
    web_tools = "webfetch"
    own_places = (".opencode", FOLDER)
    server_files = ("opencode.json", f"{FOLDER}/opencode.json")
    server_keys = ("mcp",)
    first_start = "the first start of opencode fetches npm packages for plugins, 60 MB, once: let it have the network"
    plugin_files = (".opencode/plugins/mem.js", f"{FOLDER}/plugins/mem.js")

    def hint(self, hook: str, text: str) -> str:
        """Returns the text, which the plugin puts behind what the tool said."""
        return text

    def plugin_text(self, mem: Sequence[str]) -> str:
        """Returns the plugin, which starts this `mem`."""
        import json

        from memcli.agents.setup.instructions import template

        return template("opencode.js").replace(PROGRAM, f"const MEM = {json.dumps(list(mem), ensure_ascii=False)}")

    def server_entry(self, words: Sequence[str]) -> Handler:
        """Returns a server."""
        return {"type": "local", "command": list(words), "enabled": True}


ADAPTER = OpenCode()
