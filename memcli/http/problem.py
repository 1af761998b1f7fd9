"""Problem details (RFC 9457): what an error looks like, and which status it has."""

from __future__ import annotations

from starlette.responses import Response

from memcli.errors import InvalidInput, MemError, NotFound
from memcli.serving import errors
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TYPE = "application/problem+json"
TITLES = {
    400: "Bad request",
    401: "Not authorised",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    408: "Too slow",
    409: "Conflict",
    411: "Length required",
    413: "Too large",
    415: "Not JSON",
    421: "Wrong host",
    422: "Not valid",
    431: "Too long a head",
    500: "Failed",
    501: "Not possible here",
    503: "Busy",
    507: "No space",
}
_BY_CODE = {
    "superseded": 409,
    "cycle": 409,
    "ambiguous": 409,
    "busy": 503,
    "locked": 503,
    "full": 507,
    "write_off": 403,
    "cli_only": 403,
    "no_repository": 404,
    "unavailable": 501,
}
_HINT = "this is a bug: see logs/ in the data directory, and report it"


class Problem(MemError):
    """An error with a status of its own."""

    def __init__(self, status: int, message: str, hint: str = "", code: str | None = None) -> None:
        super().__init__(message, hint, code or TITLES[status].lower().replace(" ", "_"))
        self.status = status


def of(error: Exception) -> tuple[int, MemError]:
    """Returns the status of any error, and what to tell of it."""
    told = errors.explain(error, _HINT)
    if isinstance(told, Problem):
        return told.status, told
    if told.code in _BY_CODE:
        return _BY_CODE[told.code], told
    return (404 if isinstance(told, NotFound) else 422 if isinstance(told, InvalidInput) else 500), told


def body(status: int, told: MemError, request_id: str) -> dict[str, Any]:
    """Returns the members of a problem. `error` repeats the detail, for clients of the seeds' worker."""
    return {
        "type": f"urn:mem:problem:{told.code}",
        "title": TITLES[status],
        "status": status,
        "detail": told.message[:500],
        "code": told.code,
        "hint": _worded(told.hint)[:500],
        "error": told.message[:500],
        "request_id": request_id,
    }


def _worded(hint: str) -> str:
    """Returns a hint in the words of this door: fields for options, a route for the command that undoes a forgetting."""
    if hint.startswith("give --"):
        return hint.replace("--", "")
    if hint.startswith("mem restore M-"):
        return f"POST /v2/memories/{hint.split()[2]}/restore brings it back"
    return hint


def answer(status: int, told: MemError, request_id: str, headers: dict[str, str] | None = None) -> Response:
    """Returns the response that tells a problem."""
    more = {"retry-after": "1"} | (headers or {}) if status == 503 else headers
    return Response(json.dumps(body(status, told, request_id)), status, more, TYPE)
