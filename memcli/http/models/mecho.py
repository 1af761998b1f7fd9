"""The shapes of mecho and of the long-term memory."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

ModeId = Field(min_length=1, max_length=53, pattern="^[A-Za-z0-9_-]+$", description="A mode: a memory of its own.")
PROJECT = Field(None, max_length=4_096, description="Whose mode it is; left out, modes stand by themselves.")


class ModeBody(BaseModel):
    """What is sent; fields that are not known are passed over."""

    model_config = ConfigDict(extra="ignore")
    modeId: str = ModeId
    project: str | None = PROJECT


class Prepare(ModeBody):
    """What a turn is prepared for."""

    sessionKey: str = Field(min_length=1, max_length=200)
    engine: str = Field("generic", max_length=40)
    query: str = Field("", max_length=20_000, description="What the person asks, where what is relevant to it is wanted, too.")


class TurnContext(BaseModel):
    """What a session is to be told now."""

    prepareId: str
    mode: Literal["full", "delta", "none"]
    fromRevision: int
    toRevision: int
    xml: str


class Ack(ModeBody):
    """How a turn ended."""

    prepareId: str = Field(min_length=1, max_length=80)
    sessionKey: str = Field(min_length=1, max_length=200)
    status: Literal["success", "failed"]


class Ok(BaseModel):
    """It is done."""

    ok: bool


class CoreEntry(BaseModel):
    """A value under a key."""

    key: str
    value: str
    updatedAt: str


class Core(BaseModel):
    """The core memory of a mode."""

    modeId: str
    revision: int
    core: dict[str, str]
    entries: list[CoreEntry]
    masked: list[str] | None = None


class PutCore(ModeBody):
    """One value under a key, or several; null takes a key out."""

    key: str | None = Field(None, max_length=200)
    value: str | None = Field(None, max_length=65_536)
    core: dict[str, str | None] | None = Field(None, max_length=1_000)


class CuratedItem(BaseModel):
    """A curated entry."""

    id: str
    title: str
    content: str
    kind: str
    tags: list[str]
    createdAt: str
    updatedAt: str


class Curated(BaseModel):
    """The curated memory of a mode, newest first."""

    modeId: str
    revision: int
    items: list[CuratedItem]
    total: int
    hasMore: bool


class PutCurated(ModeBody):
    """A curated entry: a new one, or with an id one that is there."""

    id: str | None = Field(None, max_length=80)
    title: str = Field(min_length=1, max_length=1_000)
    content: str = Field(min_length=1, max_length=65_536)
    kind: str = Field("note", max_length=80)
    tags: list[str] | None = Field(None, max_length=100)


class PutDone(BaseModel):
    """A curated entry as it is now."""

    ok: bool
    id: str
    revision: int
    item: CuratedItem
    masked: list[str] | None = None


class EntryReference(ModeBody):
    """One entry."""

    id: str = Field(min_length=1, max_length=80)


class Deleted(BaseModel):
    """It is gone."""

    ok: bool
    id: str
    revision: int


class Insert(ModeBody):
    """A text to be kept and found by its meaning."""

    text: str = Field(min_length=1, max_length=65_536)
    metadata: dict[str, Any] = Field({}, max_length=100)


class Inserted(BaseModel):
    """A text that is kept."""

    ok: bool
    id: str
    masked: list[str] | None = None


class ArchivalSearch(ModeBody):
    """What is looked for."""

    query: str = Field(min_length=1, max_length=20_000)
    limit: int = Field(10, ge=1, le=200)


class ArchivalItem(BaseModel):
    """A text that was found."""

    id: str
    text: str
    metadata: dict[str, Any]
    score: float
    createdAt: str


class Archival(BaseModel):
    """What was found; `by`: whether meanings were compared, or words alone."""

    by: Literal["meaning", "words"]
    total: int
    items: list[ArchivalItem]


class LongTermEntry(BaseModel):
    """An entry of the long-term memory."""

    id: str
    content: str
    keywords: list[str]
    source_session_id: str | None
    source_trace_id: str | None
    metadata: dict[str, Any]
    created_at: str
    updated_at: str


class Entries(BaseModel):
    """A page of entries, newest first."""

    ok: bool
    total: int
    hasMore: bool
    items: list[LongTermEntry]


class MatchingEntries(BaseModel):
    """Entries that match, best first."""

    ok: bool
    total: int
    items: list[LongTermEntry]


class SessionLine(BaseModel):
    """A session."""

    session_id: str
    id: str
    project: str
    status: str
    prompts: int
    created_at: str
    created_at_epoch: int
    updated_at: str


class SessionPage(BaseModel):
    """A page of sessions, newest first."""

    sessions: list[SessionLine]
    total: int
    hasMore: bool


class Message(BaseModel):
    """What was said."""

    role: Literal["user", "assistant"]
    content: str
    created_at: str


class LongTermSession(SessionLine):
    """A session with what was said in it, in order, and the end of that as a new run is given it."""

    messages: list[Message]
    recent_context: list[Message]


class SessionEvent(BaseModel):
    """Something that happened in a session."""

    type: Literal["session.start", "prompt", "observation", "reply", "summary", "session.end"]
    id: str
    at: str
    text: str


class SessionEvents(BaseModel):
    """What happened in a session, in order."""

    session_id: str
    events: list[SessionEvent]


class SessionMemory(BaseModel):
    """What is remembered of a session."""

    session_id: str
    memory: list[LongTermEntry]
