"""mecho: memories by mode, each in its own store. Core is the profile, curated are memories, archival is found by meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from memcli import operations
from memcli.agents.turns import turn
from memcli.errors import InvalidInput, NotFound
from memcli.http import stores
from memcli.http.calls import ACTOR, answer
from memcli.http.models import listed, paged, shape
from memcli.http.problem import Problem
from memcli.http.routing import Router
from memcli.http.service import Service
from memcli.memory import contents, entries, labels
from memcli.memory.commit import commit
from memcli.memory.projection import fold
from memcli.models import Unavailable, provider
from memcli.operations import add, profile
from memcli.operations.add import AddRequest
from memcli.operations.forget import ForgetRequest
from memcli.operations.profile import DeleteRequest, SetRequest
from memcli.operations.update import UpdateRequest
from memcli.project import Project
from memcli.recall import semantic
from memcli.store import context as store_context
from memcli.store import memories, oplog, vectors
from memcli.store.memories import Memory
from memcli.store.oplog import Change
from memcli.text import dates, ids
from memcli.text.terminal import oneline

router = Router(prefix="/v1", tags=["mecho"])
MODES = "modes"  # the project of modes that belong to none
ARCHIVE = "_archival"  # suffix of the store beside a mode's own, so that archival texts never come into a prompt by themselves
Id = Annotated[str, Field(min_length=1, max_length=80)]
SessionKey = Annotated[str, Field(min_length=1, max_length=200)]
Store = tuple[str, str]  # (project, workspace)


class Mode(BaseModel):
    """A mode; fields that are not known are passed over."""

    model_config = ConfigDict(extra="ignore")
    modeId: str = Field(min_length=1, max_length=53, pattern="^[A-Za-z0-9_-]+$", description="A mode: a memory of its own.")
    project: str | None = Field(None, max_length=4_096, description="Whose mode it is; left out, modes stand by themselves.")

    def store(self, archive: bool = False) -> Store:
        """Returns the store of the mode or of its archive. Raises Problem for a name that is another mode's archive."""
        if self.modeId.lower().endswith(ARCHIVE):
            raise Problem(422, f"no mode can be called {self.modeId}", f"{ARCHIVE} ends the names of archives", "invalid_input")
        return self.project or MODES, self.modeId + (ARCHIVE if archive else "")


class Entry(Mode):
    """One entry."""

    id: Id


InMode = Annotated[Mode, Query()]
Ok = shape("Ok", ok=bool)
Deleted = shape("Deleted", "id", ok=bool, revision=int)
_MASKED = (list[str] | None, None)


def _read(request: Request, store: Store, work: Callable[[Project], Any]) -> Any:
    """Returns the result of `work` in a mode; None for an unknown mode."""
    service: Service = request.app.state.service
    return stores.first(service.stores.matching(*store), work)


def _write(request: Request, store: Store, work: Callable[[Project], dict[str, Any]], create: bool = True) -> Response:
    """Answers with the result of a change to a mode. An unknown mode is created where `create` says so."""
    service: Service = request.app.state.service
    return answer(service.stores.change(store, work, {"request": request.state.request_id}, create))


def _perform(project: Project, name: str, request: Any) -> Any:
    return operations.perform_on(operations.load(name), request, project, ACTOR)


class Prepare(Mode):
    """What a turn is prepared for."""

    sessionKey: SessionKey
    engine: str = Field("generic", max_length=40)
    query: str = Field("", max_length=20_000, description="What the person asks, where what is relevant to it is wanted, too.")


TurnContext = shape("TurnContext", "prepareId xml", mode=Literal["full", "delta", "none"], fromRevision=int, toRevision=int)


@router.post("/turn/prepare", response_model=TurnContext)
def prepare(request: Request, body: Prepare) -> Response:
    """The context for a session's next turn: all of it, what changed, or nothing."""

    def work(project: Project) -> dict[str, Any]:
        prepared = turn.prepare(project, turn.TurnRequest(body.sessionKey, body.engine, body.query))
        return {
            "prepareId": prepared.id,
            "mode": prepared.mode,
            "fromRevision": prepared.from_revision,
            "toRevision": prepared.to_revision,
            "xml": prepared.text,
        }

    return _write(request, body.store(), work)


class Ack(Mode):
    """How a turn ended."""

    prepareId: Id
    sessionKey: SessionKey
    status: Literal["success", "failed"]


