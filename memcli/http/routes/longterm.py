"""The memory interface of a tool-driven agent: entries as one text with keywords, and sessions as messages and events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from starlette.responses import Response

from memcli import operations
from memcli.errors import NotFound
from memcli.http import bounds, stores
from memcli.http.calls import ACTOR, User, answer
from memcli.http.models import listed, paged, shape
from memcli.http.routes.cmem import InScope, Scope
from memcli.http.routing import Router
from memcli.http.service import Service
from memcli.http.stores import Page
from memcli.memory import contents, labels
from memcli.memory.projection import fold
from memcli.operations.sessions import SessionHistory
from memcli.project import Project, Where
from memcli.recall import search as recall_search
from memcli.store import listing, oplog, sessions
from memcli.store.memories import Memory
from memcli.store.sessions import Session
from memcli.text import dates, json

router = Router(prefix="/api", tags=["long-term memory"])
Id = Annotated[str, Field(min_length=1, max_length=200)]
Entry = shape(
    "LongTermEntry",
    "id content created_at updated_at",
    keywords=list[str],
    source_session_id=str | None,
    source_trace_id=str | None,
    metadata=dict[str, Any],
)
_TEXTS = "session_id id project status created_at updated_at"
_NUMBERS = {"prompts": int, "created_at_epoch": int}
SessionLine = shape("SessionLine", _TEXTS, **_NUMBERS)
Message = shape("Message", "content created_at", role=Literal["user", "assistant"])
EventType = Literal["session.start", "prompt", "observation", "reply", "summary", "session.end"]
Event = shape("SessionEvent", "id at text", type=EventType)


Number = Annotated[str | None, Query(max_length=40, description="Brought within its bounds, whatever is given.")]
Stored = shape("LongTermStored", "id content", ok=bool, keywords=list[str], masked=(list[str] | None, None))


def _stores(scope: Scope, user: bool) -> list[Where]:
    """Returns the stores that a call reads: if it names none, also the person's own, and only that if the call asks for it."""
    own = Where(user=True)
    return [own] if user else scope.stores if scope.is_explicit else [*scope.stores, own]


def _entries(project: Project, rows: list[Memory]) -> list[dict[str, Any]]:
    names = sessions.names(project.db, sorted({memory.session for memory in rows if memory.session}))
    return [_entry(project, memory, names) for memory in rows]


def _entry(project: Project, memory: Memory, names: dict[int, tuple[str, str]]) -> dict[str, Any]:
    operations = oplog.of_object(project.db, memory.id)
    via = json.loads(operations[0].body).get("via") if operations else None
    source = via if isinstance(via, dict) else {}
    metadata = {"kind": memory.kind, "thread": memory.thread, "project": project.name, "origin": memory.origin}
    metadata |= {name: source[key] for name, key in (("step_index", "step"), ("call_id", "call")) if key in source}
    return {
        "id": memory.id,
        "content": contents.text_of(memory),
        "keywords": list(labels(memory.tags)),
        "source_session_id": names[memory.session][1] if memory.session in names else source.get("session"),
        "source_trace_id": source.get("trace"),
        "metadata": {**metadata, **(fold(operations).fields.get("metadata") or {})},
        "created_at": dates.iso(memory.created_at),
        "updated_at": dates.iso(memory.updated_at),
    }


@router.get("/memory", response_model=paged("Entries", "items", Entry, ok=bool))
def memory(scope: InScope, limit: Number = None, offset: Number = None, user: User = False) -> Response:
    """The entries, newest first: all memories outside workspaces and the person's own, those of a project, or only the person's
    own (`user`)."""

    def work(project: Project, limit: int, offset: int) -> Page:
        page, total = listing.page_and_count(project.db, listing.MemoryFilter(superseded=False, limit=limit, offset=offset))
        return _entries(project, page), total

    window = bounds.number_within(limit, 20, 1_000), bounds.number_within(offset, 0, 1_000_000, 0)
    entries, total = stores.page(_stores(scope, user), window, work)
    return answer({"ok": True, "total": total, "hasMore": window[1] + len(entries) < total, "items": entries})


_Matching = shape("MatchingEntries", ok=bool, total=int, items=listed(Entry), not_on_this_branch=int, superseded=int)


