"""All of a memory in one list: searched by words or newest first, narrowed by facets, with the count of each value.

Memories, prompts, answers, passages that state something, notes, the profile, states, sessions and chunks are rows of one shape.
Unlike a pack it also lists what does not hold here, and says so. The count of a facet's value is that of what fits all other
facets, so that another value can be chosen.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Literal

from memcli.fields import Result
from memcli.memory import find_session
from memcli.recall import relevance
from memcli.recall import search as recall_search
from memcli.recall.snippet import snippets
from memcli.records import Record
from memcli.repo import branches
from memcli.store import catalogue, memories, oplog, passages
from memcli.store.catalogue import StoredRow
from memcli.store.passages import owner_of
from memcli.text import dates
from memcli.text.ids import PLACE, anchor_branch, anchor_commit
from memcli.validity import DRIFTED, REACHABLE, LinkStatus, anchor_states, is_replaced, origin_values, state_name
from memcli.validity.chunks import WorkingTree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.project import Project
    from memcli.recall.candidates import ParsedQuery

MOST_VALUES = 40  # of a facet that are listed
MATCHES = 500  # memories and passages that a search looks at
_CHUNKS, _SESSIONS = 100, 50  # that a search takes
_LINKED = 1_000  # memories with files, up to which it is looked whether those changed
_TEXT = 2_000  # characters of a text that are looked at for its snippet
_TITLE = 200  # characters of an item that has no title of its own
_FILES = 5  # of a memory that are named


class CatalogueQuery(Record):
    """What is looked for. Facets by name: the values of which one must fit; `since`, `until` in ms since 1970."""

    text: str = ""
    facets: dict[str, str] = {}
    since: int | None = None
    until: int | None = None
    limit: int = 20
    offset: int = 0


class CatalogueItem(Result):
    """One thing that is stored. `id` is its own, of an answer its prompt's; `passage`: the part of it that matched."""

    type: Literal["memory", "prompt", "answer", "passage", "note", "profile", "state", "session", "chunk"]
    id: str
    kind: str
    title: str
    snippet: str
    thread_id: str | None
    origin: str
    trust: Literal["high", "medium", "low"]
    exposed_to: list[str]
    state: str
    branch: str | None
    files: list[str]
    session: str | None
    passage: str | None
    superseded_by: str | None
    superseded_how: str  # reverted, fixed, done or replaced; empty where that is not known
    anchor_commit: str | None
    at: str
    score: float | None


class FacetValue(Result):
    """How many have a value. `label`: the value for people, where it is an id."""

    value: str
    count: int
    label: str


class Facets(Result):
    """The values of each facet, the most frequent first."""

    type: list[FacetValue]
    kind: list[FacetValue]
    state: list[FacetValue]
    origin: list[FacetValue]
    thread: list[FacetValue]
    branch: list[FacetValue]
    file: list[FacetValue]
    session: list[FacetValue]


FACETS = Facets._fields


class CataloguePage(Result):
    """A page of the list, with the counts of its facets. `capped`: more may match than were looked at."""

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


def page(project: Project, query: CatalogueQuery) -> CataloguePage:
    """Returns a page of all that is stored, with the counts of its facets. Raises InvalidInput or NotFound for a session."""
    parsed = recall_search.parse(project, query.text) if query.text.strip() else None
    tree = WorkingTree(project).tree
    facets = dict(query.facets)
    if "session" in facets:
        facets["session"] = find_session(project, facets["session"]).id
    if parsed is None:
        rows = sorted(catalogue.every(project.db, catalogue.TYPES, tree), key=lambda row: row.at, reverse=True)
        matches: dict[tuple[str, str], _Match] = {}
    else:
        matches = _matches(project, parsed, query.text)
        rows = _rows_of(project, matches, tree)
    rows = [row for row in rows if (query.since or 0) <= row.at and (query.until is None or row.at < query.until)]
    values = _Values(project, rows, is_whole=parsed is None)
    fitting, counts = _counted(rows, values, facets)
    shown = fitting[query.offset : query.offset + query.limit]
    is_capped = parsed is not None and sum(key[0] != "chunk" for key in matches) >= MATCHES
    return CataloguePage(
        items=_items(project, shown, values, matches, parsed),
        total=len(fitting),
        limit=query.limit,
        offset=query.offset,
        has_more=query.offset + len(shown) < len(fitting),
        capped=is_capped,
        facets=Facets(*[values.listed(name, counts[name]) for name in FACETS]),
    )


def _matches(project: Project, parsed: ParsedQuery, text: str) -> dict[tuple[str, str], _Match]:
    """Returns what matches words, by type and id, best first. Scores of each index are shares of its best one."""
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
    scored += [(hit.ranked.score / most * 0.999, ("chunk", hit.memory.id), None) for hit in chunks]
    words = [word.strip('"()*').lower() for word in text.split() if word not in recall_search.OPERATORS]
    sessions = catalogue.sessions_named(project.db, [word for word in words if word], _SESSIONS)
    scored += [(0.9, ("session", name), None) for name in sessions]
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
    rows = {(row.type, row.id): row for row in catalogue.some(project.db, ids, tree)}
    return [rows[key] for key in matches if key in rows]


