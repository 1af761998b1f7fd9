"""All of a memory in one list: searched by words or newest first, narrowed by facets, with the count of each value.

Memories, prompts, answers, passages that state something, notes, the profile, states, sessions and chunks are rows of one shape.
Unlike a pack it also lists what does not hold here, and says so. The count of a facet's value is that of what fits all other
facets, so that another value can be chosen.
"""

from __future__ import annotations

from collections import Counter
from itertools import compress
from typing import TYPE_CHECKING, Any, Literal

from memcli.fields import Result
from memcli.memory import find_session
from memcli.recall import relevance
from memcli.recall import search as recall_search
from memcli.recall.facets import FACETS, Facets, Values, all_of, counted, fits
from memcli.recall.snippet import snippets
from memcli.records import Record, replace
from memcli.store import catalogue, oplog, passages
from memcli.store.catalogue import StoredRow
from memcli.store.passages import owner_of
from memcli.text import dates
from memcli.text.ids import PLACE, anchor_commit
from memcli.validity import origin_values
from memcli.validity.chunks import WorkingTree

if TYPE_CHECKING:
    from memcli.project import Project
    from memcli.recall.candidates import ParsedQuery

MATCHES = 500  # memories and passages that a search looks at
_CHUNKS, _SESSIONS = 100, 50  # that a search takes
_TEXT = 2_000  # characters of a text that are looked at for its snippet
_TITLE = 200  # characters of an item that has no title of its own
_FILES = 5  # of a memory that are named
_CHUNK_SHARE = 0.999  # of a chunk's score: of two equal ones the memory comes first
_SESSION_SCORE = 0.9  # of a session that has all words in its topic, outcome or id, which no index scores


class CatalogueQuery(Record):
    """A search of all that is stored. `facets`: by name, the value that must fit; `since`, `until` in ms since 1970.

    `counts`: also count the values of the facets, for which all that is stored is read.
    """

    text: str = ""
    facets: dict[str, str] = {}
    since: int | None = None
    until: int | None = None
    limit: int = 20
    offset: int = 0
    counts: bool = True


class CatalogueItem(Result):
    """One stored item. `id` is its own, for an answer its prompt's; `passage`: the part of it that matched."""

    type: Literal["memory", "prompt", "answer", "passage", "note", "profile", "state", "session", "chunk"]
    id: str
    kind: str
    title: str
    snippet: str
    thread_id: str | None
    origin: str
    trust: Literal["high", "medium", "low"]
    exposed_to: list[str]
    suspicious: bool
    state: str
    branch: str | None
    files: list[str]
    session: str | None
    session_title: str
    passage: str | None
    superseded_by: str | None
    superseded_how: str  # reverted, fixed, done or replaced; empty where that is not known
    closed_by: str | None  # of an open point that a memory closed: that memory, without which the point is open again
    anchor_commit: str | None
    at: str
    score: float | None


class CataloguePage(Result):
    """A page of the list, with the counts of its facets. `capped`: more may match than were examined."""

    items: list[CatalogueItem]
    total: int
    limit: int
    offset: int
    has_more: bool
    capped: bool
    facets: Facets


class _Match(Record):
    """How a row matches a search."""

    score: float = 0.0
    passage: str | None = None


class _Selection(Record):
    """What a page shows, of how many, with the counts of facets; for a search, how each row matches, by type and id."""

    rows: list[StoredRow]
    total: int
    values: Values
    counts: dict[str, Counter[Any]] = {}
    parsed: ParsedQuery | None = None
    matches: dict[tuple[str, str], _Match] = {}


def page(project: Project, query: CatalogueQuery) -> CataloguePage:
    """Returns a page of all that is stored, with the counts of its facets. Raises InvalidInput or NotFound for a session."""
    facets = dict(query.facets)
    if "session" in facets:
        facets["session"] = find_session(project, facets["session"]).id
    tree = WorkingTree(project).tree
    within = {name: at for name, at in (("since", query.since), ("until", query.until)) if at is not None}
    if query.text.strip():
        return _best(project, query, facets, tree, within)
    if not query.counts:
        return _uncounted(project, query, facets, tree, within)
    rows = catalogue.newest(project.db, catalogue.TYPES, tree, within)
    values = Values(project, rows)
    fitting, counts = counted(rows, values, facets)
    return _page(project, query, _Selection(fitting[query.offset :][: query.limit], len(fitting), values, counts))


def _best(
    project: Project, query: CatalogueQuery, facets: dict[str, str], tree: int | None, within: dict[str, int]
) -> CataloguePage:
    """Returns a page of what matches words, best first."""
    parsed = recall_search.parse(project, query.text)
    matches = _matches(project, parsed, query.text)
    until = within.get("until", float("inf"))
    rows = [row for row in _rows_of(project, matches, tree) if within.get("since", 0) <= row.at < until]
    values = Values(project, rows)
    fitting, counts = counted(rows, values, facets)
    shown = fitting[query.offset :][: query.limit]
    return _page(project, query, _Selection(shown, len(fitting), values, counts, parsed, matches))


def _uncounted(
    project: Project, query: CatalogueQuery, facets: dict[str, str], tree: int | None, within: dict[str, int]
) -> CataloguePage:
    """Returns a page without counts: the store finds what fits, and only what is shown is read."""
    types = (facets["type"],) if "type" in facets else catalogue.TYPES
    conditions = {**within, **{name: value for name, value in facets.items() if name in catalogue.CONDITIONS}}
    judged = {name: value for name, value in facets.items() if name in ("state", "branch")}
    if not judged:
        rows = catalogue.newest(project.db, types, tree, conditions, query.offset + query.limit)[query.offset :]
        total = catalogue.count(project.db, types, tree, conditions)
        return _page(project, query, _Selection(rows, total, Values(project, rows)))
    rows = catalogue.newest(project.db, types, tree, conditions)
    values = Values(project, rows)
    fitting = list(compress(rows, all_of(fits({name: values.column(name) for name in judged}, judged).values())))
    return _page(project, query, _Selection(fitting[query.offset :][: query.limit], len(fitting), values))


