"""Searching one store for C-Mem's clients: a page of hits and how many matched."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from memcli.errors import InvalidInput
from memcli.http import cmem
from memcli.project import Project
from memcli.recall import search as finding
from memcli.text import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.store.search import Filter


class Question(BaseModel):
    """What is searched for."""

    query: str = Field(max_length=4_000)
    type: str | None = Field(None, max_length=80, description="A kind: decision, bugfix, feature, refactor, discovery, change …")
    limit: int = Field(20, ge=1, le=200)
    offset: int = Field(0, ge=0, le=800)
    dateStart: str | None = Field(None, max_length=40, description="ms since 1970, a date or a moment.")
    dateEnd: str | None = Field(None, max_length=40)


def filter_of(asked: Question, now: int) -> Filter | None:
    """Returns what a question leaves out. Raises InvalidInput for a date that is none."""
    since, until = _moment(asked.dateStart, now, end=False), _moment(asked.dateEnd, now, end=True)
    if asked.type is None and since is None and until is None:
        return None
    return {"kind": asked.type and asked.type.strip().lower(), "thread": None, "since": since, "until": until, "session": None}


def search(project: Project, asked: Question, limit: int, offset: int) -> tuple[list[dict[str, Any]], int]:
    """Returns a page of hits, and how many hold here of those that were ranked: always more than the page, where there are."""
    only = filter_of(asked, project.now)
    read = finding.parse(project, asked.query)
    own = [one for one in finding.valid_matches(project, read, offset + limit, only) if not one.from_user or project.is_user]
    page = finding.with_texts(project, own[offset : offset + limit], read)
    return [cmem.hit(project, one.memory, one.ranked.score, one.snippet) for one in page], len(own)


def _moment(said: str | None, now: int, end: bool) -> int | None:
    """Returns a moment in ms since 1970; the end of a range is in it. Raises InvalidInput."""
    if said is None or not said.strip():
        return None
    text = said.strip()
    if text.isascii() and text.isdigit():
        if len(text) > 15:
            raise InvalidInput(f"not a moment: {text[:40]}", "give ms since 1970, or a date")
        return int(text) + (1 if end else 0)
    moment = dates.parse_when(text, now)
    return moment + (dates.DAY if end and len(text) == len("2026-03-01") else 1 if end else 0)
