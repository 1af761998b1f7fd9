"""The shapes of our own routes: what is sent, and what `--json` prints."""

from __future__ import annotations

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


class CarriedChange(BaseModel):
    """How the change of an anchor came into the history of HEAD, where its commit itself is not."""

    how: str
    commit: str