@router.post("/turn/ack", response_model=Ok)
def ack(request: Request, body: Ack) -> Response:
    """Notes whether a prepared turn reached the session."""

    def work(project: Project) -> dict[str, Any]:
        turn.ack(project, body.prepareId, body.status, body.sessionKey)
        return {"ok": True}

    return _write(request, body.store(), work, create=False)


class PutCore(Mode):
    """One value under a key, or several; null takes a key out."""

    key: str | None = Field(None, max_length=200)
    value: str | None = Field(None, max_length=65_536)
    core: dict[str, str | None] | None = Field(None, max_length=1_000)


Core = shape(
    "Core",
    "modeId",
    revision=int,
    core=dict[str, str],
    entries=listed(shape("CoreEntry", "key value updatedAt")),
    masked=_MASKED,
)


def _core(mode: str, project: Project | None) -> dict[str, Any]:
    rows = store_context.profile(project.db) if project else []
    return {
        "modeId": mode,
        "revision": oplog.revision(project.db) if project else 0,
        "core": {row.key: row.value for row in rows},
        "entries": [{"key": row.key, "value": row.value, "updatedAt": dates.iso(row.updated_at)} for row in rows],
    }


@router.get("/memory/core", response_model=Core)
def core(request: Request, mode: InMode) -> Response:
    """The values that always hold, by their keys."""
    values = _read(request, mode.store(), lambda project: _core(mode.modeId, project))
    return answer(values or _core(mode.modeId, None))


@router.put("/memory/core", response_model=Core)
def put_core(request: Request, body: PutCore) -> Response:
    """Stores one value under a key, or several; null removes a key."""
    values = (body.core or {}) | ({} if body.key is None else {body.key: body.value})
    if not values:
        raise InvalidInput("nothing to store", 'send {"modeId", "key", "value"} or {"modeId", "core": {KEY: VALUE}}')
    puts = [SetRequest(key=key, value=value) for key, value in values.items() if value is not None]
    removals = [DeleteRequest(key=key) for key, value in values.items() if value is None]

    def work(project: Project) -> dict[str, Any]:
        plans = [profile.plan_delete(project, removal) for removal in removals] + [profile.plan_set(project, put) for put in puts]
        changes = [plan for plan in plans if isinstance(plan, Change)]
        commit(project, lambda: changes, ACTOR)  # all or none, and one command for an undo
        return _core(body.modeId, project)

    try:
        return _write(request, body.store(), work, create=bool(puts))
    except NotFound:
        if puts:
            raise
        return answer(_core(body.modeId, None))


CuratedItem = shape("CuratedItem", "id title content kind createdAt updatedAt", tags=list[str])


class CuratedPage(Mode):
    """Which entries."""

    limit: int = Field(100, ge=1, le=1_000)
    offset: int = Field(0, ge=0, le=1_000_000)


def _item(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "title": oneline(memory.title),
        "content": memory.summary,
        "kind": memory.kind,
        "tags": list(labels(memory.tags)),
        "createdAt": dates.iso(memory.created_at),
        "updatedAt": dates.iso(memory.updated_at),
    }


@router.get("/memory/curated", response_model=paged("Curated", "items", CuratedItem, modeId=str, revision=int))
def curated(request: Request, query: Annotated[CuratedPage, Query()]) -> Response:
    """The entries that somebody wrote, newest first."""

    def work(project: Project) -> tuple[int, list[dict[str, Any]], int]:
        scope = memories.MemoryFilter(observed=False, superseded=False, limit=query.limit, offset=query.offset)
        page, total = memories.page_and_count(project.db, scope)
        return oplog.revision(project.db), [_item(memory) for memory in page], total

    revision, items, total = _read(request, query.store(), work) or (0, [], 0)
    has_more = query.offset + len(items) < total
    return answer({"modeId": query.modeId, "revision": revision, "items": items, "total": total, "hasMore": has_more})


class PutCurated(Mode):
    """A curated entry: a new one, or with an id one that is there."""

    id: str | None = Field(None, max_length=80)
    title: str = Field(min_length=1, max_length=1_000)
    content: str = Field(min_length=1, max_length=65_536)
    kind: str = Field("note", max_length=80)
    tags: list[str] | None = Field(None, max_length=100)


