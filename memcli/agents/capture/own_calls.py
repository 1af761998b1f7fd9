"""Tool calls that are not stored: of our own tools, of `mem` itself, private ones, and those that a setting names.

`body` is that of an event: see normalize.py.
"""

from __future__ import annotations

from memcli.agents.capture.normalize import first_text
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

OWN = "own_tool"
# What harnesses put before the names of our server's tools: Claude Code and Codex, its plugin, Gemini, OpenClaw.
OWN_TOOLS = ("mcp__mem__", "mcp__mem.", "mcp__plugin_mem_", "mcp_mem_", "mem__")
# The same where only the tool's own name shows that it is ours: Copilot, OpenCode, Cursor.
OWN_SERVER, OWN_NAMES = ("mem-", "mem_", "mem.", "MCP:"), ("memory_", "mempack_")
_FILTERS = frozenset("cd head tail grep cat wc jq less echo".split())  # what may stand beside `mem` in a line of its own
_MOST_CITED = 50  # ids that are kept of a call
_MAX_COMMAND = 1_000  # characters of a command that are read


def is_own_tool(name: str) -> bool:
    """Tells whether a harness's name of a tool means one of ours, whose answers are known already."""
    names = [name[len(prefix) :] for prefix in OWN_SERVER if name.startswith(prefix)]
    return name.startswith(OWN_TOOLS) or any(own.startswith(OWN_NAMES) for own in names)


def skip_reason(body: dict[str, Any], skip: Sequence[str]) -> str:
    """Returns why a tool call is not stored: private, skip_list, or own_tool for our own tools and commands; "": it is.

    `skip`: names of tools; a * at the end stands for anything.
    """
    tool = body.get("tool", "")
    if is_own_tool(tool):
        return OWN
    if body.get("skipped"):
        return str(body["skipped"])
    for name in skip:
        if tool == name or (name.endswith("*") and tool.startswith(name[:-1])):
            return "skip_list"
    command = _command(body.get("input"))
    return OWN if "mem" in command and _runs_only_mem(command) else ""


def cited(body: dict[str, Any]) -> str:
    """Returns the ids of memories that the arguments of a call name, with spaces between them."""
    from memcli.text import ids

    pieces = json.canonical(body.get("input", "")).upper().split("M-")[1:]
    names = [piece[: ids.LENGTH] for piece in pieces if len(piece) >= ids.LENGTH]
    return " ".join([f"M-{name}" for name in names[:_MOST_CITED] if set(name) <= set(ids.ALPHABET)])


def _command(arguments: Any) -> str:
    """Returns the command line among a call's arguments; of a list of words the last, which is the shell's argument."""
    if not isinstance(arguments, dict):
        return ""
    command = arguments.get("command", arguments.get("cmd"))
    return first_text(command[-1:] if isinstance(command, list) and len(command) == 3 else command)


def _runs_only_mem(command: str) -> bool:
    """Tells whether a command line runs only `mem`, with at most filters of its output."""
    plain, quote = [], ""
    for char in command[:_MAX_COMMAND]:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        else:
            plain.append("\n" if char in "&;|" else char)
    lines = [line.split() for line in "".join(plain).replace("2>\n1", "").partition("<<")[0].split("\n")]
    names = [_program(words) for words in lines if words]
    return "mem" in names and all(name == "mem" or name in _FILTERS for name in names)


def _program(words: Sequence[str]) -> str:
    """Returns the program that a command runs; `mem` also for its Python module."""
    name = words[0].rpartition("/")[2]
    return "mem" if name.startswith("python") and list(words[1:3]) == ["-m", "memcli"] else name
