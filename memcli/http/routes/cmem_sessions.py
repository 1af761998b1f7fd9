"""C-Mem's worker, sessions: what another program's hooks tell goes where our own hooks' events go. Its queue and settings."""

from __future__ import annotations

import os
from typing import Annotated, Any

from fastapi import Request
from pydantic import Field
from starlette.responses import Response

from memcli import config as settings
from memcli.agents.capture import event_queue, run_loop
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.http import cmem, settable, stores, which
from memcli.http.calls import answer
from memcli.http.models import cmem as models
from memcli.http.problem import Problem
from memcli.http.routes.cmem import Meant
from memcli.http.routing import Mending, Router
from memcli.http.service import Service
from memcli.project import Project, Where, folder_of, locate
from memcli.serving.projects import writing
from memcli.store import db as store
from memcli.store import inbox, memories, queue
from memcli.store.sessions import Session
from memcli.text.terminal import is_storable, oneline

router = Router(tags=["cmem"], route_class=Mending)
HARNESS = "http"
Key = Annotated[str, Field(min_length=1, max_length=200)]
_RECENT = 20
_NONE = "-"  # in place of names of tools: none, not even those that are skipped by default


def tell(
    service: Service, where: Where, event: str, payload: dict[str, Any], harness: str = HARNESS
) -> tuple[event_queue.Posted, int | None]:
    """Puts an event into a store's letterbox and has it worked up. Returns (what became of it, its number)."""
    place = locate(where)
    folder = folder_of(place.repo_id, where.workspace) if place.repo_id else ""
    if not os.path.lexists(os.path.join(folder, "memory.db")):
        raise NotFound("nothing is stored there yet", "begin a session: POST /sessions/ID/init", "no_session")
    posted = event_queue.post_to(place, folder, harness, event, payload)
    try:
        number = inbox.place(posted.db, posted.event.dedupe) if posted.db is not None and posted.event else None
    finally:
        posted.close()
    if posted.status == "lost":
        raise MemError(posted.trouble, "see mem doctor", "lost")
    if posted.config is not None and posted.config["capture.worker"] == "auto":
        service.workers.hear(Where(place.repo_id, where.workspace))
    return posted, number


def _key(id: str) -> str:
    if not id.strip() or not id.isprintable() or not is_storable(id):
        raise InvalidInput("not a name of a session", "use printable characters")
    return id


def _event(request: Request, id: str, event: str, payload: dict[str, Any]) -> tuple[event_queue.Posted, int | None]:
    service: Service = request.app.state.service
    key = _key(id)
    return tell(service, stores.of_session(service, key), event, {"session_id": key, **payload})


@router.post("/sessions/{id:path}/init", response_model=models.Begun)
def init(request: Request, id: Key, given: models.Init) -> Response:
    """Begins a session, or notes what a person asks in it. A project that nobody has heard of gets a memory of its own."""
    service: Service = request.app.state.service
    key = _key(id)
    with stores.opened(service, given.project) as project:
        where = Where(project.root if project.checkout else project.repo_id)  # the path tells the commit of each event
    service.remember(key, where)
    known = {"session_id": key, **({"cwd": given.cwd} if given.cwd else {})}
    if not given.userPrompt.strip():
        tell(service, where, "session-start", {**known, "source": "startup"})
        return answer({"success": True, "session_id": key, "promptNumber": 0, "skipped": False})
    turn = {} if given.promptNumber is None else {"turn_id": str(given.promptNumber)}
    posted, _ = tell(service, where, "user-prompt", {**known, **turn, "prompt": given.userPrompt})
    number = given.promptNumber
    if number is None:
        number = stores.each(service, [where], lambda project: inbox.prompts(project.db, HARNESS, key))[0]
    return answer({"success": True, "session_id": key, "promptNumber": number, "skipped": posted.status != event_queue.QUEUED})


@router.post("/sessions/{id:path}/observations", response_model=models.Queued)
def observe(request: Request, id: Key, given: models.ToolCall) -> Response:
    """Keeps what a tool did, to be worked up."""
    payload: dict[str, Any] = {"tool_name": given.tool_name, "tool_input": given.tool_input, "tool_result": given.tool_result}
    payload |= {"tool_use_id": given.correlation_id} if given.correlation_id else {}
    payload |= {"cwd": given.cwd} if given.cwd else {}
    posted, number = _event(request, id, "post-tool-use", payload)
    is_queued = posted.status == event_queue.QUEUED
    said = {"success": True, "queued": is_queued, "queue_id": number if is_queued else None}
    return answer(said if is_queued else {**said, "skipped_reason": posted.status})


@router.post("/sessions/{id:path}/summarize", response_model=models.SummaryQueued)
def summarize(request: Request, id: Key, given: models.LastMessages | None = None) -> Response:
    """Has a session summed up."""
    said = given or models.LastMessages.model_validate({})
    texts = {"last_user_message": said.last_user_message, "last_assistant_message": said.last_assistant_message}
    _event(request, id, "stop", {name: text for name, text in texts.items() if text})
    return answer({"success": True, "summary_queued": True})


