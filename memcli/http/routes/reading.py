"""/v2, reading: what `mem get`, `search`, `explain`, `show`, `recent` and `threads` print with --json."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel, Field
from starlette.responses import PlainTextResponse, Response

from memcli.errors import NotFound
from memcli.http import memory_page
from memcli.http.calls import OneCall
from memcli.http.models import more, ours
from memcli.http.routing import Router
from memcli.project import Project
from memcli.recall import get as recall
from memcli.recall import report
from memcli.recall import search as finding
from memcli.recall.pack import Pack
from memcli.recall.semantic import QueryVector
from memcli.shapes import memories as shapes
from memcli.shapes import state as states
from memcli.store import graph, memories, oplog
from memcli.text.terminal import oneline

router = Router(prefix="/v2", tags=["reading"])
Limit = Annotated[int, Query(ge=1, le=1_000)]
Id = Annotated[str, Field(max_length=80)]
_TEXT = Field(max_length=4_000, description="A question or a task, in words.")


class Question(BaseModel):
    """What a pack is asked for."""

    query: str = _TEXT
    budget: int | None = Field(None, ge=1, le=1_000_000, description="Tokens; the setting budget.total where it is left out.")
    max_bytes: int | None = Field(None, ge=1, le=100_000_000)
    include_orphans: bool = False
    semantic: bool = Field(False, description="Compare meanings, too.")


class FormedQuestion(Question):
    """What a pack is asked for, and in which form."""

    format: Literal["json", "prompt", "xml"] = "json"


class SearchQuestion(BaseModel):
    """What is searched for."""

    query: str = _TEXT
    limit: int = Field(10, ge=1, le=1_000)
    offset: int = Field(0, ge=0, le=100_000)
    kind: str | None = Field(None, max_length=80, description="A kind of memory, or prompt.")
    thread: str | None = Field(None, max_length=80)
    since: str | None = Field(None, max_length=40, description="A date, a moment, or 12h, 3d, 2w.")
    until: str | None = Field(None, max_length=40)
    session: str | None = Field(None, max_length=200)
    semantic: bool = False


def meaning(project: Project, question: str, wanted: bool) -> QueryVector | None:
    """Returns a question as a vector where that is wanted and can be; else words must do."""
    if not (wanted or project.config["recall.semantic"]) or not question.strip():
        return None
    from memcli.models import embedders
    from memcli.recall import semantic

    try:
        return semantic.encode_query(project, question)
    except embedders.Unavailable:
        return None


def pack_of(project: Project, asked: Question, form: str = "prompt") -> Pack:
    """Returns the pack that answers a question."""
    near = meaning(project, asked.query, asked.semantic)
    return recall.get(project, recall.Query(asked.query, form, asked.budget, asked.include_orphans, asked.max_bytes, near))


@router.get("/get", response_model=dict[str, Any], responses={200: {"content": {"text/markdown": {}, "application/xml": {}}}})
def get(call: OneCall, asked: Annotated[FormedQuestion, Query()]) -> Response:
    """The pack for a task: `mem get`. As JSON (docs/schema/pack.json), as the prompt, or as XML."""
    form = "xml" if asked.format == "xml" else "prompt"
    if asked.format == "json":
        return call.reading(lambda project: report.as_json(pack_of(project, asked)))
    pack = call.read(lambda project: pack_of(project, asked, form))
    return PlainTextResponse(pack.text, media_type="application/xml" if form == "xml" else "text/markdown")


@router.get("/explain", response_model=dict[str, Any])
def explain(call: OneCall, asked: Annotated[Question, Query()]) -> Response:
    """Every candidate, how it scored and what became of it: `mem explain`."""
    return call.reading(lambda project: report.explained(pack_of(project, asked)))


@router.get("/pack", response_model=more.Inspected)
def pack(call: OneCall, asked: Annotated[Question, Query()]) -> Response:
    """The pack, why each thing is in it or is not, and the pack as printed, all of one moment."""

    def work(project: Project) -> dict[str, Any]:
        found = pack_of(project, asked)
        return {"pack": report.as_json(found), "explain": report.explained(found), "prompt": found.text}

    return call.reading(work)


@router.get("/search", response_model=list[ours.Hit])
def search(call: OneCall, asked: Annotated[SearchQuestion, Query()]) -> Response:
    """Matching memories, one by one: `mem search`."""

    def work(project: Project) -> list[dict[str, Any]]:
        only = finding.filter_of(project, asked.kind, asked.thread, asked.since, asked.until, asked.session)
        near = meaning(project, asked.query, asked.semantic)
        return finding.as_json(finding.search(project, asked.query, only, asked.limit, asked.offset, near))

    return call.reading(work)


@router.get("/recent", response_model=list[ours.Memory])
def recent(call: OneCall, limit: Limit = 20) -> Response:
    """The newest memories: `mem recent`."""
    return call.reading(lambda project: [shapes.memory(one) for one in memories.recent(project.db, limit)])


@router.get("/memories", response_model=ours.Page)
def page(call: OneCall, asked: Annotated[memory_page.Choice, Query()]) -> Response:
    """A page of memories, newest first, each with whether it holds."""
    return call.reading(lambda project: memory_page.page(project, asked))


@router.get("/memories/{id}", response_model=ours.ItemMemory | ours.ItemChunk)
def show(call: OneCall, id: Id, context: Annotated[int, Query(ge=0, le=1_000)] = 0) -> Response:
    """Everything about a memory or a chunk: `mem show`. `context`: lines around a chunk."""
    return call.reading(lambda project: shapes.item(shapes.whole(project, id, context)))


@router.get("/memories/{id}/history", response_model=list[more.Operation])
def history(call: OneCall, id: Id, limit: Limit = 100) -> Response:
    """The operations on one memory, newest first: `mem log ID`."""
    return log(call, limit, id)


@router.get("/log", response_model=list[more.Operation])
def log(call: OneCall, limit: Limit = 20, id: Annotated[str | None, Query(max_length=80)] = None) -> Response:
    """The operation log, newest first, of one object where an id is given: `mem log`."""

    def work(project: Project) -> list[dict[str, Any]]:
        from memcli.memory import history as past

        meant = None if id is None else past.object_of(project, id)
        return [states.operation(op) for op in oplog.latest(project.db, limit, meant)]

    return call.reading(work)


@router.get("/threads", response_model=list[ours.Thread])
def threads(call: OneCall) -> Response:
    """Every thread with the number of its memories: `mem threads`."""
    return call.reading(lambda project: [shapes.thread(one) for one in graph.threads(project.db)])


@router.get("/threads/{id}", response_model=ours.InThread)
def thread(call: OneCall, id: Id, limit: Limit = 20) -> Response:
    """A thread and its newest memories: `mem thread`."""

    def work(project: Project) -> dict[str, Any]:
        found = graph.thread(project.db, id)
        if found is None:
            raise NotFound(f"no thread {oneline(id)[:80]}", "see /v2/threads")
        return shapes.in_thread(found, memories.recent(project.db, limit, found.id))

    return call.reading(work)
