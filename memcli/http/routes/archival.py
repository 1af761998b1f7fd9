"""mecho's archive: texts of a mode that are never added to a prompt automatically and are found by their meaning."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import Field
from starlette.convertors import Convertor, register_url_convertor
from starlette.responses import Response

from memcli import operations
from memcli.errors import NotFound
from memcli.http import modes
from memcli.http.calls import answer
from memcli.http.models import listed, paged, shape
from memcli.http.modes import ARCHIVAL, MASKED, Entry, Id, InMode, Mode
from memcli.http.routing import Router
from memcli.http.service import Service
from memcli.memory import contents
from memcli.memory.modes import fields_beside, texts_of
from memcli.models import Unavailable, provider
from memcli.project import Project
from memcli.recall import semantic
from memcli.store import listing, oplog, vectors
from memcli.store.memories import Memory
from memcli.text import dates
from memcli.text.terminal import oneline

router = Router(prefix="/v1/archival", tags=["mecho"])


class _OwnId(Convertor[str]):
    """An id in a path, as opposed to the name of a call, which has methods of its own."""

    regex = "(?!(?:delete|insert|search|upsert)$)[^/]+"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("archived", _OwnId())


class Insert(Mode):
    """A text to be stored and found by its meaning, with an optional id and name of the client's own."""

    id: Id | None = None
    title: str | None = Field(None, max_length=1_000)
    text: str = Field(min_length=1, max_length=65_536)
    metadata: dict[str, Any] | None = Field(None, max_length=100)


@router.post("/insert", response_model=shape("Inserted", "id memoryId", ok=bool, masked=MASKED))
def insert(request: Request, body: Insert) -> Response:
    """Stores a text and its metadata, to be found by its meaning, or replaces the one with the id."""
    values = {"title": (body.title or "").strip() or contents.title_of(body.text) or body.text, "summary": body.text}

    def work(project: Project) -> dict[str, Any]:
        own_id = modes.id_of(modes.put_entry(project, ARCHIVAL, body.id, values, _metadata(body.metadata))[0], ARCHIVAL)
        return {"ok": True, "id": own_id, "memoryId": own_id}

    return modes.write(request, body, work, archive=True)


def _metadata(metadata: dict[str, Any] | None) -> dict[str, Any]:
    return {} if metadata is None else {"metadata": metadata}


class Upsert(Mode):
    """A text with the client's own id or ours, in the form of mecho's own service."""

    id: Id | None = None
    title: str = Field(min_length=1, max_length=1_000)
    content: str = Field(min_length=1, max_length=65_536)
    description: str | None = Field(None, max_length=65_536)
    detail: str | None = Field(None, max_length=65_536)
    metadata: dict[str, Any] | None = Field(None, max_length=100)


@router.post("/upsert", response_model=shape("Upserted", "memoryId", ok=bool, created=bool, masked=MASKED))
def upsert(request: Request, body: Upsert) -> Response:
    """Stores a text with its metadata, or replaces the one with its id."""

    def work(project: Project) -> dict[str, Any]:
        values = {"title": body.title, "summary": body.content}
        of_entry = {**_metadata(body.metadata or {}), **fields_beside(body.description, body.detail)}
        entry, created = modes.put_entry(project, ARCHIVAL, body.id, values, of_entry)
        return {"ok": True, "memoryId": modes.id_of(entry, ARCHIVAL), "created": created}

    return modes.write(request, body, work, archive=True)


class ArchivalSearch(Mode):
    """A search of the archive."""

    query: str = Field(min_length=1, max_length=20_000)
    limit: int = Field(10, ge=1, le=200)
    includeDetail: bool = False


