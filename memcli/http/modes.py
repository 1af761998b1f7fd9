"""Modes of mecho: each is a workspace of a project, whatever characters its id has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.responses import Response

from memcli import operations
from memcli.http import stores
from memcli.http.calls import ACTOR, answer
from memcli.http.models import shape
from memcli.http.service import Service
from memcli.memory.modes import ARCHIVE, MODES, workspace_of
from memcli.project import Project
from memcli.store.memories import Memory
from memcli.text.terminal import oneline

_THEIR_NAMES = {"memoryId": ("id",), "name": ("title", "key"), "topK": ("limit",)}  # mecho's own -> ours
Store = tuple[str, str]  # (project, workspace)
Id = Annotated[str, Field(min_length=1, max_length=200)]
Ok = shape("Ok", ok=bool)
Deleted = shape("Deleted", "id", ok=bool, revision=int)
MASKED = (list[str] | None, None)


class Mode(BaseModel):
    """A mode; fields that are not known are passed over.

    What mecho's own service calls `memoryId`, `name`, `description` and `detail`, `topK` is taken by these names, too.
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

    def store(self, archive: bool = False) -> Store:
        """Returns the store of the mode or of its archive. Raises InvalidInput."""
        return self.project or MODES, workspace_of(self.modeId) + (ARCHIVE if archive else "")


class Entry(Mode):
    """One entry."""

    id: Id


InMode = Annotated[Mode, Query()]


def read(request: Request, store: Store, work: Callable[[Project], Any]) -> Any:
    """Returns the result of `work` in a mode; None for an unknown mode."""
    service: Service = request.app.state.service
    return stores.first(service.stores.matching(*store), work)


def write(request: Request, store: Store, work: Callable[[Project], dict[str, Any]], create: bool = True) -> Response:
    """Answers with the result of a change to a mode. An unknown mode is created where `create` says so."""
    service: Service = request.app.state.service
    return answer(service.stores.change(store, work, {"request": request.state.request_id}, create))


def described(memory: Memory, id: str) -> dict[str, Any]:
    """Returns an entry as mecho's own service lists it: its first line is the description."""
    description = memory.summary.partition("\n")[0].strip()
    return {"memoryId": id, "name": oneline(memory.title), "description": description, "updatedAt": memory.updated_at}


def detail(memory: Memory) -> str:
    """Returns what follows the description of an entry; all of it where nothing does."""
    return memory.summary.partition("\n")[2].strip() or memory.summary


def perform(project: Project, name: str, request: Any) -> Any:
    """Performs an operation in a mode and returns its result."""
    return operations.perform_on(operations.load(name), request, project, ACTOR)
