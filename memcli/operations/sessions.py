"""sessions, session, timeline: what agents did here, and what happened before and after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from memcli import fields
from memcli.errors import Call, NotFound
from memcli.fields import Request, Result
from memcli.memory import find_memory, find_prompt, find_session
from memcli.operations import Operation
from memcli.project import Project
from memcli.records import Record, as_dict
from memcli.store import catalogue, memories, oplog
from memcli.store import sessions as store
from memcli.store.memories import Memory
from memcli.store.sessions import Prompt, Session
from memcli.text import dates, ids
from memcli.text.terminal import oneline
from memcli.validity import PROMPT_ACTOR, exposures, origin_of, origin_values

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_AROUND = 100
_PROMPTS, _OBSERVATIONS = 1_000, 1_000
_ALL_TIME = 1 << 62  # ms


class SessionsRequest(Request):
    """How many sessions, and which."""

    limit: int = fields.limit(20)
    index: bool = fields.flag("List the latest observations and summaries instead.", default=False)
    needs_summary: bool = fields.flag("Only sessions without a complete summary.", default=False)
    told: str | None = fields.identifier("Only sessions that were told this memory: its id, or a unique prefix.", default=None)


class SessionRequest(Request):
    """Sessions or prompts."""

    id: str = fields.text("A session's id or name, or the id of an item in it.", max_length=200, metavar="ID")


class TimelineRequest(Request):
    """A memory or a prompt, and how much around it."""

    id: str = fields.text("A memory's or a prompt's id, or a unique prefix.", max_length=80, metavar="ID")
    before: int = fields.number("How many items before it.", default=5, maximum=MOST_AROUND)
    after: int = fields.number("How many items after it.", default=5, maximum=MOST_AROUND)


class SessionRecord(Result):
    """A session of an agent."""

    id: str
    title: str = fields.text("What came of it, else what was asked first.")
    topic: str = fields.text("What was asked first, else what came of it.")
    harness: str
    key: str = fields.text("What the harness calls it.")
    status: str
    reason: str
    root: str
    prompts: int
    summary: str | None
    started_at: str
    last_at: str
    ended_at: str | None
    exposed_to: list[str]


class PromptRecord(Result):
    """A prompt: what a person asked."""

    id: str
    kind: str
    number: int
    text: str
    skipped: str
    reply: str
    files: list[str]
    origin: str
    trust: Literal["high", "medium", "low"]
    created_at: str


class ObservationRecord(Result):
    """What an agent did, or another memory of that time."""

    id: str
    kind: str
    title: str
    summary: str
    tags: list[str]
    prompt: int
    tools: list[str]
    origin: str
    trust: Literal["high", "medium", "low"]
    exposed_to: list[str]
    created_at: str
    tokens: int
    superseded_by: str | None = None
    superseded_how: str = fields.text("reverted, fixed, done or replaced; empty where that is not known.", default="")


class SessionContents(SessionRecord):
    """A session with its summary, prompts and observations."""

    summary_text: str | None
    prompt_list: list[PromptRecord]
    observations: list[ObservationRecord]


class TurnRecord(PromptRecord):
    """A prompt of a session, and what was observed in its turn."""

    session: str
    observations: list[ObservationRecord]


class IndexLine(Result):
    """A line of the index."""

    id: str
    kind: str
    title: str
    created_at: str
    tokens: int


class SessionName(Record):
    """The name of a session, by its outcome and by its first prompt; what it was exposed to, and how many prompts it has."""

    title: str
    topic: str
    exposed_to: tuple[str, ...]
    prompts: int


class SessionHistory(Record):
    """A session with its summary, its prompts and its observations in order."""

    session: Session
    summary: Memory | None
    prompts: list[Prompt]
    observations: list[Memory]
    name: SessionName
    ways: dict[str, str]  # how observations were superseded


class Sessions(Record):
    """Sessions with their names, latest first; or the index of their observations.

    `needs_summary`: as in the request. `is_of_memory`: only those that were told a memory.
    """

    sessions: list[tuple[Session, SessionName]]
    index: list[Memory] | None
    needs_summary: bool
    is_of_memory: bool
    now: int

    def answer(self) -> list[SessionRecord] | list[IndexLine]:
        """Returns the sessions, or the lines of the index."""
        if self.index is not None:
            return [_index_line(memory) for memory in self.index]
        return [session_record(session, name) for session, name in self.sessions]


class SessionDetails(Record):
    """A session, or of a prompt's session its turn: the number of the prompt."""

    history: SessionHistory
    turn: int | None
    now: int

    def answer(self) -> SessionContents | TurnRecord:
        """Returns the session with its contents, or the prompt with what was observed."""
        history = self.history
        if self.turn is None:
            return SessionContents(
                **as_dict(session_record(history.session, history.name)),
                summary_text=history.summary.summary if history.summary else None,
                prompt_list=[prompt_record(prompt) for prompt in history.prompts],
                observations=[_observation(memory, history.ways) for memory in history.observations],
            )
        (prompt,) = [prompt for prompt in history.prompts if prompt.number == self.turn]
        observations = [_observation(memory, history.ways) for memory in history.observations if memory.prompt == self.turn]
        return TurnRecord(**as_dict(prompt_record(prompt)), session=history.session.id, observations=observations)


