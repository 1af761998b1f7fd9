"""Pages of memories with whether each holds, by all that somebody may want to see them by."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from memcli.memory import lookup
from memcli.project import Project
from memcli.recall import search as finding
from memcli.records import replace
from memcli.shapes import memories as shapes
from memcli.store import memories, search, sessions
from memcli.store.memories import Memory
from memcli.text import dates
from memcli.validity.status import statuses

MOST_JUDGED = 2_000  # memories that are looked at where only those are wanted that hold in some way
MOST_MATCHING = 200  # memories that are looked at where words are searched for, the best


class Choice(BaseModel):
    """Which memories are wanted, and which page of them."""

    limit: int = Field(20, ge=1, le=200)
    offset: int = Field(0, ge=0, le=1_000_000)
    query: str | None = Field(None, max_length=20_000, description="Words, as `mem search` takes them: the best match first.")
    kind: str | None = Field(None, max_length=80)
    thread: str | None = Field(None, max_length=80)
    origin: str | None = Field(None, max_length=80, description="cli, http, mcp, hook, import …")
    session: str | None = Field(None, max_length=200, description="A session's id or name.")
    since: str | None = Field(None, max_length=40, description="A date, a moment, or 12h, 3d, 2w.")
    until: str | None = Field(None, max_length=40)
    anchor: str | None = Field(None, min_length=4, max_length=64, pattern="^[0-9a-f]+$", description="Beginning of a commit.")
    anchor_state: Literal["reachable", "carried", "orphan", "unknown"] | None = None
    freshness: Literal["fresh", "drifted", "unlinked"] | None = None
    pinned: bool | None = None
    superseded: bool | None = None
    forgotten: bool = False


def page(project: Project, asked: Choice) -> dict[str, Any]:
    """Returns a page of memories, newest first, or best first where words are searched for. Raises InvalidInput, NotFound."""
    wanted = _wanted(project, asked)
    if asked.query and asked.query.strip():
        return _matching(project, asked, wanted)
    if asked.anchor_state is None and asked.freshness is None:
        found, total = memories.page_and_count(project.db, wanted)
        shown = _judged(project, found)
    else:
        found = memories.page(project.db, replace(wanted, limit=MOST_JUDGED, offset=0))
        fitting = _fitting(asked, _judged(project, found))
        total, shown = len(fitting), fitting[asked.offset : asked.offset + asked.limit]
    return _told(asked, shown, total)


def _told(asked: Choice, shown: list[dict[str, Any]], total: int) -> dict[str, Any]:
    more = asked.offset + len(shown) < total
    return {"memories": shown, "total": total, "limit": asked.limit, "offset": asked.offset, "hasMore": more}


def _fitting(asked: Choice, judged: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        one for one in judged if asked.anchor_state in (None, one["anchor_state"]) and asked.freshness in (None, one["freshness"])
    ]


def _matching(project: Project, asked: Choice, wanted: memories.MemoryFilter) -> dict[str, Any]:
    """Returns a page of the memories that match words and hold here, best first, each with its words that matched."""
    assert asked.query is not None
    only = finding.filter_of(project, asked.kind, asked.thread, asked.since, asked.until, asked.session)
    read = finding.parse(project, asked.query)
    ranked = finding.valid_matches(project, read, MOST_MATCHING, only)
    own = [one for one in ranked if project.is_user or not one.from_user][:MOST_MATCHING]
    found = [memories.find(project.db, one.hit.id) for one in own]
    meant = [one for one in found if one is not None and _is_wanted(one, wanted)]
    fitting = _fitting(asked, _judged(project, meant))
    shown = fitting[asked.offset : asked.offset + asked.limit]
    rows = {one.id: one.n for one in meant}
    for one in shown:
        one["matched"] = search.matched(project.db, rows[one["id"]], read.all_terms(), read.required)
    return _told(asked, shown, len(fitting))


def _is_wanted(one: Memory, wanted: memories.MemoryFilter) -> bool:
    """Tells whether a memory is what was asked for, in what a search does not look at."""
    return (
        wanted.origin in (None, one.origin)
        and (wanted.anchor is None or (one.anchor or "").startswith(wanted.anchor))
        and wanted.pinned in (None, bool(one.pinned))
        and wanted.superseded in (None, one.superseded_by is not None)
        and wanted.forgotten == bool(one.forgotten)
    )


def _wanted(project: Project, asked: Choice) -> memories.MemoryFilter:
    until = None if asked.until is None else dates.parse_when(asked.until, project.now)
    if until is not None and asked.until is not None and len(asked.until.strip()) == len("2026-03-01"):
        until += dates.DAY  # a date means the whole day
    return memories.MemoryFilter(
        kind=asked.kind and asked.kind.strip().lower(),
        thread=asked.thread,
        origin=asked.origin,
        since=None if asked.since is None else dates.parse_when(asked.since, project.now),
        until=until,
        anchor=asked.anchor,
        pinned=asked.pinned,
        superseded=asked.superseded,
        forgotten=asked.forgotten,
        session=None if asked.session is None else lookup.find_session(project, asked.session).n,
        limit=asked.limit,
        offset=asked.offset,
    )


def _judged(project: Project, found: list[Memory]) -> list[dict[str, Any]]:
    """Returns memories as data, each with whether HEAD can see it and its files are as they were."""
    names = sessions.names(project.db, sorted({one.session for one in found if one.session}))
    shown = []
    for one, status in zip(found, statuses(project, found)):
        shown.append(
            {
                **shapes.memory(one),
                **status.as_json(),
                "session": names[one.session][0] if one.session in names else None,
                "forgotten": bool(one.forgotten),
            }
        )
    return shown
