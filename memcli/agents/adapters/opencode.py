"""OpenCode: no hooks, but a plugin of ours in its plugin directory; servers in opencode.json.

Files: the vendor's pages on plugins and MCP; events: the types of @opencode-ai/plugin 1.18.33, measured with OpenCode 1.18.33.
"""

from __future__ import annotations

import json

from memcli.agents.adapters.spec import Own, Server, Spec
from memcli.agents.setup.instructions import template

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.agents.adapters.spec import Handler

PROGRAM = 'const MEM = ["mem"]'


def plugin(mem: Sequence[str]) -> str:
    """Returns the plugin, which starts this `mem`."""
    return template("opencode.js").replace(PROGRAM, f"const MEM = {json.dumps(list(mem), ensure_ascii=False)}")


def server(words: Sequence[str]) -> Handler:
    """Returns a server."""
    return {"type": "local", "command": list(words), "enabled": True}


HOME = "${XDG_CONFIG_HOME:-~/.config}/opencode"
SPEC = Spec(
    "opencode",
    "OpenCode",
    server=Server("opencode.json", f"{HOME}/opencode.json", ("mcp",), server),
    own=Own(".opencode/plugins/mem.js", f"{HOME}/plugins/mem.js", plugin),
)