class Timeline(Record):
    """The id that was meant, and the memories and prompts around it, oldest first."""

    id: str
    items: list[Memory | Prompt]

    def answer(self) -> list[PromptRecord | ObservationRecord]:
        """Returns the items as results."""
        return [prompt_record(item) if isinstance(item, Prompt) else _observation(item, {}) for item in self.items]


def read_sessions(project: Project, request: SessionsRequest) -> Sessions:
    """Returns the latest sessions, those that need a summary or were told a memory, or the index. Raises NotFound."""
    if request.index:
        return Sessions([], _index(project), False, False, project.now)
    if request.needs_summary:
        sessions = store.needing_summary(project.db, 0, _ALL_TIME, request.limit)[::-1]
    elif request.told:
        sessions = store.told(project.db, find_memory(project, request.told).id, request.limit)
    else:
        sessions = store.latest(project.db, request.limit)
    pairs = [(session, name_of(project, session)) for session in sessions]
    return Sessions(pairs, None, request.needs_summary, request.told is not None, project.now)


def count_sessions(project: Project, request: SessionsRequest, result: Sessions) -> int:
    """Returns how many sessions, or lines of the index, there are."""
    if result.index is not None:
        return len(result.index)
    if request.needs_summary:
        return len(store.needing_summary(project.db, 0, _ALL_TIME, _ALL_TIME))
    if request.told:
        return len(store.told(project.db, find_memory(project, request.told).id, _ALL_TIME))
    return store.page(project.db, 0, 0)[1]


def name_of(project: Project, session: Session) -> SessionName:
    """Returns the name of a session in a list."""
    summary = memories.find(project.db, session.summary) if session.summary else None
    exposed_to = exposures(summary.origin, summary.tags) if summary else ()
    _, _, topic = catalogue.session_names(project.db, [session.n])[session.n]
    count = store.count_kept(project.db, session.n)
    if summary and not summary.forgotten:
        return SessionName(summary.title, topic, exposed_to, count)
    first = next((prompt.text for prompt in store.prompts(project.db, session.n, 5) if prompt.text), "")
    return SessionName(first or topic, topic, exposed_to, count)


def _index(project: Project) -> list[Memory]:
    """Returns the latest observations and session summaries, oldest first, as many as the settings say."""
    observed = memories.last_observed(project.db, False, project.config["index.observations"])
    summed = memories.last_observed(project.db, True, project.config["index.summaries"])
    return sorted([*observed, *summed], key=lambda memory: (memory.created_at, memory.n))


def read_session(project: Project, request: SessionRequest) -> SessionDetails:
    """Returns everything about a session, given by its id or name, or by the id of an item of it. Raises NotFound."""
    return SessionDetails(_history(project, request.id), None, project.now)


def details(project: Project, reference: str) -> SessionDetails:
    """Returns a session, or the turn of a prompt. Raises NotFound or InvalidInput."""
    is_prompt = reference.strip().upper().startswith("P-")
    turn = find_prompt(project, reference).number if is_prompt else None
    return SessionDetails(_history(project, reference), turn, project.now)


