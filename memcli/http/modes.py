"""Modes of mecho: each is a workspace of a project, whatever characters its id has."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Annotated, Any, TypeVar

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from starlette.responses import Response

from memcli import operations
from memcli.errors import NotFound
from memcli.http import stores
from memcli.http.calls import ACTOR, answer
from memcli.http.models import shape
from memcli.http.service import Service
from memcli.memory import entries, find_memory, labels
from memcli.memory.commit import commit, masked_fields
from memcli.memory.modes import (
    ARCHIVE,
    ARCHIVED,
    MODES,
    SOURCE,
    client_id,
    mark,
    plain_id,
    similar,
    texts_of,
    workspace_of,
)
from memcli.memory.projection import fold
from memcli.operations import add
from memcli.operations.add import AddRequest
from memcli.operations.forget import ForgetRequest, RestoreRequest
from memcli.operations.update import UpdateRequest
from memcli.project import Project, folder_of, is_stored, locate
from memcli.records import Record, replace
from memcli.repo.head import storable_name
from memcli.store import memories, oplog
from memcli.store.memories import Memory
from memcli.store.oplog import Change
from memcli.text import ids
from memcli.text.terminal import oneline

_THEIR_NAMES = {"memoryId": ("id",), "name": ("title", "key"), "topK": ("limit",)}  # mecho's own -> ours
Store = tuple[str, str]  # (project, workspace)
Id = Annotated[str, Field(min_length=1, max_length=200)]
Ok = shape("Ok", ok=bool)
Deleted = shape("Deleted", "id", ok=bool, revision=int)
MASKED = (list[str] | None, None)


class Mode(BaseModel):
    """A mode. Unknown fields are ignored.

    The names of mecho's own service (`memoryId`, `name`, `description`, `detail`, `topK`) are accepted, too.
    """

    model_config = ConfigDict(extra="ignore")
    modeId: str = Field(min_length=1, max_length=200, description="A mode: a memory of its own.")
    project: str | None = Field(None, max_length=4_096, description="Whose mode it is; left out, modes stand by themselves.")

    @model_validator(mode="before")
    @classmethod
    def _renamed(cls, values: Any) -> Any:
        if not isinstance(values, dict):
            return values
        renamed = {ours: values[theirs] for theirs, names in _THEIR_NAMES.items() if theirs in values for ours in names}
        parts = [values[name].strip() for name in ("description", "detail") if isinstance(values.get(name), str)]
        words = "\n".join([part for part in parts if part])
        return {**renamed, **({"content": words, "text": words, "value": words} if parts else {}), **values}

    @field_validator("modeId")
    @classmethod
    def _screened(cls, mode: str) -> str:
        return storable_name(mode)

    def store(self, archive: bool = False) -> Store:
        """Returns the store of the mode or of its archive. Raises InvalidInput."""
        return self.project or MODES, workspace_of(self.modeId) + (ARCHIVE if archive else "")


M = TypeVar("M", bound=Mode)
_beginning = Lock()


class Entry(Mode):
    """One entry."""

    id: Id


InMode = Annotated[Mode, Query()]


def existing(request: Request, mode: M) -> M:
    """Returns the existing mode: with the given id, else with one that mecho's own service considers the same.

    Its clients may say `Bot` for `bot`, and the reverse. If there is neither, the given mode is returned.
    """
    plain = plain_id(mode.modeId)
    if not plain or _is_there(request, mode):
        return mode
    other = mode.model_copy(update={"modeId": plain})
    if plain != mode.modeId.strip() and _is_there(request, other):
        return other
    service: Service = request.app.state.service
    repos = [locate(where).repo_id for where in service.stores.matching(mode.project or MODES)]
    ids = [id for repo in repos if repo and (id := similar(folder_of(repo, None), mode.modeId))]
    return mode.model_copy(update={"modeId": ids[0]}) if ids else mode


def _is_there(request: Request, mode: Mode) -> bool:
    service: Service = request.app.state.service
    stores = [where for archive in (False, True) for where in service.stores.matching(*mode.store(archive))]
    return any(is_stored(folder_of(locate(where).repo_id, where.workspace)) for where in stores)


def read(request: Request, mode: Mode, work: Callable[[Project], Any], archive: bool = False) -> Any:
    """Returns the result of `work` in a mode, or in its archive; None for an unknown mode."""
    service: Service = request.app.state.service
    return stores.first(service.stores.matching(*existing(request, mode).store(archive)), work)


def write(
    request: Request, mode: Mode, work: Callable[[Project], dict[str, Any]], create: bool = True, archive: bool = False
) -> Response:
    """Answers with the result of a change to a mode or its archive. `create`: make an unknown mode."""
    mode = existing(request, mode)
    if not create or _is_there(request, mode):
        return _changed(request, mode, work, create, archive)
    with _beginning:  # another client may begin the mode at this moment under an id of another case
        return _changed(request, existing(request, mode), work, create, archive)


def _changed(request: Request, mode: Mode, work: Callable[[Project], dict[str, Any]], create: bool, archive: bool) -> Response:
    service: Service = request.app.state.service

    def in_mode(project: Project) -> dict[str, Any]:
        if create:
            mark(project, mode.modeId)
        return work(project)

    return answer(service.stores.change(mode.store(archive), in_mode, {"request": request.state.request_id}, create))


class Texts(Record):
    """A kind of entries: the prefix of the source ids of those with the client's own ids, and the fields of each new one."""

    source: str
    fields: dict[str, Any]
    merges_equal: bool  # without an id, a text that is stored already is that entry


