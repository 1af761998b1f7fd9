"""mecho: memories by mode, each in its own store. Core is the profile, curated entries are memories; the archive: archival.py."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Body, Query, Request
from pydantic import Field
from starlette.responses import Response

from memcli.agents.turns import turn
from memcli.errors import InvalidInput, NotFound
from memcli.http import modes
from memcli.http.calls import ACTOR, answer
from memcli.http.models import listed, paged, shape
from memcli.http.modes import CURATED, MASKED, Deleted, Entry, Id, InMode, Mode, Ok
from memcli.http.routing import Router
from memcli.memory import entries, labels
from memcli.memory.commit import commit
from memcli.memory.context import DETAIL, detail_hidden
from memcli.memory.modes import (
    BLANK,
    CORE,
    DESCRIPTION,
    CoreTexts,
    core_key,
    core_of,
    core_parts,
    core_texts,
    fields_beside,
    note_core,
    texts_of,
)
from memcli.operations import profile
from memcli.operations.profile import DeleteRequest, SetRequest
from memcli.project import Project
from memcli.store import context as store_context
from memcli.store import listing, oplog
from memcli.store.context import ProfileEntry
from memcli.store.memories import Memory
from memcli.store.oplog import Change
from memcli.text import dates
from memcli.text.terminal import oneline
from memcli.validity import is_withheld

router = Router(prefix="/v1", tags=["mecho"])
SessionKey = Annotated[str, Field(min_length=1, max_length=200)]


class Prepare(Mode):
    """What to prepare a turn for."""

    sessionKey: SessionKey
    engine: str = Field("generic", max_length=40)
    query: str = Field("", max_length=20_000, description="What the person asks, where what is relevant to it is wanted, too.")
    full: bool = Field(False, description="Everything, whatever the session was shown: its context was cleared or compacted.")
    forceFull: bool = Field(False, description="The same, by the name that mecho's client uses.")


TurnContext = shape("TurnContext", "prepareId xml", mode=Literal["full", "delta", "none"], fromRevision=int, toRevision=int)


@router.post("/turn/prepare", response_model=TurnContext)
def prepare(request: Request, body: Prepare) -> Response:
    """The context for a session's next turn: all of it, what changed, or nothing."""

    def work(project: Project) -> dict[str, Any]:
        is_full = body.full or body.forceFull
        prepared = turn.prepare(project, turn.TurnRequest(body.sessionKey, body.engine, body.query, is_full=is_full))
        return {
            "prepareId": prepared.id,
            "mode": prepared.mode,
            "fromRevision": prepared.from_revision,
            "toRevision": prepared.to_revision,
            "xml": prepared.text,
        }

    return modes.write(request, body, work)


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

    return modes.write(request, body, work, create=False)


class PutCore(Mode):
    """One value under a key, or several; null removes a key."""

    key: str | None = Field(None, max_length=1_000)
    value: str | None = Field(None, max_length=65_536)
    description: str | None = Field(
        None, max_length=65_536, description="As mecho's own service has it, with `name` and `detail`."
    )
    detail: str | None = Field(None, max_length=65_536)
    core: dict[str, str | None] | None = Field(None, max_length=1_000)


CoreEntry = shape("CoreEntry", "key value description detail updatedAt")
Core = shape("Core", "modeId", revision=int, core=dict[str, Any] | None, values=dict[str, str], entries=listed(CoreEntry))
CorePut = shape(
    "CorePut", "modeId", revision=int, core=dict[str, str], entries=listed(CoreEntry), ok=(bool | None, None), masked=MASKED
)


def _values(project: Project | None) -> dict[str, Any]:
    """Returns the values under their keys, and as entries."""
    leading = store_context.leading_entries(project.db) if project else []
    entries = [_core_entry(project, row) for row in leading if project and not is_withheld(row.actor, row.key, row.value)]
    values = {entry["key"]: entry["value"] for entry in entries}
    return {"revision": oplog.revision(project.db) if project else 0, "values": values, "entries": entries}


def _core_entry(project: Project, row: ProfileEntry) -> dict[str, Any]:
    """Returns a value under its key, as mecho's own service has it, too."""
    value, description, detail = core_texts(project, row.key, row.value)
    texts = {"value": value, "description": description.strip(), "detail": detail}
    return {"key": row.key, **texts, "updatedAt": dates.iso(row.updated_at)}


