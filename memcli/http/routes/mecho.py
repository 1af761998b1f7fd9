"""mecho: memories by mode, each in its own store. Core is the profile, curated are memories; archival.py has the third."""

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
from memcli.http.modes import MASKED, Deleted, Entry, Id, InMode, Mode, Ok
from memcli.http.routing import Router
from memcli.memory import entries, find_memory, labels
from memcli.memory.commit import commit
from memcli.operations import add, profile
from memcli.operations.add import AddRequest
from memcli.operations.forget import ForgetRequest, RestoreRequest
from memcli.operations.profile import DeleteRequest, SetRequest
from memcli.operations.update import UpdateRequest
from memcli.project import Project
from memcli.store import context as store_context
from memcli.store import listing, memories, oplog
from memcli.store.memories import Memory
from memcli.store.oplog import Change
from memcli.text import dates, ids
from memcli.text.terminal import oneline

router = Router(prefix="/v1", tags=["mecho"])
SOURCE = "mecho:"  # begins the source id of an entry with an id of the client's own
SessionKey = Annotated[str, Field(min_length=1, max_length=200)]


class Prepare(Mode):
    """What a turn is prepared for."""

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

    return modes.write(request, body.store(), work)


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

    return modes.write(request, body.store(), work, create=False)


class PutCore(Mode):
    """One value under a key, or several; null takes a key out."""

    key: str | None = Field(None, max_length=200)
    value: str | None = Field(None, max_length=65_536)
    description: str | None = Field(
        None, max_length=65_536, description="As mecho's own service has it, with `name` and `detail`."
    )
    detail: str | None = Field(None, max_length=65_536)
    core: dict[str, str | None] | None = Field(None, max_length=1_000)


