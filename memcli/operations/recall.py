"""get, explain, search: what is known about a task or a question."""

from __future__ import annotations

from memcli import fields
from memcli.errors import InvalidInput, Option
from memcli.fields import Filtered, Result, Timed
from memcli.operations import Operation
from memcli.records import Record, replace
from memcli.text import dates
from memcli.text.ids import PLACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Literal

    from memcli.models import Unavailable
    from memcli.project import Project
    from memcli.recall.get import Query
    from memcli.recall.limits import Limit
    from memcli.recall.pack import Pack
    from memcli.recall.relevance import Ranked
    from memcli.recall.search import SearchHit
    from memcli.recall.semantic import QueryVector
    from memcli.store.usage import Usage

FORMATS = ("prompt", "json", "xml")
MAX_HITS = 1_000
MAX_OFFSET = 100_000


class ExplainRequest(Timed):
    """A task or a question, from which time it is answered, and what its pack may cost."""

    query: str = fields.text("The task or question, in any words; - reads standard input.", max_length=4_000, metavar="QUERY")
    budget: int | None = fields.number("The maximum number of tokens.", default=None, minimum=1, maximum=1_000_000)
    max_bytes: int | None = fields.number("The maximum number of bytes.", default=None, minimum=1, maximum=100_000_000)
    include_orphans: bool = fields.flag("Include memories of commits that HEAD cannot reach.", default=False)
    semantic: bool = fields.flag("Also compare meanings; see mem embed.", default=False)
    evidence: bool = fields.flag("Quote as much of the repository's text as fits.", default=False)
    no_evidence: bool = fields.flag("Quote none of the repository's text.", default=False)
    harness: str | None = fields.text(
        "Fit a prompt of this agent harness, such as claude.", default=None, max_length=80, metavar="HARNESS", flag="--for"
    )


class GetRequest(ExplainRequest):
    """A task or a question, what its pack may cost, and its format."""

    format: str | None = fields.text("The output format.", default=None, choices=FORMATS)


class SearchRequest(Filtered):
    """Words, and which of the matching memories."""

    query: str = fields.text(
        'Words; also "a phrase", prefix*, AND, OR, NOT, ( ); - reads standard input.', max_length=4_000, metavar="QUERY"
    )
    limit: int = fields.number("The maximum number of results.", default=10, minimum=1, maximum=MAX_HITS, flag=fields.LIMIT_FLAG)
    offset: int = fields.number("Skip this many results.", default=0, maximum=MAX_OFFSET)
    session: str | None = fields.text("Only memories of this agent session.", default=None, max_length=200, metavar="ID")
    semantic: bool = fields.flag("Also compare meanings; see mem embed.", default=False)


class HitRecord(Result):
    """A memory or a prompt that matches."""

    id: str
    source_id: str | None
    thread_id: str
    kind: str
    title: str
    snippet: str
    created_at: str
    anchor_commit: str | None
    anchor_state: Literal["reachable", "carried", "orphan", "unknown"]
    source: Literal["user", "repository"] = fields.text("Whose it is.", output="from")
    origin: str
    trust: Literal["high", "medium", "low"]
    exposed_to: list[str]
    suspicious: bool
    score: float
    contested_by: list[str] = []  # others that replace the same memory
    author: str = ""  # of what another store wrote: what that is called


class Packed(Record):
    """The pack for a task. `problem`: why meanings were not compared, where that was wanted."""

    pack: Pack
    problem: Unavailable | None
    now: int

    def answer(self) -> dict[str, Any]:
        """Returns the pack as docs/schema/pack.json describes it."""
        from memcli.recall import report

        return report.as_json(self.pack)


