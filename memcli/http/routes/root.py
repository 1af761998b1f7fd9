"""/health, /stream and the page."""

from __future__ import annotations

import os
import time
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Header, Query, Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from memcli import __version__
from memcli.http import gate, pages
from memcli.http.calls import OneCall, answer, plain
from memcli.http.feed import MOST, NO_POSITION
from memcli.http.models import more
from memcli.http.problem import Problem
from memcli.http.service import Service

router = APIRouter(tags=["service"])


@router.get("/health", response_model=more.Health)
async def health(request: Request) -> Response:
    """Whether the service is well. Needs no token, and no store."""
    service: Service = request.app.state.service
    return answer(
        {
            "status": "ok",
            "uptime": round(time.monotonic() - service.started, 3),
            "port": service.address.port,
            "queue": service.workers.counted,
            "version": __version__,
            "pid": os.getpid(),
        }
    )


@router.get("/stream", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def stream(
    call: OneCall,
    project: Annotated[str | None, Query(max_length=4096, description="The same as `repo`.")] = None,
    since: Annotated[int | None, Query(ge=0, lt=1 << 53, description="A revision: begin behind it.")] = None,
    last_event_id: Annotated[str | None, Header(max_length=40)] = None,
) -> Response:
    """Events as they happen, from the operation log. `Last-Event-ID` goes on where a stream ended. A project may come later."""
    service = call.service
    if service.feeds.open >= MOST:
        raise Problem(503, "too many streams are open", "close one")
    after = since
    if last_event_id:
        after = int(last_event_id) if last_event_id.isascii() and last_event_id.isdigit() else NO_POSITION
    plain(project)
    if project is not None and await to_thread.run_sync(service.named, project) is None:
        events = service.feeds.expecting(project, call.workspace, after)
    else:
        where = call.where() if project is None else call.of(project)
        last, begin = await service.feeds.begin(where, after)
        events = service.feeds.stream(where, last, begin)
    return StreamingResponse(events, media_type="text/event-stream", headers={"x-accel-buffering": "no"})


@router.post("/v2/link", response_model=more.Link)
async def link(call: OneCall) -> Response:
    """A link that opens the page, once, within a minute: what `mem serve open` asks for."""
    return answer({"url": call.service.link(), "seconds": 60})


@router.get("/login", include_in_schema=False)
async def login(request: Request, code: Annotated[str, Query(max_length=100)] = "") -> Response:
    """Lets a browser in that comes by such a link."""
    service: Service = request.app.state.service
    if not service.let_in(code):
        return pages.USED
    return HTMLResponse(pages.LET_IN, headers={**pages.POLICY, "set-cookie": gate.cookie_header(service.key)})


_LOCKED = {"description": "Without a cookie: how to get one.", "content": {"text/html": {}, "application/problem+json": {}}}


@router.get("/", response_class=HTMLResponse, responses={401: _LOCKED})
def page() -> Response:
    """The page."""
    return pages.file("index.html")


@router.get("/viewer/{name:path}", include_in_schema=False)
def part(name: str) -> Response:
    """A file of the page."""
    return pages.file(name)
