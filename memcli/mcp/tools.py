"""The tools: a name, one line, and what is behind it. A test measures what their list costs a client.

A tool is an operation, whose request gives its arguments; `memory_*` are the names that other memories use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memcli import operations
from memcli.errors import InvalidInput
from memcli.fields import REQUIRED, Field, Request, accepted
from memcli.mcp import reading
from memcli.mcp.reading import ToolAnswer
from memcli.operations import Operation
from memcli.project import Project
from memcli.records import Record, replace

MAX_IDS = 20  # in one call
_STRING: dict[str, Any] = {"type": "string"}
_INTEGER: dict[str, Any] = {"type": "integer"}
_BOOLEAN: dict[str, Any] = {"type": "boolean"}
_STRINGS: dict[str, Any] = {"type": "array", "items": _STRING}
_BY_KIND = {"number": _INTEGER, "flag": _BOOLEAN, "labels": _STRINGS, "paths": _STRINGS, "ids": _STRINGS}  # others are strings
_REPOSITORY = {"repo": _STRING, "workspace": _STRING}
_SCOPE = {"scope": {"type": "string", "enum": ["user", "repo"]}}


class Tool(Record):
    """One tool, and the operation behind it.

    `words`: renders a result for a model, for an operation that reads; `search`: in place of an operation; `default_scope`: whose
    memory it changes unless `scope` says otherwise, "" if there is no choice; `unlisted`: further arguments, which the list
    leaves out because each of its words costs every session.
    """

    name: str
    description: str
    properties: dict[str, dict[str, Any]]
    required: tuple[str, ...]
    operation: Operation | None = None
    words: Callable[[Any, dict[str, Any]], ToolAnswer] | None = None
    search: Callable[[Project, dict[str, Any]], ToolAnswer] | None = None
    default_scope: str = ""
    unlisted: dict[str, dict[str, Any]] = {}

    @property
    def writes(self) -> bool:
        """Whether it changes a memory."""
        return self.operation is not None and self.operation.plan is not None

    @property
    def is_about_repository(self) -> bool:
        """Whether it answers with what a repository remembers about a task."""
        return self.operation is not None and self.operation.name in ("get", "explain")

    def schema(self) -> dict[str, Any]:
        """Returns the arguments as a JSON schema."""
        required = {"required": list(self.required)} if self.required else {}
        return {"type": "object", "properties": self.properties, **required}

    @property
    def arguments(self) -> dict[str, dict[str, Any]]:
        """The schemas of all arguments that it takes."""
        return self.properties | self.unlisted

    def scope(self, arguments: dict[str, Any]) -> str:
        """Returns whose memory a call changes: `user` or `repo`."""
        return str(arguments.get("scope") or self.default_scope or "repo")

    def is_for_person(self, arguments: dict[str, Any]) -> bool:
        """Tells whether a call may use the person's own memory: it reads, or has a choice and does not name the repository."""
        return not self.writes or (bool(self.default_scope) and arguments.get("scope") != "repo")

    def request(self, arguments: dict[str, Any]) -> Request:
        """Returns the request to the operation that a call makes. Raises InvalidInput for no ids, or too many."""
        assert self.operation is not None
        values = {_argument(name, field, self.writes): (name, field) for name, field in self.operation.request.FIELDS.items()}
        inputs = {values[name][0]: value for name, value in arguments.items() if name in values}
        for name, field in values.values():
            if field.kind == "ids" and self.writes:
                inputs[name] = (inputs[name],)
            elif field.kind == "ids" and not 1 <= len(inputs[name]) <= MAX_IDS:
                raise InvalidInput(f"{len(inputs[name])} ids is out of range", f"give 1 to {MAX_IDS}")
        request: Request = self.operation.request(**inputs)
        return request

    def read(self, project: Project, arguments: dict[str, Any]) -> ToolAnswer:
        """Answers a call that only reads. Raises the refusals of its operation."""
        if self.search is not None:
            return self.search(project, arguments)
        assert self.operation is not None
        assert self.words is not None
        return self.words(operations.read(self.operation, self.request(arguments), project), arguments)


def _tool(
    name: str, description: str, operation: str, scope: str = "", hidden: tuple[str, ...] = (), required: tuple[str, ...] = ()
) -> Tool:
    """Returns the tool for an operation. `hidden`: fields that agents do not get; `required`: beyond the operation's own."""
    loaded = operations.load(operation)
    writes = loaded.plan is not None
    fields = {_argument(name, field, writes): field for name, field in loaded.request.FIELDS.items() if name not in hidden}
    properties = {name: _STRING if field.kind == "ids" and writes else _schema(field) for name, field in fields.items()}
    needed = tuple([name for name, field in fields.items() if field.default is REQUIRED or name in required])
    confirmed = {"confirmed": _BOOLEAN} if writes else {}
    common = {**(_SCOPE if scope else {}), **_REPOSITORY, **confirmed}
    return Tool(name, description, {**properties, **common}, needed, loaded, default_scope=scope)


