"""Errors as callers of tools see them: one record, and a hint that names tools and arguments."""

from __future__ import annotations

import re
from typing import Any

from memcli.errors import Call, MemError, command_line
from memcli.mcp.tools import WRITING
from memcli.serving import projects

_TOOLS = {  # by the operation's name
    "get": "mempack_get_context",
    "explain": "mempack_explain",
    "show": "mempack_show",
    "timeline": "mempack_timeline",
    "search": "memory_search",
    "recent": "memory_search",
    **{tool.operation.name: tool.name for tool in WRITING if tool.operation},
}
_ID = re.compile(r"[A-Z]-\w+")
_COMMAND = re.compile(r"\bmem [a-z]")
_VERBATIM = ("did you mean ", "give more of the id")  # what follows are titles of memories, which may mention commands


def for_tools(error: MemError) -> MemError:
    """Returns an error with its hint in the words of tools."""
    return MemError(error.message, _hint(error), error.code)


def _hint(error: MemError) -> str:
    if isinstance(error.parts, str):
        is_command = _COMMAND.search(error.parts) and "the person" not in error.parts and not error.parts.startswith(_VERBATIM)
        return f"for the person: {error.parts}" if is_command else error.parts
    hint = error.worded(_tool_call, lambda option: option.name)
    references = [part for part in error.parts if not isinstance(part, str)]
    is_command = all(isinstance(part, Call) and part.operation not in _TOOLS for part in references)
    return f"for the person: {hint}" if references and is_command else hint


def _tool_call(call: Call) -> str:
    """Words a reference to an operation: its tool with the ids, or its command if there is no tool or no tool does that."""
    if call.operation not in _TOOLS or "erase" in call.fields:
        return command_line(call)
    return " ".join([_TOOLS[call.operation], *[argument for argument in call.arguments if _ID.fullmatch(argument)]])


def explain(error: Exception) -> MemError:
    """Returns any exception as an error for a caller of tools."""
    return for_tools(projects.explain(error, "this is a bug: run mem mcp --debug and report it"))


def as_json(error: MemError) -> dict[str, Any]:
    """Returns an error as the data of an answer."""
    return {"ok": False, "error": {"code": error.code, "message": error.message[:500], "hint": error.hint[:500]}}
