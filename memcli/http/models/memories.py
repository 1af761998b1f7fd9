"""The shapes of our own routes: what is sent, and what `--json` prints."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class ProblemDetails(BaseModel):
    """An error, as RFC 9457 has it."""

    type: str = Field(description="urn:mem:problem:CODE")
    title: str
    status: int
    detail: str
    code: str = Field(description="Stable, for programs.")
    hint: str = Field(description="What to try.")
    error: str = Field(description="The detail again.")
    request_id: str


class StrictBody(BaseModel):
    """What is sent: no fields but these, and none of another type."""

    model_config = ConfigDict(extra="forbid", strict=True)


class SettingValue(StrictBody):
    """A value of a setting."""

    value: bool | int | float | str


class ParkedJob(StrictBody):
    """One parked event; without it all are meant."""

    job: int | None = Field(None, ge=1, lt=1 << 53)


class HitRecord(BaseModel):
    """A memory that matches."""

    id: str
    source_id: str | None
    thread_id: str
    kind: str
    title: str
    snippet: str
    created_at: str
    anchor_commit: str | None
    anchor_state: Literal["reachable", "carried", "orphan", "unknown"]
    source: Literal["user", "repository"] = Field(alias="from")
    origin: str
    trust: Literal["high", "medium", "low"]
    score: float


class MemoryRecord(BaseModel):
    """A memory."""

    id: str
    thread_id: str
    kind: str
    title: str
    summary: str
    tags: list[str]
    entities: list[str]
    created_at: str
    updated_at: str
    anchor_commit: str | None
    superseded_by: str | None
    pinned: bool
    origin: str
    trust: Literal["high", "medium", "low"]
    source_id: str | None
    revision: int
    tokens: int


class CarriedChange(BaseModel):
    """How the change of an anchor came into the history of HEAD, where its commit itself is not."""

    how: str
    commit: str


class MemoryWithStatus(MemoryRecord):
    """A memory, and whether it is valid at HEAD."""

    anchor_state: Literal["reachable", "carried", "orphan", "unknown"]
    carried_over: CarriedChange | None
    freshness: Literal["fresh", "drifted", "unlinked"]
    drifted: list[str]
    contested_by: list[str]
    superseded: bool


class ListedMemory(MemoryWithStatus):
    """A memory in a list, and whether it is valid at HEAD."""

    session: str | None = Field(description="The id of the session it was observed in.")
    forgotten: bool
    matched: list[str] | None = Field(None, description="Its words that matched a query, as they are written in it.")


class MemoryPage(BaseModel):
    """A page of memories, newest first; best first for a query."""

    memories: list[ListedMemory]
    total: int
    limit: int
    offset: int
    hasMore: bool


class LinkRecord(BaseModel):
    """A link."""

    from_id: str
    rel: str
    to_id: str
    hash: str | None


class MemoryDetails(MemoryWithStatus):
    """Everything about a memory."""

    links: list[LinkRecord]


class Citation(BaseModel):
    """Who cites a chunk."""

    id: str
    rel: str


class ChunkDetails(BaseModel):
    """Everything about a chunk."""

    id: str
    path: str
    lines: list[int]
    symbol: str
    kind: str
    language: str
    state: str
    thread_id: str
    text: str
    before: list[str]
    after: list[str]
    tags: list[str]
    created_at: str
    cited_by: list[Citation]


class ItemMemory(BaseModel):
    """A memory that was asked for by its id."""

    kind: Literal["memory"]
    memory: MemoryDetails


class ItemChunk(BaseModel):
    """A chunk that was asked for by its id."""

    kind: Literal["chunk"]
    chunk: ChunkDetails


class ThreadRecord(BaseModel):
    """A thread."""

    thread_id: str
    title: str
    created_at: str
    memory_count: int


class ThreadMemories(BaseModel):
    """A thread with its newest memories."""

    thread: ThreadRecord
    memories: list[MemoryRecord]
