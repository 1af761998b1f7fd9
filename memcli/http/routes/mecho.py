"""mecho: memories by mode, each a file of its own. Core is the profile, curated are memories, archival is found by meaning."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from memcli.agents.turns import turn
from memcli.errors import InvalidInput, NotFound
from memcli.http import stores
from memcli.http.calls import ACTOR, answer
from memcli.http.models import mecho as models
from memcli.http.problem import Problem
from memcli.http.routing import Router
from memcli.http.service import Service
from memcli.memory import contents, entries, lookup, profile
from memcli.memory.commit import commit
from memcli.memory.reduce import fold
from memcli.project import Project
from memcli.recall import search as finding
from memcli.store import context as table
from memcli.store import memories, oplog, vectors
from memcli.store.memories import Memory
from memcli.store.oplog import Change
from memcli.text import dates, ids
from memcli.text.terminal import oneline

router = Router(prefix="/v1", tags=["mecho"])
MODES = "modes"  # the name under which modes stand that belong to no project
ARCHIVE = "_archival"  # ends the name of the store beside a mode's own, so that archival never comes into a prompt by itself
_THREAD = "archival"
Mode = Annotated[str, Query(min_length=1, max_length=53, pattern="^[A-Za-z0-9_-]+$")]
Whose = Annotated[str | None, Query(max_length=4_096)]
Id = Annotated[str, Field(min_length=1, max_length=80)]


def _store(mode: str, project: str | None, archive: bool = False) -> tuple[str, str]:
    """Returns (project, workspace) of a mode. Raises Problem for a name that is another mode's archive."""
    if mode.lower().endswith(ARCHIVE):
        raise Problem(422, f"no mode can be called {mode}", f"{ARCHIVE} ends the names of archives", "invalid_input")
    return project or MODES, mode + (ARCHIVE if archive else "")


def _read(request: Request, store: tuple[str, str], work: Any) -> Any:
    """Returns what a piece of work finds in a mode; None where nobody has heard of it."""
    service: Service = request.app.state.service
    return stores.first(service, stores.meant(service, *store), work)


def _write(request: Request, store: tuple[str, str], work: Any, create: bool = True) -> Response:
    """Answers with what a piece of work changed in a mode. One that nobody has heard of is made where something is added."""
    return answer(stores.write(request.app.state.service, store, work, {"request": request.state.request_id}, create))


@router.post("/turn/prepare", response_model=models.Prepared)
def prepare(request: Request, given: models.Prepare) -> Response:
    """What a session is to be told now: all of it, what changed, or nothing."""

    def work(project: Project) -> dict[str, Any]:
        made = turn.prepare(project, turn.Ask(given.sessionKey, given.engine, given.query))
        revisions = {"fromRevision": made.from_revision, "toRevision": made.to_revision}
        return {"prepareId": made.id, "mode": made.mode, **revisions, "xml": made.text}

    return _write(request, _store(given.modeId, given.project), work)


@router.post("/turn/ack", response_model=models.Ok)
def ack(request: Request, given: models.Ack) -> Response:
    """Notes whether a prepared turn reached the session."""

    def work(project: Project) -> dict[str, Any]:
        turn.ack(project, given.prepareId, given.status, given.sessionKey)
        return {"ok": True}

    return _write(request, _store(given.modeId, given.project), work, create=False)


def _core(mode: str, project: Project | None) -> dict[str, Any]:
    found = table.profile(project.db) if project else []
    return {
        "modeId": mode,
        "revision": oplog.revision(project.db) if project else 0,
        "core": {one.key: one.value for one in found},
        "entries": [{"key": one.key, "value": one.value, "updatedAt": dates.iso(one.updated_at)} for one in found],
    }


@router.get("/memory/core", response_model=models.Core)
def core(request: Request, modeId: Mode, project: Whose = None) -> Response:
    """The values that always hold, by their keys."""
    return answer(_read(request, _store(modeId, project), lambda found: _core(modeId, found)) or _core(modeId, None))


@router.put("/memory/core", response_model=models.Core)
def put_core(request: Request, given: models.PutCore) -> Response:
    """Keeps one value under a key, or several; null takes a key out."""
    values = dict(given.core or {})
    if given.key is not None:
        values[given.key] = given.value
    if not values:
        raise InvalidInput("nothing to keep", 'send {"modeId", "key", "value"} or {"modeId", "core": {KEY: VALUE}}')

    def work(project: Project) -> dict[str, Any]:
        kept = [profile.said(project, key, value) for key, value in values.items() if value is not None]

        def decide() -> list[Change]:
            out = [profile.out(project, key) for key, value in values.items() if value is None]
            return [*{one.object: one for one in out if one}.values(), *kept]

        commit(project, decide, ACTOR)
        return _core(given.modeId, project)

    store = _store(given.modeId, given.project)
    if all(value is None for value in values.values()):
        try:
            return _write(request, store, work, create=False)
        except NotFound:
            return answer(_core(given.modeId, None))
    return _write(request, store, work)


def _item(one: Memory) -> dict[str, Any]:
    return {
        "id": one.id,
        "title": oneline(one.title),
        "content": one.summary,
        "kind": one.kind,
        "tags": list(lookup.labels(one.tags)),
        "createdAt": dates.iso(one.created_at),
        "updatedAt": dates.iso(one.updated_at),
    }


