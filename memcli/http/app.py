"""The service as an application: its routes, its errors, and what lives as long as it does."""

from __future__ import annotations

from contextlib import asynccontextmanager

from anyio import to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.responses import Response

from memcli import __version__
from memcli.errors import MemError
from memcli.http import problem
from memcli.http.feed import Feeds
from memcli.http.gate import Gate, own_hosts
from memcli.http.models import ours
from memcli.http.problem import Problem
from memcli.http.routes import around, cmem, cmem_sessions, commits, events, longterm, maintenance, mecho, reading, root, writing
from memcli.http.service import AT_ONCE, Service
from memcli.http.workers import Workers
from memcli.store import db as store
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Any

TITLE = "mem"
ROUTES = (root, reading, writing, commits, around, maintenance, cmem, cmem_sessions, mecho, longterm, events)
_OPEN = ("service_health",)  # operations that need no token
_SHAPE = {"content": {problem.TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}


def build(service: Service) -> tuple[FastAPI, Gate]:
    """Returns the application, and the same behind its gate, which is what is served."""

    @asynccontextmanager
    async def living(app: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = AT_ONCE
        service.feeds = Feeds(service)
        service.workers = Workers(service)
        service.workers.start()
        try:
            yield
        finally:
            service.feeds.close()
            await to_thread.run_sync(service.workers.stop)

    app = FastAPI(
        title=TITLE,
        version=__version__,
        docs_url=None,
        redoc_url=None,
        lifespan=living,
        generate_unique_id_function=lambda route: f"{route.tags[0]}_{route.name}",
        redirect_slashes=False,
    )
    app.state.service = service
    app.openapi = lambda: described(app)  # type: ignore[method-assign]
    for module in ROUTES:
        app.include_router(module.router)
    for kind in (MemError, OSError, store.Error, Exception):
        app.add_exception_handler(kind, _failed)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(RequestValidationError, _invalid)
    return app, Gate(app, service.key, own_hosts(service.address.port))


def described(app: FastAPI) -> dict[str, Any]:
    """Returns the description of every route, with one shape for all problems."""
    if app.openapi_schema is None:
        made = get_openapi(title=TITLE, version=app.version, routes=app.routes)
        parts = made["components"]
        parts["schemas"]["Problem"] = ours.Problem.model_json_schema()
        parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        for unused in ("HTTPValidationError", "ValidationError"):
            parts["schemas"].pop(unused, None)
        for route in made["paths"].values():
            for operation in route.values():
                operation["responses"].pop("422", None)
                operation["responses"]["4XX"] = {"description": "What was asked cannot be done.", **_SHAPE}
                operation["responses"]["5XX"] = {"description": "It failed, or is busy.", **_SHAPE}
                operation["security"] = [] if operation["operationId"] in _OPEN else [{"token": []}]
        app.openapi_schema = made
    return app.openapi_schema


async def _failed(request: Request, error: Exception) -> Response:
    status, told = problem.of(error)
    if status == 500:
        from memcli.http import logs

        logs.trouble(f"{request.method} {request.url.path}", error)
    return problem.answer(status, told, request.state.request_id)


async def _refused(request: Request, error: Exception) -> Response:
    """Answers what the router itself refuses: no such path, no such method, a body that is no JSON."""
    assert isinstance(error, HTTPException)
    status = error.status_code if error.status_code in problem.TITLES else 400
    hint = "see /openapi.json" if status in (404, 405) else "send one JSON value, at once, and not too long"
    told = Problem(status, oneline(str(error.detail))[:200], hint)
    return problem.answer(status, told, request.state.request_id, dict(error.headers or {}))


async def _invalid(request: Request, error: Exception) -> Response:
    """Answers arguments that are not as the schema says, without repeating what was sent."""
    assert isinstance(error, RequestValidationError)
    found = error.errors()[:5]
    broken = [str(one.get("ctx", {}).get("error", one["msg"])) for one in found if one["type"] == "json_invalid"]
    if broken:
        told = Problem(400, f"no JSON: {oneline(broken[0])[:120]}", "send one JSON value, in UTF-8", "invalid_input")
        return problem.answer(400, told, request.state.request_id)
    said = []
    for one in found:
        place = ".".join(str(part) for part in one["loc"][1:]) or str(one["loc"][0])
        said.append(f"{oneline(place)[:80]}: {one['msg'][:120]}")
    told = Problem(422, "; ".join(said), "see /openapi.json", "invalid_input")
    return problem.answer(422, told, request.state.request_id)
