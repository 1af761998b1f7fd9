"""The tools: a name, one line, and what is behind it. A test measures what their list costs a client.

A tool that writes is an operation, whose request gives its arguments; `memory_*` are the names that other memories use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memcli import operations
from memcli.fields import REQUIRED, Field, Request
from memcli.mcp import reading
from memcli.mcp.reading import ToolAnswer
from memcli.operations import Operation
from memcli.project import Project
from memcli.records import Record

_STRING: dict[str, Any] = {"type": "string"}
_INTEGER: dict[str, Any] = {"type": "integer"}
_BOOLEAN: dict[str, Any] = {"type": "boolean"}
_STRINGS: dict[str, Any] = {"type": "array", "items": _STRING}
_BY_KIND = {"number": _INTEGER, "flag": _BOOLEAN, "labels": _STRINGS, "paths": _STRINGS, "ids": _STRINGS}  # others are strings
_REPOSITORY = {"repo": _STRING, "workspace": _STRING}
_SCOPE = {"scope": {"type": "string", "enum": ["user", "repo"]}}


class Tool(Record):
    """One tool. `default_scope`: whose memory it changes unless `scope` says otherwise; "" if there is no choice."""

    name: str
    description: str
    properties: dict[str, dict[str, Any]]
    required: tuple[str, ...]
    read: Callable[[Project, dict[str, Any]], ToolAnswer] | None = None
    operation: Operation | None = None
    default_scope: str = ""

    def schema(self) -> dict[str, Any]:
        """Returns the arguments as a JSON schema."""
        return {"type": "object", "properties": self.properties, "required": list(self.required)}

    def scope(self, arguments: dict[str, Any]) -> str:
        """Returns whose memory a call changes: `user` or `repo`."""
        return str(arguments.get("scope") or self.default_scope or "repo")

    def request(self, arguments: dict[str, Any]) -> Request:
        """Returns the request to the operation that a call makes."""
        assert self.operation is not None
        fields = self.operation.request.FIELDS
        request: Request = self.operation.request(**{name: value for name, value in arguments.items() if name in fields})
        return request


def _reading(
    name: str,
    description: str,
    read: Callable[[Project, dict[str, Any]], ToolAnswer],
    required: dict[str, dict[str, Any]],
    optional: dict[str, dict[str, Any]] | None = None,
) -> Tool:
    return Tool(name, description, {**required, **(optional or {}), **_REPOSITORY}, tuple(required), read)


def _writing(
    name: str, description: str, operation: str, scope: str = "", hidden: tuple[str, ...] = (), required: tuple[str, ...] = ()
) -> Tool:
    """Returns the tool for an operation. `hidden`: fields that agents do not get; `required`: besides the operation's own."""
    loaded = operations.load(operation)
    fields: dict[str, Field] = {name: field for name, field in loaded.request.FIELDS.items() if name not in hidden}
    properties = {name: _schema(field) for name, field in fields.items()}
    needed = tuple([name for name, field in fields.items() if field.default is REQUIRED or name in required])
    common = {**(_SCOPE if scope else {}), **_REPOSITORY, "confirmed": _BOOLEAN}
    return Tool(name, description, {**properties, **common}, needed, None, loaded, scope)


def _schema(field: Field) -> dict[str, Any]:
    """Returns the JSON schema of a field, with its limits; agents read every word of it, so the help stays out."""
    limits = {"minimum": field.minimum, "maximum": field.maximum, "enum": list(field.choices or ()) or None}
    return {**_BY_KIND.get(field.kind, _STRING), **{name: limit for name, limit in limits.items() if limit is not None}}


READING = (
    _reading(
        "mempack_get_context",
        "What this repository remembers about a task and holds on this commit. Call it first, with the task in your own words.",
        reading.get_context,
        {"query": _STRING},
        {
            "format": {"type": "string", "enum": ["prompt", "json", "xml"]},
            "budget": {"type": "integer", "description": "tokens"},
        },
    ),
    _reading(
        "mempack_explain",
        "Why memories are in the context for a query or not, with scores.",
        reading.explain,
        {"query": _STRING},
    ),
    _reading("mempack_show", "All about memories (M-...) or chunks (C-...).", reading.show, {"ids": _STRINGS}),
    _reading(
        "mempack_timeline",
        "Memories written before and after one.",
        reading.timeline,
        {"id": _STRING},
        {"before": _INTEGER, "after": _INTEGER},
    ),
    _reading(
        "memory_search",
        "Search memories by words; the person's own, too.",
        reading.search,
        {"query": _STRING},
        {"limit": _INTEGER},
    ),
)
WRITING = (
    _writing(
        "mempack_add_memory",
        "Keep what the next session should know: title = the fact, summary = why. No secrets.",
        "add",
        hidden=("force",),
    ),
    _writing("mempack_update_memory", "Correct a memory.", "update"),
    _writing("mempack_supersede", "Replace a memory that no longer holds.", "supersede", required=("summary",)),
    _writing("mempack_forget", "Hide a memory or chunk.", "forget", hidden=("erase",)),
    _writing("mempack_link", "Link two memories by a relation such as depends_on.", "link"),
    _writing(
        "mempack_checkpoint",
        "Store where the work stands: why, and the state as one JSON value that replaces the last.",
        "checkpoint",
    ),
    _writing("memory_write", "Remember a text word for word, here or for the person everywhere.", "write", scope="repo"),
    _writing("memory_store", "Keep a lasting fact or preference of the person under a key.", "profile_set", scope="user"),
    _writing("memory_delete", "Take a key out of the profile.", "profile_delete", scope="user"),
)
