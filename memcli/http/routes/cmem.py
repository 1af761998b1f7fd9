"""C-Mem's worker, reading: observations, summaries, prompts, sessions, projects, search, timeline, a new session's context."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Annotated, Any, Literal

from fastapi import Depends, Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import PlainTextResponse, Response

from memcli import operations, registry
from memcli.errors import NotFound
from memcli.http import bounds, cmem, context_index, stores
from memcli.http.calls import answer
from memcli.http.models import listed, paged, shape
from memcli.http.routing import Router
from memcli.http.service import Service
from memcli.http.stores import Page
from memcli.operations.stats import size
from memcli.project import Project, Where, now
from memcli.records import replace
from memcli.store import integrity, listing, sessions
from memcli.store.listing import MemoryFilter
from memcli.store.memories import Memory
from memcli.store.sessions import Session
from memcli.text import ids

router = Router(prefix="/api", tags=["cmem"])
Limit = Annotated[
    int, bounds.within(20, 1_000), Query(ge=1, le=1_000, description="Brought within its bounds, whatever is given.")
]
Offset = Annotated[int, bounds.within(0, 1_000_000, 0), Query(ge=0, le=1_000_000)]
Id = Annotated[str, Field(min_length=1, max_length=200, description="A number, or an id.")]
Name = Annotated[str | None, Query(max_length=4_096, description="A repository's id, name or path; left out: every one.")]
Around = Annotated[int, bounds.within(5, 100, 0), Query(ge=0, le=100)]
_COUNTS = ("sessions", "prompts", "observations", "summaries", "memories", "bytes")
ProjectStats = shape("ProjectStats", "project repo_id workspace", **dict.fromkeys(_COUNTS, int))


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
        """Returns the stores; if no project is named, all of them, including workspaces."""
        return self.stores if self.project is not None else stores.all_stores()

    def first(self, noun: str, id: str, work: Callable[[Project], Any]) -> Response:
        """Answers with the first store's item with an id. Raises NotFound."""
        record = stores.first(self.stores, work)
        if record is None:
            raise NotFound(f"no {noun} {id[:80]}", f"see /api/{noun}s")
        return answer(record)

    def page(self, name: str, window: tuple[int, int], work: Callable[[Project, int, int], Page]) -> Response:
        """Answers with a page over all stores. `window`: limit, offset; `work` returns such a page for one store."""
        records, total = stores.page(self.stores, window, work)
        return answer({name: records, "total": total, "hasMore": window[1] + len(records) < total})


async def _scope(request: Request, project: Name = None, workspace: Annotated[str | None, Query(max_length=64)] = None) -> Scope:
    return Scope(request, project, workspace)


InScope = Annotated[Scope, Depends(_scope)]
Records = Callable[[Project, list[Memory]], list[dict[str, Any]]]


def _memories(query: MemoryFilter, records: Records) -> Callable[[Project, int, int], Page]:
    def work(project: Project, limit: int, offset: int) -> Page:
        page, total = listing.page_and_count(project.db, replace(query, limit=limit, offset=offset))
        return records(project, page), total

    return work


@router.get("/observations", response_model=paged("Observations", "observations", cmem.Observation))
def observations(
    scope: InScope,
    limit: Limit = 20,
    offset: Offset = 0,
    session_id: Annotated[str | None, Query(min_length=1, max_length=200, description="Of one session.")] = None,
) -> Response:
    """What was observed in all sessions or in one, newest first."""

    def work(project: Project, limit: int, offset: int) -> Page:
        session = None if session_id is None else stores.session_in(project, session_id)
        if session_id is not None and session is None:
            return [], 0
        query = MemoryFilter(observed=True, plain=True, session=session.n if session else None)
        return _memories(query, cmem.observations)(project, limit, offset)

    return scope.page("observations", (limit, offset), work)


@router.get("/summaries", response_model=paged("Summaries", "summaries", cmem.Summary))
def summaries(scope: InScope, limit: Limit = 20, offset: Offset = 0) -> Response:
    """The summaries of sessions, newest first."""
    return scope.page("summaries", (limit, offset), _memories(MemoryFilter(plain=False), cmem.summaries))


@router.get("/prompts", response_model=paged("Prompts", "prompts", cmem.PromptRecord))
def prompts(scope: InScope, limit: Limit = 20, offset: Offset = 0) -> Response:
    """Prompts of people, newest first."""

    def work(project: Project, limit: int, offset: int) -> Page:
        page, total = sessions.prompt_page(project.db, limit, offset)
        return cmem.prompts(project, [prompt for prompt, _ in page]), total

    return scope.page("prompts", (limit, offset), work)


@router.get("/observation/{id}", response_model=cmem.Observation)
def observation(scope: InScope, id: Id) -> Response:
    """One memory."""

    def work(project: Project) -> dict[str, Any] | None:
        memory = cmem.find_memory(project, id)
        return cmem.observations(project, [memory])[0] if memory else None

    return scope.first("observation", id, work)


@router.get("/prompt/{id}", response_model=cmem.PromptRecord)
def prompt(scope: InScope, id: Id) -> Response:
    """One prompt."""

    def work(project: Project) -> dict[str, Any] | None:
        prompt = sessions.find_prompt(project.db, ids.canonical(cmem.name_of(id, "P")))
        return cmem.prompts(project, [prompt])[0] if prompt and not prompt.forgotten else None

    return scope.first("prompt", id, work)


