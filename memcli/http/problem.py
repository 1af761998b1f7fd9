"""Problem details (RFC 9457): the form of an error, and its status."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from memcli.errors import Changed, InvalidInput, MemError, NotFound
from memcli.http import operations
from memcli.http.models import shape
from memcli.serving import projects
from memcli.text import json

TYPE = "application/problem+json"
Details = shape("ProblemDetails", "type title detail code hint error request_id", status=int)  # as RFC 9457 has it
TITLES = {
    400: "Bad request",
    401: "Not authorised",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    408: "Too slow",
    409: "Conflict",
    410: "Gone",
    411: "Length required",
    412: "Changed meanwhile",
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
_STATUS_BY_CODE = {
    "superseded": 409,
    "cycle": 409,
    "ambiguous": 409,
    "gone": 410,
    "changed": 412,
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
    """Returns the status of any error, and the error to show for it."""
    problem = projects.explain(error, _HINT)
    if isinstance(problem, Problem):
        return problem.status, problem
    if problem.code in _STATUS_BY_CODE:
        return _STATUS_BY_CODE[problem.code], problem
    return (404 if isinstance(problem, NotFound) else 422 if isinstance(problem, InvalidInput) else 500), problem


def body(status: int, error: MemError, request_id: str) -> dict[str, Any]:
    """Returns the members of a problem. `error` repeats the detail, for clients of C-Mem's worker."""
    return {
        "type": f"urn:mem:problem:{error.code}",
        "title": TITLES[status],
        "status": status,
        "detail": error.message[:500],
        "code": error.code,
        "hint": operations.hint(error)[:500],
        "error": error.message[:500],
        "request_id": request_id,
    }


def answer(status: int, error: MemError, request_id: str, headers: dict[str, str] | None = None) -> Response:
    """Returns an error as a response."""
    if isinstance(error, Changed):
        headers = {"etag": f'"{error.revision}"'} | (headers or {})
    if status == 503:
        headers = {"retry-after": "1"} | (headers or {})
    return Response(json.dumps(body(status, error, request_id)), status, headers, TYPE)