Core = shape(
    "Core",
    "modeId",
    revision=int,
    core=dict[str, str],
    entries=listed(shape("CoreEntry", "key value updatedAt")),
    ok=(bool | None, None),
    masked=MASKED,
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
    values = modes.read(request, mode.store(), lambda project: _core(mode.modeId, project))
    return answer(values or _core(mode.modeId, None))


@router.put("/memory/core", response_model=Core)
def put_core(request: Request, body: PutCore) -> Response:
    """Stores one value under a key, or several; null removes a key."""
    values = (body.core or {}) | ({} if body.key is None else {body.key: body.value})
    if not values:
        raise InvalidInput("nothing to store", 'send {"modeId", "key", "value"} or {"modeId", "core": {KEY: VALUE}}')
    removals = [DeleteRequest(key=key) for key, value in values.items() if value is None]
    puts = len(values) - len(removals)

    def work(project: Project) -> dict[str, Any]:
        told = {**values, **_core_of(project, body)}
        puts = [SetRequest(key=key, value=value) for key, value in told.items() if value is not None]
        plans = [profile.plan_delete(project, removal) for removal in removals] + [profile.plan_set(project, put) for put in puts]
        changes = [plan for plan in plans if isinstance(plan, Change)]
        commit(project, lambda: changes, ACTOR)  # all or none, and one command for an undo
        if told != values and body.key and body.detail:
            entry = {"modeId": body.modeId, "id": f"core:{body.key}", "title": body.key, "content": body.detail, "kind": "core"}
            _put(project, PutCurated.model_validate(entry))
        return {"ok": True, **_core(body.modeId, project)}

    try:
        return modes.write(request, body.store(), work, create=bool(puts))
    except NotFound:
        if puts:
            raise
        return answer(_core(body.modeId, None))


def _core_of(project: Project, body: PutCore) -> dict[str, str]:
    """Returns what is told of a core with a description and a detail that do not fit into one value: the description."""
    is_long = len(body.value or "") > project.config["profile.value"]
    return {body.key: body.description} if body.key and body.description and body.detail and is_long else {}


CuratedItem = shape("CuratedItem", "id memoryId title content kind createdAt updatedAt", tags=list[str])


class CuratedPage(Mode):
    """Which entries."""

    limit: int = Field(100, ge=1, le=1_000)
    offset: int = Field(0, ge=0, le=1_000_000)


def _id(memory: Memory) -> str:
    source = memory.source_id or ""
    return source.removeprefix(SOURCE) if source.startswith(SOURCE) else memory.id


def _item(memory: Memory) -> dict[str, Any]:
    return {
        "id": _id(memory),
        "memoryId": memory.id,
        "title": oneline(memory.title),
        "content": memory.summary,
        "kind": memory.kind,
        "tags": list(labels(memory.tags)),
        "createdAt": dates.iso(memory.created_at),
        "updatedAt": dates.iso(memory.updated_at),
    }


def _entry(project: Project, id: str) -> Memory | None:
    """Returns the entry under an id of the client's own or of ours; None for an id of a client that nothing was stored under.

    Raises NotFound for an id of ours that does not exist.
    """
    memory = memories.by_source(project.db, SOURCE + id)
    if memory is None and ids.canonical(id).startswith("M-"):
        memory = find_memory(project, id)
    return memory


CuratedEntry = shape("CuratedEntry", "memoryId name description", updatedAt=int)
Curated = paged("Curated", "items", CuratedItem, modeId=str, revision=int, curated=listed(CuratedEntry))


@router.get("/memory/curated", response_model=Curated)
def curated(request: Request, query: Annotated[CuratedPage, Query()]) -> Response:
    """The entries that somebody wrote, newest first; in `curated` as mecho's own service lists them."""

    def work(project: Project) -> tuple[int, list[Memory], int]:
        scope = listing.MemoryFilter(observed=False, superseded=False, limit=query.limit, offset=query.offset)
        return oplog.revision(project.db), *listing.page_and_count(project.db, scope)

    revision, page, total = modes.read(request, query.store(), work) or (0, [], 0)
    lists = {
        "items": [_item(memory) for memory in page],
        "curated": [modes.described(memory, _id(memory)) for memory in page],
    }
    has_more = query.offset + len(page) < total
    return answer({"modeId": query.modeId, "revision": revision, **lists, "total": total, "hasMore": has_more})


class OneCurated(Mode):
    """One entry."""

    memoryId: Id


Detail = shape("CuratedDetail", memory=shape("CuratedMemory", "memoryId name description detail", updatedAt=int))


@router.get("/memory/curated/detail", response_model=Detail)
def curated_detail(request: Request, query: Annotated[OneCurated, Query()]) -> Response:
    """One entry with its detail, as mecho's own service answers it."""

    def work(project: Project) -> dict[str, Any] | None:
        memory = _entry(project, query.memoryId)
        shown = memory is not None and not memory.forgotten
        return {**modes.described(memory, _id(memory)), "detail": modes.detail(memory)} if memory and shown else None

    entry = modes.read(request, query.store(), work)
    if entry is None:
        raise NotFound(f"no entry {oneline(query.memoryId)[:80]}", "see GET /v1/memory/curated")
    return answer({"memory": entry})


class PutCurated(Mode):
    """A curated entry, under an id of the client's own or of ours; without an id, one that is equal is not stored twice."""

    id: Id | None = None
    title: str = Field(min_length=1, max_length=1_000)
    content: str = Field(min_length=1, max_length=65_536)
    kind: str = Field("note", max_length=80)
    tags: list[str] | None = Field(None, max_length=100)


@router.put("/memory/curated", response_model=shape("PutDone", "id", ok=bool, revision=int, item=CuratedItem, masked=MASKED))
def put_curated(request: Request, body: PutCurated) -> Response:
    """Creates or replaces an entry. The same request again changes nothing more."""
    if body.id is not None and not (body.id.isprintable() and body.id.strip()):
        raise InvalidInput("not an id of an entry", "use printable characters")

    def work(project: Project) -> dict[str, Any]:
        entries.check_curated(project, body.title, body.content)
        item = _item(entries.stored(project, _put(project, body)))
        return {"ok": True, "id": item["id"], "revision": oplog.revision(project.db), "item": item}

    return modes.write(request, body.store(), work)


def _put(project: Project, body: PutCurated) -> str:
    """Stores an entry or changes the one that is there. Returns the memory's id."""
    tags = None if body.tags is None else tuple(body.tags)
    entry = None if body.id is None else _entry(project, body.id)
    new = AddRequest(title=body.title, summary=body.content, kind=body.kind, tags=tags or (), force=body.id is not None)
    if entry is None:
        planned = add.plan(project, new)
        if isinstance(planned, add.AddPlan):
            if body.id is not None:
                planned.draft.fields["source"] = SOURCE + body.id
            return add.apply(project, planned, ACTOR).id
        entry = entries.stored(project, planned.id)
    if entry.forgotten:
        modes.perform(project, "restore", RestoreRequest(id=(entry.id,)))
    values: dict[str, Any] = {
        "title": body.title,
        "summary": body.content,
        "kind": body.kind,
        **({"tags": tags} if tags is not None else {}),
    }
    stored = {"title": entry.title, "summary": entry.summary, "kind": entry.kind, "tags": labels(entry.tags)}
    if any(stored[name] != value for name, value in values.items()):
        modes.perform(project, "update", UpdateRequest(id=entry.id, **values))
    return entry.id


@router.delete("/memory/curated", response_model=Deleted)
def delete_curated(
    request: Request,
    modeId: Annotated[str | None, Query(max_length=200)] = None,
    id: Annotated[str | None, Query(max_length=200)] = None,
    project: Annotated[str | None, Query(max_length=4_096)] = None,
    body: Annotated[Entry | None, Body()] = None,
) -> Response:
    """Hides an entry, named in the query or in a body."""
    if body is None:
        if not modeId or not id:
            raise InvalidInput("the mode or the entry is missing", "send modeId and id, in the query or as JSON")
        body = Entry(modeId=modeId, id=id, project=project)
    entry_id = body.id

    def work(project: Project) -> dict[str, Any]:
        entry = _entry(project, entry_id)
        if entry is None:
            raise NotFound(f"no entry {oneline(entry_id)[:80]}", "see GET /v1/memory/curated")
        modes.perform(project, "forget", ForgetRequest(id=(entry.id,)))
        return {"ok": True, "id": _item(entry)["id"], "revision": oplog.revision(project.db)}

    return modes.write(request, body.store(), work, create=False)
