"""C-Mem's worker, reading: observations, summaries, prompts, sessions, projects, search, timeline, a new session's context."""

from __future__ import annotations

import os
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from pydantic import Field
from starlette.responses import PlainTextResponse, Response

from memcli import registry
from memcli.errors import NotFound
from memcli.http import cmem, context_index, found, stores, which
from memcli.http.calls import answer
from memcli.http.models import cmem as models
from memcli.http.routing import Router
from memcli.http.service import Service
from memcli.project import Project, Where, now
from memcli.recall import chronology
from memcli.records import replace
from memcli.store import integrity, memories, sessions
from memcli.store.memories import Memory
from memcli.store.sessions import Session
from memcli.text import ids

router = Router(prefix="/api", tags=["cmem"])
Limit = Annotated[int, Query(ge=1, le=1_000)]
Offset = Annotated[int, Query(ge=0, le=1_000_000)]
Id = Annotated[str, Field(min_length=1, max_length=200, description="A number, or an id.")]
Name = Annotated[str | None, Query(max_length=4_096, description="A repository's id, name or path; left out: every one.")]
Around = Annotated[int, Query(ge=0, le=100)]


class Reading:
    """The stores that a call means."""

    def __init__(self, request: Request, project: str | None, workspace: str | None) -> None:
        self.service: Service = request.app.state.service
        self.project = project
        self.workspace = workspace

    @property
    def is_named(self) -> bool:
        """Whether the call says which store it means."""
        return self.project is not None or self.workspace is not None

    def places(self) -> list[Where]:
        """Returns them."""
        return stores.meant(self.service, self.project, self.workspace)


async def reading(
    request: Request, project: Name = None, workspace: Annotated[str | None, Query(max_length=64)] = None
) -> Reading:
    """The stores that the query names."""
    return Reading(request, project, workspace)


Meant = Annotated[Reading, Depends(reading)]


def _paged(meant: Reading, name: str, window: tuple[int, int], work: Any) -> Response:
    items, total = stores.page(meant.service, meant.places(), window, work)
    return answer({name: items, "total": total, "hasMore": window[1] + len(items) < total})


_OBSERVED = memories.MemoryFilter(observed=True, plain=True)
_SUMMED = memories.MemoryFilter(plain=False)


@router.get("/observations", response_model=models.Observations)
def observations(meant: Meant, limit: Limit = 20, offset: Offset = 0) -> Response:
    """What was observed in sessions, newest first."""

    def work(project: Project, limit: int, offset: int) -> tuple[list[dict[str, Any]], int]:
        page, total = memories.page_and_count(project.db, replace(_OBSERVED, limit=limit, offset=offset))
        return cmem.observations(project, page), total

    return _paged(meant, "observations", (limit, offset), work)


@router.get("/summaries", response_model=models.Summaries)
def summaries(meant: Meant, limit: Limit = 20, offset: Offset = 0) -> Response:
    """The summaries of sessions, newest first."""

    def work(project: Project, limit: int, offset: int) -> tuple[list[dict[str, Any]], int]:
        page, total = memories.page_and_count(project.db, replace(_SUMMED, limit=limit, offset=offset))
        return cmem.summaries(project, page), total

    return _paged(meant, "summaries", (limit, offset), work)


@router.get("/prompts", response_model=models.Prompts)
def prompts(meant: Meant, limit: Limit = 20, offset: Offset = 0) -> Response:
    """What persons asked, newest first."""

    def work(project: Project, limit: int, offset: int) -> tuple[list[dict[str, Any]], int]:
        page, total = sessions.prompt_page(project.db, limit, offset)
        names = sessions.names(project.db, sorted({one.session for one, _ in page}))
        return [cmem.prompt(project, one, names[one.session]) for one, _ in page], total

    return _paged(meant, "prompts", (limit, offset), work)


def _one(meant: Reading, what: str, id: str, work: Any) -> Response:
    known = stores.first(meant.service, meant.places(), work)
    if known is None:
        raise NotFound(f"no {what} {id[:80]}", f"see /api/{what}s")
    return answer(known)


@router.get("/observation/{id}", response_model=models.CMemObservation)
def observation(meant: Meant, id: Id) -> Response:
    """One memory."""

    def work(project: Project) -> dict[str, Any] | None:
        one = cmem.found(project, id)
        return cmem.observations(project, [one])[0] if one else None

    return _one(meant, "observation", id, work)


@router.get("/prompt/{id}", response_model=models.CMemPrompt)
def prompt(meant: Meant, id: Id) -> Response:
    """One prompt."""

    def work(project: Project) -> dict[str, Any] | None:
        one = sessions.find_prompt(project.db, ids.canonical(cmem.name_of(id, "P")))
        if one is None or one.skipped == "forgotten":
            return None
        return cmem.prompt(project, one, sessions.names(project.db, [one.session])[one.session])

    return _one(meant, "prompt", id, work)


