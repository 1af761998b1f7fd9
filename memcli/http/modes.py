"""Modes of mecho: each is a workspace of a project, whatever characters its id has."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from memcli import operations
from memcli.errors import InvalidInput
from memcli.http import stores
from memcli.http.calls import ACTOR, answer
from memcli.http.models import shape
from memcli.http.service import Service
from memcli.project import Project
from memcli.text.terminal import is_storable

MODES = "modes"  # the project of modes that belong to none
ARCHIVE = "_archival"  # suffix of the store beside a mode's own, so that archival texts never come into a prompt by themselves
_PLAIN = re.compile(r"(?=.*[A-Za-z0-9])[A-Za-z0-9_-]{1,53}")
_DIGESTED = re.compile(r".*_[0-9a-f]{16}")
_READABLE = 30  # characters of an id that begin the name of its workspace
Store = tuple[str, str]  # (project, workspace)
Id = Annotated[str, Field(min_length=1, max_length=200)]
Ok = shape("Ok", ok=bool)
Deleted = shape("Deleted", "id", ok=bool, revision=int)
MASKED = (list[str] | None, None)


class Mode(BaseModel):
    """A mode; fields that are not known are passed over."""

    model_config = ConfigDict(extra="ignore")
    modeId: str = Field(min_length=1, max_length=200, description="A mode: a memory of its own.")
    project: str | None = Field(None, max_length=4_096, description="Whose mode it is; left out, modes stand by themselves.")

    def store(self, archive: bool = False) -> Store:
        """Returns the store of the mode or of its archive. Raises InvalidInput."""
        return self.project or MODES, workspace_of(self.modeId) + (ARCHIVE if archive else "")


class Entry(Mode):
    """One entry."""

    id: Id


InMode = Annotated[Mode, Query()]


def workspace_of(mode: str) -> str:
    """Returns the name of a mode's workspace: its id where that can be one, else what is readable of it and a digest.

    No id is the name of another one's workspace or archive. Case is ignored. Raises InvalidInput.
    """
    if not mode.strip() or not mode.isprintable() or not is_storable(mode):
        raise InvalidInput("not an id of a mode", "use printable characters, not only spaces")
    if _PLAIN.fullmatch(mode) and not _DIGESTED.fullmatch(mode) and not mode.lower().endswith(ARCHIVE):
        return mode
    folded = unicodedata.normalize("NFC", mode.strip()).casefold()
    readable = "".join([char if char.isascii() and char.isalnum() else "-" for char in folded])[:_READABLE]
    return f"{readable}_{hashlib.sha256(folded.encode()).hexdigest()[:16]}"


def read(request: Request, store: Store, work: Callable[[Project], Any]) -> Any:
    """Returns the result of `work` in a mode; None for an unknown mode."""
    service: Service = request.app.state.service
    return stores.first(service.stores.matching(*store), work)


def write(request: Request, store: Store, work: Callable[[Project], dict[str, Any]], create: bool = True) -> Response:
    """Answers with the result of a change to a mode. An unknown mode is created where `create` says so."""
    service: Service = request.app.state.service
    return answer(service.stores.change(store, work, {"request": request.state.request_id}, create))


def perform(project: Project, name: str, request: Any) -> Any:
    """Performs an operation in a mode and returns its result."""
    return operations.perform_on(operations.load(name), request, project, ACTOR)
