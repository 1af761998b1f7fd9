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


class CarriedChange(BaseModel):
    """How the change of an anchor came into the history of HEAD, where its commit itself is not."""

    how: str
    commit: str