class Explained(Record):
    """Every candidate for a pack, and its verdict. `problem`: as in Packed; `usage`: of each; for a passage, of its memory.

    `limits`: those that left something out; `beside`: words that a passage matches only by the prompt that it answers.
    """

    pack: Pack
    problem: Unavailable | None
    usage: dict[str, Usage]
    limits: list[Limit]
    beside: dict[str, list[str]]

    def answer(self) -> dict[str, Any]:
        """Returns every candidate with its features and its usage, best first."""
        from memcli.operations.results import memory_usage
        from memcli.recall import report

        explained = report.explained(self.pack)
        for row in explained["memories"]:
            row["usage"] = memory_usage(self.usage[row["id"]]).to_json()
            row["words_of_prompt"] = self.beside.get(row["id"], [])
        return explained | {"limits": [limit.to_json() for limit in self.limits]}


class SearchResult(Record):
    """Matching memories, best first. `problem`: as in Packed.

    `orphans`: how many match and are not on this branch; `superseded`: how many are replaced; `total`: how many match here, of
    those that were examined; `contests`: for contested hits, what they replace and the memories that contest them.
    """

    hits: list[SearchHit]
    problem: Unavailable | None
    now: int
    orphans: int = 0
    superseded: int = 0
    total: int = 0
    contests: dict[str, tuple[str, tuple[str, ...]]] = {}
    authors: dict[str, str] = {}  # of hits that other stores wrote, by their ids

    def answer(self) -> list[HitRecord]:
        """Returns the hits as results."""
        return [
            _hit_record(hit, self.contests.get(hit.memory.id, ("", ()))[1], self.authors.get(hit.memory.id, ""))
            for hit in self.hits
        ]


def get(project: Project, request: GetRequest, on_stage: Callable[[str], None] = lambda stage: None) -> Packed:
    """Returns the pack for a task. `on_stage` gets the name of each stage as it ends. Raises InvalidInput."""
    from memcli.recall import get as recall

    query, problem = _query(project, request, "xml" if request.format == "xml" else "prompt")
    return Packed(recall.get(project, query, on_stage), problem, project.now)


def explain(project: Project, request: ExplainRequest) -> Explained:
    """Returns every candidate for the pack, and its verdict."""
    from memcli.recall import get as recall
    from memcli.recall import limits
    from memcli.store import usage
    from memcli.store.passages import owner_of

    query, problem = _query(project, request)
    pack = recall.get(project, query)
    caps = limits.PackCaps(request.budget, request.max_bytes, request.harness)
    matches = {match.hit.id: match for match in [*[item.ranked for item in pack.items], *[match for match, _ in pack.left_out]]}
    owners = {name: owner_of(name) for name in matches}
    counts = usage.of_memories(project.db, list(owners.values()))
    used = {name: counts[owner] for name, owner in owners.items()}
    return Explained(pack, problem, used, limits.of_pack(project.config, pack, caps), _words_of_prompts(project, matches))


def _words_of_prompts(project: Project, matches: dict[str, Ranked]) -> dict[str, list[str]]:
    """Returns, by passage, the words of the question that it matches only by the prompt that it answers."""
    from memcli.recall import snippet
    from memcli.store import passages

    answers = [passage for name in matches if PLACE in name if (passage := passages.find(project.db, name)) and passage.question]
    words = {it.id: snippet.absent(project.db, matches[it.id].words(), f"{it.heading} {it.text}") for it in answers}
    return {name: absent for name, absent in words.items() if absent}


def _query(project: Project, request: ExplainRequest, form: str = "prompt") -> tuple[Query, Unavailable | None]:
    """Returns the question for recall. The smaller of two caps applies."""
    from memcli.recall.get import Query

    if request.evidence and request.no_evidence:
        raise InvalidInput(
            "evidence cannot be both included and left out", ("give ", Option("evidence"), " or ", Option("no_evidence"))
        )
    budget, max_bytes = request.budget, request.max_bytes
    if request.harness is not None:
        from memcli.agents.adapters import context_limits

        most, tokens = context_limits(request.harness)
        max_bytes = min(most, max_bytes or most)
        budget = budget if tokens is None else min(tokens, budget or project.config["budget.total"])
    meaning, problem = question_vector(project, request.query, request.semantic)
    evidence = True if request.evidence else False if request.no_evidence else None
    since = until = None
    if request.since is not None or request.until is not None:
        from memcli.memory import filters

        since, until = filters.since(project, request.since), filters.until(project, request.until)
    query = Query(request.query, form, budget, request.include_orphans, max_bytes, meaning)
    return replace(query, evidence=evidence, since=since, until=until), problem


