"""The operations over HTTP: the method and path of each, and how a hint refers to them."""

from __future__ import annotations

import re
from typing import Any

from memcli.errors import Call, MemError, command_line
from memcli.operations.confirm import Confirmed
from memcli.operations.forget import Forgotten
from memcli.operations.items import ANSWERS
from memcli.operations.sessions import IndexLine, SessionContents, SessionRecord
from memcli.operations.show import ItemChunk, ItemMemory
from memcli.operations.state import CurrentState, NoState, StateDifference, StateRecord
from memcli.records import Record


class OperationRoute(Record):
    """The route of an operation. A name in braces in `path` is a field of its request; `tag`: the section in the docs.

    `help`: the description, if the operation's own does not fit; `values`: fields of the request that the route itself
    sets; `defaults`: of fields with another default here; `answers`: the type of the answer, if it depends on `values`.
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


_BY_ID = {
    "kind": None,
    "thread": None,
    "origin": None,
    "since": None,
    "until": None,
    "session": None,
    "lost": False,
    "dry_run": False,
}
_NO_STATES = {"to": None, "since": None}  # two states are compared on one route only
ROUTES = (
    OperationRoute("GET", "/v2/explain", "explain", tag="reading"),
    OperationRoute("GET", "/v2/search", "search", tag="reading", help="List matching memories, best first: `mem search`."),
    OperationRoute("GET", "/v2/recent", "recent", tag="reading"),
    OperationRoute("GET", "/v2/why", "why", tag="reading"),
    OperationRoute(
        "GET",
        "/v2/memories/{id}",
        "show",
        tag="reading",
        help="Show all about what an id means: `mem show`.",
        answers=ItemMemory | ItemChunk | ANSWERS,
    ),
    OperationRoute(
        "GET",
        "/v2/memories/{id}/history",
        "log",
        tag="reading",
        help="Show the operations on one memory, newest first: `mem log ID`.",
        defaults={"limit": 100},
    ),
    OperationRoute("GET", "/v2/memories/{id}/diff", "diff", tag="reading", help="Show how a memory changed since a revision."),
    OperationRoute("GET", "/v2/log", "log", tag="reading"),
    OperationRoute("GET", "/v2/threads", "threads", tag="reading"),
    OperationRoute("GET", "/v2/threads/{id}", "thread", tag="reading"),
    OperationRoute("POST", "/v2/memories", "add", 201),
    OperationRoute("PATCH", "/v2/memories/{id}", "update"),
    OperationRoute("POST", "/v2/memories/{id}/supersede", "supersede", 201),
    OperationRoute("POST", "/v2/memories/{id}/confirm", "confirm", values={"lost": False}),
    OperationRoute(
        "POST",
        "/v2/confirm/lost",
        "confirm",
        values={"id": (), "lost": True},
        help="Confirm what a rewritten history lost, all of it.",
        answers=list[Confirmed],
    ),
    OperationRoute("DELETE", "/v2/memories/{id}", "forget", values=_BY_ID),
    OperationRoute(
        "POST",
        "/v2/forget",
        "forget",
        values={"id": (), "erase": False},
        help="Hide all that is of a session, an origin or a time.",
        answers=list[Forgotten],
    ),
    OperationRoute("POST", "/v2/memories/{id}/restore", "restore"),
    OperationRoute("POST", "/v2/memories/{id}/pin", "pin"),
    OperationRoute("POST", "/v2/memories/{id}/unpin", "unpin"),
    OperationRoute("POST", "/v2/links", "link", 201),
    OperationRoute("POST", "/v2/undo", "undo"),
    OperationRoute("POST", "/v2/gc", "gc", tag="maintenance"),
    OperationRoute("POST", "/v2/state", "checkpoint", 201),
    OperationRoute(
        "GET",
        "/v2/state",
        "state",
        tag="around",
        values=_NO_STATES | {"view": "show", "limit": 1},
        answers=CurrentState | NoState,
    ),
    OperationRoute(
        "GET",
        "/v2/state/history",
        "state",
        tag="around",
        help="List the states, newest first: `mem state history`.",
        values=_NO_STATES | {"view": "history"},
        answers=list[StateRecord],
    ),
    OperationRoute("GET", "/v2/sessions", "sessions", tag="around", values={"index": False}, answers=list[SessionRecord]),
    OperationRoute(
        "GET",
        "/v2/sessions/index",
        "sessions",
        tag="around",
        help="List the last observations and summaries, a line each: `mem sessions --index`.",
        values={"index": True, "limit": 20, "needs_summary": False, "told": None},
        answers=list[IndexLine],
    ),
    OperationRoute("GET", "/v2/sessions/{id}", "session", tag="around", answers=SessionContents),
    OperationRoute(
        "GET",
        "/v2/state/diff",
        "state",
        tag="around",
        help="Show what a checkpoint changed: `mem state diff`.",
        values={"view": "diff", "limit": 1},
        answers=StateDifference,
    ),
    OperationRoute("GET", "/v2/timeline", "timeline", tag="around"),
    OperationRoute("GET", "/v2/queue", "queue", tag="around", help="Show the events that wait to be processed: `mem queue`."),
    OperationRoute("GET", "/v2/stats", "stats", tag="around"),
    OperationRoute("GET", "/v2/profile", "profile", tag="around"),
    OperationRoute("PUT", "/v2/profile/{key}", "profile_set", tag="around"),
    OperationRoute("DELETE", "/v2/profile/{key}", "profile_delete", tag="around"),
    OperationRoute(
        "GET", "/v2/notes", "notes", tag="around", help="List the notes of a day or of the last days: `mem note list`."
    ),
    OperationRoute("POST", "/v2/notes", "note", 201, "around", "Add a note for today: `mem note add`."),
    OperationRoute("PUT", "/v2/notes/{id}", "note_edit", tag="around", help="Change a note: `mem note edit`."),
)
# What hints refer to; of several routes of an operation, the one with all its answers.
_REFERENCES = {
    **{route.operation: f"{route.method} {route.path}" for route in ROUTES if not route.values and not route.defaults},
    "confirm": "POST /v2/memories/{id}/confirm",
    "forget": "DELETE /v2/memories/{id}",
    "get": "GET /v2/get",
    "note add": "POST /v2/notes",
    "note list": "GET /v2/notes",
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
    """Returns a reference as text: `POST /v2/memories/M-1/supersede`, or the command if the operation has no route."""
    if call.operation not in _REFERENCES:
        return command_line(call)
    arguments = iter(call.arguments)
    route = re.sub(r"{(\w+)}", lambda match: next(arguments, match[1].upper()), _REFERENCES[call.operation])
    return f"{route}?erase=true" if "erase" in call.fields else route
