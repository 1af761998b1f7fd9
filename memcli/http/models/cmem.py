"""The shapes of C-Mem's worker."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Reference = int | str


class LenientBody(BaseModel):
    """What is sent; fields that are not known are passed over, since clients differ."""

    model_config = ConfigDict(extra="ignore")


class SessionInit(LenientBody):
    """A session begins, or a person asks something in it."""

    project: str = Field(min_length=1, max_length=4_096, description="A repository's id, name or path, or any name.")
    userPrompt: str = Field("", max_length=1_000_000)
    promptNumber: int | None = Field(None, ge=0, lt=1 << 31)
    cwd: str | None = Field(None, max_length=4_096)


class ToolCall(LenientBody):
    """What a tool did."""

    tool_name: str = Field(min_length=1, max_length=1_000)
    tool_input: Any = None
    tool_result: Any = None
    correlation_id: str | None = Field(None, max_length=1_000)
    cwd: str | None = Field(None, max_length=4_096)


class LastMessages(LenientBody):
    """The last words before a summary."""

    last_user_message: str | None = Field(None, max_length=1_000_000)
    last_assistant_message: str | None = Field(None, max_length=1_000_000)


class Ending(LenientBody):
    """Why a session ended."""

    reason: str = Field("other", max_length=1_000)


class Batch(LenientBody):
    """Which observations are wanted, by number or id."""

    ids: list[Reference] = Field(max_length=1_000)
    orderBy: Literal["date_asc", "date_desc"] | None = None
    limit: int | None = Field(None, ge=1, le=1_000)
    project: str | None = Field(None, max_length=4_096)


class Settings(LenientBody):
    """Settings by the worker's names; what is left out stays."""

    model_config = ConfigDict(extra="forbid")
    workerPort: int | None = Field(None, ge=1, le=65_535)
    workerHost: str | None = Field(None, max_length=100)
    model: str | None = Field(None, min_length=1, max_length=200)
    contextObservations: int | None = Field(None, ge=1, le=1_000_000)
    contextSessions: int | None = Field(None, ge=1, le=1_000_000)
    skipTools: list[str] | None = Field(None, max_length=200)
    logLevel: Literal["DEBUG", "INFO", "WARN", "ERROR"] | None = None
    stuckThresholdMs: int | None = Field(None, ge=60_000, le=60_000_000_000)


class AllSettings(BaseModel):
    """The settings by the worker's names."""

    workerPort: int
    workerHost: str
    dataDir: str
    model: str
    contextObservations: int
    contextSessions: int
    skipTools: list[str]
    logLevel: Literal["DEBUG", "INFO", "ERROR"]
    stuckThresholdMs: int
    maxRetries: int


class CMemObservation(BaseModel):
    """A memory as an observation."""

    id: int
    memory_id: str
    session_id: str = Field(description="What the harness calls the session; empty for what somebody wrote.")
    session: str | None
    project: str
    prompt_number: int
    tool_name: str
    kind: str
    title: str
    narrative: str
    tags: str = Field(description="A list as JSON, as are the next three.")
    facts: str
    files_read: str
    files_modified: str
    created_at: str
    created_at_epoch: int


class Summary(BaseModel):
    """The summary of a session."""

    id: int
    memory_id: str
    session_id: str
    session: str | None
    project: str
    prompt_number: int
    request: str
    work_done: str
    discoveries: str
    remaining: str
    notes: str
    created_at: str
    created_at_epoch: int


class CMemPrompt(BaseModel):
    """What a person asked."""

    id: int
    prompt_id: str
    session_id: str
    session: str
    project: str
    prompt_number: int
    prompt_text: str
    created_at: str
    created_at_epoch: int


class CMemSession(BaseModel):
    """A session."""

    id: int
    session: str
    session_id: str
    project: str
    status: Literal["active", "completed"]
    prompt_counter: int
    created_at: str
    created_at_epoch: int
    completed_at: str | None
    completed_at_epoch: int | None


class _Page(BaseModel):
    total: int
    hasMore: bool


class Observations(_Page):
    """A page of observations, newest first."""

    observations: list[CMemObservation]


class Summaries(_Page):
    """A page of summaries, newest first."""

    summaries: list[Summary]


class Prompts(_Page):
    """A page of prompts, newest first."""

    prompts: list[CMemPrompt]


class CMemHit(BaseModel):
    """A memory that matches."""

    id: int
    memory_id: str
    title: str
    kind: str
    project: str
    created_at: str
    created_at_epoch: int
    rank: float
    snippet: str


class Hits(_Page):
    """A page of matches, best first."""

    results: list[CMemHit]


class Projects(BaseModel):
    """The names of all projects."""

    projects: list[str]


class ProjectStats(BaseModel):
    """How much a project has."""

    project: str
    repo_id: str
    workspace: str
    sessions: int
    prompts: int
    observations: int
    summaries: int
    memories: int
    bytes: int


class CMemStats(BaseModel):
    """How much there is."""

    projects: list[ProjectStats]
    total: dict[str, int]


class CMemJob(BaseModel):
    """An event in the queue."""

    id: int
    session_id: str
    status: Literal["pending", "processing", "processed", "failed"]
    event: str
    tool_name: str
    tool_input: str
    tool_result: str
    retry_count: int
    error: str
    created_at_epoch: int
    started_at_epoch: int | None


class CMemQueue(BaseModel):
    """The queue."""

    pending: int
    processing: int
    failed: int
    stuck: int
    recent: list[CMemJob]


class Processed(BaseModel):
    """What was put back to wait."""

    success: bool
    reset: int


class Begun(BaseModel):
    """A session, and its prompt."""

    success: bool
    session_id: str
    promptNumber: int
    skipped: bool = Field(description="The prompt was private as a whole.")


class Queued(BaseModel):
    """An event that waits, or why it does not."""

    success: bool
    queued: bool
    queue_id: int | None
    skipped_reason: str | None = None


class SummaryQueued(BaseModel):
    """A summary will be made."""

    success: bool
    summary_queued: bool


class Completed(BaseModel):
    """A session that has ended."""

    success: bool
    completed: bool


class Status(BaseModel):
    """How far a session is."""

    session_id: str
    session: str | None
    project: str
    status: Literal["active", "completed", "pending"]
    observation_count: int
    summary_count: int
    prompt_count: int
    pending_count: int
    failed_count: int