def _history(project: Project, reference: str) -> SessionHistory:
    session = _session(project, reference)
    summary = memories.find(project.db, session.summary) if session.summary else None
    observations = memories.of_session(project.db, session.n, _OBSERVATIONS)
    return SessionHistory(
        session,
        summary if summary and not summary.forgotten else None,
        store.prompts(project.db, session.n, _PROMPTS),
        observations,
        name_of(project, session),
        oplog.ways_superseded(project.db, [it.id for it in observations if it.superseded_by]),
    )


def _session(project: Project, reference: str) -> Session:
    kind = ids.canonical(reference)[:2]
    if kind not in ("M-", "P-"):
        return find_session(project, reference)
    item = find_memory(project, reference) if kind == "M-" else find_prompt(project, reference, forgotten=True)
    name = store.id_of(project.db, item.session)
    session = store.find(project.db, name) if name else None
    if session is None:
        raise NotFound(f"{item.id} is from no session", ("see ", Call("sessions")))
    return session


def read_timeline(project: Project, request: TimelineRequest) -> Timeline:
    """Returns what happened before and after a memory or a prompt. Raises NotFound or InvalidInput."""
    is_prompt = ids.canonical(request.id).startswith("P-")
    center = find_prompt(project, request.id) if is_prompt else find_memory(project, request.id)
    ids_around = [item_id for item_id, _ in store.items_around(project.db, center.created_at, MOST_AROUND, MOST_AROUND)]
    if center.id not in ids_around:
        raise NotFound(f"{center.id} is forgotten", ("see ", Call("session", "ID")))
    index = ids_around.index(center.id)
    items = [_item(project, item_id) for item_id in ids_around[max(0, index - request.before) : index + request.after + 1]]
    return Timeline(center.id, [item for item in items if item])


def _item(project: Project, item_id: str) -> Memory | Prompt | None:
    return store.find_prompt(project.db, item_id) if item_id.startswith("P-") else memories.find(project.db, item_id)


def session_record(session: Session, name: SessionName) -> SessionRecord:
    """Returns the result for a session."""
    return SessionRecord(
        id=session.id,
        title=name.title,
        topic=name.topic,
        harness=session.harness,
        key=session.key,
        status=session.status,
        reason=session.reason,
        root=session.root,
        prompts=name.prompts,
        summary=session.summary,
        started_at=dates.iso(session.started_at),
        last_at=dates.iso(session.last_at),
        ended_at=None if session.ended_at is None else dates.iso(session.ended_at),
        exposed_to=list(name.exposed_to),
    )


def prompt_record(prompt: Prompt) -> PromptRecord:
    """Returns the result for a prompt."""
    return PromptRecord(
        id=prompt.id,
        kind="prompt",
        number=prompt.number,
        text=prompt.text,
        skipped=prompt.skipped,
        reply=prompt.reply,
        files=prompt.files.split("\n") if prompt.files else [],
        **origin_of(PROMPT_ACTOR).as_json(),
        created_at=dates.iso(prompt.created_at),
    )


def _index_line(memory: Memory) -> IndexLine:
    return IndexLine(memory.id, memory.kind, memory.line, dates.iso(memory.created_at), memory.prompt_tokens)


def _observation(memory: Memory, ways: Mapping[str, str]) -> ObservationRecord:
    return ObservationRecord(
        id=memory.id,
        kind=memory.kind,
        title=oneline(memory.title),
        summary=memory.summary,
        tags=memory.tags.split("\n") if memory.tags else [],
        prompt=memory.prompt,
        tools=memory.tools.split("\n") if memory.tools else [],
        **origin_values(memory.origin, memory.tags),
        created_at=dates.iso(memory.created_at),
        tokens=memory.prompt_tokens,
        superseded_by=memory.superseded_by,
        superseded_how=ways.get(memory.id, ""),
    )


OPERATIONS = {
    operation.name: operation
    for operation in (
        Operation(
            "sessions",
            "List agent sessions, latest first.",
            SessionsRequest,
            Sessions,
            read=read_sessions,
            total=count_sessions,
        ),
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
