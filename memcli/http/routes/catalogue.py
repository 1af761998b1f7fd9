"""/v2, all of a memory: one list with facets, the evidence, and the code of a file with what brought its lines."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from memcli import ingest as evidence
from memcli.fields import to_json
from memcli.http.calls import OneCall, answer
from memcli.http.lists import OneWindow, page_type
from memcli.http.models import shape, typed
from memcli.http.routing import Router
from memcli.memory import filters
from memcli.project import Project
from memcli.provenance import code, reverts
from memcli.recall import catalogue
from memcli.recall.catalogue import CataloguePage, CatalogueQuery
from memcli.recall.facets import FACETS
from memcli.store.catalogue import TYPES
from memcli.text import dates

router = Router(prefix="/v2", tags=["reading"])
_Type = Annotated[str | None, Field(pattern=f"^({'|'.join(TYPES)})$")]


class ItemsQuery(BaseModel):
    """A search of the whole memory, and which page of it."""

    query: str = Field("", max_length=4_000, description="Words, as `mem search` takes them; none lists the newest.")
    type: _Type = Field(None, description=", ".join(TYPES))
    kind: str | None = Field(None, max_length=80)
    state: str | None = Field(
        None, max_length=20, description="holds, drifted, carried, orphan, unknown, superseded, overtaken, forgotten."
    )
    origin: str | None = Field(None, max_length=80)
    thread: str | None = Field(None, max_length=80)
    branch: str | None = Field(None, max_length=400)
    file: str | None = Field(None, max_length=4_096, description="A path from the top of the repository.")
    session: str | None = Field(None, max_length=200, description="A session's id or name.")
    since: str | None = Field(None, max_length=200, description="As `--since` of `mem search`: a date, a moment, words.")
    until: str | None = Field(None, max_length=200)
    limit: int = Field(20, ge=1, le=200)
    offset: int = Field(0, ge=0, le=1_000_000)
    counts: bool = Field(True, description="Whether `facets` has counts; a list without `query` is answered sooner without.")


@router.get("/items", response_model=typed(CataloguePage))
def items(call: OneCall, query: Annotated[ItemsQuery, Query()]) -> Response:
    """All of the memory in one list: memories, prompts, answers, passages, notes, profile, states, sessions, chunks.

    With the counts of each facet's values, among the items that fit all other facets.
    """

    def work(project: Project) -> CataloguePage:
        facets = {name: value for name in FACETS if (value := getattr(query, name)) is not None}
        since, until = filters.since(project, query.since), filters.until(project, query.until)
        wanted = CatalogueQuery(query.query, facets, since, until, query.limit, query.offset, query.counts)
        return catalogue.page(project, wanted)

    return call.reading(lambda project: to_json(work(project)))


Evidence = shape("Evidence", "root", files=int, chunks=int, ingested_at=str | None)


@router.get("/evidence", response_model=Evidence)
def evidence_status(call: OneCall) -> Response:
    """How much of the working tree is stored as evidence, and since when."""

    def work(project: Project) -> dict[str, object]:
        counts = evidence.counts(project)
        at = dates.iso(counts.ingested_at) if counts.ingested_at else None
        return {"root": project.root, "files": counts.files, "chunks": counts.chunks, "ingested_at": at}

    return call.reading(work)


@router.get("/code", response_model=typed(code.CodeLines))
def code_of(
    call: OneCall,
    path: Annotated[str, Query(min_length=1, max_length=4_096, description="A file, from the top of the repository.")],
    line: Annotated[int, Query(ge=1, le=10_000_000, description="The first line.")] = 1,
    limit: Annotated[int, Query(ge=1, le=1_000, description="How many lines.")] = 200,
) -> Response:
    """Lines of a file of the working tree, each with the commit that brought it. `/v2/why` says more about one."""
    return answer(to_json(call.read(lambda project: code.lines(project, path, line, limit))))


@router.get("/reverts", response_model=page_type(typed(reverts.Reversal)))
def taken_back(
    call: OneCall,
    window: OneWindow,
    of: Annotated[
        str | None, Query(max_length=100, description="Only of this memory, statement or commit, by its whole id.")
    ] = None,
) -> Response:
    """What was reverted, by whom, and who asked for it: by commits, by prompts, and in the memory; latest first."""
    return window.cut(call.read(lambda project: to_json(reverts.taken_back(project) if of is None else reverts.of(project, of))))