def search(project: Project, request: SearchRequest) -> SearchResult:
    """Returns matching memories, best first. Raises InvalidInput for an invalid date, NotFound for an unknown session."""
    from memcli.recall import search as recall
    from memcli.validity import contests, writer_name

    if (request.kind or "").strip().lower() == recall.CHUNK:
        return _search_chunks(project, request)
    only = recall.filter_of(project, request, request.session)
    meaning, problem = question_vector(project, request.query, request.semantic)
    hits, hidden, total = recall.search(project, request.query, only, request.limit, request.offset, meaning)
    names = {hit.memory.id: name for hit in hits if (name := writer_name(project, hit.memory.origin))}
    contested = contests(project, project.db, [hit.memory.id for hit in hits if not hit.ranked.from_user])
    return SearchResult(hits, problem, project.now, hidden.orphans, hidden.superseded, total, contested, names)


def _search_chunks(project: Project, request: SearchRequest) -> SearchResult:
    """Returns matching pieces of the repository's text. Raises InvalidInput for what only memories have."""
    from memcli.recall import search as recall

    for name in ("since", "until", "origin", "session"):
        if getattr(request, name) is not None:
            raise InvalidInput(f"chunks come from files as they are now and have no {name}", ("leave out ", Option(name)))
    meaning, problem = question_vector(project, request.query, request.semantic)
    parsed = recall.parse(project, request.query)
    hits, total = recall.chunk_hits(project, parsed, request.thread, request.limit, request.offset, meaning)
    return SearchResult(hits, problem, project.now, total=total)


def count_hits(project: Project, request: SearchRequest, result: SearchResult) -> int:
    """Returns how many match, of those that were examined."""
    return result.total


def hidden_hits(result: SearchResult) -> dict[str, int]:
    """Returns how many matches are not on this branch, and how many were superseded."""
    return {"not_on_this_branch": result.orphans, "superseded": result.superseded}


def question_vector(project: Project, text: str, is_wanted: bool = False) -> tuple[QueryVector | None, Unavailable | None]:
    """Returns (a question as a vector, if meanings are to be compared; why there is none)."""
    if not (is_wanted or project.config["recall.semantic"]) or not text.strip():
        return None, None
    from memcli.models import Unavailable
    from memcli.recall import semantic

    try:
        return semantic.encode_query(project, text), None
    except Unavailable as problem:
        return None, problem


def _hit_record(hit: SearchHit, rivals: Sequence[str], author: str) -> HitRecord:
    from memcli.text.ids import anchor_commit
    from memcli.validity import origin_values, state_name

    memory = hit.memory
    return HitRecord(
        id=memory.id,
        source_id=memory.source_id,
        thread_id=memory.thread,
        kind=memory.kind,
        title=memory.title,
        snippet=hit.snippet,
        created_at=dates.iso(memory.created_at),
        anchor_commit=anchor_commit(memory.anchor),
        anchor_state=state_name(hit.ranked.anchor),  # type: ignore[arg-type]
        source="user" if hit.ranked.from_user else "repository",
        **origin_values(memory.origin, memory.tags),
        suspicious=bool(memory.suspicious),
        score=round(hit.ranked.score, 4),
        contested_by=list(rivals),
        author=author,
    )


OPERATIONS = {
    "get": Operation("get", "Print what is known about a task and holds on this commit.", GetRequest, Packed, read=get),
    "explain": Operation(
        "explain",
        "Show how each memory scored for a question and why it is in the pack or not.",
        ExplainRequest,
        Explained,
        read=explain,
    ),
    "search": Operation(
        "search",
        """List matching memories, best first, with a snippet each: mem search '"session expired" OR (cache* NOT redis)'.""",
        SearchRequest,
        SearchResult,
        read=search,
        total=count_hits,
        hidden=hidden_hits,
    ),
}
