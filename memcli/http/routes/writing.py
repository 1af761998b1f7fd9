"""/v2, writing: what `mem add`, `update`, `supersede`, `forget` and their like do."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic import Field
from starlette.responses import Response

from memcli.http.calls import OneCall
from memcli.http.models import more, ours
from memcli.http.routing import Router
from memcli.text import json

router = Router(prefix="/v2", tags=["writing"])
Id = Annotated[str, Field(max_length=80)]


@router.post("/memories", response_model=ours.Added, status_code=201)
def add(call: OneCall, given: ours.NewMemory) -> Response:
    """Keeps a memory, unless one that holds here says the same: `mem add`."""
    return call.perform("add", given.model_dump(), status=201)


@router.patch("/memories/{id}", response_model=ours.Updated)
def update(call: OneCall, id: Id, given: ours.Edit) -> Response:
    """Changes fields of a memory: `mem update`."""
    return call.perform("update", {"id": id, **given.model_dump()})


@router.post("/memories/{id}/supersede", response_model=ours.Superseded, status_code=201)
def supersede(call: OneCall, id: Id, given: ours.Edit) -> Response:
    """Replaces a memory by what holds now: `mem supersede`."""
    return call.perform("supersede", {"id": id, **given.model_dump()}, status=201)


@router.post("/memories/{id}/confirm", response_model=ours.Changed)
def confirm(call: OneCall, id: Id) -> Response:
    """Says that a memory holds on the commit that is checked out, for the files as they are: `mem confirm`."""
    return call.perform("confirm", {"id": (id,)})


@router.delete("/memories/{id}", response_model=ours.Changed)
def forget(call: OneCall, id: Id, erase: Annotated[bool, Query(description="Take its text out for good.")] = False) -> Response:
    """Hides a memory or a chunk: `mem forget`."""
    return call.perform("forget", {"id": id, "erase": erase})


@router.post("/memories/{id}/restore", response_model=ours.Changed)
def restore(call: OneCall, id: Id) -> Response:
    """Brings a forgotten memory or chunk back: `mem restore`."""
    return call.perform("restore", {"id": id})


@router.post("/memories/{id}/pin", response_model=ours.Changed)
def pin(call: OneCall, id: Id) -> Response:
    """Pins a memory: `mem pin`."""
    return call.perform("pin", {"id": id})


@router.post("/memories/{id}/unpin", response_model=ours.Changed)
def unpin(call: OneCall, id: Id) -> Response:
    """Lets a memory age again: `mem unpin`."""
    return call.perform("unpin", {"id": id})


@router.post("/links", response_model=ours.Linked, status_code=201)
def link(call: OneCall, given: ours.NewLink) -> Response:
    """Links a memory to another, a chunk or a web address: `mem link`."""
    return call.perform("link", given.model_dump(), status=201)


@router.post("/undo", response_model=more.Undone)
def undo(call: OneCall) -> Response:
    """Takes the last command back: `mem undo`."""
    return call.perform("undo", {})


@router.post("/state", response_model=more.Stored, status_code=201)
def checkpoint(call: OneCall, given: ours.Checkpoint) -> Response:
    """Stores where the work stands, and a memory that says why: `mem checkpoint`."""
    return call.perform(
        "checkpoint", {"reason": given.reason, "state_json": json.dumps(given.state), "thread": given.thread}, 201
    )
