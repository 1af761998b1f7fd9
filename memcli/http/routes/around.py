"""/v2, around the memories: the queue, repositories."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from memcli import registry
from memcli.agents.capture import worker_process
from memcli.errors import NotFound
from memcli.fields import to_json
from memcli.http.calls import OneCall
from memcli.http.lists import OneWindow, page_type
from memcli.http.models import shape, typed
from memcli.http.routing import Router
from memcli.operations import machine
from memcli.project import DEFAULT_WORKSPACE, folder_of, locate

router = Router(prefix="/v2", tags=["around"])
Workspace = shape("Workspace", "workspace", active=bool)


class ParkedJob(BaseModel):
    """One parked event, or all if it is left out."""

    model_config = ConfigDict(extra="forbid", strict=True)
    job: int | None = Field(None, ge=1, lt=1 << 53)


@router.post("/queue/retry", response_model=shape("Retried", retry=int))
def retry(call: OneCall, body: ParkedJob | None = None) -> Response:
    """Puts parked events back into the queue: `mem queue retry`."""
    n = body.job if body else None
    response = call.writing(lambda project: {"retry": worker_process.change_parked(project, "retry", n)})
    call.service.workers.wake(call.where())
    return response


@router.post("/queue/purge", response_model=shape("Purged", purge=int))
def purge(call: OneCall, body: ParkedJob | None = None) -> Response:
    """Removes parked events: `mem queue purge`."""
    n = body.job if body else None
    return call.writing(lambda project: {"purge": worker_process.change_parked(project, "purge", n)})


@router.get("/repos", response_model=page_type(typed(machine.Repository)))
def repos(call: OneCall, window: OneWindow) -> Response:
    """Every repository that has a memory on this machine: `mem repos`. `active`: the one a call without `repo` means."""
    default = call.service.where
    try:
        active = registry.active() if default is None else call.read(lambda project: project.repo_id)
    except NotFound:
        active = None  # it is not where it was: the others are there all the same
    return window.cut(to_json(machine.repositories(active)))


@router.get("/workspaces", response_model=page_type(Workspace))
def workspaces(call: OneCall, window: OneWindow) -> Response:
    """The workspaces of a memory, the default one first."""
    where = call.where()
    current = (where.workspace or DEFAULT_WORKSPACE).lower()
    names = registry.workspaces(folder_of(locate(where).repo_id, None))
    return window.cut([{"workspace": name, "active": name == current} for name in (DEFAULT_WORKSPACE, *names)])