def _reading(
    name: str, description: str, operation: str, words: Callable[[Any, dict[str, Any]], ToolAnswer], hidden: tuple[str, ...] = ()
) -> Tool:
    return replace(_tool(name, description, operation, hidden=hidden), words=words)


def _short(tool: Tool, *names: str) -> Tool:
    """Returns a tool that lists only these arguments."""
    listed = {name: schema for name, schema in tool.properties.items() if name in names}
    return replace(tool, properties=listed, unlisted=tool.properties)


def _without(tool: Tool, *names: str) -> Tool:
    """Returns a tool that does not list these arguments."""
    return _short(tool, *[name for name in tool.properties if name not in names])


def _argument(name: str, field: Field, writes: bool) -> str:
    """Returns the argument's name for a field. A tool that writes takes one id, so that the person is asked about each."""
    return f"{name}s" if field.kind == "ids" and not writes else name


def _schema(field: Field) -> dict[str, Any]:
    """Returns the JSON schema of a field, with its limits. Agents read every word of it, so the help is left out."""
    limits = {"minimum": field.minimum, "maximum": field.maximum, "enum": list(accepted(field)) or None}
    return {**_BY_KIND.get(field.kind, _STRING), **{name: limit for name, limit in limits.items() if limit is not None}}


_NOT_FOR_AGENTS = ("max_bytes", "include_orphans", "semantic", "harness")
READING = (
    _reading(
        "mempack_get_context",
        "What this repository remembers about a task and holds on this commit. Call it first, with the task in your own words.",
        "get",
        reading.pack,
        _NOT_FOR_AGENTS,
    ),
    replace(
        _reading(
            "mempack_explain",
            "Why memories are in the context for a query or not, with scores.",
            "explain",
            reading.explanation,
            ("budget", "since", "until", *_NOT_FOR_AGENTS),
        ),
        unlisted={"format": {"type": "string", "enum": ["prompt", "json"]}},
    ),
    _reading(
        "mempack_show",
        "All about memories (M-), chunks (C-), prompts (P-).",
        "show",
        reading.items,
        ("context",),
    ),
    _reading("mempack_why", "Why FILE:LINE, FILE or COMMIT is as it is.", "why", reading.why),
    _short(_reading("mempack_notes", "Notes of a day or the last days.", "notes", reading.notes), "day"),
    _reading("mempack_timeline", "Memories written before and after one.", "timeline", reading.timeline),
    Tool(
        "memory_search",
        "Search memories by words; the person's own, too.",
        {"query": _STRING, "limit": _INTEGER, **_REPOSITORY},
        ("query",),
        search=reading.search,
    ),
)
_BY_PERSONS = (
    "erase",
    "session",
    "lost",
    "dry_run",
    "kind",
    "thread",
    "origin",
    "since",
    "until",
)  # an agent names one thing to forget
_SINGLE_LABELS = ("tags_add", "tags_remove", "entities_add", "entities_remove")
WRITING = (
    _tool(
        "mempack_add_memory",
        "Keep what the next session should know: title = the fact, summary = why. No secrets.",
        "add",
        hidden=("force", "share"),
    ),
    _without(_tool("mempack_update_memory", "Correct a memory.", "update"), *_SINGLE_LABELS),
    _tool("mempack_supersede", "Replace a memory that no longer holds: summary = what does, or by = a memory.", "supersede"),
    _tool("mempack_forget", "Hide a memory, chunk or prompt.", "forget", hidden=_BY_PERSONS, required=("id",)),
    _tool("mempack_link", "Link two memories, as by depends_on.", "link"),
    _tool(
        "mempack_checkpoint",
        "Store where the work stands: the state is one JSON value that replaces the last.",
        "checkpoint",
        hidden=("share",),
    ),
    _short(_tool("mempack_add_note", "Add a note of today.", "note", scope="repo"), "text", "confirmed"),
    _tool("memory_write", "Remember a text word for word, here or for the person everywhere.", "write", scope="repo"),
    _tool("memory_store", "Keep a fact or preference of the person under a key.", "profile_set", scope="user"),
    _tool("memory_delete", "Remove a key from the profile.", "profile_delete", scope="user"),
)
