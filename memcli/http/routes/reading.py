"""/v2, reading: the pack for a task in its formats, pages of memories, the commits around a memory's anchor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel, Field
from starlette.responses import PlainTextResponse, Response

from memcli import fields, operations
from memcli.fields import Filtered, Result, to_json
from memcli.http.calls import MemoryCall, OneCall, answer
from memcli.http.lists import OneWindow, page_type
from memcli.http.models import listed, request_model, shape, typed
from memcli.http.routing import Router
from memcli.memory import filters, find_memory, find_session
from memcli.operations import Operation
from memcli.operations.results import memory_values
from memcli.operations.show import MemoryWithStatus
from memcli.project import Project
from memcli.recall import report
from memcli.recall import search as recall_search
from memcli.recall.render import name_and_branch
from memcli.records import as_dict, replace
from memcli.repo import surroundings
from memcli.repo.revisions import DescribedCommit
from memcli.store import graph, listing, memories, oplog, sessions
from memcli.store.memories import Memory
from memcli.store.passages import owner_of
from memcli.text.ids import anchor_commit
from memcli.validity import anchor_states, carried_as_json, state_name, statuses, succession
from memcli.validity.at_commit import at_commit

router = Router(prefix="/v2", tags=["reading"])
_GET, _EXPLAIN = operations.load("get"), operations.load("explain")
_GetQuery: Any = request_model(_GET.request, True, set(), {"format": "json"})
_PackQuery: Any = request_model(_EXPLAIN.request, True, set(), {})


Commit = Annotated[
    str | None, Query(min_length=1, max_length=200, description="As seen from this commit: a hash, a branch, a tag, HEAD~2.")
]


def _read(call: MemoryCall, operation: Operation, query: BaseModel, commit: str | None = None) -> Any:
    return call.read(lambda project: operations.read(operation, operation.request(**vars(query)), at(project, commit)))


def at(project: Project, commit: str | None) -> Project:
    """Returns a memory as seen from a commit; None: the one that is checked out. Raises InvalidInput or NotFound."""
    return project if commit is None else at_commit(project, commit)


@router.get("/get", response_model=dict[str, Any], responses={200: {"content": {"text/markdown": {}, "application/xml": {}}}})
def get(call: OneCall, query: Annotated[_GetQuery, Query()]) -> Response:
    """The pack for a task: `mem get`. As JSON (docs/schema/pack.json), as the prompt, or as XML."""
    result = _read(call, _GET, query)
    if query.format == "json":
        return answer(result.answer())
    return PlainTextResponse(result.pack.text, media_type="application/xml" if query.format == "xml" else "text/markdown")


@router.get("/pack", response_model=shape("Inspected", "prompt", pack=dict[str, Any], explain=dict[str, Any]))
def pack(call: OneCall, query: Annotated[_PackQuery, Query()], commit: Commit = None) -> Response:
    """The pack, why each item is in it or not, and the pack as printed, all from the same moment.

    `limits` in `explain`: the limits that left something out, starting with the one that left out most.
    """
    explained = _read(call, _EXPLAIN, query, commit)
    pack = explained.pack
    return answer({"pack": report.as_json(pack), "explain": explained.answer(), "prompt": pack.text})


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
    since: str | None = Field(None, max_length=200, description="As `--since` of `mem search`: a date, a moment, words.")
    until: str | None = Field(None, max_length=200)
    anchor: str | None = Field(None, min_length=4, max_length=64, pattern="^[0-9a-f]+$", description="Beginning of a commit.")
    anchor_state: Literal["reachable", "carried", "orphan", "unknown"] | None = None
    freshness: Literal["fresh", "drifted", "unlinked"] | None = None
    pinned: bool | None = None
    superseded: bool | None = None
    forgotten: bool = False
    observed: bool | None = Field(None, description="Of sessions, as hooks saw it; `false`: what somebody wrote.")
    told: bool | None = Field(None, description="`false`: what no session was told, as far back as that is kept.")
    used: bool | None = Field(None, description="By a session that was told it; with `told`: told, no sign of use.")
    shared: bool | None = Field(None, description="With other stores, or meant to be: `mem recent --shared`.")


class ListedMemory(MemoryWithStatus):
    """A memory in a list, and whether it holds at HEAD."""

    session: str | None = fields.text("The id of the session it was observed in.")
    forgotten: bool
    superseded_how: str = fields.text("reverted, fixed, done or replaced; empty where that is not known.", default="")
    matched: list[str] | None = None  # its words that matched a query, as they are written in it


class MemoryPage(Result):
    """A page of memories, newest first; best first for a query."""

    items: list[ListedMemory]
    total: int
    limit: int
    offset: int
    has_more: bool
    capped: bool  # no more were examined: `total` is the least
    not_on_this_branch: int  # how many more match a query; 0 without one
    superseded: int


_NONE_HIDDEN = recall_search.HiddenMatches()


def _read_page(project: Project, query: PageQuery) -> MemoryPage:
    """Returns a page of memories, newest first, or best first for a query. Raises InvalidInput or NotFound."""
    conditions = _conditions(project, query)
    if query.query and query.query.strip():
        return _matching(project, query, conditions)
    if query.anchor_state is None and query.freshness is None:
        rows, total = listing.page_and_count(project.db, conditions)
        records = _judged(project, rows)
    else:
        rows = listing.page(project.db, replace(conditions, limit=MAX_JUDGED, offset=0))
        fitting = _in_state(query, _judged(project, rows))
        total, records = len(fitting), fitting[query.offset : query.offset + query.limit]
        return _page(query, records, total, len(rows) == MAX_JUDGED)
    return _page(query, records, total, False)


def _page(
    query: PageQuery,
    records: list[ListedMemory],
    total: int,
    capped: bool,
    hidden: recall_search.HiddenMatches = _NONE_HIDDEN,
) -> MemoryPage:
    more = query.offset + len(records) < total
    return MemoryPage(records, total, query.limit, query.offset, more, capped, hidden.orphans, hidden.superseded)


def _in_state(query: PageQuery, judged: list[ListedMemory]) -> list[ListedMemory]:
    return [
        record
        for record in judged
        if query.anchor_state in (None, record.anchor_state) and query.freshness in (None, record.freshness)
    ]


def _matching(project: Project, query: PageQuery, conditions: listing.MemoryFilter) -> MemoryPage:
    """Returns a page of the memories that match words, best first, each with its matching words.

    They hold here, unless superseded ones or those of other branches are asked for.
    """
    assert query.query is not None
    scope = recall_search.filter_of(project, _filtered(query), query.session)
    terms = recall_search.parse(project, query.query)
    ranked, hidden = recall_search.valid_matches(project, terms, MAX_MATCHING, scope)
    if reason := "superseded" if query.superseded else "orphan" if query.anchor_state == "orphan" else "":
        ranked, hidden = [*ranked, *recall_search.hidden_matches(project, terms, MAX_MATCHING, reason, scope)], _NONE_HIDDEN
    hits = [hit for hit in ranked if project.is_user or not hit.from_user][:MAX_MATCHING]
    rows = [memories.find(project.db, owner_of(hit.hit.id)) for hit in hits]
    matching = [memory for memory in rows if memory is not None and _fits(memory, conditions)]
    for flag in ("told", "used", "shared"):
        if (wanted := getattr(query, flag)) is not None:
            fitting_ids = listing.flagged(project.db, [memory.id for memory in matching], flag, wanted)
            matching = [memory for memory in matching if memory.id in fitting_ids]
    fitting = _in_state(query, _judged(project, matching))
    of_id = {memory.id: memory for memory in matching}
    records = [
        replace(record, matched=recall_search.words_of(project.db, of_id[record.id], terms))
        for record in fitting[query.offset : query.offset + query.limit]
    ]
    return _page(query, records, len(fitting), len(hits) == MAX_MATCHING, hidden)


def _fits(memory: Memory, conditions: listing.MemoryFilter) -> bool:
    """Tells whether a memory fits the conditions that a search does not apply."""
    return (
        conditions.origin in (None, memory.origin, memory.origin.partition("@")[0])
        and (conditions.anchor is None or (memory.anchor or "").startswith(conditions.anchor))
        and conditions.pinned in (None, bool(memory.pinned))
        and conditions.superseded in (None, memory.superseded_by is not None)
        and conditions.forgotten == bool(memory.forgotten)
        and conditions.observed in (None, memory.session > 0)
    )


def _filtered(query: PageQuery) -> Filtered:
    return Filtered(**{name: getattr(query, name) for name in Filtered.FIELDS})


def _conditions(project: Project, query: PageQuery) -> listing.MemoryFilter:
    return listing.MemoryFilter(
        **filters.conditions(project, _filtered(query)),
        anchor=query.anchor,
        pinned=query.pinned,
        superseded=query.superseded,
        forgotten=query.forgotten,
        observed=query.observed,
        told=query.told,
        used=query.used,
        shared=query.shared,
        session=None if query.session is None else find_session(project, query.session).n,
        limit=query.limit,
        offset=query.offset,
    )


def _judged(project: Project, rows: list[Memory]) -> list[ListedMemory]:
    """Returns memories, each with whether HEAD can see it and its files are unchanged."""
    names = sessions.names(project.db, sorted({memory.session for memory in rows if memory.session}))
    ways = oplog.ways_superseded(project.db, [memory.id for memory in rows if memory.superseded_by])
    return [
        ListedMemory(
            **memory_values(memory),
            **status.as_json(),
            session=names[memory.session][0] if memory.session in names else None,
            forgotten=bool(memory.forgotten),
            superseded_how=ways.get(memory.id, ""),
        )
        for memory, status in zip(rows, statuses(project, rows))
    ]


@router.get("/memories", response_model=typed(MemoryPage))
def page(call: OneCall, query: Annotated[PageQuery, Query()]) -> Response:
    """A page of memories, newest first, each with whether it holds."""
    return call.reading(lambda project: to_json(_read_page(project, query)))


ContestedMemory = shape("ContestedMemory", "id title")


@router.get("/contested", response_model=page_type(shape("Contest", "id title", rivals=listed(ContestedMemory))))
def contested(call: OneCall, window: OneWindow) -> Response:
    """Memories that several others replace, with those others. Somebody has to decide which one holds."""

    def work(project: Project) -> list[dict[str, Any]]:
        successors = succession(project, project.db)
        contests = []
        for memory_id in graph.often_superseded(project.db):
            old, rivals = memories.find(project.db, memory_id), successors.of(memory_id)
            if old is not None and len(rivals) > 1:
                names = [{"id": rival.id, "title": rival.title} for rival in rivals]
                contests.append({"id": old.id, "title": old.title, "rivals": names})
        return contests

    return window.cut(call.read(work))


# `between`: how many commits lie between the two; 0 between a child and its parent.
GraphEdge = shape("GraphEdge", "above below", between=int)
# `memories`: how many live ones were written on it. `at` in milliseconds since 1970.
GraphCommit = shape("GraphCommit", "id subject author", parents=list[str], at=int, memories=int)
# Commits around the anchor and HEAD, children before their parents; `anchor_branch`: where it is if HEAD has not got it.
Graph = shape(
    "Graph",
    "branch anchor_state anchor_branch",
    head=str | None,
    anchor=str | None,
    carried_over=dict[str, str] | None,
    anchor_tip=str | None,
    commits=listed(GraphCommit),
    edges=listed(GraphEdge),
)


@router.get("/memories/{id}/commits", response_model=Graph)
def commits(call: OneCall, id: Annotated[str, Field(max_length=80)], limit: Annotated[int, Query(ge=2, le=200)] = 24) -> Response:
    """The place of a memory's anchor in the commit graph, as seen from HEAD: its neighbours, and how many are left out."""

    def work(project: Project) -> dict[str, Any]:
        memory = find_memory(project, id)
        state, anchor = anchor_states(project, [memory.anchor])[memory.anchor], anchor_commit(memory.anchor)
        carried = carried_as_json(state)
        near = surroundings.Surroundings()
        if project.checkout is not None:
            near = surroundings.around(project.checkout, anchor, carried["commit"] if carried else None, limit)
        return {
            "head": project.commit,
            "branch": name_and_branch(project)[1],
            "anchor": anchor,
            "anchor_state": state_name(state),
            "anchor_branch": near.branch,
            "anchor_tip": near.tip or None,
            "carried_over": carried,
            "commits": _described(project, near.commits),
            "edges": [as_dict(edge) for edge in near.edges],
        }

    return call.reading(work)


def _described(project: Project, commits: Sequence[DescribedCommit]) -> list[dict[str, Any]]:
    anchors = [anchor for _, anchor in graph.memories_anchored_at(project.db, [commit.id for commit in commits], -1)]
    return [
        {
            "id": commit.id,
            "parents": list(commit.parents),
            "at": commit.at * 1000,
            "author": commit.author,
            "subject": commit.subject[:200],
            "memories": anchors.count(commit.id),
        }
        for commit in commits
    ]
