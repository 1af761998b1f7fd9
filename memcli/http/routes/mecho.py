"""mecho: memories by mode, each in its own store. Core is the profile, curated are memories, archival is found by meaning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from memcli import operations
from memcli.agents.turns import turn
from memcli.errors import InvalidInput, NotFound
from memcli.http import stores
from memcli.http.calls import ACTOR, answer
from memcli.http.models import mecho as models
from memcli.http.problem import Problem
from memcli.http.routing import Router
from memcli.http.service import Service
from memcli.memory import contents, context, entries, labels
from memcli.memory.commit import commit
from memcli.memory.projection import fold
from memcli.models import Unavailable, model_of, provider
from memcli.operations.add import AddRequest
from memcli.operations.forget import ForgetRequest
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
_THREAD = "archival"
Mode = Annotated[str, Query(min_length=1, max_length=53, pattern="^[A-Za-z0-9_-]+$")]
Owner = Annotated[str | None, Query(max_length=4_096)]
Id = Annotated[str, Field(min_length=1, max_length=80)]


def _store(mode: str, project: str | None, archive: bool = False) -> tuple[str, str]:
    """Returns (project, workspace) of a mode. Raises Problem for a name that is another mode's archive."""
    if mode.lower().endswith(ARCHIVE):
        raise Problem(422, f"no mode can be called {mode}", f"{ARCHIVE} ends the names of archives", "invalid_input")
    return project or MODES, mode + (ARCHIVE if archive else "")


def _service(request: Request) -> Service:
    return request.app.state.service  # type: ignore[no-any-return]


def _read(request: Request, store: tuple[str, str], work: Callable[[Project], Any]) -> Any:
    """Returns the result of `work` in a mode; None for an unknown mode."""
    return stores.first(_service(request).stores.matching(*store), work)


def _write(request: Request, store: tuple[str, str], work: Callable[[Project], dict[str, Any]], create: bool = True) -> Response:
    """Answers with the result of a change to a mode. An unknown mode is created where `create` says so."""
    return answer(_service(request).stores.change(store, work, {"request": request.state.request_id}, create))


@router.post("/turn/prepare", response_model=models.TurnContext)
def prepare(request: Request, body: models.Prepare) -> Response:
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

    return _write(request, _store(body.modeId, body.project), work)


@router.post("/turn/ack", response_model=models.Ok)
def ack(request: Request, body: models.Ack) -> Response:
    """Notes whether a prepared turn reached the session."""

    def work(project: Project) -> dict[str, Any]:
        turn.ack(project, body.prepareId, body.status, body.sessionKey)
        return {"ok": True}

    return _write(request, _store(body.modeId, body.project), work, create=False)


def _core(mode: str, project: Project | None) -> dict[str, Any]:
    rows = store_context.profile(project.db) if project else []
    return {
        "modeId": mode,
        "revision": oplog.revision(project.db) if project else 0,
        "core": {row.key: row.value for row in rows},
        "entries": [{"key": row.key, "value": row.value, "updatedAt": dates.iso(row.updated_at)} for row in rows],
    }


@router.get("/memory/core", response_model=models.Core)
def core(request: Request, modeId: Mode, project: Owner = None) -> Response:
    """The values that always hold, by their keys."""
    return answer(_read(request, _store(modeId, project), lambda opened: _core(modeId, opened)) or _core(modeId, None))


@router.put("/memory/core", response_model=models.Core)
def put_core(request: Request, body: models.PutCore) -> Response:
    """Stores one value under a key, or several; null removes a key."""
    values = dict(body.core or {})
    if body.key is not None:
        values[body.key] = body.value
    if not values:
        raise InvalidInput("nothing to store", 'send {"modeId", "key", "value"} or {"modeId", "core": {KEY: VALUE}}')

    def work(project: Project) -> dict[str, Any]:
        puts = [context.profile_change(project, key, value) for key, value in values.items() if value is not None]

        def changes() -> list[Change]:
            removals = [context.profile_removal(project, key) for key, value in values.items() if value is None]
            return [*{change.object: change for change in removals if change}.values(), *puts]

        commit(project, changes, ACTOR)
        return _core(body.modeId, project)

    store = _store(body.modeId, body.project)
    if all(value is None for value in values.values()):
        try:
            return _write(request, store, work, create=False)
        except NotFound:
            return answer(_core(body.modeId, None))
    return _write(request, store, work)


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


