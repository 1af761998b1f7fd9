"""Pages of memories with the status of each, filtered and searched."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from memcli import fields
from memcli.fields import Result
from memcli.memory import find_session
from memcli.operations.results import memory_values
from memcli.operations.show import MemoryWithStatus
from memcli.project import Project
from memcli.recall import search as recall_search
from memcli.records import replace
from memcli.store import memories, search, sessions
from memcli.store.memories import Memory
from memcli.text import dates
from memcli.validity import statuses

MAX_JUDGED = 2_000  # memories that are examined where an anchor state or a freshness is required
MAX_MATCHING = 200  # best matches that are examined for a query


class PageQuery(BaseModel):
    """The filters of a page of memories, and which page."""

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


class ListedMemory(MemoryWithStatus):
    """A memory in a list, and whether it holds at HEAD."""

    session: str | None = fields.text("The id of the session it was observed in.")
    forgotten: bool
    matched: list[str] | None = None  # its words that matched a query, as they are written in it


class MemoryPage(Result):
    """A page of memories, newest first; best first for a query."""

    memories: list[ListedMemory]
    total: int
    limit: int
    offset: int
    hasMore: bool


def page(project: Project, query: PageQuery) -> MemoryPage:
    """Returns a page of memories, newest first, or best first where words are searched for. Raises InvalidInput, NotFound."""
    conditions = _conditions(project, query)
    if query.query and query.query.strip():
        return _matching(project, query, conditions)
    if query.anchor_state is None and query.freshness is None:
        rows, total = memories.page_and_count(project.db, conditions)
        records = _judged(project, rows)
    else:
        rows = memories.page(project.db, replace(conditions, limit=MAX_JUDGED, offset=0))
        fitting = _in_state(query, _judged(project, rows))
        total, records = len(fitting), fitting[query.offset : query.offset + query.limit]
    return _page(query, records, total)


def _page(query: PageQuery, records: list[ListedMemory], total: int) -> MemoryPage:
    return MemoryPage(records, total, query.limit, query.offset, query.offset + len(records) < total)


def _in_state(query: PageQuery, judged: list[ListedMemory]) -> list[ListedMemory]:
    return [
        record
        for record in judged
        if query.anchor_state in (None, record.anchor_state) and query.freshness in (None, record.freshness)
    ]


def _matching(project: Project, query: PageQuery, conditions: memories.MemoryFilter) -> MemoryPage:
    """Returns a page of the memories that match words and hold here, best first, each with its words that matched."""
    assert query.query is not None
    scope = recall_search.filter_of(project, query.kind, query.thread, query.since, query.until, query.session)
    terms = recall_search.parse(project, query.query)
    ranked = recall_search.valid_matches(project, terms, MAX_MATCHING, scope)
    hits = [hit for hit in ranked if project.is_user or not hit.from_user][:MAX_MATCHING]
    rows = [memories.find(project.db, hit.hit.id) for hit in hits]
    matching = [memory for memory in rows if memory is not None and _fits(memory, conditions)]
    fitting = _in_state(query, _judged(project, matching))
    numbers = {memory.id: memory.n for memory in matching}
    records = [
        replace(record, matched=search.matched(project.db, numbers[record.id], terms.all_terms(), terms.required))
        for record in fitting[query.offset : query.offset + query.limit]
    ]
    return _page(query, records, len(fitting))


def _fits(memory: Memory, conditions: memories.MemoryFilter) -> bool:
    """Tells whether a memory fits the conditions that a search does not apply."""
    return (
        conditions.origin in (None, memory.origin)
        and (conditions.anchor is None or (memory.anchor or "").startswith(conditions.anchor))
        and conditions.pinned in (None, bool(memory.pinned))
        and conditions.superseded in (None, memory.superseded_by is not None)
        and conditions.forgotten == bool(memory.forgotten)
    )


def _conditions(project: Project, query: PageQuery) -> memories.MemoryFilter:
    until = None if query.until is None else dates.parse_when(query.until, project.now)
    if until is not None and query.until is not None and len(query.until.strip()) == len("2026-03-01"):
        until += dates.DAY  # a date means the whole day
    return memories.MemoryFilter(
        kind=query.kind and query.kind.strip().lower(),
        thread=query.thread,
        origin=query.origin,
        since=None if query.since is None else dates.parse_when(query.since, project.now),
        until=until,
        anchor=query.anchor,
        pinned=query.pinned,
        superseded=query.superseded,
        forgotten=query.forgotten,
        session=None if query.session is None else find_session(project, query.session).n,
        limit=query.limit,
        offset=query.offset,
    )


def _judged(project: Project, rows: list[Memory]) -> list[ListedMemory]:
    """Returns memories, each with whether HEAD can see it and its files are as they were."""
    names = sessions.names(project.db, sorted({memory.session for memory in rows if memory.session}))
    return [
        ListedMemory(
            **memory_values(memory),
            **status.as_json(),
            session=names[memory.session][0] if memory.session in names else None,
            forgotten=bool(memory.forgotten),
        )
        for memory, status in zip(rows, statuses(project, rows))
    ]