class _Values:
    """What each row has of each facet. `is_whole`: the rows are all that is stored."""

    def __init__(self, project: Project, rows: Sequence[StoredRow], is_whole: bool) -> None:
        self._project = project
        self._anchors = anchor_states(project, {row.anchor for row in rows})
        self._replaced: dict[str, bool] = {}
        self._branch_of: dict[str, str] = {}
        checkout = project.checkout
        self._here = (checkout.branch or "") if checkout else ""
        is_apart = checkout is not None and any(state != REACHABLE for state in self._anchors.values())
        self._branches = branches.beside_head(checkout) if checkout is not None and is_apart else {}
        self._sessions = catalogue.session_names(project.db, sorted({row.session for row in rows if row.session}))
        self._files: dict[str, list[str]] = {}
        ids = None if is_whole else [row.id for row in rows if row.type == "memory"]
        for memory_id, path in catalogue.files(project.db, ids):
            if path not in self._files.setdefault(memory_id, []):
                self._files[memory_id].append(path)
        linked = [row.id for row in rows if row.type == "memory" and row.id in self._files]
        links = memories.links_of(project.db, linked) if 0 < len(linked) <= _LINKED else []
        self._links = LinkStatus(project, links)

    def of(self, row: StoredRow) -> dict[str, list[str]]:
        """Returns the values of a row, by the name of the facet."""
        session = self._sessions.get(row.session)
        return {
            "type": [row.type],
            "kind": [row.kind],
            "state": [self.state(row)],
            "origin": [row.origin],
            "thread": [row.thread] if row.thread else [],
            "branch": [branch] if (branch := self.branch(row)) else [],
            "file": self.files(row),
            "session": [session[0]] if session else [],
        }

    def state(self, row: StoredRow) -> str:
        """Returns whether a row holds here: holds, drifted, carried, orphan, unknown, superseded, overtaken, forgotten."""
        if row.flag == "forgotten":
            return row.flag
        if row.superseded_by and self._is_replaced(row.superseded_by):
            return "overtaken" if row.type == "passage" else "superseded"
        anchor = state_name(self._anchors[row.anchor])
        if anchor != REACHABLE:
            return anchor
        return DRIFTED if row.type == "memory" and self._links.freshness(row.id).state == DRIFTED else "holds"

    def _is_replaced(self, successor: str) -> bool:
        if successor not in self._replaced:
            self._replaced[successor] = is_replaced(self._project, self._project.db, successor)
        return self._replaced[successor]

    def branch(self, row: StoredRow) -> str:
        """Returns the branch that has a row's commit: the one that is checked out, where HEAD has it; "" where nobody knows."""
        if row.anchor is None:
            return ""
        if row.anchor not in self._branch_of:
            self._branch_of[row.anchor] = self._branch(row.anchor)
        return self._branch_of[row.anchor]

    def _branch(self, anchor: str) -> str:
        if waiting := anchor_branch(anchor):
            return waiting
        commit = anchor_commit(anchor) or ""
        return self._branches.get(commit) or (self._here if state_name(self._anchors[anchor]) == REACHABLE else "")

    def files(self, row: StoredRow) -> list[str]:
        """Returns the files that a row names."""
        return [row.path] if row.path else self._files.get(row.id, [])

    def session(self, row: StoredRow) -> str | None:
        """Returns the id of a row's session."""
        return self._sessions[row.session][0] if row.session in self._sessions else None

    def listed(self, name: str, counts: Counter[str]) -> list[FacetValue]:
        """Returns the values of a facet, the most frequent first."""
        labels = {it: title for it, title, _ in self._sessions.values()} if name == "session" else {}
        most = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_VALUES]
        return [FacetValue(value, count, labels.get(value, value)) for value, count in most]


def _counted(
    rows: Sequence[StoredRow], values: _Values, facets: dict[str, str]
) -> tuple[list[StoredRow], dict[str, Counter[str]]]:
    """Returns the rows that fit all facets, and for each facet how many of what fits the others have each value."""
    fitting = []
    counted: dict[str, list[str]] = {name: [] for name in FACETS}  # a Counter of many at once is several times as fast
    for row in rows:
        of_row = values.of(row)
        failing = [name for name, value in facets.items() if value not in of_row[name]] if facets else []
        if len(failing) > 1:
            continue
        if not failing:
            fitting.append(row)
        for name in failing or FACETS:
            counted[name] += of_row[name]
    return fitting, {name: Counter(all_values) for name, all_values in counted.items()}


def _items(
    project: Project,
    rows: Sequence[StoredRow],
    values: _Values,
    matches: dict[tuple[str, str], _Match],
    parsed: ParsedQuery | None,
) -> list[CatalogueItem]:
    texts = {(text.type, text.id): text for text in catalogue.texts(project.db, [(row.type, row.id) for row in rows], _TEXT)}
    snippet = snippets(project.db, parsed) if parsed else _beginning
    ways = oplog.ways_superseded(project.db, [row.id for row in rows if row.superseded_by])
    keys = [(row.type, row.id) for row in rows]
    return [_item(row, values, texts[key], matches.get(key), snippet, ways.get(row.id, "")) for key, row in zip(keys, rows)]


def _beginning(text: str) -> str:
    return " ".join(text[:300].split())


def _title(text: str) -> str:
    line = _beginning(text)
    return line if len(line) <= _TITLE else f"{line[: _TITLE - 1].rstrip()}…"


def _item(
    row: StoredRow, values: _Values, text: catalogue.StoredText, match: _Match | None, snippet: Any, way: str
) -> CatalogueItem:
    return CatalogueItem(
        type=row.type,  # type: ignore[arg-type]
        id=row.id,
        kind=row.kind,
        title=_title(text.title),
        snippet=snippet(text.text),
        thread_id=row.thread or None,
        **origin_values(row.origin, row.tags),
        state=values.state(row),
        branch=values.branch(row) or None,
        files=values.files(row)[:_FILES],
        session=values.session(row),
        passage=match.passage if match else None,
        superseded_by=row.superseded_by,
        superseded_how=way,
        anchor_commit=anchor_commit(row.anchor),
        at=dates.iso(row.at),
        score=round(match.score, 4) if match else None,
    )