@router.get("/memory/core", response_model=Core)
def core(request: Request, mode: InMode) -> Response:
    """The values that always hold. `core`: mecho's only core, as its own service has it, else those values, or null."""
    mode = modes.existing(request, mode)

    def work(project: Project) -> dict[str, Any]:
        current = _values(project)
        own = next((entry for entry in current["entries"] if entry["key"] == core_of(project)), None)
        core: dict[str, Any] | None = current["values"] or None
        if own:
            core = {"modeId": mode.modeId, "name": own["key"], "description": own["description"], "detail": own["detail"]}
            core["updatedAt"] = dates.parse(own["updatedAt"])
        return {"modeId": mode.modeId, **current, "core": core}

    return answer(modes.read(request, mode, work) or {"modeId": mode.modeId, **_values(None), "core": None})


@router.put("/memory/core", response_model=CorePut)
def put_core(request: Request, body: PutCore) -> Response:
    """Stores one value under a key, or several; null removes a key."""
    values = (body.core or {}) | ({} if body.key is None else {body.key.strip(): body.value})
    if not values:
        raise InvalidInput("nothing to store", 'send {"modeId", "key", "value"} or {"modeId", "core": {KEY: VALUE}}')
    puts = any(value is not None for value in values.values())

    def work(project: Project) -> dict[str, Any]:
        cores = _cores(project, body, values)
        commit(project, lambda: _core_changes(project, body, cores), ACTOR)  # all or none, and one command for an undo
        for key, core in cores.items():
            if core and core.rest:
                _put_rest(project, key, core)
        return {"ok": True, **_put(body.modeId, project)}

    try:
        return modes.write(request, body, work, create=puts)
    except NotFound:
        if puts:
            raise
        return answer(_put(body.modeId, None))


def _put(mode: str, project: Project | None) -> dict[str, Any]:
    current = _values(project)
    return {"modeId": mode, "revision": current["revision"], "core": current["values"], "entries": current["entries"]}


def _cores(project: Project, body: PutCore, values: dict[str, str | None]) -> dict[str, CoreTexts | None]:
    """Returns what is kept under each key, None for nothing."""
    cores: dict[str, CoreTexts | None] = {}
    for name, value in values.items():
        is_own = name == (body.key or "").strip() and body.description is not None
        key = core_key(name, project.config["profile.key"]) if is_own else name.strip()
        cores[key] = None if value is None else core_parts(project, key, value, body.description if is_own else None, body.detail)
    return cores


def _core_changes(project: Project, body: PutCore, cores: dict[str, CoreTexts | None]) -> list[Change]:
    """Returns the changes of a call, and notes the name and description of mecho's core, under the store's write lock.

    mecho's own service has one core per mode: one with another name replaces the one before.
    """
    if body.key and body.description is not None:
        key, former = core_key(body.key, project.config["profile.key"]), core_of(project)
        cores = {**({former: None} if former and former != key else {}), **cores}
        note_core(project, key, body.description)
    changes: list[Change] = []
    for key, core in cores.items():
        planned = (
            profile.plan_delete(project, DeleteRequest(key=key))
            if core is None
            else profile.plan_set(project, SetRequest(key=key, value=core.value))
        )
        changes += [planned] if isinstance(planned, Change) else []
        if not (core and core.rest):
            changes += detail_hidden(project, key)
    return changes


def _put_rest(project: Project, key: str, core: CoreTexts) -> None:
    """Stores what does not fit into a value, unless another client stored something else under the key meanwhile."""
    details = {BLANK: DESCRIPTION if core.is_whole else ""}
    modes.put_entry(project, CURATED, CORE + key, {"title": key, "summary": core.rest, "kind": "core"}, details)

    def removal() -> list[Change]:
        values = {row.key: row.value for row in store_context.leading_entries(project.db)}
        return [] if values.get(key) == core.value else detail_hidden(project, key)

    commit(project, removal, ACTOR)


CuratedItem = shape("CuratedItem", "id memoryId title content kind createdAt updatedAt", tags=list[str])


class CuratedPage(Mode):
    """Which entries."""

    limit: int = Field(100, ge=1, le=1_000)
    offset: int = Field(0, ge=0, le=1_000_000)


def _item(memory: Memory) -> dict[str, Any]:
    return {
        "id": modes.id_of(memory, CURATED),
        "memoryId": memory.id,
        "title": oneline(memory.title),
        "content": memory.summary,
        "kind": memory.kind,
        "tags": list(labels(memory.tags)),
        "createdAt": dates.iso(memory.created_at),
        "updatedAt": dates.iso(memory.updated_at),
    }


