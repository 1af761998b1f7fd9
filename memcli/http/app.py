"""The service as an application: its routes, its errors, and its lifespan."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from anyio import to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match, Route

from memcli import __version__, store
from memcli.errors import MemError
from memcli.http import examples, gate, logs, problem
from memcli.http.problem import Problem
from memcli.http.routes import (
    archival,
    around,
    catalogue,
    cmem,
    cmem_sessions,
    events,
    longterm,
    maintenance,
    mecho,
    mecho_modes,
    operations,
    pictures,
    reading,
    root,
    settings,
    turns,
)
from memcli.http.service import MAX_CALLS, Service
from memcli.text.terminal import oneline

TITLE = "mem"
_READING = (catalogue, pictures, reading, operations, around, turns)
_MODULES = (root, *_READING, settings, maintenance, cmem, cmem_sessions, archival, mecho, mecho_modes, longterm, events)
ROUTERS = (*[module.router for module in _MODULES], settings.cmem_router)
_PUBLIC = ("service_health", "service_page")  # operations that need no token
_PROBLEM_CONTENT = {"content": {problem.TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}}


def build(service: Service) -> tuple[FastAPI, gate.AccessGate]:
    """Returns the application, and the application behind its gate, which is what is served."""
    app = application()
    app.state.service = service
    without_token = gate.EVERYWHERE if service.address.socket else gate.CLIENTS if service.takes_clients else ()
    return app, gate.AccessGate(app, service.token, service.visitors, gate.own_hosts(service.address.port), without_token)


def application() -> FastAPI:
    """Returns the application, which belongs to no service yet."""
    app = FastAPI(
        title=TITLE,
        version=__version__,
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        generate_unique_id_function=lambda route: f"{route.tags[0]}_{route.name}",
        redirect_slashes=False,
    )
    app.openapi = lambda: openapi(app)  # type: ignore[method-assign]
    for router in ROUTERS:
        app.include_router(router)
    for error_type in (MemError, OSError, store.Error, Exception):
        app.add_exception_handler(error_type, _failed)
    app.add_exception_handler(HTTPException, _rejected)
    app.add_exception_handler(RequestValidationError, _invalid)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    workers = app.state.service.workers
    to_thread.current_default_thread_limiter().total_tokens = MAX_CALLS
    workers.start()
    try:
        yield
    finally:
        await to_thread.run_sync(workers.stop)


def openapi(app: FastAPI) -> dict[str, Any]:
    """Returns the OpenAPI description of every route, with one schema for all problems."""
    if app.openapi_schema is None:
        document = get_openapi(title=TITLE, version=app.version, routes=app.routes)
        components = document["components"]
        components["schemas"]["Problem"] = problem.Details.model_json_schema()
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
        for unused in ("HTTPValidationError", "ValidationError"):
            components["schemas"].pop(unused, None)
        for route in document["paths"].values():
            for operation in route.values():
                operation["responses"].pop("422", None)
                operation["responses"]["4XX"] = {"description": "The request cannot be fulfilled.", **_PROBLEM_CONTENT}
                operation["responses"]["5XX"] = {"description": "The service failed, or is busy.", **_PROBLEM_CONTENT}
                if operation["operationId"] in _PUBLIC:
                    operation["security"] = []
        examples.add(document)
        app.openapi_schema = document
    return app.openapi_schema


async def _failed(request: Request, error: Exception) -> Response:
    status, problem_details = problem.of(error)
    if status == 500:
        logs.exception(f"{request.method} {request.url.path}", error)
    return problem.answer(status, problem_details, request.state.request_id)


async def _rejected(request: Request, error: Exception) -> Response:
    """Answers what the router itself rejects: an unknown path or method, or a body that is not JSON."""
    assert isinstance(error, HTTPException)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers = {"allow": ", ".join(_methods(request))}
        if request.method == "OPTIONS":
            return Response(None, 204, headers)
    status = error.status_code if error.status_code in problem.TITLES else 400
    hint = "see /openapi.json" if status in (404, 405) else "send one JSON value, at once, and not too long"
    problem_details = Problem(status, oneline(str(error.detail))[:200], hint)
    return problem.answer(status, problem_details, request.state.request_id, headers)


def _methods(request: Request) -> list[str]:
    """Returns the methods of a path, over all of its routes."""
    scope = request.scope
    methods = {"OPTIONS"}
    for route in [*request.app.routes, *[route for router in ROUTERS for route in router.routes]]:
        match, _ = route.matches({**scope, "method": "OPTIONS"})
        if match != Match.NONE and isinstance(route, Route):
            methods |= route.methods or set()
    if "GET" in methods and scope["path"] != gate.STREAM:
        methods.add("HEAD")
    return sorted(methods)


async def _invalid(request: Request, error: Exception) -> Response:
    """Answers arguments that do not match the schema, without repeating their values."""
    assert isinstance(error, RequestValidationError)
    issues = error.errors()[:5]
    syntax = [str(issue.get("ctx", {}).get("error", issue["msg"])) for issue in issues if issue["type"] == "json_invalid"]
    if syntax:
        problem_details = Problem(
            400, f"invalid JSON: {oneline(syntax[0])[:120]}", "send one JSON value, in UTF-8", "invalid_input"
        )
        return problem.answer(400, problem_details, request.state.request_id)
    lines = []
    for issue in issues:
        field = ".".join(str(step) for step in issue["loc"][1:]) or str(issue["loc"][0])
        lines.append(f"{oneline(field)[:80]}: {issue['msg'][:120]}")
    problem_details = Problem(422, "; ".join(lines), "see /openapi.json", "invalid_input")
    return problem.answer(422, problem_details, request.state.request_id)
