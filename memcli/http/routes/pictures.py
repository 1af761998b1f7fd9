"""/v2, the data of the page's pictures."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from starlette.responses import Response

from memcli.fields import to_json
from memcli.http.calls import OneCall, answer
from memcli.http.lists import OneWindow, page_type
from memcli.http.models import typed
from memcli.http.routing import Router
from memcli.recall import pictures

router = Router(prefix="/v2", tags=["reading"])
_SORTS = "^(memory|file|thread)(,(memory|file|thread)){0,2}$"
_Facet = Annotated[str | None, Query(max_length=400)]


@router.get("/history", response_model=typed(pictures.HistoryPicture))
def history_picture(
    call: OneCall, kind: _Facet = None, state: _Facet = None, branch: _Facet = None, thread: _Facet = None
) -> Response:
    """Memories along the commits that they were written on, latest first: kind, whether each holds, branch."""
    facets = {"kind": kind, "state": state, "branch": branch, "thread": thread}
    chosen = {name: value for name, value in facets.items() if value}
    return answer(call.read(lambda project: to_json(pictures.history(project, chosen))))


@router.get("/sessions/{id}/acts", response_model=page_type(typed(pictures.SessionAct)))
def session_acts(
    call: OneCall, window: OneWindow, id: Annotated[str, Path(max_length=200, description="A session's id or name.")]
) -> Response:
    """What happened in a session, by time: prompts, what it was told with tokens, tool calls, failures, commits."""
    return window.cut(call.read(lambda project: to_json(pictures.acts(project, id))))


@router.get("/usage", response_model=page_type(typed(pictures.UsageDay)))
def usage_days(
    call: OneCall, window: OneWindow, days: Annotated[int, Query(ge=1, le=365, description="How many days.")] = 30
) -> Response:
    """How often sessions were told a memory that was new to them on each day, and how many of these they used."""
    return window.cut(call.read(lambda project: to_json(pictures.used_by_day(project, days))))


@router.get("/graph", response_model=typed(pictures.GraphPicture))
def graph_picture(
    call: OneCall,
    start: Annotated[str, Query(min_length=1, max_length=4_200, description="A memory's id, `file:PATH` or `thread:NAME`.")],
    depth: Annotated[int, Query(ge=0, le=4, description="How many steps.")] = 2,
    types: Annotated[str, Query(pattern=_SORTS, description="Which sorts are gone on to.")] = "memory,file,thread",
) -> Response:
    """The memories, files and threads that are related to something."""
    return answer(call.read(lambda project: to_json(pictures.relations(project, start, depth, frozenset(types.split(","))))))
