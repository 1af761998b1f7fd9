"""The memory interface of a tool-driven agent: entries as one text with keywords, and sessions as messages and events."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field
from starlette.responses import Response

from memcli.errors import NotFound
from memcli.http import stores, which
from memcli.http.calls import answer
from memcli.http.models import mecho as models
from memcli.http.routes.cmem import Meant, Reading
from memcli.http.routing import Router
from memcli.memory import contents, lookup
from memcli.memory.reduce import fold
from memcli.project import Project
from memcli.recall import chronology
from memcli.recall import search as finding
from memcli.recall.chronology import SessionHistory
from memcli.store import memories, oplog, sessions
from memcli.store.memories import Memory
from memcli.store.sessions import Session
from memcli.text import dates, json

router = Router(prefix="/api", tags=["long-term memory"])
Limit = Annotated[int, Query(ge=1, le=1_000)]
Offset = Annotated[int, Query(ge=0, le=1_000_000)]
Id = Annotated[str, Field(min_length=1, max_length=200)]


def _entries(project: Project, found: list[Memory]) -> list[dict[str, Any]]:
    names = sessions.names(project.db, sorted({one.session for one in found if one.session}))
    return [_entry(project, one, names) for one in found]


def _entry(project: Project, one: Memory, names: dict[int, tuple[str, str]]) -> dict[str, Any]:
    operations = oplog.of_object(project.db, one.id)
    via = json.loads(operations[0].body).get("via") if operations else None
    said = via if isinstance(via, dict) else {}
    more = fold(operations).fields.get("metadata") or {}
    about = {"kind": one.kind, "thread": one.thread, "project": project.name, "origin": one.origin}
    return {
        "id": one.id,
        "content": one.summary if contents.is_one(one) else f"{one.title}\n{one.summary}",
        "keywords": list(lookup.labels(one.tags)),
        "source_session_id": names[one.session][1] if one.session in names else said.get("session"),
        "source_trace_id": said.get("trace"),
        "metadata": {**about, **more},
        "created_at": dates.iso(one.created_at),
        "updated_at": dates.iso(one.updated_at),
        "created_at_epoch": one.created_at,
    }


def _shown(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in one.items() if name != "created_at_epoch"} for one in items]


@router.get("/memory", response_model=models.Entries)
def memory(meant: Meant, limit: Limit = 20, offset: Offset = 0) -> Response:
    """What is kept, newest first."""

    def work(project: Project, limit: int, offset: int) -> tuple[list[dict[str, Any]], int]:
        page, total = memories.page_and_count(project.db, memories.MemoryFilter(superseded=False, limit=limit, offset=offset))
        return _entries(project, page), total

    items, total = stores.page(meant.service, meant.places(), (limit, offset), work)
    return answer({"ok": True, "total": total, "hasMore": offset + len(items) < total, "items": _shown(items)})


@router.get("/memory/search", response_model=models.Found)
def search(meant: Meant, q: Annotated[str, Query(min_length=1, max_length=4_000)], limit: Limit = 5) -> Response:
    """What matches, best first."""

    def work(project: Project) -> list[tuple[float, dict[str, Any]]]:
        found = finding.memory_hits(project, finding.parse(project, q), None, limit)
        own = [one for one in found if not one.ranked.from_user]
        return [(one.ranked.score, _entries(project, [one.memory])[0]) for one in own]

    found = [one for some in stores.each(meant.service, meant.places(), work) for one in some]
    items = [entry for _, entry in sorted(found, key=lambda one: -one[0])][:limit]
    return answer({"ok": True, "total": len(items), "items": _shown(items)})


def _line(project: Project, one: Session) -> dict[str, Any]:
    return {
        "session_id": one.key,
        "id": one.id,
        "project": project.name,
        "status": one.status,
        "prompts": one.prompts,
        "created_at": dates.iso(one.started_at),
        "created_at_epoch": one.started_at,
        "updated_at": dates.iso(one.last_at),
    }


@router.get("/sessions", response_model=models.Sessions)
def all_sessions(meant: Meant, limit: Limit = 20, offset: Offset = 0) -> Response:
    """Sessions, those that something happened in last first."""

    def work(project: Project, limit: int, offset: int) -> tuple[list[dict[str, Any]], int]:
        page, total = sessions.page(project.db, limit, offset)
        return [_line(project, one) for one in page], total

    items, total = stores.page(meant.service, meant.places(), (limit, offset), work)
    return answer({"sessions": items, "total": total, "hasMore": offset + len(items) < total})


def _whole(meant: Reading, id: str, work: Any) -> Response:
    """Answers with what a piece of work makes of a session, named by its id, its number or its harness's name."""

    def found(project: Project, one: Session | None) -> dict[str, Any] | None:
        return work(project, chronology.session(project, one.id)) if one else None

    known = which.session(meant.service, id, meant.places(), found, meant.is_named)
    if known is None:
        raise NotFound(f"no session {id[:80]}", "see /api/sessions", "no_session")
    return answer(known)


