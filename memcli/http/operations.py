"""The operations over HTTP: the method and path of each, and how a hint refers to them."""

from __future__ import annotations

import re
from typing import Any

from memcli.errors import Call, MemError, command_line
from memcli.operations.sessions import IndexLine, SessionContents, SessionRecord
from memcli.operations.state import NoState, StateRecord
from memcli.records import Record


class OperationRoute(Record):
    """Where an operation is offered. A name in braces in `path` is a field of its request; `tag`: the section in the docs.

    `help`: the description, where the operation's own does not fit; `values`: fields of the request that the route itself
    decides; `defaults`: those that have another default here; `answers`: the type of the answer, where it depends on `values`.
    """

    method: str
    path: str
    operation: str
    status: int = 200
    tag: str = "writing"
    help: str = ""
    values: dict[str, Any] = {}
    defaults: dict[str, Any] = {}
    answers: Any = None


ROUTES = (
    OperationRoute(
        "GET",
        "/v2/explain",
        "explain",
        tag="reading",
        help="Every candidate, its score, and what became of it: `mem explain`.",
    ),
    OperationRoute("GET", "/v2/search", "search", tag="reading", help="Matching memories, one by one: `mem search`."),
    OperationRoute("GET", "/v2/recent", "recent", tag="reading", help="The newest memories: `mem recent`."),
    OperationRoute(
        "GET",
        "/v2/memories/{id}",
        "show",
        tag="reading",
        help="Everything about a memory or a chunk: `mem show`. `context`: lines around a chunk.",
    ),
    OperationRoute(
        "GET",
        "/v2/memories/{id}/history",
        "log",
        tag="reading",
        help="The operations on one memory, newest first: `mem log ID`.",
        defaults={"limit": 100},
    ),
    OperationRoute(
        "GET",
        "/v2/log",
        "log",
        tag="reading",
        help="The operation log, newest first, of one object where an id is given: `mem log`.",
    ),
    OperationRoute(
        "GET", "/v2/threads", "threads", tag="reading", help="Every thread with the number of its memories: `mem threads`."
    ),
    OperationRoute("GET", "/v2/threads/{id}", "thread", tag="reading", help="A thread and its newest memories: `mem thread`."),
    OperationRoute("POST", "/v2/memories", "add", 201),
    OperationRoute("PATCH", "/v2/memories/{id}", "update"),
    OperationRoute("POST", "/v2/memories/{id}/supersede", "supersede", 201),
    OperationRoute("POST", "/v2/memories/{id}/confirm", "confirm"),
    OperationRoute("DELETE", "/v2/memories/{id}", "forget"),
    OperationRoute("POST", "/v2/memories/{id}/restore", "restore"),
    OperationRoute("POST", "/v2/memories/{id}/pin", "pin"),
    OperationRoute("POST", "/v2/memories/{id}/unpin", "unpin"),
    OperationRoute("POST", "/v2/links", "link", 201),
    OperationRoute("POST", "/v2/undo", "undo"),
    OperationRoute("POST", "/v2/state", "checkpoint", 201),
    OperationRoute(
        "GET",
        "/v2/state",
        "state",
        tag="around",
        help="Where the work stands: `mem state`.",
        values={"view": "show", "limit": 1},
        answers=StateRecord | NoState,
    ),
    OperationRoute(
        "GET",
        "/v2/state/history",
        "state",
        tag="around",
        help="The states, newest first: `mem state history`.",
        values={"view": "history"},
        answers=list[StateRecord],
    ),
    OperationRoute(
        "GET",
        "/v2/sessions",
        "sessions",
        tag="around",
        help="The last sessions: `mem sessions`.",
        values={"index": False},
        answers=list[SessionRecord],
    ),
    OperationRoute(
        "GET",
        "/v2/sessions/index",
        "sessions",
        tag="around",
        help="The last observations and summaries, a line each: `mem sessions --index`.",
        values={"index": True, "limit": 20, "needs_summary": False},
        answers=list[IndexLine],
    ),
    OperationRoute(
        "GET",
        "/v2/sessions/{id}",
        "session",
        tag="around",
        help="A session with its summary, prompts, observations and answers: `mem session`.",
        answers=SessionContents,
    ),
    OperationRoute(
        "GET",
        "/v2/timeline",
        "timeline",
        tag="around",
        help="What happened before and after a memory or a prompt, oldest first: `mem timeline`.",
    ),
    OperationRoute(
        "GET",
        "/v2/profile",
        "profile",
        tag="around",
        help="The profile, or one key of it: `mem profile list`.",
    ),
    OperationRoute("PUT", "/v2/profile/{key}", "profile_set", tag="around"),
    OperationRoute("DELETE", "/v2/profile/{key}", "profile_delete", tag="around"),
    OperationRoute(
        "GET", "/v2/notes", "notes", tag="around", help="The notes of a day or of the last few days: `mem note list`."
    ),
    OperationRoute("POST", "/v2/notes", "note", 201, "around", "Add a note for today: `mem note add`."),
)
# What hints refer to; of several routes of an operation, the one with all its answers.
_REFERENCES = {
    **{route.operation: f"{route.method} {route.path}" for route in ROUTES if not route.values and not route.defaults},
    "get": "GET /v2/get",
    "note add": "POST /v2/notes",
    "profile delete": "DELETE /v2/profile/{key}",
    "profile list": "GET /v2/profile",
    "queue": "GET /v2/queue",
    "repos": "GET /v2/repos",
    "sessions": "GET /v2/sessions",
    "state": "GET /v2/state",
    "timeline": "GET /v2/timeline?id={id}",
}


def hint(error: MemError) -> str:
    """Returns an error's hint with routes for operations, and names of fields for options."""
    return error.worded(_reference, lambda option: option.name)


def _reference(call: Call) -> str:
    """Words a reference: `POST /v2/memories/M-1/supersede`; the command where the operation has no route."""
    if call.operation not in _REFERENCES:
        return command_line(call)
    arguments = iter(call.arguments)
    route = re.sub(r"{(\w+)}", lambda match: next(arguments, match[1].upper()), _REFERENCES[call.operation])
    return f"{route}?erase=true" if "erase" in call.fields else route