@router.get("/session/{id:path}", response_model=models.CMemSession)
def session(meant: Meant, id: Id) -> Response:
    """One session, by its number, its id, or its harness's name for it."""

    def work(project: Project, one: Session | None) -> dict[str, Any] | None:
        return cmem.session(project, one) if one else None

    known = which.session(meant.service, id, meant.places(), work, meant.is_named)
    if known is None:
        raise NotFound(f"no session {id[:80]}", "see /api/sessions")
    return answer(known)


@router.post("/observations/batch", response_model=list[models.CMemObservation])
def batch(request: Request, given: models.Batch) -> Response:
    """Several memories, by number or id; those that are not there are left out."""
    service: Service = request.app.state.service

    def work(project: Project) -> list[dict[str, Any]]:
        known = [one for one in [cmem.found(project, name) for name in dict.fromkeys(given.ids)] if one]
        return cmem.observations(project, known)

    answers = stores.each(service, stores.meant(service, given.project), work)
    items = {one["memory_id"]: one for some in answers for one in some}
    asked = [ids.canonical(cmem.name_of(name, "M")) for name in dict.fromkeys(given.ids)]
    shown = [items[name] for name in dict.fromkeys(asked) if name in items]
    if given.orderBy:
        shown.sort(key=lambda one: one["created_at_epoch"], reverse=given.orderBy == "date_desc")
    return answer(shown[: given.limit])


@router.get("/projects", response_model=models.Projects)
def all_projects() -> Response:
    """The names of every project that has a memory on this machine."""
    return answer({"projects": sorted({one.name for one in registry.repositories()})})


@router.get("/stats", response_model=models.CMemStats)
def stats(meant: Meant) -> Response:
    """How much each project has."""

    def work(project: Project) -> dict[str, Any]:
        totals = integrity.totals(project.db)
        path = os.path.join(project.folder, "memory.db")
        facts = {"project": project.name, "repo_id": project.repo_id, "workspace": project.workspace}
        counted = {name: totals[name] for name in ("sessions", "prompts", "observations", "summaries", "memories")}
        return {**facts, **counted, "bytes": os.path.getsize(path) if os.path.isfile(path) else 0}

    named = meant.places() if meant.project is not None else stores.everything()
    listed = sorted(stores.each(meant.service, named, work), key=lambda one: (one["project"], one["workspace"]))
    names = ("sessions", "prompts", "observations", "summaries", "memories", "bytes")
    return answer({"projects": listed, "total": {name: sum(one[name] for one in listed) for name in names}})


@router.get("/search", response_model=models.Hits)
def search(meant: Meant, asked: Annotated[found.Question, Query()]) -> Response:
    """Memories that match, best first."""
    found.filter_of(asked, now())  # before anything is opened
    places = meant.places()
    window = (asked.limit, asked.offset) if len(places) == 1 else (asked.limit + asked.offset, 0)
    answers = stores.each(meant.service, places, lambda project: found.search(project, asked, *window))
    hits = sorted([one for some, _ in answers for one in some], key=lambda one: -one["rank"])
    shown = hits if len(places) == 1 else hits[asked.offset : asked.offset + asked.limit]
    total = sum(count for _, count in answers)
    return answer({"results": shown, "total": total, "hasMore": asked.offset + len(shown) < total})


@router.get("/timeline", response_model=list[models.CMemObservation])
def timeline(
    meant: Meant,
    anchor: Annotated[str, Query(min_length=1, max_length=200, description="A memory's number or id.")],
    before: Around = 5,
    after: Around = 5,
) -> Response:
    """What was written before and after a memory, oldest first, with it."""

    def work(project: Project) -> list[dict[str, Any]] | None:
        one = cmem.found(project, anchor)
        if one is None:
            return None
        _, items = chronology.timeline(project, one.id, 100, 100)
        shown = [item for item in items if isinstance(item, Memory)]
        at = [item.id for item in shown].index(one.id)
        return cmem.observations(project, shown[max(0, at - before) : at + after + 1])

    return _one(meant, "observation", anchor, work)


@router.get("/context/inject", response_class=PlainTextResponse, responses={200: {"content": {"text/markdown": {}}}})
def context(
    meant: Meant,
    limit: Annotated[int | None, Query(ge=0, le=1_000, description="Observations; index.observations if left out.")] = None,
    sessions: Annotated[int | None, Query(ge=0, le=1_000, description="Summaries; index.summaries if left out.")] = None,
    budget: Annotated[int | None, Query(ge=1, le=1_000_000, description="Tokens; budget.total if left out.")] = None,
) -> Response:
    """What a new session should know: an index of sessions and observations that hold on this commit, within a budget."""
    places = meant.places() if meant.project is not None else [meant.service.where] if meant.service.where else []
    made = stores.first(meant.service, places, lambda project: context_index.index(project, limit, sessions, budget))
    shown = made or context_index.NOTHING
    headers = {
        "x-observation-count": str(shown.observations),
        "x-summary-count": str(shown.summaries),
        "x-token-estimate": str(shown.tokens),
    }
    return PlainTextResponse(shown.markdown, headers=headers, media_type="text/markdown")
