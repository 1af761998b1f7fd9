"""C-Mem's worker, reading: observations, summaries, prompts, sessions, projects, search, timeline, a new session's context."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cached_property
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from pydantic import Field
from starlette.responses import PlainTextResponse, Response

from memcli import registry
from memcli.errors import NotFound
from memcli.http import cmem, context_index, stores
from memcli.http.calls import answer
from memcli.http.models import cmem as models
from memcli.http.routing import Router
from memcli.http.service import Service
from memcli.http.stores import Page
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
_OBSERVED = memories.MemoryFilter(observed=True, plain=True)
_SUMMARIES = memories.MemoryFilter(plain=False)
_COUNTS = ("sessions", "prompts", "observations", "summaries", "memories")


class Scope:
    """The stores that a call reads. `is_explicit`: whether the call names them."""

    def __init__(self, request: Request, project: str | None, workspace: str | None) -> None:
        self.service: Service = request.app.state.service
        self.project = project
        self.workspace = workspace
        self.is_explicit = project is not None or workspace is not None

    @cached_property
    def stores(self) -> list[Where]:
        """The stores of the named project and workspace."""
        return self.service.stores.matching(self.project, self.workspace)

    def with_workspaces(self) -> list[Where]:
        """Returns the stores; where no project is named, all of them, workspaces included."""
        return self.stores if self.project is not None else stores.all_stores()


async def _scope(request: Request, project: Name = None, workspace: Annotated[str | None, Query(max_length=64)] = None) -> Scope:
    return Scope(request, project, workspace)


InScope = Annotated[Scope, Depends(_scope)]


def _page(scope: Scope, name: str, window: tuple[int, int], work: Callable[[Project, int, int], Page]) -> Response:
    records, total = stores.page(scope.stores, window, work)
    return answer({name: records, "total": total, "hasMore": window[1] + len(records) < total})


@router.get("/observations", response_model=models.Observations)
def observations(scope: InScope, limit: Limit = 20, offset: Offset = 0) -> Response:
    """What was observed in sessions, newest first."""

    def work(project: Project, limit: int, offset: int) -> Page:
        page, total = memories.page_and_count(project.db, replace(_OBSERVED, limit=limit, offset=offset))
        return cmem.observations(project, page), total

    return _page(scope, "observations", (limit, offset), work)


@router.get("/summaries", response_model=models.Summaries)
def summaries(scope: InScope, limit: Limit = 20, offset: Offset = 0) -> Response:
    """The summaries of sessions, newest first."""

    def work(project: Project, limit: int, offset: int) -> Page:
        page, total = memories.page_and_count(project.db, replace(_SUMMARIES, limit=limit, offset=offset))
        return cmem.summaries(project, page), total

    return _page(scope, "summaries", (limit, offset), work)


@router.get("/prompts", response_model=models.Prompts)
def prompts(scope: InScope, limit: Limit = 20, offset: Offset = 0) -> Response:
    """Prompts of people, newest first."""

    def work(project: Project, limit: int, offset: int) -> Page:
        page, total = sessions.prompt_page(project.db, limit, offset)
        names = sessions.names(project.db, sorted({prompt.session for prompt, _ in page}))
        return [cmem.prompt(project, prompt, names[prompt.session]) for prompt, _ in page], total

    return _page(scope, "prompts", (limit, offset), work)


def _first(scope: Scope, noun: str, id: str, work: Callable[[Project], Any]) -> Response:
    record = stores.first(scope.stores, work)
    if record is None:
        raise NotFound(f"no {noun} {id[:80]}", f"see /api/{noun}s")
    return answer(record)


@router.get("/observation/{id}", response_model=models.CMemObservation)
def observation(scope: InScope, id: Id) -> Response:
    """One memory."""

    def work(project: Project) -> dict[str, Any] | None:
        memory = cmem.find_memory(project, id)
        return cmem.observations(project, [memory])[0] if memory else None

    return _first(scope, "observation", id, work)


@router.get("/prompt/{id}", response_model=models.CMemPrompt)
def prompt(scope: InScope, id: Id) -> Response:
    """One prompt."""

    def work(project: Project) -> dict[str, Any] | None:
        prompt = sessions.find_prompt(project.db, ids.canonical(cmem.name_of(id, "P")))
        if prompt is None or prompt.skipped == "forgotten":
            return None
        return cmem.prompt(project, prompt, sessions.names(project.db, [prompt.session])[prompt.session])

    return _first(scope, "prompt", id, work)


@router.get("/session/{id:path}", response_model=models.CMemSession)
def session(scope: InScope, id: Id) -> Response:
    """One session, by its number, its id, or its harness's name for it."""

    def work(project: Project, session: Session | None) -> dict[str, Any] | None:
        return cmem.session(project, session) if session else None

    record = scope.service.stores.session(id, scope.stores, work, scope.is_explicit)
    if record is None:
        raise NotFound(f"no session {id[:80]}", "see /api/sessions")
    return answer(record)


