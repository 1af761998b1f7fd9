"""C-Mem's worker, sessions: events of another program's hooks go where our own hooks' events go. Its queue."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from starlette.responses import Response

from memcli import store
from memcli.agents.capture import event_queue, handlers, worker_process
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.http import cmem, stores
from memcli.http.calls import answer
from memcli.http.models import listed, shape
from memcli.http.routes.cmem import InScope
from memcli.http.routes.events import post_event
from memcli.http.routing import LenientRoute, Router
from memcli.http.service import ACTOR, Service
from memcli.project import Project, Where
from memcli.serving.projects import writing
from memcli.store import inbox, listing, queue
from memcli.store.sessions import Session
from memcli.text import ids
from memcli.text.terminal import is_storable, oneline

router = Router(tags=["cmem"], route_class=LenientRoute)
Key = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str | None, Field(max_length=1_000_000)]
Short = Annotated[str | None, Field(max_length=1_000)]
Path = Annotated[str | None, Field(max_length=4_096)]
_RECENT = 20


def _no_boolean(value: Any) -> Any:
    """Returns a value for a number field. Raises ValueError for true and false, which would count as 1 and 0."""
    if isinstance(value, bool):
        raise ValueError("a number is meant, not true or false")
    return value


Number = Annotated[int | None, BeforeValidator(_no_boolean), Field(ge=0, lt=1 << 31)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="ignore")  # clients differ in the fields that they send
    timestamp: float | str | None = Field(None, description="When it happened, in ms since 1970; of the last 30 days.")

    def common(self) -> dict[str, Any]:
        """Returns the payload fields that every event of a session may have."""
        values = {name: getattr(self, name, None) for name in ("cwd", "timestamp")}
        return {name: value for name, value in values.items() if value is not None}


class SessionInit(_Body):
    """A session begins, or a person asks something in it."""

    project: str = Field(min_length=1, max_length=4_096, description="A repository's id, name or path, or any name.")
    userPrompt: str = Field("", max_length=1_000_000)
    promptNumber: Number = None
    cwd: Path = None


class ToolCall(_Body):
    """What a tool did."""

    tool_name: str = Field(min_length=1, max_length=1_000)
    tool_input: Any = None
    tool_result: Any = None
    correlation_id: Short = None
    cwd: Path = None


class LastMessages(_Body):
    """The last messages before a summary."""

    last_user_message: Text = None
    last_assistant_message: Text = None


class Ending(_Body):
    """Why a session ended."""

    reason: str = Field("other", max_length=1_000)


def _post(request: Request, id: str, event: str, payload: dict[str, Any]) -> tuple[event_queue.Receipt, int | None]:
    service: Service = request.app.state.service
    key = _checked_key(id)
    return post_event(service, service.stores.of_session(key), event, {"session_id": key, **payload})


def _checked_key(id: str) -> str:
    if not id.strip() or not id.isprintable() or not is_storable(id):
        raise InvalidInput("not a name of a session", "use printable characters")
    return id


# promptNumber: how many prompts the session has; skipped: a prompt that is private as a whole
Begun = shape("Begun", "session_id", success=bool, sessionDbId=int | None, promptNumber=int, skipped=bool)


@router.post("/sessions/{id:path}/init", response_model=Begun)
def init(request: Request, id: Key, body: SessionInit) -> Response:
    """Begins a session, or records a prompt in it. An unknown project gets a memory of its own."""
    service: Service = request.app.state.service
    key = _checked_key(id)
    with service.stores.open(body.project) as project:
        where = Where(project.root if project.checkout else project.repo_id)  # the path tells the commit of each event
    service.stores.remember_session(key, where)
    payload = {"session_id": key, **body.common()}
    if not body.userPrompt.strip():
        posted, _ = post_event(service, where, "session-start", {**payload, "source": "startup"})
        return answer({**_begun(where, key, posted), "promptNumber": 0, "skipped": False})
    turn = {} if body.promptNumber is None else {"turn_id": str(body.promptNumber)}
    posted, _ = post_event(service, where, "user-prompt", {**payload, **turn, "prompt": body.userPrompt})
    number = stores.each([where], lambda project: inbox.prompts(project.db, ACTOR, key))[0]
    return answer({**_begun(where, key, posted), "promptNumber": number, "skipped": posted.status != event_queue.QUEUED})


def _begun(where: Where, key: str, posted: event_queue.Receipt) -> dict[str, Any]:
    """Returns the answer about a session, which exists from now on unless its store cannot be written at the moment."""
    name = posted.event.session if posted.event else key
    try:
        with writing(where, {}) as project:
            session_id = handlers.begin(project, ACTOR, name).id
    except (MemError, OSError, store.Error):
        return {"success": True, "session_id": key, "sessionDbId": None}  # the event waits in a file, and begins it
    return {"success": True, "session_id": key, "sessionDbId": ids.number(session_id)}


Queued = shape("Queued", success=bool, queued=bool, queue_id=int | None, skipped_reason=(str | None, None))


@router.post("/sessions/{id:path}/observations", response_model=Queued)
def observe(request: Request, id: Key, body: ToolCall) -> Response:
    """Queues a call of a tool."""
    payload: dict[str, Any] = {"tool_name": body.tool_name, "tool_input": body.tool_input, "tool_result": body.tool_result}
    payload |= {"tool_use_id": body.correlation_id} if body.correlation_id else {}
    posted, number = _post(request, id, "post-tool-use", payload | body.common())
    if posted.status != event_queue.QUEUED:
        return answer({"success": True, "queued": False, "queue_id": None, "skipped_reason": posted.status})
    return answer({"success": True, "queued": True, "queue_id": number})


@router.post("/sessions/{id:path}/summarize", response_model=shape("SummaryQueued", success=bool, summary_queued=bool))
def summarize(request: Request, id: Key, body: LastMessages | None = None) -> Response:
    """Queues the summary of a session."""
    texts = {name: text for name, text in body.model_dump(exclude={"timestamp"}).items() if text} if body else {}
    _post(request, id, "stop", texts | (body.common() if body else {}))
    return answer({"success": True, "summary_queued": True})


@router.post("/sessions/{id:path}/complete", response_model=shape("Completed", success=bool, completed=bool))
def complete(request: Request, id: Key, body: Ending | None = None) -> Response:
    """Ends a session."""
    ending = body or Ending.model_validate({})
    _post(request, id, "session-end", {"reason": ending.reason} | ending.common())
    return answer({"success": True, "completed": True})


_COUNTS = ("observation_count", "summary_count", "prompt_count", "pending_count", "failed_count")
Status = shape(
    "Status",
    "session_id project",
    session=str | None,
    status=Literal["active", "completed", "pending"],
    **dict.fromkeys(_COUNTS, int),
)


@router.get("/sessions/{id:path}/status", response_model=Status)
def status(request: Request, id: Key) -> Response:
    """The progress of a session: of several with this name, the one that was active last."""
    service: Service = request.app.state.service

    def work(project: Project, session: Session | None) -> dict[str, Any] | None:
        pending, failed = inbox.of_session(project.db, session.key if session else id)
        if session is None and not pending and not failed:
            return None

        def count(plain: bool) -> int:
            return listing.count_matching(project.db, listing.MemoryFilter(session=session.n, plain=plain)) if session else 0

        return {
            "session_id": session.key if session else id,
            "session": session.id if session else None,
            "project": project.name,
            "status": session.status if session else "pending",
            "observation_count": count(plain=True),
            "summary_count": count(plain=False),
            "prompt_count": session.prompts if session else 0,
            "pending_count": pending,
            "failed_count": failed,
        }

    record = service.stores.session(id, stores.all_stores(), work)
    if record is None:
        raise NotFound(f"no session {oneline(id)[:80]}", "begin it: POST /sessions/ID/init", "no_session")
    return answer(record)


Queue = shape("CMemQueue", pending=int, processing=int, failed=int, stuck=int, recent=listed(cmem.JobRecord))


@router.get("/api/pending-queue", response_model=Queue)
def pending(scope: InScope) -> Response:
    """What waits, in one project or in all."""

    def work(project: Project) -> tuple[queue.JobCounts, list[dict[str, Any]]]:
        lease = worker_process.lease(project)
        recent = [cmem.job(job) for job in queue.recent(project.db, _RECENT)]
        return queue.counts(project.db, project.now, lease), recent

    results = stores.each(scope.with_workspaces(), work)
    recent = sorted([job for _, jobs in results for job in jobs], key=lambda job: (-job["created_at_epoch"], -job["id"]))
    totals = {name: sum(getattr(counts, name) for counts, _ in results) for name in ("pending", "processing", "failed", "stuck")}
    return answer({**totals, "recent": recent[:_RECENT]})


@router.post("/api/pending-queue/process", response_model=shape("Processed", success=bool, reset=int))
def process(scope: InScope) -> Response:
    """Puts failed and stuck events back into the queue, and wakes the workers."""
    reset = 0
    for where in scope.with_workspaces():
        try:
            with writing(where, {}) as project:
                reset += queue.retry(project.db, None, project.now, worker_process.lease(project))
                has_work = queue.has_unfinished(project.db)
        except (MemError, OSError, store.Error) as error:
            if scope.project:
                raise
            stores.log_skipped(where, error)
            continue
        if has_work:
            scope.service.workers.wake(where)
    return answer({"success": True, "reset": reset})