CuratedEntry = shape("CuratedEntry", "memoryId name description", updatedAt=int)
Curated = paged("Curated", "items", CuratedItem, modeId=str, revision=int, curated=listed(CuratedEntry))


@router.get("/memory/curated", response_model=Curated)
def curated(request: Request, query: Annotated[CuratedPage, Query()]) -> Response:
    """The entries that somebody wrote, newest first. `curated`: in the form of mecho's own service."""

    def work(project: Project) -> dict[str, Any]:
        # what does not fit into a value of the core is no entry of its own
        scope = listing.MemoryFilter(observed=False, superseded=False, but=DETAIL, limit=query.limit, offset=query.offset)
        page, total = listing.page_and_count(project.db, scope)
        lists = {
            "items": [_item(memory) for memory in page],
            "curated": [modes.listed(project, memory, CURATED) for memory in page],
        }
        return {"revision": oplog.revision(project.db), **lists, "total": total, "hasMore": query.offset + len(page) < total}

    empty = {"revision": 0, "items": [], "curated": [], "total": 0, "hasMore": False}
    return answer({"modeId": query.modeId, **(modes.read(request, query, work) or empty)})


class OneCurated(Mode):
    """One entry."""

    memoryId: Id


Detail = shape("CuratedDetail", memory=shape("CuratedMemory", "memoryId name description detail", updatedAt=int))


@router.get("/memory/curated/detail", response_model=Detail)
def curated_detail(request: Request, query: Annotated[OneCurated, Query()]) -> Response:
    """One entry with its detail, in the form of mecho's own service."""

    def work(project: Project) -> dict[str, Any] | None:
        memory = modes.find_entry(project, CURATED, query.memoryId)
        if memory is None or memory.forgotten:
            return None
        return {**modes.listed(project, memory, CURATED), "detail": texts_of(project, memory)[1]}

    entry = modes.read(request, query, work)
    if entry is None:
        raise NotFound(f"no entry {oneline(query.memoryId)[:80]}", "see GET /v1/memory/curated")
    return answer({"memory": entry})


class PutCurated(Mode):
    """A curated entry, with the client's own id or ours; without an id, an equal one is not stored twice."""

    id: Id | None = None
    title: str = Field(min_length=1, max_length=1_000)
    content: str = Field(min_length=1, max_length=65_536)
    description: str | None = Field(
        None, max_length=65_536, description="As mecho's own service has it, with `name` and `detail`."
    )
    detail: str | None = Field(None, max_length=65_536)
    kind: str = Field("note", max_length=80)
    tags: list[str] | None = Field(None, max_length=100)


@router.put("/memory/curated", response_model=shape("PutDone", "id", ok=bool, revision=int, item=CuratedItem, masked=MASKED))
def put_curated(request: Request, body: PutCurated) -> Response:
    """Creates or replaces an entry. Repeating the request changes nothing."""
    if body.id is not None and not (body.id.isprintable() and body.id.strip()):
        raise InvalidInput("not an id of an entry", "use printable characters")

    def work(project: Project) -> dict[str, Any]:
        entries.check_curated(project, body.title, body.content)
        values = {"title": body.title, "summary": body.content, "kind": body.kind}
        tags = {} if body.tags is None else {"tags": tuple(body.tags)}
        item = _item(modes.put_entry(project, CURATED, body.id, values | tags, fields_beside(body.description, body.detail))[0])
        return {"ok": True, "id": item["id"], "revision": oplog.revision(project.db), "item": item}

    return modes.write(request, body, work)


@router.delete("/memory/curated", response_model=Deleted)
def delete_curated(
    request: Request,
    modeId: Annotated[str | None, Query(max_length=200)] = None,
    id: Annotated[str | None, Query(max_length=200)] = None,
    memoryId: Annotated[str | None, Query(max_length=200, description="As mecho's own service calls the id.")] = None,
    project: Annotated[str | None, Query(max_length=4_096)] = None,
    body: Annotated[Entry | None, Body()] = None,
) -> Response:
    """Hides an entry, named in the query or in a body."""
    if body is None:
        name = id or memoryId
        if not modeId or not name:
            raise InvalidInput("the mode or the entry is missing", "send modeId and id, in the query or as JSON")
        body = Entry(modeId=modeId, id=name, project=project)
    entry_id = body.id

    def work(project: Project) -> dict[str, Any]:
        entry = modes.forget_entry(project, CURATED, entry_id, "see GET /v1/memory/curated")
        return {"ok": True, "id": modes.id_of(entry, CURATED), "revision": oplog.revision(project.db)}

    return modes.write(request, body, work, create=False)