def _messages(whole: SessionHistory, replied: dict[str, int]) -> list[dict[str, Any]]:
    said = []
    for one in whole.prompts:
        answered = max(one.created_at, replied.get(one.id, one.created_at))
        for role, text, at in (("user", one.text, one.created_at), ("assistant", one.reply, answered)):
            if text:
                said.append({"role": role, "content": text, "created_at": dates.iso(at)})
    return said


@router.get("/sessions/{id:path}/events", response_model=models.Events)
def events(meant: Meant, id: Id) -> Response:
    """What happened in a session, in order."""

    def work(project: Project, whole: SessionHistory) -> dict[str, Any]:
        of = whole.session
        replied = sessions.replies(project.db, of.n)
        found = [(of.started_at, 0, "session.start", of.id, of.harness)]
        found += [(one.created_at, 1, "prompt", one.id, one.text or one.skipped) for one in whole.prompts]
        found += [(one.created_at, 2, "observation", one.id, one.line) for one in whole.observations]
        found += [(at, 3, "reply", one.id, one.reply) for one in whole.prompts if (at := replied.get(one.id)) is not None]
        found += [(whole.summary.created_at, 4, "summary", whole.summary.id, whole.summary.line)] if whole.summary else []
        found += [(of.ended_at, 5, "session.end", of.id, of.reason)] if of.ended_at is not None else []
        listed = [{"type": kind, "id": name, "at": dates.iso(at), "text": text} for at, _, kind, name, text in sorted(found)]
        return {"session_id": of.key, "events": listed}

    return _whole(meant, id, work)


@router.get("/sessions/{id:path}/memory", response_model=models.SessionMemory)
def session_memory(meant: Meant, id: Id) -> Response:
    """What is remembered of a session: its summary and its observations."""

    def work(project: Project, whole: SessionHistory) -> dict[str, Any]:
        kept = ([whole.summary] if whole.summary else []) + whole.observations
        return {"session_id": whole.session.key, "memory": _shown(_entries(project, kept))}

    return _whole(meant, id, work)


@router.get("/sessions/{id:path}", response_model=models.LongTermSession)
def one_session(meant: Meant, id: Id) -> Response:
    """What was asked and answered in a session, in order, and the last of it as a new run is given it."""

    def work(project: Project, whole: SessionHistory) -> dict[str, Any]:
        said = _messages(whole, sessions.replies(project.db, whole.session.n))
        most, room = project.config["context.messages"], project.config["context.chars"]
        recent: list[dict[str, Any]] = []
        for one in reversed(said[-most:]):
            room -= len(one["content"])
            if room < 0:
                break
            recent.insert(0, one)
        return {**_line(project, whole.session), "messages": said, "recent_context": recent}

    return _whole(meant, id, work)
