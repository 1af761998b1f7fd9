"""The tools: names, short descriptions, arguments. A test measures what their list costs a client."""

from __future__ import annotations

from memcli.mcp import reading, writing
from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from memcli.mcp.answers import Answer
    from memcli.project import Project

_TEXT: dict[str, Any] = {"type": "string"}
_NUMBER: dict[str, Any] = {"type": "integer"}
_FLAG: dict[str, Any] = {"type": "boolean"}
_LIST: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
_PLACE = {"repo": _TEXT, "workspace": _TEXT}
_SCOPE = {"scope": {"type": "string", "enum": ["user", "repo"]}}
_ID = {"id": _TEXT}


class Tool(Record):
    """One tool. `hides`: it may take away what was there; `again`: a second call changes nothing more."""

    name: str
    about: str
    fields: dict[str, dict[str, Any]]
    required: tuple[str, ...]
    run: Callable[[Project, dict[str, Any]], Answer]
    writes: bool = False
    hides: bool = False
    again: bool = True
    user: bool = False  # whether it means the person's own memory unless `scope` says otherwise

    def schema(self) -> dict[str, Any]:
        """Returns the arguments as a JSON schema."""
        return {"type": "object", "properties": self.fields, "required": list(self.required)}


READING = (
    Tool(
        "mempack_get_context",
        "What this repository remembers about a task and holds on this commit. Call it first, with the task in your own words.",
        {
            "query": _TEXT,
            "format": {"type": "string", "enum": ["prompt", "json", "xml"]},
            "budget": {"type": "integer", "description": "tokens"},
            **_PLACE,
        },
        ("query",),
        reading.get_context,
    ),
    Tool(
        "mempack_explain",
        "Why memories are in the context for a query or not, with scores.",
        {"query": _TEXT, **_PLACE},
        ("query",),
        reading.explain,
    ),
    Tool("mempack_show", "All about memories (M-...) or chunks (C-...).", {"ids": _LIST, **_PLACE}, ("ids",), reading.show),
    Tool(
        "mempack_timeline",
        "Memories written before and after one.",
        {**_ID, "before": _NUMBER, "after": _NUMBER, **_PLACE},
        ("id",),
        reading.timeline,
    ),
    Tool(
        "memory_search",
        "Search memories by words; the person's own, too.",
        {"query": _TEXT, "limit": _NUMBER, **_PLACE},
        ("query",),
        reading.search,
    ),
)


def _writing(
    name: str,
    about: str,
    fields: dict[str, dict[str, Any]],
    required: tuple[str, ...],
    run: Callable[[Project, dict[str, Any]], Answer],
    marks: str = "",
) -> Tool:
    """Returns a tool that writes. `marks`: which of Tool's last three hold, by name."""
    said = marks.split()
    return Tool(
        name,
        about,
        {**fields, **_PLACE, "confirmed": _FLAG},
        required,
        run,
        True,
        "hides" in said,
        "again" in said,
        "user" in said,
    )


_EDIT = {"title": _TEXT, "summary": _TEXT, "thread": _TEXT, "kind": _TEXT, "tags": _LIST, "entities": _LIST}
WRITING = (
    _writing(
        "mempack_add_memory",
        "Keep what the next session should know: title = the fact, summary = why. No secrets.",
        {**_EDIT, "files": _LIST},
        ("title", "summary"),
        writing.add,
        "again",
    ),
    _writing(
        "mempack_update_memory",
        "Correct a memory.",
        {**_ID, **_EDIT},
        ("id",),
        writing.update,
        "hides again",
    ),
    _writing(
        "mempack_supersede",
        "Replace a memory that no longer holds.",
        {**_ID, **_EDIT},
        ("id", "summary"),
        writing.supersede,
        "hides",
    ),
    _writing(
        "mempack_forget",
        "Hide a memory or chunk.",
        _ID,
        ("id",),
        writing.forget,
        "hides",
    ),
    _writing(
        "mempack_link",
        "Link two memories by a relation such as depends_on.",
        {"from_id": _TEXT, "rel": _TEXT, "to_id": _TEXT},
        ("from_id", "rel", "to_id"),
        writing.link,
        "again",
    ),
    _writing(
        "mempack_checkpoint",
        "Store where the work stands: why, and the state as one JSON value that replaces the last.",
        {"reason": _TEXT, "state_json": _TEXT, "thread": _TEXT},
        ("reason",),
        writing.checkpoint,
    ),
    _writing(
        "memory_write",
        "Remember a text word for word, here or for the person everywhere.",
        {"content": _TEXT, "keywords": _LIST, **_SCOPE},
        ("content",),
        writing.write,
        "again",
    ),
    _writing(
        "memory_store",
        "Keep a lasting fact or preference of the person under a key.",
        {"key": _TEXT, "value": _TEXT, **_SCOPE},
        ("key", "value"),
        writing.store,
        "hides again user",
    ),
    _writing(
        "memory_delete",
        "Take a key out of the profile.",
        {"key": _TEXT, **_SCOPE},
        ("key",),
        writing.delete,
        "hides again user",
    ),
)
