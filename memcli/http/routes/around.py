"""/v2, around the memories: the queue, statistics, repositories."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from memcli import registry, store
from memcli.agents.capture import worker
from memcli.errors import NotFound
from memcli.fields import to_json
from memcli.http import stores
from memcli.http.calls import OneCall, answer
from memcli.http.models import listed, shape, typed
from memcli.http.routing import Router
from memcli.memory.context import difference
from memcli.operations import machine
from memcli.operations import state as states
from memcli.project import DEFAULT_WORKSPACE, Project, locate
from memcli.recall.render import name_and_branch
from memcli.store import context, integrity, memories, oplog
from memcli.text.terminal import oneline

router = Router(prefix="/v2", tags=["around"])
_COUNTS = ("pending", "processing", "stuck", "failed", "processed")
Worker = shape("RunningWorker", running=bool, pid=int | None)
ParkedEvent = shape("ParkedEvent", "harness session event error created_at", job=int, attempts=int)
QueueStatus = shape(
    "QueueStatus",
    **dict.fromkeys(_COUNTS, int),
    oldest_seconds=int | None,
    worker=Worker,
    compressor=dict[str, Any],
    parked=listed(ParkedEvent),
)
Stats = shape(
    "Stats",
    "name root workspace branch",
    repo_id=str | None,
    commit=str | None,
    revision=int,
    schema_=(int, Field(alias="schema")),
    bytes=int,
    **dict.fromkeys(("totals", "kinds", "queue"), dict[str, int]),
)
Repository = shape("Repository", "repo_id root_name git_root", active=bool)
Workspace = shape("Workspace", "workspace", active=bool)


class ParkedJob(BaseModel):
    """One parked event; without it all are meant."""

    model_config = ConfigDict(extra="forbid", strict=True)
    job: int | None = Field(None, ge=1, lt=1 << 53)


@router.get("/state/diff", response_model=typed(states.StateDifference))
def diff(
    call: OneCall,
    to: Annotated[str | None, Query(max_length=80, description="A state's id; the newest where it is left out.")] = None,
    since: Annotated[str | None, Query(max_length=80, description="An older one's; the one before `to`.")] = None,
) -> Response:
    """What a checkpoint changed: `mem state diff`."""

    def work(project: Project) -> Any:
        history = context.latest_states(project.db, 1_000_000)
        newer = _index(history, to) if to else 0
        older = _index(history, since) if since else newer + 1
        pair = [history[index] for index in (newer, older) if index < len(history)]
        changes = difference(pair[1] if len(pair) > 1 else None, pair[0]) if pair else []
        return to_json(states.States(pair, "diff", changes, project.now))

    return call.reading(work)


def _index(history: list[context.State], state_id: str) -> int:
    for index, state in enumerate(history):
        if state.id == state_id.upper():
            return index
    raise NotFound(f"no state {oneline(state_id)[:80]}", "see /v2/state/history")


@router.get("/queue", response_model=QueueStatus)
def queue(call: OneCall) -> Response:
    """Events that wait to be processed: `mem queue`."""
    return call.reading(machine.queue)


@router.post("/queue/retry", response_model=shape("Retried", retry=int))
def retry(call: OneCall, body: ParkedJob | None = None) -> Response:
    """Puts parked events back into the queue: `mem queue retry`."""
    n = body.job if body else None
    response = call.writing(lambda project: {"retry": worker.change_parked(project, "retry", n)})
    call.service.workers.wake(call.where())
    return response


@router.post("/queue/purge", response_model=shape("Purged", purge=int))
def purge(call: OneCall, body: ParkedJob | None = None) -> Response:
    """Removes parked events: `mem queue purge`."""
    n = body.job if body else None
    return call.writing(lambda project: {"purge": worker.change_parked(project, "purge", n)})


@router.get("/stats", response_model=Stats)
def stats(call: OneCall) -> Response:
    """How much is stored."""
    return call.reading(_stats)


def _stats(project: Project) -> dict[str, Any]:
    counts = machine.queue(project)
    return {
        "repo_id": project.repo_id,
        "name": project.name,
        "root": project.root,
        "workspace": project.workspace,
        "commit": project.commit,
        "branch": name_and_branch(project)[1],
        "revision": oplog.revision(project.db),
        "schema": store.version(project.db),
        "bytes": stores.size(project),
        "totals": integrity.totals(project.db),
        "kinds": memories.kinds(project.db),
        "queue": {name: counts[name] for name in _COUNTS},
    }


@router.get("/repos", response_model=listed(Repository))
def repos(call: OneCall) -> Response:
    """Every repository that has a memory on this machine: `mem repos`. `active`: the one a call without `repo` means."""
    default = call.service.where
    active = registry.active() if default is None else call.read(lambda project: project.repo_id)
    return answer(machine.repositories(registry.repositories(), active))


@router.get("/workspaces", response_model=listed(Workspace))
def workspaces(call: OneCall) -> Response:
    """The workspaces of a memory, the default one first."""
    where = call.where()
    current = (where.workspace or DEFAULT_WORKSPACE).lower()
    names = stores.workspaces(locate(where).repo_id or "")
    return answer([{"workspace": name, "active": name == current} for name in (DEFAULT_WORKSPACE, *names)])