@router.get("/memory/search", response_model=_Matching)
def search(
    scope: InScope,
    q: Annotated[str, Query(max_length=4_000, description="Words; none match nothing.")] = "",
    limit: Number = None,
    minScore: Annotated[str | None, Query(max_length=40, description="Words of the question that an entry has at least.")] = None,
    maxChars: Annotated[str | None, Query(max_length=40, description="Characters of all entries together.")] = None,
    user: User = False,
) -> Response:
    """Entries that match, best first, and how many more match: on other branches, and superseded ones."""
    most, least = bounds.number_within(limit, 5, 200), bounds.number_within(minScore, 0, 1_000, 0)
    if not _words(q):
        return answer({"ok": True, "total": 0, "items": [], "not_on_this_branch": 0, "superseded": 0})

    def work(project: Project) -> tuple[list[tuple[float, dict[str, Any]]], recall_search.HiddenMatches]:
        query = recall_search.parse(project, q)
        matches, hidden = recall_search.valid_matches(project, query, most)
        own = [match for match in matches if project.is_user or not match.from_user][: most if not least else None]
        hits = recall_search.with_texts(project, own, query)
        return [(hit.ranked.score, _entries(project, [hit.memory])[0]) for hit in hits], hidden

    results = stores.each(_stores(scope, user), work)
    scored = sorted([hit for hits, _ in results for hit in hits], key=lambda hit: -hit[0])
    entries = [entry for _, entry in scored if not least or _overlap(q, entry) >= least][:most]
    entries = _up_to(entries, bounds.number_within(maxChars, _MOST_CHARS, _MOST_CHARS))
    hidden = {
        "not_on_this_branch": sum(hidden.orphans for _, hidden in results),
        "superseded": sum(hidden.superseded for _, hidden in results),
    }
    return answer({"ok": True, "total": len(entries), "items": entries, **hidden})


_MOST_CHARS = 10_000_000


def _overlap(question: str, entry: dict[str, Any]) -> int:
    """Returns how many words of a question an entry has, in its text or its keywords."""
    words = _words(" ".join([entry["content"], *entry["keywords"]]))
    return len(_words(question) & words)


def _words(text: str) -> set[str]:
    return set("".join([char if char.isalnum() else " " for char in text.casefold()]).split())


def _up_to(entries: list[dict[str, Any]], characters: int) -> list[dict[str, Any]]:
    """Returns the first entries whose texts together have at most `characters` characters."""
    fitting = []
    for entry in entries:
        characters -= len(entry["content"])
        if characters < 0:
            break
        fitting.append(entry)
    return fitting


def _list(value: Any) -> Any:
    """Returns keywords as a list. Some models send a string with commas, which the tool accepts."""
    return value.split(",") if isinstance(value, str) else value


class NewEntry(BaseModel):
    """A text to remember."""

    model_config = ConfigDict(extra="ignore")
    content: str = Field(min_length=1, max_length=65_536)
    keywords: Annotated[list[str], BeforeValidator(_list)] = Field([], max_length=100)
    session_id: str | None = Field(None, max_length=200)
    trace_id: str | None = Field(None, max_length=200)
    metadata: dict[str, Any] = Field({}, max_length=100)
    project: str | None = Field(None, max_length=4_096, description="Whose memory; left out, the person's own.")


@router.post("/memory", response_model=Stored)
def write(request: Request, body: NewEntry) -> Response:
    """Stores a text word for word, as the tool `memory_write` does; in the person's own memory if no project is named."""
    service: Service = request.app.state.service
    source = {"session": body.session_id, "trace": body.trace_id}
    via = {"request": request.state.request_id, **{name: value for name, value in source.items() if value}}

    def work(project: Project) -> dict[str, Any]:
        draft = contents.draft(project, body.content, body.keywords)
        if body.metadata:
            draft.fields["metadata"] = body.metadata
        memory = contents.store(project, draft, ACTOR)
        return {"ok": True, "id": memory.id, "content": memory.summary, "keywords": list(labels(memory.tags))}

    return answer(service.stores.change((body.project, None), work, via))


def _session_record(project: Project, session: Session) -> dict[str, Any]:
    return {
        "session_id": session.key,
        "id": session.id,
        "project": project.name,
        "status": session.status,
        "prompts": session.prompts,
        "created_at": dates.iso(session.started_at),
        "created_at_epoch": session.started_at,
        "updated_at": dates.iso(session.last_at),
    }


