"""/health, /stream and the page."""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

from anyio import to_thread
from fastapi import Header, Query, Request
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.responses import HTMLResponse, Response

from memcli import __version__
from memcli.http import feed, pages
from memcli.http.calls import OneCall, answer, check_name
from memcli.http.models import shape
from memcli.http.problem import Problem
from memcli.http.routing import Router
from memcli.http.service import Service
from memcli.project import Where

router = Router(tags=["service"])
Health = shape("Health", "status version", uptime=float, port=int | None, queue=dict[str, Any], pid=int)


@router.get("/health", response_model=Health)
async def health(request: Request) -> Response:
    """Whether the service is healthy. Needs no token and no store."""
    service: Service = request.app.state.service
    return answer(
        {
            "status": "ok",
            "uptime": round(time.monotonic() - service.started, 3),
            "port": service.address.port,
            "queue": service.workers.counts,
            "version": __version__,
            "pid": os.getpid(),
        }
    )


@router.get("/stream", response_class=EventSourceResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def stream(
    request: Request,
    call: OneCall,
    project: Annotated[str | None, Query(max_length=4096, deprecated=True, description="`repo`, as C-Mem calls it.")] = None,
    own: Annotated[bool, Query(description="Of the service's own repository, where none is named; else of every store.")] = False,
    since: Annotated[int | None, Query(ge=0, lt=1 << 53, description="A revision: start behind it.")] = None,
    last_event_id: Annotated[str | None, Header(max_length=65_536)] = None,
) -> Response:
    """Live events from the operation log; without a name, of all stores. `Last-Event-ID` resumes where a stream ended.

    The project may be created later.
    """
    service = call.service
    key = getattr(request.state, "session", "")

    def is_allowed() -> bool:
        return not key or service.visitors.has(key)

    if service.feeds.open >= feed.MAX_STREAMS:
        raise Problem(503, "too many streams are open", "close one")
    after = since
    if last_event_id:
        after = int(last_event_id) if last_event_id.isascii() and last_event_id.isdigit() else feed.NO_POSITION
    check_name(project)
    if project is None and not call.has_target and not own:
        positions = feed.positions_of(last_event_id) if last_event_id else since
        return _answered(service, service.feeds.stream_all(positions, call.workspace, is_allowed))
    exists = project is None or await to_thread.run_sync(service.stores.resolve, project) is not None
    if exists:
        where = call.where() if project is None else call.of(project)
        first = await to_thread.run_sync(feed.ready, where, after)
    else:
        where, first = Where(project, call.workspace), feed.ready_before(after)
    return _answered(service, service.feeds.stream(where, first, exists, is_allowed))


def _answered(service: Service, events: AsyncIterator[ServerSentEvent]) -> Response:
    return EventSourceResponse(events, ping=service.heartbeat, ping_message_factory=_heartbeat)


def _heartbeat() -> ServerSentEvent:
    return ServerSentEvent(comment="heartbeat", sep="\n")


@router.post("/v2/link", response_model=shape("PageLink", "url", seconds=int))
async def link(call: OneCall) -> Response:
    """A link that opens the page once, within a minute, for `mem serve open`."""
    return answer({"url": call.service.link(), "seconds": 60})


@router.post("/login", include_in_schema=False)
async def login(request: Request, code: Annotated[str, Query(max_length=100)] = "") -> Response:
    """Begins the session of a tab that opened such a link."""
    service: Service = request.app.state.service
    key = service.visitors.begin(code)
    if key is None:
        raise Problem(410, "this link is no longer valid", "run: mem serve open", "link_used")
    return answer({"session": key})


@router.post("/logout", include_in_schema=False)
async def logout(request: Request) -> Response:
    """Ends the session of the tab that asks, with its streams."""
    service: Service = request.app.state.service
    service.visitors.end(getattr(request.state, "session", ""))
    return answer({"ok": True})


@router.get("/", response_class=HTMLResponse)
def page() -> Response:
    """The page."""
    return pages.file("index.html")


@router.get("/viewer/{name:path}", include_in_schema=False)
def page_file(name: str) -> Response:
    """A file of the page."""
    return pages.file(name)
