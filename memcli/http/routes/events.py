"""Events of harnesses over HTTP: what `mem hook` reads from standard input, for those that send instead of starting a process."""

from __future__ import annotations

import os
from typing import Annotated, Any

from fastapi import Body, Query
from pydantic import Field
from starlette.responses import Response

from memcli.agents.adapters import CONTEXT_EVENTS, EVENTS, HARNESSES, adapter, normalize_event
from memcli.agents.capture import event_queue
from memcli.agents.turns import turn
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.http.calls import MemoryCall, OneCall, answer
from memcli.http.models import shape
from memcli.http.routing import LenientRoute, Router
from memcli.http.service import ACTOR, Service
from memcli.project import Where, folder_of, locate
from memcli.serving.projects import writing
from memcli.store import inbox
from memcli.text.terminal import oneline

router = Router(prefix="/v2", tags=["events"], route_class=LenientRoute)


# status: queued, or why it was not: no_store, private, context, skip_list, own_tool. context: what a session is to be told.
Received = shape("Received", "status context", queued=bool, queue_id=int | None, prependContext=(str | None, None))


def post_event(
    service: Service, where: Where, event: str, payload: dict[str, Any], harness: str = ACTOR
) -> tuple[event_queue.Receipt, int | None]:
    """Puts an event into a store's queue and wakes its worker. Returns (its status, its number in the queue)."""
    location = locate(where)
    folder = folder_of(location.repo_id, where.workspace)
    if not os.path.lexists(os.path.join(folder, "memory.db")):
        raise NotFound("nothing is stored there yet", "begin a session: POST /sessions/ID/init", "no_session")
    posted = event_queue.enqueue_to(location, folder, harness, event, payload)
    try:
        number = inbox.number_of(posted.db, posted.event.dedupe) if posted.db is not None and posted.event else None
    finally:
        posted.close()
    if posted.status == "lost":
        raise MemError(posted.problem, "see mem doctor", "lost")
    if posted.config is not None and posted.config["capture.worker"] == "auto":
        service.workers.event_stored(Where(location.repo_id, where.workspace))
    return posted, number


@router.post("/events/{event}", response_model=Received)
def receive(
    call: OneCall,
    event: Annotated[str, Field(max_length=80)],
    payload: Annotated[dict[str, Any], Body()],
    harness: Annotated[str, Query(max_length=40, description=", ".join(HARNESSES))] = "generic",
) -> Response:
    """Accepts one event as `mem hook EVENT` does, in any harness's own names. `repo`, or else its `cwd`, says where it goes."""
    name = normalize_event(event)
    if not name:
        raise InvalidInput(f"no event {oneline(event)[:40]!r}", f"use {', '.join(EVENTS)}")
    if harness not in HARNESSES:
        raise InvalidInput(f"no harness {oneline(harness)[:40]!r}", f"use {', '.join(HARNESSES)}")
    payload = adapter(harness).payload(name, payload)
    try:
        where = _where(call, payload)
        posted, number = post_event(call.service, where, name, payload, harness)
    except NotFound:
        return answer({"status": "no_store", "queued": False, "queue_id": None, "context": ""})
    is_queued = posted.status == event_queue.QUEUED
    context = _context(where, posted) if name in CONTEXT_EVENTS else ""
    result = {"status": posted.status, "queued": is_queued, "queue_id": number if is_queued else None, "context": context}
    return answer(result | ({"prependContext": context} if harness == "openclaw" and context else {}))


def _where(call: MemoryCall, payload: dict[str, Any]) -> Where:
    """Returns the memory that an event belongs to. Raises NotFound."""
    cwd = event_queue.named_directory(payload)
    if call.has_target or not cwd:
        return call.where()
    if not os.path.isabs(cwd):
        raise NotFound("a cwd has to be an absolute path", "name the memory by repo", "no_repository")
    return call.of(cwd)


def _context(where: Where, posted: event_queue.Receipt) -> str:
    """Returns what is new to a session, in our frame, or "". It counts as delivered once the session goes on."""
    request = turn.request_of(posted.event) if posted.event else None
    if request is None:
        return ""
    with writing(where, {}) as project:
        return turn.framed(turn.prepare(project, request).text)
