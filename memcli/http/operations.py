"""The operations over HTTP: the method and path of each, and how a hint refers to them."""

from __future__ import annotations

import re

from memcli.errors import Call, MemError, command_line
from memcli.records import Record


class OperationRoute(Record):
    """Where an operation is offered. A name in braces in `path` is a field of its request; `tag`: the section in the docs.

    `help`: the description, where the operation's own does not fit.
    """

    method: str
    path: str
    operation: str
    status: int = 200
    tag: str = "writing"
    help: str = ""


ROUTES = (
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
# Operations with routes of their own, which hints refer to.
_REFERENCES = {
    **{route.operation: f"{route.method} {route.path}" for route in ROUTES},
    "get": "GET /v2/get",
    "log": "GET /v2/log",
    "note add": "POST /v2/notes",
    "profile delete": "DELETE /v2/profile/{key}",
    "profile list": "GET /v2/profile",
    "recent": "GET /v2/recent",
    "repos": "GET /v2/repos",
    "search": "GET /v2/search",
    "session": "GET /v2/sessions/{id}",
    "sessions": "GET /v2/sessions",
    "show": "GET /v2/memories/{id}",
    "threads": "GET /v2/threads",
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
    return re.sub(r"{(\w+)}", lambda match: next(arguments, match[1].upper()), _REFERENCES[call.operation])
