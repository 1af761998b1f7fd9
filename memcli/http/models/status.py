"""The shapes of our own routes: queue, settings, repositories, statistics."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field


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