CURATED = Texts(SOURCE, {}, merges_equal=True)
ARCHIVAL = Texts(ARCHIVED, {"thread": "archival", "kind": "archival"}, merges_equal=False)


def id_of(memory: Memory, texts: Texts) -> str:
    """Returns the id by which a client knows an entry: its own, else ours."""
    return client_id(memory, texts.source)


def find_entry(project: Project, texts: Texts, id: str) -> Memory | None:
    """Returns the entry with the client's own id or ours, forgotten or not; None for a new id of a client.

    Raises NotFound for an id of ours that does not exist.
    """
    memory = memories.by_source(project.db, texts.source + id)
    typed = ids.canonical(id)
    if memory is None and typed.startswith("M-") and len(typed) == len("M-") + ids.LENGTH:
        memory = find_memory(project, id, forgotten=True)
    return memory


def put_entry(
    project: Project,
    texts: Texts,
    id: str | None,
    values: dict[str, Any],
    details: dict[str, Any] | None = None,
) -> tuple[Memory, bool]:
    """Stores an entry, or changes the one with its id, hidden or not. Returns it, and whether it is new.

    `values`: fields of a memory; `details`: what the log has beside them, such as its metadata. What is left out stays.
    """
    others = masked_fields(project, details or {})
    entry = None if id is None else find_entry(project, texts, id)
    if entry is None:
        is_forced = id is not None or not texts.merges_equal
        planned = add.plan(project, AddRequest(**values, **texts.fields, force=is_forced))
        if isinstance(planned, add.AddPlan):
            planned.draft.fields.update({"source": texts.source + id} if id is not None else {})
            planned.draft.fields.update({name: value for name, value in others.items() if value})
            # another client may store an entry of this id, or one that says the same, meanwhile
            added = add.apply(project, replace(planned, once=id is not None or texts.merges_equal), ACTOR)
            if added.duplicate_of is None:
                return entries.stored(project, added.id), True
            entry = entries.stored(project, added.id)
        else:
            entry = entries.stored(project, planned.id)
    if entry.forgotten:
        perform(project, "restore", RestoreRequest(id=(entry.id,)))
    stored = {"title": entry.title, "summary": entry.summary, "kind": entry.kind, "tags": labels(entry.tags)}
    if any(stored[name] != value for name, value in values.items()):
        perform(project, "update", UpdateRequest(id=entry.id, **values))
    before = fold(oplog.of_object(project.db, entry.id)).fields
    if changed := {name: value for name, value in others.items() if value != before.get(name) and (value or before.get(name))}:
        change = Change("put", entry.id, changed)
        commit(project, lambda: [change], ACTOR)
    return entries.stored(project, entry.id), False


def forget_entry(project: Project, texts: Texts, id: str, hint: str) -> Memory:
    """Hides an entry, and returns it. Raises NotFound if there is none, or it is hidden already. `hint`: how to find one."""
    entry = find_entry(project, texts, id)
    if entry is None or entry.forgotten:
        raise NotFound(f"no entry {oneline(id)[:80]}", hint)
    perform(project, "forget", ForgetRequest(id=(entry.id,)))
    return entry


def metadata_of(project: Project, memory: Memory) -> dict[str, Any]:
    """Returns what a client stored with a text; empty if that is nothing."""
    return fold(oplog.of_object(project.db, memory.id)).fields.get("metadata") or {}


def listed(project: Project, memory: Memory, texts: Texts) -> dict[str, Any]:
    """Returns an entry as mecho's own service lists it."""
    return {
        "memoryId": id_of(memory, texts),
        "name": oneline(memory.title),
        "description": texts_of(project, memory)[0],
        "updatedAt": memory.updated_at,
    }


def perform(project: Project, name: str, request: Any) -> Any:
    """Performs an operation in a mode and returns its result."""
    return operations.perform_on(operations.load(name), request, project, ACTOR)