@router.put("/memory/curated", response_model=shape("PutDone", "id", ok=bool, revision=int, item=CuratedItem, masked=_MASKED))
def put_curated(request: Request, body: PutCurated) -> Response:
    """Stores an entry, or changes one."""
    values: dict[str, Any] = {"title": body.title, "summary": body.content, "kind": body.kind}
    tags = None if body.tags is None else tuple(body.tags)

    def work(project: Project) -> dict[str, Any]:
        entries.check_curated(project, body.title, body.content)
        if body.id is None:
            memory_id = _perform(project, "add", AddRequest(**values, tags=tags or (), force=True)).id
        else:
            memory_id = _perform(project, "update", UpdateRequest(id=body.id, **{**values, "tags": tags})).id
        item = _item(entries.stored(project, memory_id))
        return {"ok": True, "id": memory_id, "revision": oplog.revision(project.db), "item": item}

    return _write(request, body.store(), work, create=body.id is None)


@router.delete("/memory/curated", response_model=Deleted)
def delete_curated(request: Request, query: Annotated[Entry, Query()]) -> Response:
    """Hides an entry."""
    return _forget(request, query.store(), query.id)


def _forget(request: Request, store: Store, id: str) -> Response:
    def work(project: Project) -> dict[str, Any]:
        (forgotten,) = _perform(project, "forget", ForgetRequest(id=(id,)))
        return {"ok": True, "id": forgotten.id, "revision": oplog.revision(project.db)}

    return _write(request, store, work, create=False)


class Insert(Mode):
    """A text to be kept and found by its meaning."""

    text: str = Field(min_length=1, max_length=65_536)
    metadata: dict[str, Any] = Field({}, max_length=100)


@router.post("/archival/insert", response_model=shape("Inserted", "id", ok=bool, masked=_MASKED))
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

    return _write(request, body.store(archive=True), work)


class ArchivalSearch(Mode):
    """What is looked for."""

    query: str = Field(min_length=1, max_length=20_000)
    limit: int = Field(10, ge=1, le=200)


ArchivalItem = shape("ArchivalItem", "id text createdAt", metadata=dict[str, Any], score=float)
Archival = shape("Archival", by=Literal["meaning", "words"], total=int, items=listed(ArchivalItem))


@router.post("/archival/search", response_model=Archival)
def search(request: Request, body: ArchivalSearch) -> Response:
    """Texts of about this meaning, best first; by words where no model compares meanings."""
    store = body.store(archive=True)
    _encode(request, store)

    def work(project: Project) -> dict[str, Any]:
        operation = operations.load("search")
        result = operations.read(operation, operation.request(query=body.query, limit=body.limit, semantic=True), project)
        items = [_archived(project, hit.memory, hit.ranked.score) for hit in result.hits if not hit.ranked.from_user]
        return {"by": "words" if result.problem else "meaning", "total": len(items), "items": items}

    return answer(_read(request, store, work) or {"by": "words", "total": 0, "items": []})


def _encode(request: Request, store: Store) -> None:
    """Encodes the texts that were inserted since the last search, where a model is available."""

    def has_work(project: Project) -> bool:
        try:
            provider(project.config)
        except Unavailable:
            return False
        return any(kind.current < kind.total for kind in semantic.status(project, (vectors.MEMORY,)))

    if _read(request, store, has_work):
        service: Service = request.app.state.service
        try:
            with service.stores.open(*store) as project:
                semantic.embed(project)
        except Unavailable:
            pass


def _archived(project: Project, memory: Memory, score: float = 0.0) -> dict[str, Any]:
    metadata = fold(oplog.of_object(project.db, memory.id)).fields.get("metadata") or {}
    created = dates.iso(memory.created_at)
    return {"id": memory.id, "text": memory.summary, "metadata": metadata, "createdAt": created, "score": round(score, 4)}


@router.get("/archival/{id}", response_model=ArchivalItem)
def archived(request: Request, id: Id, mode: InMode) -> Response:
    """One text."""

    def work(project: Project) -> dict[str, Any] | None:
        memory = memories.find(project.db, ids.canonical(id))
        return _archived(project, memory) if memory and not memory.forgotten else None

    item = _read(request, mode.store(archive=True), work)
    if item is None:
        raise NotFound(f"no entry {oneline(id)[:80]}", "search for it")
    return answer(item)


@router.delete("/archival/{id}", response_model=Deleted)
def delete_archived(request: Request, id: Id, mode: InMode) -> Response:
    """Hides a text."""
    return _forget(request, mode.store(archive=True), id)


@router.post("/archival/delete", response_model=Deleted)
def delete_archival(request: Request, body: Entry) -> Response:
    """The same, for clients that send a body."""
    return _forget(request, body.store(archive=True), body.id)
