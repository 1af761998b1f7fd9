"""The shapes of our own routes: state, log, sessions, queue, settings."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field


class LogEntry(BaseModel):
    """An entry of the operation log, in the names of the sync format."""

    revision: int
    id: str
    hlc: list[int]
    w: str = Field(description="The store that wrote it.")
    k: str = Field(description="put, forget, restore, supersede, link, state, profile, note, session, prompt, undo or erase.")
    o: str = Field(description="The object's id.")
    b: dict[str, Any] = Field(description="The fields that changed.")
    actor: str
    vis: str
    command: int


class StateRecord(BaseModel):
    """A state; `state_id` is null and there is nothing else before the first checkpoint."""

    state_id: str | None
    state: Any
    reason: str | None = None
    thread_id: str | None = None
    memory_id: str | None = None
    created_at: str | None = None


class StateChange(BaseModel):
    """One part of a state that changed; null where it was not there."""

    key: str
    before: Any
    after: Any


class StateDifference(BaseModel):
    """What the last checkpoint changed."""

    from_: str | None = Field(alias="from")
    to: str | None
    changes: list[StateChange]


class SessionRecord(BaseModel):
    """A session of an agent."""

    id: str
    harness: str
    key: str = Field(description="What the harness calls it.")
    status: str
    reason: str
    root: str
    prompts: int
    summary: str | None
    started_at: str
    last_at: str
    ended_at: str | None


class PromptRecord(BaseModel):
    """What a person asked."""

    id: str
    kind: str
    number: int
    text: str
    skipped: str
    reply: str
    files: list[str]
    created_at: str


class ObservationRecord(BaseModel):
    """What an agent did, or any memory beside it."""

    id: str
    kind: str
    title: str
    summary: str
    tags: list[str]
    prompt: int
    tools: list[str]
    origin: str
    trust: Literal["high", "medium", "low"]
    created_at: str
    tokens: int


class FullSession(SessionRecord):
    """A session with all that is in it."""

    summary_text: str | None
    prompt_list: list[PromptRecord]
    observations: list[ObservationRecord]


class IndexLine(BaseModel):
    """A line of the index."""

    id: str
    kind: str
    title: str
    created_at: str
    tokens: int


class RunningWorker(BaseModel):
    """Whether a worker runs."""

    running: bool
    pid: int | None


class ParkedEvent(BaseModel):
    """An event that was given up."""

    job: int
    harness: str
    session: str
    event: str
    attempts: int
    error: str
    created_at: str


class QueueStatus(BaseModel):
    """What waits."""

    pending: int
    processing: int
    stuck: int
    failed: int
    processed: int
    oldest_seconds: int | None
    worker: RunningWorker
    compressor: dict[str, Any]
    parked: list[ParkedEvent]


class Retried(BaseModel):
    """How many events were put back."""

    retry: int


class Purged(BaseModel):
    """How many events were removed."""

    purge: int


class Setting(BaseModel):
    """A setting and where its value comes from."""

    key: str
    value: bool | int | float | str
    source: str
    environment: str
    about: str


class WrittenSetting(BaseModel):
    """The file that was written."""

    key: str
    path: str
    value: bool | int | float | str | None = None


class Repository(BaseModel):
    """A repository with a memory on this machine."""

    repo_id: str
    root_name: str
    git_root: str
    active: bool


class Workspace(BaseModel):
    """A workspace of a memory. `active`: the one that this call means."""

    workspace: str
    active: bool


class Stats(BaseModel):
    """How much is stored."""

    repo_id: str | None
    name: str
    root: str
    workspace: str
    commit: str | None
    branch: str
    revision: int
    schema_: int = Field(alias="schema")
    bytes: int
    totals: dict[str, int]
    kinds: dict[str, int]
    queue: dict[str, int]


class Inspected(BaseModel):
    """A pack, why each thing is in it or not, and the pack as a prompt."""

    pack: dict[str, Any] = Field(description="As `mem get --format json`; docs/schema/pack.json.")
    explain: dict[str, Any] = Field(description="As `mem explain --json`.")
    prompt: str


class PageLink(BaseModel):
    """A link to the page."""

    url: str
    seconds: int


class Health(BaseModel):
    """Whether the service is well."""

    status: str
    uptime: float = Field(description="Seconds.")
    port: int | None
    queue: dict[str, Any] = Field(description="pending, processing, failed, stuck, oldest_seconds, last_success over all stores.")
    version: str
    pid: int
