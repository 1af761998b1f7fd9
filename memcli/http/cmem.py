"""C-Mem's records: numbers beside our ids, times as ISO and as epoch, lists as JSON in a text, as its tables have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field

from memcli.errors import InvalidInput
from memcli.http import bounds
from memcli.http.models import shape
from memcli.memory import labels
from memcli.project import Project
from memcli.recall import search as recall_search
from memcli.store import memories, sessions
from memcli.store.memories import Memory
from memcli.store.queue import Job
from memcli.store.sessions import Prompt, Session
from memcli.text import calendar, dates, ids, json
from memcli.text.terminal import oneline

if TYPE_CHECKING:
    from memcli.store.search import Filter  # defined for type checking only

_SECTIONS = {"Asked": "request", "Done": "work_done", "Learned": "discoveries", "Left": "remaining", "Said last": "notes"}
_TIMES = {"created_at": str, "created_at_epoch": int}
_OF_SESSION = {"session": str | None, "prompt_number": int, "id": int, **_TIMES}
Observation = shape(
    "CMemObservation",
    "memory_id session_id project tool_name kind title narrative tags facts files_read files_modified",
    suspicious=bool,
    **_OF_SESSION,
)
Summary = shape("Summary", "memory_id session_id project request work_done discoveries remaining notes", **_OF_SESSION)
PromptRecord = shape("CMemPrompt", "prompt_id session_id session project prompt_text", id=int, prompt_number=int, **_TIMES)
SessionRecord = shape(
    "CMemSession",
    "session session_id project",
    id=int,
    status=Literal["active", "completed"],
    prompt_counter=int,
    **_TIMES,
    completed_at=str | None,
    completed_at_epoch=int | None,
)
Hit = shape("CMemHit", "memory_id title kind project snippet", id=int, rank=float, **_TIMES)
JobRecord = shape(
    "CMemJob",
    "session_id event tool_name tool_input tool_result error",
    id=int,
    status=Literal["pending", "processing", "processed", "failed"],
    retry_count=int,
    created_at_epoch=int,
    started_at_epoch=int | None,
    completed_at_epoch=int | None,
)


class CMemQuestion(BaseModel):
    """A search."""

    query: str = Field(max_length=4_000)
    type: str | None = Field(None, max_length=80, description="A kind: decision, bugfix, feature, refactor, discovery, change …")
    limit: Annotated[int, bounds.within(20, 200)] = Field(20, ge=1, le=200)
    offset: Annotated[int, bounds.within(0, 800, 0)] = Field(0, ge=0, le=800)
    dateStart: str | None = Field(None, max_length=40, description="ms since 1970, a date or a moment.")
    dateEnd: str | None = Field(None, max_length=40)


def name_of(reference: str | int, kind: str) -> str:
    """Returns the id that a number or an id means, for a kind of object such as M."""
    text = str(reference).strip()
    if text.isascii() and text.isdigit() and len(text) < 17:
        return ids.numbered(kind, int(text)) or text
    return text


def memory_id(reference: str | int) -> str:
    """Returns the id of the memory that a number or an id means."""
    name = ids.canonical(name_of(reference, "M"))
    return name if name.startswith("M-") else f"M-{name}"


def find_memory(project: Project, reference: str | int) -> Memory | None:
    """Returns the live memory of a number or an id, None if this store has none."""
    memory = memories.find(project.db, memory_id(reference))
    return memory if memory and not memory.forgotten else None


def _times(at: int) -> dict[str, Any]:
    return {"created_at": dates.iso(at), "created_at_epoch": at}


def _files(project: Project, records: Sequence[Memory]) -> dict[str, dict[str, list[str]]]:
    """Returns the files that memories are linked to: id -> relation -> paths."""
    files: dict[str, dict[str, list[str]]] = {}
    for memory_id, rel, path in memories.files_of(project.db, [memory.id for memory in records]):
        files.setdefault(memory_id, {}).setdefault(rel, []).append(path)
    return files


def _heads(project: Project, records: Sequence[Memory]) -> list[dict[str, Any]]:
    """Returns the fields that the records of all memories begin with."""
    names = sessions.names(project.db, sorted({memory.session for memory in records if memory.session}))
    return [
        {
            "id": ids.number(memory.id),
            "memory_id": memory.id,
            "session_id": names[memory.session][1] if memory.session in names else "",
            "session": names[memory.session][0] if memory.session in names else None,
            "project": project.name,
            "prompt_number": memory.prompt,
        }
        for memory in records
    ]


def observations(project: Project, records: Sequence[Memory]) -> list[dict[str, Any]]:
    """Returns memories as observations."""
    files = _files(project, records)
    heads = _heads(project, records)
    return [{**head, **_observation(memory, files.get(memory.id, {}))} for head, memory in zip(heads, records)]


def _observation(memory: Memory, files: dict[str, list[str]]) -> dict[str, Any]:
    lines = memory.summary.split("\n")
    narrative = "\n".join([line for line in lines if not line.startswith("- ")]).strip()
    return {
        "tool_name": ", ".join(memory.tools.split("\n")) if memory.tools else "",
        "kind": memory.kind,
        "title": oneline(memory.title),
        "narrative": narrative or memory.summary,
        "tags": json.canonical(list(labels(memory.tags))),
        "facts": json.canonical([line[2:] for line in lines if line.startswith("- ")]),
        "files_read": json.canonical(files.get("read", [])),
        "files_modified": json.canonical(sorted({*files.get("file", []), *files.get("edited", [])})),
        "suspicious": bool(memory.suspicious),
        **_times(memory.created_at),
    }


def summaries(project: Project, records: Sequence[Memory]) -> list[dict[str, Any]]:
    """Returns summaries of sessions with the sections of their texts."""
    heads = _heads(project, records)
    return [{**head, **_sections(memory.summary), **_times(memory.created_at)} for head, memory in zip(heads, records)]


def _sections(summary: str) -> dict[str, str]:
    sections = dict.fromkeys(_SECTIONS.values(), "")
    notes = []
    for line in summary.split("\n"):
        title, colon, text = line.partition(": ")
        if colon and title in _SECTIONS:
            sections[_SECTIONS[title]] = text
        elif not (colon and title == "Files"):
            notes.append(line)
    sections["notes"] = "\n".join([line for line in (sections["notes"], *notes) if line])
    return sections


def prompts(project: Project, rows: Sequence[Prompt]) -> list[dict[str, Any]]:
    """Returns prompts as records."""
    names = sessions.names(project.db, sorted({row.session for row in rows}))
    return [
        {
            "id": ids.number(row.id),
            "prompt_id": row.id,
            "session_id": names[row.session][1],
            "session": names[row.session][0],
            "project": project.name,
            "prompt_number": row.number,
            "prompt_text": row.text,
            **_times(row.created_at),
        }
        for row in rows
    ]


def session(project: Project, row: Session) -> dict[str, Any]:
    """Returns a session as a record."""
    return {
        "id": ids.number(row.id),
        "session": row.id,
        "session_id": row.key,
        "project": project.name,
        "status": row.status,
        "prompt_counter": row.prompts,
        **_times(row.started_at),
        "completed_at": None if row.ended_at is None else dates.iso(row.ended_at),
        "completed_at_epoch": row.ended_at,
    }


def job(row: Job) -> dict[str, Any]:
    """Returns an event in the queue as a record. Its payload is stored until it is processed; the name of its tool stays."""
    try:
        payload = json.loads(row.payload) if row.payload else {}
    except json.Malformed:
        payload = {}
    call = payload if isinstance(payload, dict) else {}
    return {
        "id": row.n,
        "session_id": row.session,
        "status": row.status,
        "event": row.event,
        "tool_name": str(call.get("tool", "")) or row.tool,
        "tool_input": json.canonical(call["input"]) if "input" in call else "",
        "tool_result": str(call.get("result", "")),
        "retry_count": max(0, row.attempts - 1),
        "error": row.error,
        "created_at_epoch": row.created_at,
        "started_at_epoch": row.started_at or None,
        "completed_at_epoch": row.finished_at or None,
    }


def search(project: Project, question: CMemQuestion, limit: int, offset: int) -> tuple[list[dict[str, Any]], int]:
    """Returns a page of matches in one store, and how many ranked memories hold here, including those beyond the page."""
    scope = filter_of(question, project.now)
    query = recall_search.parse(project, question.query)
    matches, _ = recall_search.valid_matches(project, query, offset + limit, scope)
    hits = [hit for hit in matches if not hit.from_user or project.is_user]
    page = recall_search.with_texts(project, hits[offset : offset + limit], query)
    records = [
        {
            "id": ids.number(hit.memory.id),
            "memory_id": hit.memory.id,
            "title": oneline(hit.memory.title),
            "kind": hit.memory.kind,
            "project": project.name,
            **_times(hit.memory.created_at),
            "rank": round(hit.ranked.score, 4),
            "snippet": hit.snippet,
        }
        for hit in page
    ]
    return records, len(hits)


def filter_of(question: CMemQuestion, now: int) -> Filter | None:
    """Returns the conditions of a search other than its words. Raises InvalidInput for an invalid date."""
    since, until = _moment(question.dateStart, now, end=False), _moment(question.dateEnd, now, end=True)
    if question.type is None and since is None and until is None:
        return None
    kind = question.type and question.type.strip().lower()
    return {"kind": kind, "thread": None, "origin": None, "since": since, "until": until, "session": None}


def _moment(value: str | None, now: int, end: bool) -> int | None:
    """Returns a moment in ms since 1970; the end of a range is part of it. Raises InvalidInput."""
    text = (value or "").strip()
    if not text:
        return None
    if text.isascii() and text.isdigit():
        if len(text) > 15:
            raise InvalidInput(f"not a moment: {text[:40]}", "give ms since 1970, or a date")
        return int(text) + (1 if end else 0)
    if (moment := calendar.span(text, now)) is None:
        raise calendar.unknown(text)
    return max(moment.after, moment.first + 1) if end else moment.first
