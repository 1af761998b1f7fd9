"""/v2, writing: what `mem add`, `update`, `supersede`, `forget` and their like do."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field
from starlette.responses import Response

from memcli.http.calls import ACTOR, OneCall
from memcli.http.models import more, ours
from memcli.http.routing import Router
from memcli.memory import entries, links, state
from memcli.memory import history as past
from memcli.project import Project
from memcli.shapes import memories as shapes
from memcli.shapes import state as states
from memcli.text import json

router = Router(prefix="/v2", tags=["writing"])
Id = Annotated[str, Field(max_length=80)]


@router.post("/memories", response_model=ours.Added, status_code=201)
def add(call: OneCall, given: ours.NewMemory) -> Response:
    """Keeps a memory, unless one that holds here says the same: `mem add`."""
    return call.perform("add", given.model_dump(), status=201)


def _edit(given: ours.Edit) -> entries.Edit:
    tags = None if given.tags is None else tuple(given.tags)
    names = None if given.entities is None else tuple(given.entities)
    return entries.Edit(**{**given.model_dump(), "tags": tags, "entities": names})


@router.patch("/memories/{id}", response_model=ours.Updated)
def update(call: OneCall, id: Id, given: ours.Edit) -> Response:
    """Changes fields of a memory: `mem update`."""
    return call.writing(lambda project: shapes.updated(entries.update(project, id, _edit(given), ACTOR)))


@router.post("/memories/{id}/supersede", response_model=ours.Superseded, status_code=201)
def supersede(call: OneCall, id: Id, given: ours.Edit) -> Response:
    """Replaces a memory by what holds now: `mem supersede`."""
    return call.writing(lambda project: shapes.superseded(*entries.supersede(project, id, _edit(given), ACTOR)), status=201)


@router.post("/memories/{id}/confirm", response_model=ours.Changed)
def confirm(call: OneCall, id: Id) -> Response:
    """Says that a memory holds on the commit that is checked out, for the files as they are: `mem confirm`."""
    return call.writing(lambda project: shapes.confirmed(entries.confirm(project, [id], ACTOR)[0]))


@router.delete("/memories/{id}", response_model=ours.Changed)
def forget(call: OneCall, id: Id, erase: Annotated[bool, Query(description="Take its text out for good.")] = False) -> Response:
    """Hides a memory or a chunk: `mem forget`."""

    def work(project: Project) -> dict[str, Any]:
        if not erase:
            return shapes.hidden(entries.hide(project, id, ACTOR), "forgotten")
        from memcli.maintenance import erase as erasing

        done = erasing.erase(project, id, ACTOR)
        return {"id": done.id, "kind": done.kind, "status": "erased"}

    return call.writing(work)


@router.post("/memories/{id}/restore", response_model=ours.Changed)
def restore(call: OneCall, id: Id) -> Response:
    """Brings a forgotten memory or chunk back: `mem restore`."""
    return call.writing(lambda project: shapes.hidden(entries.bring_back(project, id, ACTOR).id, "restored"))


@router.post("/memories/{id}/pin", response_model=ours.Changed)
def pin(call: OneCall, id: Id) -> Response:
    """Pins a memory: `mem pin`."""
    return call.writing(lambda project: shapes.pinned(entries.pin(project, id, True, ACTOR), True))


@router.post("/memories/{id}/unpin", response_model=ours.Changed)
def unpin(call: OneCall, id: Id) -> Response:
    """Lets a memory age again: `mem unpin`."""
    return call.writing(lambda project: shapes.pinned(entries.pin(project, id, False, ACTOR), False))


@router.post("/links", response_model=ours.Linked, status_code=201)
def link(call: OneCall, given: ours.NewLink) -> Response:
    """Links a memory to another, a chunk or a web address: `mem link`."""
    return call.writing(
        lambda project: shapes.linked(*links.link(project, given.from_id, given.rel, given.to_id, ACTOR)), status=201
    )


@router.post("/undo", response_model=more.Undone)
def undo(call: OneCall) -> Response:
    """Takes the last command back: `mem undo`."""
    return call.writing(lambda project: states.undone(past.undo(project, ACTOR)))


@router.post("/state", response_model=more.Stored, status_code=201)
def checkpoint(call: OneCall, given: ours.Checkpoint) -> Response:
    """Stores where the work stands, and a memory that says why: `mem checkpoint`."""
    text = json.dumps(given.state)
    state.check(given.reason, text)

    def work(project: Project) -> dict[str, Any]:
        made = state.checkpoint(project, given.reason, text, given.thread, ACTOR)
        return states.stored(made, project.workspace, given.thread)

    return call.writing(work, create=True, status=201)