@router.post("/observations/batch", response_model=list[models.CMemObservation])
def batch(request: Request, body: models.Batch) -> Response:
    """Several memories, by number or id; ids that do not exist are left out."""
    service: Service = request.app.state.service
    references = list(dict.fromkeys(body.ids))

    def work(project: Project) -> list[dict[str, Any]]:
        return cmem.observations(project, [memory for name in references if (memory := cmem.find_memory(project, name))])

    results = stores.each(service.stores.matching(body.project), work)
    records = {record["memory_id"]: record for result in results for record in result}
    memory_ids = dict.fromkeys(ids.canonical(cmem.name_of(name, "M")) for name in references)
    ordered = [records[memory_id] for memory_id in memory_ids if memory_id in records]
    if body.orderBy:
        ordered.sort(key=lambda record: record["created_at_epoch"], reverse=body.orderBy == "date_desc")
    return answer(ordered[: body.limit])


@router.get("/projects", response_model=models.Projects)
def all_projects() -> Response:
    """The names of every project that has a memory on this machine."""
    return answer({"projects": sorted({repository.name for repository in registry.repositories()})})


@router.get("/stats", response_model=models.CMemStats)
def stats(scope: InScope) -> Response:
    """How much each project has."""

    def work(project: Project) -> dict[str, Any]:
        totals = integrity.totals(project.db)
        path = os.path.join(project.folder, "memory.db")
        return {
            "project": project.name,
            "repo_id": project.repo_id,
            "workspace": project.workspace,
            **{name: totals[name] for name in _COUNTS},
            "bytes": os.path.getsize(path) if os.path.isfile(path) else 0,
        }

    projects = sorted(stores.each(scope.with_workspaces(), work), key=lambda row: (row["project"], row["workspace"]))
    total = {name: sum(row[name] for row in projects) for name in (*_COUNTS, "bytes")}
    return answer({"projects": projects, "total": total})


@router.get("/search", response_model=models.Hits)
def search(scope: InScope, question: Annotated[cmem.CMemQuestion, Query()]) -> Response:
    """Memories that match, best first."""
    cmem.filter_of(question, now())  # rejects an invalid date before a store is opened
    is_single = len(scope.stores) == 1
    limit, offset = (question.limit, question.offset) if is_single else (question.limit + question.offset, 0)
    results = stores.each(scope.stores, lambda project: cmem.search(project, question, limit, offset))
    hits = sorted([hit for page, _ in results for hit in page], key=lambda hit: -hit["rank"])
    page = hits if is_single else hits[question.offset : question.offset + question.limit]
    total = sum(count for _, count in results)
    return answer({"results": page, "total": total, "hasMore": question.offset + len(page) < total})


@router.get("/timeline", response_model=list[models.CMemObservation])
def timeline(
    scope: InScope,
    anchor: Annotated[str, Query(min_length=1, max_length=200, description="A memory's number or id.")],
    before: Around = 5,
    after: Around = 5,
) -> Response:
    """What was written before and after a memory, oldest first, with it."""

    def work(project: Project) -> list[dict[str, Any]] | None:
        memory = cmem.find_memory(project, anchor)
        if memory is None:
            return None
        _, items = chronology.timeline(project, memory.id, 100, 100)
        nearby = [item for item in items if isinstance(item, Memory)]
        at = [item.id for item in nearby].index(memory.id)
        return cmem.observations(project, nearby[max(0, at - before) : at + after + 1])

    return _first(scope, "observation", anchor, work)


@router.get("/context/inject", response_class=PlainTextResponse, responses={200: {"content": {"text/markdown": {}}}})
def context(
    scope: InScope,
    limit: Annotated[int | None, Query(ge=0, le=1_000, description="Observations; index.observations if left out.")] = None,
    sessions: Annotated[int | None, Query(ge=0, le=1_000, description="Summaries; index.summaries if left out.")] = None,
    budget: Annotated[int | None, Query(ge=1, le=1_000_000, description="Tokens; budget.total if left out.")] = None,
) -> Response:
    """What a new session should know: an index of sessions and observations that hold on this commit, within a budget."""
    default = [scope.service.where] if scope.service.where else []
    chosen = scope.stores if scope.project is not None else default
    index = stores.first(chosen, lambda project: context_index.index(project, limit, sessions, budget)) or context_index.EMPTY
    headers = {
        "x-observation-count": str(index.observations),
        "x-summary-count": str(index.summaries),
        "x-token-estimate": str(index.tokens),
    }
    return PlainTextResponse(index.markdown, headers=headers, media_type="text/markdown")