@router.post("/sessions/{id:path}/complete", response_model=models.Completed)
def complete(request: Request, id: Key, given: models.Ending | None = None) -> Response:
    """Ends a session."""
    _event(request, id, "session-end", {"reason": (given or models.Ending.model_validate({})).reason})
    return answer({"success": True, "completed": True})


@router.get("/sessions/{id:path}/status", response_model=models.Status)
def status(request: Request, id: Key) -> Response:
    """How far a session is: of several of a name, the one in which something happened last."""
    service: Service = request.app.state.service

    def work(project: Project, one: Session | None) -> dict[str, Any] | None:
        waiting, failed = inbox.of_session(project.db, one.key if one else id)
        if one is None and not waiting and not failed:
            return None
        counts = [
            memories.count_matching(project.db, memories.MemoryFilter(session=one.n, plain=plain)) if one else 0
            for plain in (True, False)
        ]
        return {
            "session_id": one.key if one else id,
            "session": one.id if one else None,
            "project": project.name,
            "status": one.status if one else "pending",
            "observation_count": counts[0],
            "summary_count": counts[1],
            "prompt_count": one.prompts if one else 0,
            "pending_count": waiting,
            "failed_count": failed,
        }

    found = which.session(service, id, stores.everything(), work)
    if found is None:
        raise NotFound(f"no session {oneline(id)[:80]}", "begin it: POST /sessions/ID/init", "no_session")
    return answer(found)


@router.get("/api/pending-queue", response_model=models.CMemQueue)
def pending(meant: Meant) -> Response:
    """What waits, in one project or in all."""

    def work(project: Project) -> tuple[queue.Counts, list[dict[str, Any]]]:
        lease = run_loop.lease(project)
        return queue.counts(project.db, project.now, lease), [cmem.job(one, lease) for one in queue.recent(project.db, _RECENT)]

    found = stores.each(meant.service, meant.places() if meant.project else stores.everything(), work)
    recent = sorted([one for _, jobs in found for one in jobs], key=lambda one: (-one["created_at_epoch"], -one["id"]))[:_RECENT]
    names = ("pending", "processing", "failed", "stuck")
    return answer({**{name: sum(getattr(counts, name) for counts, _ in found) for name in names}, "recent": recent})


@router.post("/api/pending-queue/process", response_model=models.Processed)
def process(meant: Meant) -> Response:
    """Puts what failed or got stuck back to wait, and has it worked up."""
    reset = 0
    for where in meant.places() if meant.project else stores.everything():
        try:
            with writing(where, {}) as project:
                reset += queue.retry(project.db, None, project.now, run_loop.lease(project))
                waits = queue.unfinished(project.db)
        except (MemError, OSError, store.Error) as problem:
            if meant.project:
                raise
            stores.passed_over(where, problem)
            continue
        if waits:
            meant.service.workers.wake(where)
    return answer({"success": True, "reset": reset})


_NAMES = {
    "workerPort": "serve.port",
    "workerHost": "serve.host",
    "model": "compressor.model",
    "contextObservations": "index.observations",
    "contextSessions": "index.summaries",
    "skipTools": "capture.skip_tools",
    "logLevel": "log.level",
    "stuckThresholdMs": "queue.lease_minutes",
}


def _all_settings() -> dict[str, Any]:
    found = settings.load(None, lambda key: None, lambda key, value: None)
    said: dict[str, Any] = {name: found[key] for name, key in _NAMES.items()}
    said["skipTools"] = [name for name in said["skipTools"].replace(",", " ").split() if name != _NONE]
    said["logLevel"] = str(said["logLevel"]).upper()
    said["stuckThresholdMs"] *= 60_000
    return {**said, "dataDir": settings.data_dir(), "maxRetries": queue.ATTEMPTS}


@router.get("/api/settings", response_model=models.AllSettings)
def get_settings() -> Response:
    """This person's settings by the worker's names."""
    return answer(_all_settings())


@router.post("/api/settings", response_model=models.AllSettings)
def post_settings(given: models.Settings) -> Response:
    """Changes this person's settings; a port or a host holds from the next start on."""
    texts = {}
    for name, value in given.model_dump(exclude_none=True).items():
        if name == "skipTools":
            value = ", ".join(value) or _NONE
        elif name == "logLevel":
            value = {"WARN": "error"}.get(value, value.lower())
        elif name == "stuckThresholdMs":
            if value % 60_000:
                raise Problem(422, "stuckThresholdMs is no whole number of minutes", "give a multiple of 60000", "invalid_input")
            value //= 60_000
        texts[name] = settings.from_text(_NAMES[name], str(value), name)
        settable.check_value(_NAMES[name], texts[name])
    settings.write_user({_NAMES[name]: value for name, value in texts.items()})
    return answer(_all_settings())