ArchivalText = shape("ArchivalText", "id name text createdAt", metadata=dict[str, Any])
ArchivalItem = shape("ArchivalItem", "id name text createdAt", metadata=dict[str, Any], score=float)
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
    """Texts with a similar meaning, best first; by words if there is no model to compare meanings."""
    body = modes.existing(request, body)
    _encode(request, body)

    def work(project: Project) -> dict[str, Any]:
        operation = operations.load("search")
        result = operations.read(operation, operation.request(query=body.query, limit=body.limit, semantic=True), project)
        hits = [hit for hit in result.hits if not hit.ranked.from_user]
        items = [{**_archived(project, hit.memory), "score": round(hit.ranked.score, 4)} for hit in hits]
        matches = [_match(project, hit.memory, item, body.includeDetail) for hit, item in zip(hits, items)]
        return {"by": "words" if result.problem else "meaning", "total": len(items), "items": items, "matches": matches}

    return answer(modes.read(request, body, work, archive=True) or {"by": "words", "total": 0, "items": [], "matches": []})


def _match(project: Project, memory: Memory, item: dict[str, Any], with_detail: bool) -> dict[str, Any]:
    detail = {"detail": texts_of(project, memory)[1]} if with_detail else {}
    return {
        **modes.listed(project, memory, ARCHIVAL),
        **detail,
        "metadata": item["metadata"],
        "score": item["score"],
    }


def _encode(request: Request, mode: Mode) -> None:
    """Encodes the texts that were inserted since the last search, if a model is available."""

    def has_work(project: Project) -> bool:
        try:
            provider(project.config)
        except Unavailable:
            return False
        return any(kind.current < kind.total for kind in semantic.status(project, (vectors.MEMORY,)))

    if modes.read(request, mode, has_work, archive=True):
        service: Service = request.app.state.service
        try:
            with service.stores.open(*mode.store(archive=True)) as project:
                semantic.embed(project)
        except Unavailable:
            pass


def _archived(project: Project, memory: Memory) -> dict[str, Any]:
    created = dates.iso(memory.created_at)
    metadata = modes.metadata_of(project, memory)
    name = oneline(memory.title)
    return {"id": modes.id_of(memory, ARCHIVAL), "name": name, "text": memory.summary, "metadata": metadata, "createdAt": created}


class ArchivalPage(Mode):
    """Which texts."""

    limit: int = Field(100, ge=1, le=1_000)
    offset: int = Field(0, ge=0, le=1_000_000)


@router.get("", response_model=paged("ArchivalTexts", "items", ArchivalText, modeId=str))
def archive(request: Request, query: Annotated[ArchivalPage, Query()]) -> Response:
    """The texts of the archive, newest first."""

    def work(project: Project) -> tuple[list[dict[str, Any]], int]:
        page, total = listing.page_and_count(project.db, listing.MemoryFilter(limit=query.limit, offset=query.offset))
        return [_archived(project, memory) for memory in page], total

    items, total = modes.read(request, query, work, archive=True) or ([], 0)
    return answer({"modeId": query.modeId, "items": items, "total": total, "hasMore": query.offset + len(items) < total})


@router.get("/{id:archived}", response_model=ArchivalText)
def archived(request: Request, id: Id, mode: InMode) -> Response:
    """One text."""

    def work(project: Project) -> dict[str, Any] | None:
        memory = modes.find_entry(project, ARCHIVAL, id)
        return _archived(project, memory) if memory and not memory.forgotten else None

    item = modes.read(request, mode, work, archive=True)
    if item is None:
        raise NotFound(f"no entry {oneline(id)[:80]}", "search for it")
    return answer(item)


_Deleted = shape("ArchivalDeleted", "id memoryId", ok=bool, revision=int)


def _forget(request: Request, mode: Mode, id: str) -> Response:
    def work(project: Project) -> dict[str, Any]:
        entry = modes.forget_entry(project, ARCHIVAL, id, "search for it")
        own_id = modes.id_of(entry, ARCHIVAL)
        return {"ok": True, "id": own_id, "memoryId": own_id, "revision": oplog.revision(project.db)}

    return modes.write(request, mode, work, create=False, archive=True)


@router.delete("/{id:archived}", response_model=_Deleted)
def delete_archived(request: Request, id: Id, mode: InMode) -> Response:
    """Hides a text."""
    return _forget(request, mode, id)


@router.delete("", response_model=_Deleted)
@router.post("/delete", response_model=_Deleted, name="post_delete_archival")
def delete_archival(request: Request, body: Entry) -> Response:
    """The same, for clients that send a body."""
    return _forget(request, body, body.id)
