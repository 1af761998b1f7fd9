"""Errors as callers of tools see them: one record, and a hint that names tools and arguments."""

from __future__ import annotations

import re
from typing import Any

from memcli.errors import Call, MemError, command_line
from memcli.mcp.tools import READING, WRITING
from memcli.serving import projects

_TOOLS = {"search": "memory_search", "recent": "memory_search"}  # by the operation's name
_TOOLS |= {tool.operation.name: tool.name for tool in (*READING, *WRITING) if tool.operation}
_ID = re.compile(r"[A-Z]-\w+")
_TWICE = re.compile(r"\b(\w+),? (?:or|and) \1\b")  # two commands that one tool is


def for_tools(error: MemError) -> MemError:
    """Returns an error whose hint refers to tools; what no tool does stays a command."""
    hint = _TWICE.sub(r"\1", error.worded(_tool_call, lambda option: option.name))
    return MemError(error.message, hint, error.code)


def _tool_call(call: Call) -> str:
    """Returns a reference to an operation as text: its tool with the ids, or its command if no tool does that."""
    operation = call.operation.replace(" ", "_")
    if operation not in _TOOLS or "erase" in call.fields:
        return command_line(call)
    named = [f"{name}={value}" for name, value in call.fields.items() if _ID.fullmatch(value)]
    return " ".join([_TOOLS[operation], *[argument for argument in call.arguments if _ID.fullmatch(argument)], *named])


def explain(error: Exception) -> MemError:
    """Returns any exception as an error for a caller of tools."""
    return for_tools(projects.explain(error, "this is a bug: run mem mcp --debug and report it"))


def as_json(error: MemError) -> dict[str, Any]:
    """Returns an error as the data of an answer."""
    return {"ok": False, "error": {"code": error.code, "message": error.message[:500], "hint": error.hint[:500]}}