@router.get("/memory/curated", response_model=models.Curated)
def curated(
    request: Request,
    modeId: Mode,
    project: Owner = None,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:
    """The entries that somebody wrote, newest first."""

    def work(opened: Project) -> dict[str, Any]:
        query = memories.MemoryFilter(observed=False, superseded=False, limit=limit, offset=offset)
        page, total = memories.page_and_count(opened.db, query)
        return {
            "modeId": modeId,
            "revision": oplog.revision(opened.db),
            "items": [_item(memory) for memory in page],
            "total": total,
            "hasMore": offset + len(page) < total,
        }

    empty = {"modeId": modeId, "revision": 0, "items": [], "total": 0, "hasMore": False}
    return answer(_read(request, _store(modeId, project), work) or empty)


@router.put("/memory/curated", response_model=models.PutDone)
def put_curated(request: Request, body: models.PutCurated) -> Response:
    """Stores an entry, or changes one."""
    tags = None if body.tags is None else tuple(body.tags)
    values: dict[str, Any] = {"title": body.title, "summary": body.content, "kind": body.kind}
    add = AddRequest(**values, tags=tags or (), force=True)
    entries.checked_fields(add)

    def work(project: Project) -> dict[str, Any]:
        entries.check_curated(project, body.title, body.content)
        if body.id is None:
            memory_id = operations.perform_on(operations.load("add"), add, project, ACTOR).id
        else:
            changes = {**values, "tags": tags}
            memory_id = operations.perform_on(operations.load("update"), UpdateRequest(**changes, id=body.id), project, ACTOR).id
        item = _item(entries.stored(project, memory_id))
        return {"ok": True, "id": memory_id, "revision": oplog.revision(project.db), "item": item}

    return _write(request, _store(body.modeId, body.project), work, create=body.id is None)


@router.delete("/memory/curated", response_model=models.Deleted)
def delete_curated(request: Request, modeId: Mode, id: Annotated[str, Query(max_length=80)], project: Owner = None) -> Response:
    """Hides an entry."""
    return _forget(request, _store(modeId, project), id)


def _forget(request: Request, store: tuple[str, str], id: str) -> Response:
    if not _service(request).stores.matching(*store):
        raise NotFound(f"no entry {oneline(id)[:80]}", "there is no such mode yet")

    def work(project: Project) -> dict[str, Any]:
        forgotten = operations.perform_on(operations.load("forget"), ForgetRequest(id=id), project, ACTOR)
        return {"ok": True, "id": forgotten.id, "revision": oplog.revision(project.db)}

    return _write(request, store, work, create=False)


@router.post("/archival/insert", response_model=models.Inserted)
def insert(request: Request, body: models.Insert) -> Response:
    """Stores a text and its metadata, to be found by its meaning."""

    def work(project: Project) -> dict[str, Any]:
        title = contents.title_of(body.text) or body.text
        fields = entries.checked(project, entries.NewMemory(title=title, summary=body.text, thread=_THREAD, kind="archival"))
        memory_id = ids.new("M")
        fields = {**fields, "metadata": body.metadata} if body.metadata else fields
        commit(project, lambda: [*entries.thread_change(project, _THREAD), Change("put", memory_id, fields)], ACTOR)
        return {"ok": True, "id": memory_id}

    return _write(request, _store(body.modeId, body.project, archive=True), work)


@router.post("/archival/search", response_model=models.Archival)
def search(request: Request, body: models.ArchivalSearch) -> Response:
    """Texts of about this meaning, best first; by words where no model compares meanings."""
    store = _store(body.modeId, body.project, archive=True)
    _encode(request, store)

    def work(project: Project) -> dict[str, Any]:
        operation = operations.load("search")
        result = operations.read(operation, operation.request(query=body.query, limit=body.limit, semantic=True), project)
        hits = [hit for hit in result.hits if not hit.ranked.from_user]
        items = [{**_archived(project, hit.memory), "score": round(hit.ranked.score, 4)} for hit in hits]
        return {"by": "words" if result.problem else "meaning", "total": len(items), "items": items}

    return answer(_read(request, store, work) or {"by": "words", "total": 0, "items": []})


def _encode(request: Request, store: tuple[str, str]) -> None:
    """Encodes the texts that were inserted since the last search, where a model is available."""
    service = _service(request)

    def has_work(project: Project) -> bool:
        state = model_of(project.config), oplog.revision(project.db)
        if service.encoded.get(store) == state:
            return False
        try:
            provider(project.config)
        except Unavailable:
            return False
        if any(kind.current < kind.total for kind in semantic.status(project, (vectors.MEMORY,))):
            return True
        service.encoded[store] = state
        return False

    try:
        if _read(request, store, has_work):
            with service.stores.open(*store) as project:
                semantic.embed(project)
    except Unavailable:
        pass


def _archived(project: Project, memory: Memory) -> dict[str, Any]:
    metadata = fold(oplog.of_object(project.db, memory.id)).fields.get("metadata") or {}
    return {"id": memory.id, "text": memory.summary, "metadata": metadata, "createdAt": dates.iso(memory.created_at)}


@router.get("/archival/{id}", response_model=models.ArchivalItem)
def archived(request: Request, id: Id, modeId: Mode, project: Owner = None) -> Response:
    """One text."""

    def work(opened: Project) -> dict[str, Any] | None:
        memory = memories.find(opened.db, ids.canonical(id))
        return {**_archived(opened, memory), "score": 0.0} if memory and not memory.forgotten else None

    item = _read(request, _store(modeId, project, archive=True), work)
    if item is None:
        raise NotFound(f"no entry {oneline(id)[:80]}", "search for it")
    return answer(item)


@router.delete("/archival/{id}", response_model=models.Deleted)
def delete_archived(request: Request, id: Id, modeId: Mode, project: Owner = None) -> Response:
    """Hides a text."""
    return _forget(request, _store(modeId, project, archive=True), id)


@router.post("/archival/delete", response_model=models.Deleted)
def delete_archival(request: Request, body: models.EntryReference) -> Response:
    """The same, for clients that send a body."""
    return _forget(request, _store(body.modeId, body.project, archive=True), body.id)
