"""Gemini CLI: hooks and servers in settings.json; its timeouts are milliseconds.

Files and events: the vendor's reference of hooks, and measured with 0.61.0. SessionEnd is not waited for. Whatever ends with
another code than 0 or 1 blocks the prompt, and so would a `mem` that is gone, with the shell's 127: hence `|| true`.
"""

from __future__ import annotations

from memcli.agents.adapters.spec import PROJECT, Hooks, Server, Spec, shell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.agents.adapters.spec import Handler

EVENTS = {
    "SessionStart": ("session-start", 10_000),
    "BeforeAgent": ("user-prompt", 5_000),
    "AfterTool": ("post-tool-use", 5_000),
    "AfterAgent": ("stop", 10_000),
    "PreCompress": ("pre-compact", 10_000),
    "SessionEnd": ("session-end", 5_000),
}


UNHARMED = ["||", "true"]


def entry(words: Sequence[str], event: str, timeout: int) -> Handler:
    """Returns what stands in the list of an event. Gemini tells hooks apart by their names."""
    plain = list(words[:-2] if list(words[-2:]) == UNHARMED else words)
    command = f"{shell(plain)} {' '.join(UNHARMED)}"
    return {"hooks": [{"type": "command", "name": f"mem-{EVENTS[event][0]}", "command": command, "timeout": timeout}]}


def server(words: Sequence[str]) -> Handler:
    """Returns a server as `gemini mcp add` writes it."""
    return {"command": words[0], "args": list(words[1:])}


FOLDER = "trust the folder when gemini asks: it reads no .gemini directory of another, and warns once of hooks that are new"
SPEC = Spec(
    "gemini",
    "Gemini CLI",
    Hooks(".gemini/settings.json", "${GEMINI_CLI_HOME:-~}/.gemini/settings.json", EVENTS, entry, {}),
    Server(".gemini/settings.json", "${GEMINI_CLI_HOME:-~}/.gemini/settings.json", ("mcpServers",), server),
    approve={PROJECT: (FOLDER,)},
    approve_server={PROJECT: (FOLDER,)},
)
