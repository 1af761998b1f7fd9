"""sessions, session, timeline: what agents did here, and what happened around it."""

from __future__ import annotations

from typing import Any

from memcli import fields
from memcli.fields import Request
from memcli.memory import lookup
from memcli.operations import Operation
from memcli.project import Project
from memcli.recall import chronology
from memcli.recall.chronology import SessionHistory
from memcli.records import Record
from memcli.store import memories
from memcli.store import sessions as store
from memcli.store.memories import Memory
from memcli.store.sessions import Prompt, Session
from memcli.text import dates
from memcli.text.terminal import oneline
from memcli.validity.origin import origin_of

_ALL_TIME = 1 << 62  # ms


class SessionsRequest(Request):
    """How many sessions, and which."""

    limit: int = fields.limit(20)
    index: bool = fields.flag("List the latest observations and summaries instead.", default=False)
    needs_summary: bool = fields.flag("Only sessions without a complete summary.", default=False)


class SessionRequest(Request):
    """Sessions or prompts."""

    id: str = fields.text("A session's id or name, or the id of an item in it.", max_length=200, metavar="ID")


class TimelineRequest(Request):
    """A memory or a prompt, and how much around it."""

    id: str = fields.text("A memory's or a prompt's id, or a unique prefix.", max_length=80, metavar="ID")
    before: int = fields.number("How many items before it.", default=5, maximum=chronology.MOST_AROUND)
    after: int = fields.number("How many items after it.", default=5, maximum=chronology.MOST_AROUND)


class Sessions(Record):
    """Sessions with their titles, latest first; or the index of their observations."""

    sessions: list[tuple[Session, str]]
    index: list[Memory] | None
    now: int

    def to_json(self) -> list[dict[str, Any]]:
        """Returns the sessions, or the lines of the index, as data."""
        if self.index is not None:
            return [line_json(memory) for memory in self.index]
        return [session_json(session) for session, _ in self.sessions]


class SessionDetails(Record):
    """A session; of a prompt its turn: the number of the prompt."""

    history: SessionHistory
    turn: int | None
    now: int

    def to_json(self) -> dict[str, Any]:
        """Returns the session as data, or the prompt with what was observed."""
        if self.turn is None:
            return history_json(self.history)
        (prompt,) = [prompt for prompt in self.history.prompts if prompt.number == self.turn]
        observations = [observation_json(memory) for memory in self.history.observations if memory.prompt == self.turn]
        return {**prompt_json(prompt), "session": self.history.session.id, "observations": observations}


class Timeline(Record):
    """The id that was meant, and the memories and prompts around it, oldest first."""

    id: str
    items: list[Memory | Prompt]

    def to_json(self) -> list[dict[str, Any]]:
        """Returns the items as data."""
        return [item_json(item) for item in self.items]


def read_sessions(project: Project, request: SessionsRequest) -> Sessions:
    """Returns the latest sessions, those that need a summary, or the index."""
    if request.index:
        return Sessions([], chronology.index(project), project.now)
    if request.needs_summary:
        sessions = store.needing_summary(project.db, _ALL_TIME, request.limit)[::-1]
    else:
        sessions = store.latest(project.db, request.limit)
    return Sessions([(session, _title(project, session)) for session in sessions], None, project.now)


def _title(project: Project, session: Session) -> str:
    summary = memories.find(project.db, session.summary) if session.summary else None
    if summary and not summary.forgotten:
        return summary.title
    first = next((prompt.text for prompt in store.prompts(project.db, session.n, 5) if prompt.text), "")
    return first or f"a session of {session.harness or 'an agent'}"


def read_session(project: Project, request: SessionRequest) -> SessionDetails:
    """Returns everything about a session. Raises NotFound or InvalidInput."""
    return SessionDetails(chronology.session(project, request.id), None, project.now)


def details(project: Project, reference: str) -> SessionDetails:
    """Returns a session, or the turn of a prompt. Raises NotFound or InvalidInput."""
    is_prompt = reference.strip().upper().startswith("P-")
    turn = lookup.find_prompt(project, reference).number if is_prompt else None
    return SessionDetails(chronology.session(project, reference), turn, project.now)


def read_timeline(project: Project, request: TimelineRequest) -> Timeline:
    """Returns what happened before and after a memory or a prompt. Raises NotFound or InvalidInput."""
    return Timeline(*chronology.timeline(project, request.id, request.before, request.after))


def session_json(session: Session) -> dict[str, Any]:
    """Returns a session as data."""
    return {
        "id": session.id,
        "harness": session.harness,
        "key": session.key,
        "status": session.status,
        "reason": session.reason,
        "root": session.root,
        "prompts": session.prompts,
        "summary": session.summary,
        "started_at": dates.iso(session.started_at),
        "last_at": dates.iso(session.last_at),
        "ended_at": None if session.ended_at is None else dates.iso(session.ended_at),
    }


def history_json(history: SessionHistory) -> dict[str, Any]:
    """Returns a session with its summary, prompts and observations as data."""
    return {
        **session_json(history.session),
        "summary_text": history.summary.summary if history.summary else None,
        "prompt_list": [prompt_json(prompt) for prompt in history.prompts],
        "observations": [observation_json(memory) for memory in history.observations],
    }


def item_json(item: Memory | Prompt) -> dict[str, Any]:
    """Returns item thing of a timeline as data."""
    return prompt_json(item) if isinstance(item, Prompt) else observation_json(item)


def line_json(memory: Memory) -> dict[str, Any]:
    """Returns memory line of the index as data."""
    return {
        "id": memory.id,
        "kind": memory.kind,
        "title": memory.line,
        "created_at": dates.iso(memory.created_at),
        "tokens": memory.prompt_tokens,
    }


def prompt_json(prompt: Prompt) -> dict[str, Any]:
    """Returns a prompt as data."""
    return {
        "id": prompt.id,
        "kind": "prompt",
        "number": prompt.number,
        "text": prompt.text,
        "skipped": prompt.skipped,
        "reply": prompt.reply,
        "files": prompt.files.split("\n") if prompt.files else [],
        "created_at": dates.iso(prompt.created_at),
    }


def observation_json(memory: Memory) -> dict[str, Any]:
    """Returns an observation, or any memory beside it, as data."""
    return {
        "id": memory.id,
        "kind": memory.kind,
        "title": oneline(memory.title),
        "summary": memory.summary,
        "tags": memory.tags.split("\n") if memory.tags else [],
        "prompt": memory.prompt,
        "tools": memory.tools.split("\n") if memory.tools else [],
        **origin_of(memory.origin).as_json(),
        "created_at": dates.iso(memory.created_at),
        "tokens": memory.prompt_tokens,
    }


OPERATIONS = {
    operation.name: operation
    for operation in (
        Operation("sessions", "List the sessions of agents, the latest first.", SessionsRequest, Sessions, read=read_sessions),
        Operation(
            "session",
            "Show a session: its summary, its prompts and what was done.",
            SessionRequest,
            SessionDetails,
            read=read_session,
        ),
        Operation(
            "timeline", "Show what happened before and after a memory or a prompt.", TimelineRequest, Timeline, read=read_timeline
        ),
    )
}