@router.get("/memory/curated", response_model=models.Curated)
def curated(
    request: Request,
    modeId: Mode,
    project: Whose = None,
    limit: Annotated[int, Query(ge=1, le=1_000)] = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> Response:
    """The entries that somebody wrote, newest first."""

    def work(found: Project) -> dict[str, Any]:
        wanted = memories.MemoryFilter(observed=False, superseded=False, limit=limit, offset=offset)
        page, total = memories.page_and_count(found.db, wanted)
        facts = {"revision": oplog.revision(found.db), "items": [_item(one) for one in page]}
        return {"modeId": modeId, **facts, "total": total, "hasMore": offset + len(page) < total}

    empty = {"modeId": modeId, "revision": 0, "items": [], "total": 0, "hasMore": False}
    return answer(_read(request, _store(modeId, project), work) or empty)


@router.put("/memory/curated", response_model=models.PutDone)
def put_curated(request: Request, given: models.PutCurated) -> Response:
    """Keeps an entry, or changes one."""
    tags = None if given.tags is None else tuple(given.tags)
    new = entries.NewMemory(title=given.title, summary=given.content, kind=given.kind, tags=tags or ())
    entries.checked_fields(new)

    def work(project: Project) -> dict[str, Any]:
        entries.check_curated(project, given.title, given.content)
        if given.id is None:
            made = entries.add(project, new, ACTOR)
        else:
            edit = entries.Edit(title=given.title, summary=given.content, kind=given.kind, tags=tags)
            made = entries.update(project, given.id, edit, ACTOR)
        return {"ok": True, "id": made.id, "revision": oplog.revision(project.db), "item": _item(made)}

    return _write(request, _store(given.modeId, given.project), work, create=given.id is None)


@router.delete("/memory/curated", response_model=models.Deleted)
def delete_curated(request: Request, modeId: Mode, id: Annotated[str, Query(max_length=80)], project: Whose = None) -> Response:
    """Hides an entry."""
    return _forget(request, _store(modeId, project), id)


def _forget(request: Request, store: tuple[str, str], id: str) -> Response:
    if not stores.meant(request.app.state.service, *store):
        raise NotFound(f"no entry {oneline(id)[:80]}", "there is no such mode yet")

    def work(project: Project) -> dict[str, Any]:
        return {"ok": True, "id": entries.forget(project, id, ACTOR).id, "revision": oplog.revision(project.db)}

    return _write(request, store, work, create=False)


@router.post("/archival/insert", response_model=models.Inserted)
def insert(request: Request, given: models.Insert) -> Response:
    """Keeps a text and what is said about it, to be found by its meaning."""

    def work(project: Project) -> dict[str, Any]:
        title = contents.title_of(given.text) or given.text
        fields = entries.checked(project, entries.NewMemory(title=title, summary=given.text, thread=_THREAD, kind="archival"))
        named = ids.new("M")
        body = {**fields, "metadata": given.metadata} if given.metadata else fields
        commit(project, lambda: [*entries.thread_change(project, _THREAD), Change("put", named, body)], ACTOR)
        return {"ok": True, "id": named}

    return _write(request, _store(given.modeId, given.project, archive=True), work)


@router.post("/archival/search", response_model=models.Archival)
def search(request: Request, given: models.Search) -> Response:
    """Texts of about this meaning, best first; by words where nothing can compare meanings."""
    store = _store(given.modeId, given.project, archive=True)
    if stores.meant(request.app.state.service, *store):
        _encode(request, store)

    def work(project: Project) -> dict[str, Any]:
        from memcli.http.routes.reading import meaning

        near = meaning(project, given.query, wanted=True)
        found = finding.search(project, given.query, None, given.limit, meaning=near)
        own = [one for one in found if not one.ranked.from_user]
        items = [{**_archived(project, one.memory), "score": round(one.ranked.score, 4)} for one in own]
        return {"by": "words" if near is None else "meaning", "total": len(items), "items": items}

    return answer(_read(request, store, work) or {"by": "words", "total": 0, "items": []})


def _encode(request: Request, store: tuple[str, str]) -> None:
    """Encodes what was inserted since, where there is something to encode with."""
    from memcli.models import embedders
    from memcli.recall import embed

    service: Service = request.app.state.service

    def waits(project: Project) -> bool:
        known = embedders.model_of(project.config), oplog.revision(project.db)
        if service.encoded.get(store) == known:
            return False
        try:
            embedders.provider(project.config)
        except embedders.Unavailable:
            return False
        if any(one.current < one.total for one in embed.status(project, (vectors.MEMORY,))):
            return True
        service.encoded[store] = known
        return False

    try:
        if stores.first(service, stores.meant(service, *store), waits):
            with stores.opened(service, *store) as project:
                embed.embed(project)
    except embedders.Unavailable:
        pass


def _archived(project: Project, one: Memory) -> dict[str, Any]:
    said = fold(oplog.of_object(project.db, one.id)).fields.get("metadata") or {}
    return {"id": one.id, "text": one.summary, "metadata": said, "createdAt": dates.iso(one.created_at)}


@router.get("/archival/{id}", response_model=models.ArchivalItem)
def archived(request: Request, id: Id, modeId: Mode, project: Whose = None) -> Response:
    """One text."""

    def work(found: Project) -> dict[str, Any] | None:
        one = memories.find(found.db, ids.canonical(id))
        return {**_archived(found, one), "score": 0.0} if one and not one.forgotten else None

    known = _read(request, _store(modeId, project, archive=True), work)
    if known is None:
        raise NotFound(f"no entry {oneline(id)[:80]}", "search for it")
    return answer(known)


@router.delete("/archival/{id}", response_model=models.Deleted)
def delete_archived(request: Request, id: Id, modeId: Mode, project: Whose = None) -> Response:
    """Hides a text."""
    return _forget(request, _store(modeId, project, archive=True), id)


@router.post("/archival/delete", response_model=models.Deleted)
def delete_archival(request: Request, given: models.Named) -> Response:
    """The same, for clients that send a body."""
    return _forget(request, _store(given.modeId, given.project, archive=True), given.id)
