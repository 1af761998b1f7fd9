"""The modes of mecho on this machine, under the routes of its own service."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query, Request
from starlette.responses import Response

from memcli.errors import NotFound
from memcli.http import modes, stores
from memcli.http.calls import ACTOR, answer
from memcli.http.models import shape
from memcli.http.modes import Mode
from memcli.http.routing import Router
from memcli.http.service import Service
from memcli.memory import items
from memcli.memory.modes import MODES, id_of, note_deleted, of_store
from memcli.project import Project, Where, is_stored, locate

router = Router(prefix="/v1/mode", tags=["mecho"])


@router.get("/list", response_model=shape("Modes", ok=bool, modes=list[str]))
def modes_here(
    request: Request, project: Annotated[str | None, Query(max_length=4_096, description="Whose modes.")] = None
) -> Response:
    """The modes that have a memory, by the ids that clients gave them, in order."""
    service: Service = request.app.state.service
    repo = service.stores.resolve(project or MODES)
    repo = locate(Where(repo)).repo_id if repo else None
    ids = stores.each([where for where in stores.all_stores() if where.repo == repo], of_store)
    return answer({"ok": True, "modes": sorted(set(ids) - {""})})


@router.post("/create", response_model=shape("ModeCreated", "modeId", ok=bool, created=bool))
def create_mode(request: Request, body: Mode) -> Response:
    """Creates the memory of a mode, if it does not exist."""
    body = modes.existing(request, body)
    is_there = _is_there(request, body)

    def work(project: Project) -> dict[str, Any]:
        return {"ok": True, "modeId": id_of(body.modeId), "created": not is_there}

    return modes.write(request, body, work)


@router.post("/delete", response_model=shape("ModeDeleted", "modeId", ok=bool, deleted=bool))
def delete_mode(request: Request, body: Mode) -> Response:
    """Hides everything in a mode and its archive, and removes the mode from the list. `mem undo` restores it."""
    body = modes.existing(request, body)
    if not _is_there(request, body):
        raise NotFound(f"no mode {id_of(body.modeId)}", "see GET /v1/mode/list")

    def work(project: Project) -> dict[str, Any]:
        if hidden := items.everything(project):
            items.hide(project, hidden, ACTOR)
        note_deleted(project)
        return {"ok": True, "modeId": id_of(body.modeId), "deleted": True}

    if modes.read(request, body, _is_of_mode, archive=True):
        modes.write(request, body, work, create=False, archive=True)
    return modes.write(request, body, work, create=False)


def _is_there(request: Request, mode: Mode) -> bool:
    return any(modes.read(request, mode, _is_of_mode, archive) for archive in (False, True))


def _is_of_mode(project: Project) -> bool:
    return is_stored(project.folder) and of_store(project) != ""
