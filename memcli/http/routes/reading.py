"""/v2, reading: what `mem get`, `search` and `explain` print with --json."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel, Field
from starlette.responses import PlainTextResponse, Response

from memcli.fields import to_json
from memcli.http import memory_page
from memcli.http.calls import OneCall
from memcli.http.models import memories as memory_models
from memcli.http.models import status as status_models
from memcli.http.models.derived import typed
from memcli.http.routing import Router
from memcli.project import Project
from memcli.recall import get as recall
from memcli.recall import report, semantic
from memcli.recall import search as recall_search
from memcli.recall.pack import Pack

router = Router(prefix="/v2", tags=["reading"])
_TEXT = Field(max_length=4_000, description="A question or a task, in words.")


class PackQuery(BaseModel):
    """The query of a pack, and its limits."""

    query: str = _TEXT
    budget: int | None = Field(None, ge=1, le=1_000_000, description="Tokens; the setting budget.total where it is left out.")
    max_bytes: int | None = Field(None, ge=1, le=100_000_000)
    include_orphans: bool = False
    semantic: bool = Field(False, description="Compare meanings, too.")


class FormattedPackQuery(PackQuery):
    """The query of a pack, its limits and its format."""

    format: Literal["json", "prompt", "xml"] = "json"


class SearchQuery(BaseModel):
    """A search."""

    query: str = _TEXT
    limit: int = Field(10, ge=1, le=1_000)
    offset: int = Field(0, ge=0, le=100_000)
    kind: str | None = Field(None, max_length=80, description="A kind of memory, or prompt.")
    thread: str | None = Field(None, max_length=80)
    since: str | None = Field(None, max_length=40, description="A date, a moment, or 12h, 3d, 2w.")
    until: str | None = Field(None, max_length=40)
    session: str | None = Field(None, max_length=200)
    semantic: bool = False


def pack_of(project: Project, query: PackQuery, form: str = "prompt") -> Pack:
    """Returns the pack for a query."""
    vector = semantic.query_vector(project, query.query, query.semantic)
    return recall.get(project, recall.Query(query.query, form, query.budget, query.include_orphans, query.max_bytes, vector))


@router.get("/get", response_model=dict[str, Any], responses={200: {"content": {"text/markdown": {}, "application/xml": {}}}})
def get(call: OneCall, query: Annotated[FormattedPackQuery, Query()]) -> Response:
    """The pack for a task: `mem get`. As JSON (docs/schema/pack.json), as the prompt, or as XML."""
    form = "xml" if query.format == "xml" else "prompt"
    if query.format == "json":
        return call.reading(lambda project: report.as_json(pack_of(project, query)))
    pack = call.read(lambda project: pack_of(project, query, form))
    return PlainTextResponse(pack.text, media_type="application/xml" if form == "xml" else "text/markdown")


@router.get("/explain", response_model=dict[str, Any])
def explain(call: OneCall, query: Annotated[PackQuery, Query()]) -> Response:
    """Every candidate, how it scored and what became of it: `mem explain`."""
    return call.reading(lambda project: report.explained(pack_of(project, query)))


@router.get("/pack", response_model=status_models.Inspected)
def pack(call: OneCall, query: Annotated[PackQuery, Query()]) -> Response:
    """The pack, why each thing is in it or is not, and the pack as printed, all of one moment."""

    def work(project: Project) -> dict[str, Any]:
        result = pack_of(project, query)
        return {"pack": report.as_json(result), "explain": report.explained(result), "prompt": result.text}

    return call.reading(work)


@router.get("/search", response_model=list[memory_models.HitRecord])
def search(call: OneCall, query: Annotated[SearchQuery, Query()]) -> Response:
    """Matching memories, one by one: `mem search`."""

    def work(project: Project) -> list[dict[str, Any]]:
        scope = recall_search.filter_of(project, query.kind, query.thread, query.since, query.until, query.session)
        vector = semantic.query_vector(project, query.query, query.semantic)
        return recall_search.as_json(recall_search.search(project, query.query, scope, query.limit, query.offset, vector))

    return call.reading(work)


@router.get("/memories", response_model=typed(memory_page.MemoryPage))
def page(call: OneCall, query: Annotated[memory_page.PageQuery, Query()]) -> Response:
    """A page of memories, newest first, each with whether it holds."""
    return call.reading(lambda project: to_json(memory_page.page(project, query)))