def _page(project: Project, query: CatalogueQuery, selection: _Selection) -> CataloguePage:
    items = _items(project, selection)
    return CataloguePage(
        items=items,
        total=selection.total,
        limit=query.limit,
        offset=query.offset,
        has_more=query.offset + len(items) < selection.total,
        capped=sum(key[0] != "chunk" for key in selection.matches) >= MATCHES,
        facets=Facets(*[selection.values.listed(name, selection.counts.get(name, Counter())) for name in FACETS]),
    )


def _matches(project: Project, parsed: ParsedQuery, text: str) -> dict[tuple[str, str], _Match]:
    """Returns what matches words, by type and id, best first. Scores are relative to the best one of their index."""
    ranked = relevance.memories(project, parsed, MATCHES)
    valid, left_out = relevance.valid_at_head(project, ranked, moment=parsed.moment)
    hits = [match for match in [*valid, *[match for match, _ in left_out]] if match.from_user == project.is_user]
    stating = {
        passage.n
        for passage in passages.by_numbers(project.db, [hit.hit.n for hit in hits if hit.hit.is_passage])
        if passage.role
    }
    best = max([abs(match.score) for match in hits], default=1.0) or 1.0
    scored: list[tuple[float, tuple[str, str], str | None]] = []
    for match in hits:
        is_statement = bool(match.hit.is_passage) and match.hit.n in stating
        name = "passage" if is_statement else _type_of(match.hit.id, match.hit.kind, match.hit.thread)
        key = name, match.hit.id if is_statement else owner_of(match.hit.id)
        scored.append((match.score / best, key, match.hit.id if PLACE in match.hit.id else None))
    chunks, _ = recall_search.chunk_hits(project, parsed, None, _CHUNKS)
    most = max([hit.ranked.score for hit in chunks], default=1.0) or 1.0
    scored += [(hit.ranked.score / most * _CHUNK_SHARE, ("chunk", hit.memory.id), None) for hit in chunks]
    words = [word.strip('"()*').lower() for word in text.split() if word not in recall_search.OPERATORS]
    sessions = catalogue.sessions_named(project.db, [word for word in words if word], _SESSIONS)
    scored += [(_SESSION_SCORE, ("session", name), None) for name in sessions]
    matches: dict[tuple[str, str], _Match] = {}
    for score, key, passage in sorted(scored, key=lambda entry: -entry[0]):
        matches.setdefault(key, _Match(score, passage))
    return matches


def _type_of(hit_id: str, kind: str, thread: str) -> str:
    if owner_of(hit_id).startswith("M-"):
        return "memory"
    if kind in (passages.STATE, passages.PROFILE, passages.NOTE):
        return kind
    return "answer" if thread in passages.OF_AGENT else "prompt"


def _rows_of(project: Project, matches: dict[tuple[str, str], _Match], tree: int | None) -> list[StoredRow]:
    """Returns the rows of matches, best first."""
    ids: dict[str, list[str]] = {}
    for name, row_id in matches:
        ids.setdefault(name, []).append(row_id)
    rows = {(row.type, row.id): row for row in catalogue.by_ids(project.db, ids, tree)}
    return [rows[key] for key in matches if key in rows]


def _items(project: Project, selection: _Selection) -> list[CatalogueItem]:
    keys = [(row.type, row.id) for row in selection.rows]
    texts = {(text.type, text.id): text for text in catalogue.texts(project.db, keys, _TEXT)}
    snippet = snippets(project.db, selection.parsed) if selection.parsed else _beginning
    ways = oplog.ways_superseded(project.db, [row.id for row in selection.rows if row.superseded_by])
    closed = catalogue.closed(project.db, [row.id for row in selection.rows if (row.superseded_by or "").startswith("M-")])
    items = [
        _item(row, selection.values, texts[key], selection.matches.get(key), snippet, ways.get(row.id, ""))
        for key, row in zip(keys, selection.rows)
    ]
    return [replace(item, closed_by=closed.get(item.id)) if item.state == "overtaken" else item for item in items]


def _beginning(text: str) -> str:
    return " ".join(text[:300].split())


def _title(text: str) -> str:
    line = _beginning(text)
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 1].rstrip()}…"


def _item(
    row: StoredRow, values: Values, text: catalogue.StoredText, match: _Match | None, snippet: Any, way: str
) -> CatalogueItem:
    return CatalogueItem(
        type=row.type,  # type: ignore[arg-type]
        id=row.id,
        kind=row.kind,
        title=_title(text.title),
        snippet=snippet(text.text),
        thread_id=row.thread or None,
        **origin_values(row.origin, text.tags),
        suspicious=bool(text.suspicious),
        state=values.state(row),
        branch=values.branch(row),
        files=list(values.files(row)[:_FILES]),
        session=values.session(row),
        session_title=values.session_title(row),
        passage=match.passage if match else None,
        superseded_by=row.superseded_by,
        superseded_how=way,
        closed_by=None,
        anchor_commit=anchor_commit(row.anchor),
        at=dates.iso(row.at),
        score=round(match.score, 4) if match else None,
    )
