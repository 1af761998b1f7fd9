"""mecho's archive: texts of a mode that never come into a prompt by themselves and are found by their meaning."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from memcli import operations
from memcli.errors import NotFound
from memcli.http import modes
from memcli.http.calls import ACTOR, answer
from memcli.http.models import listed, paged, shape
from memcli.http.modes import MASKED, Deleted, Entry, Id, InMode, Mode, Store
from memcli.http.routing import Router
from memcli.http.service import Service
from memcli.memory import contents
from memcli.memory.commit import commit, masked_fields
from memcli.memory.projection import fold
from memcli.models import Unavailable, provider
from memcli.operations import add
from memcli.operations.add import AddRequest
from memcli.operations.forget import ForgetRequest, RestoreRequest
from memcli.operations.update import UpdateRequest
from memcli.project import Project
from memcli.recall import semantic
from memcli.store import listing, memories, oplog, vectors
from memcli.store.memories import Memory
from memcli.store.oplog import Change
from memcli.text import dates, ids
from memcli.text.terminal import oneline

router = Router(prefix="/v1/archival", tags=["mecho"])
SOURCE = "mecho:archival:"  # begins the source id of a text with an id of the client's own


class Insert(Mode):
    """A text to be kept and found by its meaning."""

    text: str = Field(min_length=1, max_length=65_536)
    metadata: dict[str, Any] = Field({}, max_length=100)


@router.post("/insert", response_model=shape("Inserted", "id", ok=bool, masked=MASKED))
def insert(request: Request, body: Insert) -> Response:
    """Stores a text and its metadata, to be found by its meaning."""
    title = contents.title_of(body.text) or body.text
    memory = AddRequest(title=title, summary=body.text, thread="archival", kind="archival", force=True)

    def work(project: Project) -> dict[str, Any]:
        planned = add.plan(project, memory)
        assert isinstance(planned, add.AddPlan)
        if body.metadata:
            planned.draft.fields["metadata"] = body.metadata
        return {"ok": True, "id": add.apply(project, planned, ACTOR).id}

    return modes.write(request, body.store(archive=True), work)


class Upsert(Mode):
    """A text under an id of the client's own or of ours, as mecho's own service takes it."""

    id: Id | None = None
    title: str = Field(min_length=1, max_length=1_000)
    content: str = Field(min_length=1, max_length=65_536)
    metadata: dict[str, Any] = Field({}, max_length=100)


@router.post("/upsert", response_model=shape("Upserted", "memoryId", ok=bool, created=bool, masked=MASKED))
def upsert(request: Request, body: Upsert) -> Response:
    """Stores a text, or replaces the one under the id."""
    new = AddRequest(title=body.title, summary=body.content, thread="archival", kind="archival", force=True)

    def work(project: Project) -> dict[str, Any]:
        entry = body.id and _entry(project, body.id)
        if entry:
            if entry.forgotten:
                modes.perform(project, "restore", RestoreRequest(id=(entry.id,)))
            if (entry.title, entry.summary) != (body.title, body.content):
                modes.perform(project, "update", UpdateRequest(id=entry.id, title=body.title, summary=body.content))
            if body.metadata:
                change = Change("put", entry.id, masked_fields(project, {"metadata": body.metadata}))
                commit(project, lambda: [change], ACTOR)
            return {"ok": True, "memoryId": _id(entry), "created": False}
        planned = add.plan(project, new)
        assert isinstance(planned, add.AddPlan)
        if body.metadata:
            planned.draft.fields["metadata"] = body.metadata
        if body.id:
            planned.draft.fields["source"] = SOURCE + body.id
        stored = add.apply(project, planned, ACTOR).id
        return {"ok": True, "memoryId": body.id or stored, "created": True}

    return modes.write(request, body.store(archive=True), work)


class ArchivalSearch(Mode):
    """What is looked for."""

    query: str = Field(min_length=1, max_length=20_000)
    limit: int = Field(10, ge=1, le=200)
    includeDetail: bool = False


ArchivalText = shape("ArchivalText", "id text createdAt", metadata=dict[str, Any])
ArchivalItem = shape("ArchivalItem", "id text createdAt", metadata=dict[str, Any], score=float)
ArchivalMatch = shape(
    "ArchivalMatch",
    "memoryId name description",
    updatedAt=int,
    metadata=dict[str, Any],
    score=float,
    detail=(str | None, None),
)
Archival = shape("Archival", by=Literal["meaning", "words"], total=int, items=listed(ArchivalItem), matches=listed(ArchivalMatch))


@router.post("/search", response_model=Archival)
def search(request: Request, body: ArchivalSearch) -> Response:
    """Texts of about this meaning, best first; by words where no model compares meanings."""
    store = body.store(archive=True)
    _encode(request, store)

    def work(project: Project) -> dict[str, Any]:
        operation = operations.load("search")
        result = operations.read(operation, operation.request(query=body.query, limit=body.limit, semantic=True), project)
        hits = [hit for hit in result.hits if not hit.ranked.from_user]
        items = [{**_archived(project, hit.memory), "score": round(hit.ranked.score, 4)} for hit in hits]
        matches = [_match(hit.memory, item, body.includeDetail) for hit, item in zip(hits, items)]
        return {"by": "words" if result.problem else "meaning", "total": len(items), "items": items, "matches": matches}

    return answer(modes.read(request, store, work) or {"by": "words", "total": 0, "items": [], "matches": []})


def _match(memory: Memory, item: dict[str, Any], with_detail: bool) -> dict[str, Any]:
    detail = {"detail": modes.detail(memory)} if with_detail else {}
    return {**modes.described(memory, _id(memory)), **detail, "metadata": item["metadata"], "score": item["score"]}


def _encode(request: Request, store: Store) -> None:
    """Encodes the texts that were inserted since the last search, where a model is available."""

    def has_work(project: Project) -> bool:
        try:
            provider(project.config)
        except Unavailable:
            return False
        return any(kind.current < kind.total for kind in semantic.status(project, (vectors.MEMORY,)))

    if modes.read(request, store, has_work):
        service: Service = request.app.state.service
        try:
            with service.stores.open(*store) as project:
                semantic.embed(project)
        except Unavailable:
            pass


def _id(memory: Memory) -> str:
    source = memory.source_id or ""
    return source.removeprefix(SOURCE) if source.startswith(SOURCE) else memory.id


def _entry(project: Project, id: str) -> Memory | None:
    return memories.by_source(project.db, SOURCE + id) or memories.find(project.db, ids.canonical(id))


def _archived(project: Project, memory: Memory) -> dict[str, Any]:
    metadata = fold(oplog.of_object(project.db, memory.id)).fields.get("metadata") or {}
    created = dates.iso(memory.created_at)
    return {"id": memory.id, "text": memory.summary, "metadata": metadata, "createdAt": created}


class ArchivalPage(Mode):
    """Which texts."""

    limit: int = Field(100, ge=1, le=1_000)
    offset: int = Field(0, ge=0, le=1_000_000)


@router.get("", response_model=paged("ArchivalTexts", "items", ArchivalText, modeId=str))
def archive(request: Request, query: Annotated[ArchivalPage, Query()]) -> Response:
    """What the archive holds, newest first."""

    def work(project: Project) -> tuple[list[dict[str, Any]], int]:
        page, total = listing.page_and_count(project.db, listing.MemoryFilter(limit=query.limit, offset=query.offset))
        return [_archived(project, memory) for memory in page], total

    items, total = modes.read(request, query.store(archive=True), work) or ([], 0)
    return answer({"modeId": query.modeId, "items": items, "total": total, "hasMore": query.offset + len(items) < total})


@router.get("/{id}", response_model=ArchivalText)
def archived(request: Request, id: Id, mode: InMode) -> Response:
    """One text."""

    def work(project: Project) -> dict[str, Any] | None:
        memory = _entry(project, id)
        return _archived(project, memory) if memory and not memory.forgotten else None

    item = modes.read(request, mode.store(archive=True), work)
    if item is None:
        raise NotFound(f"no entry {oneline(id)[:80]}", "search for it")
    return answer(item)


def _forget(request: Request, store: Store, id: str) -> Response:
    def work(project: Project) -> dict[str, Any]:
        entry = _entry(project, id)
        (forgotten,) = modes.perform(project, "forget", ForgetRequest(id=(entry.id if entry else id,)))
        return {"ok": True, "id": forgotten.id, "revision": oplog.revision(project.db)}

    return modes.write(request, store, work, create=False)


@router.delete("/{id}", response_model=Deleted)
def delete_archived(request: Request, id: Id, mode: InMode) -> Response:
    """Hides a text."""
    return _forget(request, mode.store(archive=True), id)


@router.delete("", response_model=Deleted)
@router.post("/delete", response_model=Deleted, name="post_delete_archival")
def delete_archival(request: Request, body: Entry) -> Response:
    """The same, for clients that send a body."""
    return _forget(request, body.store(archive=True), body.id)
