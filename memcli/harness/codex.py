"""Codex: hooks in hooks.json, servers in config.toml.

Files, events and seconds: the schemas in its 0.169.0 binary, and measured with it. SessionEnd has 3 s at most.
"""

from __future__ import annotations

from memcli.harness.spec import PROJECT, USER, Hooks, Server, Spec, shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.harness.spec import Handler

EVENTS = {
    "SessionStart": ("session-start", 10),
    "UserPromptSubmit": ("user-prompt", 5),
    "PostToolUse": ("post-tool-use", 5),
    "Stop": ("stop", 10),
    "PreCompact": ("pre-compact", 10),
    "SessionEnd": ("session-end", 3),
}
REVIEW = "open codex, type /hooks and trust the hooks of mem: until you have reviewed them it skips them without a word"


def entry(words: Sequence[str], event: str, timeout: int) -> Handler:
    """Returns what stands in the list of an event."""
    return {"hooks": [{"type": "command", "command": shell(words), "timeout": timeout}]}


def server(words: Sequence[str]) -> Handler:
    """Returns a server as `codex mcp add` writes it."""
    return {"command": words[0], "args": list(words[1:])}


SPEC = Spec(
    "codex",
    "Codex",
    Hooks(".codex/hooks.json", "${CODEX_HOME:-~/.codex}/hooks.json", EVENTS, entry, {}),
    Server(".codex/config.toml", "${CODEX_HOME:-~/.codex}/config.toml", ("mcp_servers",), server),
    approve={PROJECT: ("trust the project when codex asks: it reads no .codex directory of another", REVIEW), USER: (REVIEW,)},
    approve_server={PROJECT: ("trust the project when codex asks: it reads no .codex directory of another",)},
)