@router.get("/sessions", response_model=paged("SessionPage", "sessions", SessionLine))
def all_sessions(scope: InScope, limit: Number = None, offset: Number = None) -> Response:
    """Sessions, the most recently active first."""
    window = bounds.number_within(limit, 20, 1_000), bounds.number_within(offset, 0, 1_000_000, 0)

    def work(project: Project, limit: int, offset: int) -> Page:
        page, total = sessions.page(project.db, limit, offset)
        return [_session_record(project, session) for session in page], total

    return scope.page("sessions", window, work)


def _of_session(scope: Scope, id: str, work: Callable[[Project, SessionHistory], dict[str, Any]]) -> Response:
    """Answers with the result of `work` for a session, given by its id, its number or its harness's name for it."""

    def with_history(project: Project, session: Session | None) -> dict[str, Any] | None:
        return work(project, operations.call(project, "session", id=session.id).history) if session else None

    record = scope.service.stores.session(id, scope.stores, with_history, scope.is_explicit)
    if record is None:
        raise NotFound(f"no session {id[:80]}", "see /api/sessions", "no_session")
    return answer(record)


@router.get("/sessions/{id:path}/events", response_model=shape("SessionEvents", "session_id", events=listed(Event)))
def events(scope: InScope, id: Id) -> Response:
    """The events of a session, in order."""

    def work(project: Project, history: SessionHistory) -> dict[str, Any]:
        session, prompts, summary = history.session, history.prompts, history.summary
        replied_at = sessions.replies(project.db, session.n)
        begun = min([session.started_at, *(prompt.created_at for prompt in prompts)])  # a prompt may be dated by its client
        # (moment, order of events of one moment, type, id, text)
        rows = [(begun, 0, "session.start", session.id, session.harness)]
        visible = [prompt for prompt in prompts if not prompt.forgotten]
        rows += [(prompt.created_at, 1, "prompt", prompt.id, prompt.text or prompt.skipped) for prompt in visible]
        rows += [(memory.created_at, 2, "observation", memory.id, memory.line) for memory in history.observations]
        rows += [(replied_at[prompt.id], 3, "reply", prompt.id, prompt.reply) for prompt in prompts if prompt.id in replied_at]
        rows += [(summary.created_at, 4, "summary", summary.id, summary.line)] if summary else []
        rows += [(session.ended_at, 5, "session.end", session.id, session.reason)] if session.ended_at is not None else []
        events = [{"type": kind, "id": id, "at": dates.iso(at), "text": text} for at, _, kind, id, text in sorted(rows)]
        return {"session_id": session.key, "events": events}

    return _of_session(scope, id, work)


@router.get("/sessions/{id:path}/memory", response_model=shape("SessionMemory", "session_id", memory=listed(Entry)))
def session_memory(scope: InScope, id: Id) -> Response:
    """The summary and the observations of a session."""

    def work(project: Project, history: SessionHistory) -> dict[str, Any]:
        memories = [*([history.summary] if history.summary else []), *history.observations]
        return {"session_id": history.session.key, "memory": _entries(project, memories)}

    return _of_session(scope, id, work)


LongTermSession = shape("LongTermSession", _TEXTS, **_NUMBERS, messages=listed(Message), recent_context=listed(Message))


@router.get("/sessions/{id:path}", response_model=LongTermSession)
def one_session(scope: InScope, id: Id) -> Response:
    """The prompts and replies of a session, in order, and the last of them as a new run gets them."""

    def work(project: Project, history: SessionHistory) -> dict[str, Any]:
        messages = _messages(history, sessions.replies(project.db, history.session.n))
        limit, characters = project.config["context.messages"], project.config["context.chars"]
        recent: list[dict[str, Any]] = []
        for message in reversed(messages[-limit:]):
            characters -= len(message["content"])
            if characters < 0:
                break
            recent.insert(0, message)
        return {**_session_record(project, history.session), "messages": messages, "recent_context": recent}

    return _of_session(scope, id, work)


def _messages(history: SessionHistory, replied_at: dict[str, int]) -> list[dict[str, Any]]:
    messages = []
    for prompt in history.prompts:
        answered = max(prompt.created_at, replied_at.get(prompt.id, prompt.created_at))
        for role, text, at in (("user", prompt.text, prompt.created_at), ("assistant", prompt.reply, answered)):
            if text:
                messages.append({"role": role, "content": text, "created_at": dates.iso(at)})
    return messages