@router.get("/session/{id:path}", response_model=cmem.SessionRecord)
def session(scope: InScope, id: Id) -> Response:
    """One session, by its number, its id, or its harness's name for it."""

    def work(project: Project, session: Session | None) -> dict[str, Any] | None:
        return cmem.session(project, session) if session else None

    record = scope.service.stores.session(id, scope.stores, work, scope.is_explicit)
    if record is None:
        raise NotFound(f"no session {id[:80]}", "see /api/sessions")
    return answer(record)


class Batch(BaseModel):
    """The observations to return, by number or id."""

    model_config = ConfigDict(extra="ignore")
    ids: list[int | str] = Field(max_length=1_000)
    orderBy: Literal["date_asc", "date_desc"] | None = None
    limit: Annotated[Annotated[int, Field(ge=1, le=1_000)] | None, bounds.within(None, 1_000)] = None
    project: str | None = Field(None, max_length=4_096)


@router.post("/observations/batch", response_model=listed(cmem.Observation))
def batch(request: Request, body: Batch) -> Response:
    """Several memories, by number or id; ids that do not exist are left out."""
    service: Service = request.app.state.service
    memory_ids = list(dict.fromkeys([cmem.memory_id(reference) for reference in body.ids]))

    def work(project: Project) -> list[dict[str, Any]]:
        return cmem.observations(project, [memory for id in memory_ids if (memory := cmem.find_memory(project, id))])

    results = stores.each(service.stores.matching(body.project), work)
    records = {record["memory_id"]: record for result in results for record in result}
    ordered = [records[id] for id in memory_ids if id in records]
    if body.orderBy:
        ordered.sort(key=lambda record: record["created_at_epoch"], reverse=body.orderBy == "date_desc")
    return answer(ordered[: body.limit])


@router.get("/projects", response_model=shape("Projects", projects=list[str]))
def all_projects() -> Response:
    """The names of every project that has a memory on this machine."""
    return answer({"projects": sorted({repository.name for repository in registry.repositories()})})


@router.get("/stats", response_model=shape("CMemStats", projects=listed(ProjectStats), total=dict[str, int]))
def stats(scope: InScope) -> Response:
    """How much each project holds."""

    def work(project: Project) -> dict[str, Any]:
        totals = {**integrity.totals(project.db), "bytes": size(project)}
        names = {"project": project.name, "repo_id": project.repo_id, "workspace": project.workspace}
        return {**names, **{name: totals[name] for name in _COUNTS}}

    projects = sorted(stores.each(scope.with_workspaces(), work), key=lambda row: (row["project"], row["workspace"]))
    return answer({"projects": projects, "total": {name: sum(row[name] for row in projects) for name in _COUNTS}})


@router.get("/search", response_model=paged("Hits", "results", cmem.Hit))
def search(scope: InScope, question: Annotated[cmem.CMemQuestion, Query()]) -> Response:
    """Memories that match, best first."""
    cmem.filter_of(question, now())  # rejects an invalid date before a store is opened

    def work(project: Project, limit: int, offset: int) -> Page:
        return cmem.search(project, question, limit, offset)

    hits, total = stores.page(scope.stores, (question.limit, question.offset), work, "rank")
    return answer({"results": hits, "total": total, "hasMore": question.offset + len(hits) < total})


@router.get("/timeline", response_model=listed(cmem.Observation))
def timeline(
    scope: InScope,
    anchor: Annotated[str, Query(min_length=1, max_length=200, description="A memory's number or id.")],
    before: Around = 5,
    after: Around = 5,
) -> Response:
    """What was written before and after a memory, oldest first, including the memory."""

    def work(project: Project) -> list[dict[str, Any]] | None:
        memory = cmem.find_memory(project, anchor)
        if memory is None:
            return None
        around = operations.call(project, "timeline", id=memory.id, before=100, after=100)
        nearby = [item for item in around.items if isinstance(item, Memory)]
        at = [item.id for item in nearby].index(memory.id)
        return cmem.observations(project, nearby[max(0, at - before) : at + after + 1])

    return scope.first("observation", anchor, work)


_MARKDOWN: dict[str, Any] = {"content": {"text/markdown": {}}}
_INJECTED: dict[int | str, dict[str, Any]] = {
    200: _MARKDOWN,
    401: {"description": "Empty: clients write it into a file.", **_MARKDOWN},
}


Observations = Annotated[
    Annotated[int, Field(ge=0, le=1_000)] | None,
    bounds.within(None, 1_000, 0),
    Query(description="Observations; index.observations if left out."),
]
Summaries = Annotated[
    Annotated[int, Field(ge=0, le=1_000)] | None,
    bounds.within(None, 1_000, 0),
    Query(description="Summaries; index.summaries if left out."),
]
Tokens = Annotated[
    Annotated[int, Field(ge=1, le=1_000_000)] | None,
    bounds.within(None, 1_000_000),
    Query(description="Tokens; budget.total if left out."),
]


@router.get("/context/inject", response_class=PlainTextResponse, responses=_INJECTED)
def context(
    scope: InScope,
    limit: Observations = None,
    sessions: Summaries = None,
    budget: Tokens = None,
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
