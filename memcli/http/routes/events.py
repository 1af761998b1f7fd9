"""Events of harnesses by HTTP: what `mem hook` takes on standard input, for those that send instead of starting a process."""

from __future__ import annotations

import os
from typing import Annotated, Any

from fastapi import Body, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from memcli.agents.adapters import CONTEXT_EVENTS, EVENTS, HARNESSES, normalize_event
from memcli.agents.capture import event_queue, normalize
from memcli.agents.turns import turn
from memcli.errors import InvalidInput, NotFound
from memcli.http import context_index
from memcli.http.calls import Call, OneCall, answer
from memcli.http.routes.cmem_sessions import tell
from memcli.http.routing import Mending, Router
from memcli.project import Where
from memcli.serving.projects import writing
from memcli.text.terminal import oneline

router = Router(prefix="/v2", tags=["events"], route_class=Mending)


class Heard(BaseModel):
    """What became of an event, and what the session is to be told."""

    status: str = Field(description="queued, or why it was not: no_store, private, context, skip_list, own_tool.")
    queued: bool
    queue_id: int | None
    context: str = Field(description="For a start and a prompt: what is known; empty where nothing is.")
    prependContext: str | None = Field(None, description="The same, for OpenClaw.")


@router.post("/events/{event}", response_model=Heard)
def heard(
    call: OneCall,
    event: Annotated[str, Field(max_length=80)],
    payload: Annotated[dict[str, Any], Body()],
    harness: Annotated[str, Query(max_length=40, description=", ".join(HARNESSES))] = "generic",
) -> Response:
    """Takes one event as `mem hook EVENT` does, in any harness's own names. `repo` says where it goes, else its `cwd`."""
    name = normalize_event(event)
    if not name:
        raise InvalidInput(f"no event {oneline(event)[:40]!r}", f"use {', '.join(EVENTS)}")
    if harness not in HARNESSES:
        raise InvalidInput(f"no harness {oneline(harness)[:40]!r}", f"use {', '.join(HARNESSES)}")
    try:
        where = _where(call, payload)
        posted, number = tell(call.service, where, name, payload, harness)
    except NotFound:
        return answer({"status": "no_store", "queued": False, "queue_id": None, "context": ""})
    is_queued = posted.status == event_queue.QUEUED
    context = _context(call, where, name, harness, posted) if name in CONTEXT_EVENTS else ""
    said = {"status": posted.status, "queued": is_queued, "queue_id": number if is_queued else None, "context": context}
    return answer(said | ({"prependContext": context} if harness == "openclaw" and context else {}))


def _where(call: Call, payload: dict[str, Any]) -> Where:
    """Returns the memory that an event belongs to. Raises NotFound."""
    cwd = next((payload[key] for key in normalize.NAMES["cwd"] if isinstance(payload.get(key), str)), None)
    if not call.names_none or cwd is None:
        return call.where()
    if not os.path.isabs(cwd):
        raise NotFound("a cwd has to be an absolute path", "name the memory by repo", "no_repository")
    return call.of(cwd)


def _context(call: Call, where: Where, event: str, harness: str, posted: event_queue.Posted) -> str:
    """Returns what is new to a session, marked as ours; empty where nothing is. It counts as told once the session goes on."""
    seen = posted.event
    question = seen.body.get("prompt", "") if seen else ""
    if seen is None or (event == "user-prompt" and not question.strip()):
        return ""
    is_start = event == "session-start"
    ask = turn.Ask(seen.session, harness, "" if is_start else question, "prompt", anew=is_start, cause=seen.dedupe)
    with writing(where, {}) as project:
        made = turn.prepare(project, ask)
    return context_index.framed(made.text) if made.text else ""
