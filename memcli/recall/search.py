"""`search`: memories as a list of hits with a snippet each. The same finding and ranking as `get`, without a budget."""

from __future__ import annotations

from memcli.errors import InvalidInput
from memcli.recall import candidates
from memcli.recall.excerpt import excerpts
from memcli.recall.get import judge
from memcli.recall.rank import matches
from memcli.records import Record, replace
from memcli.store import memories
from memcli.store import search as index
from memcli.text import dates, json
from memcli.validity.status import state_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from memcli.project import Project
    from memcli.recall.candidates import ParsedQuery
    from memcli.recall.rank import Ranked
    from memcli.recall.semantic import QueryVector
    from memcli.store.memories import Memory
    from memcli.store.search import Filter

MAX_LIMIT = 1_000
PROMPT = "prompt"  # the kind under which prompts of sessions are found
OPERATORS = frozenset(("AND", "OR", "NOT"))


class SearchHit(Record):
    """One hit: the memory, what ranking and truth said, and the part of it that matches."""

    memory: Memory
    ranked: Ranked
    snippet: str


def filter_of(
    project: Project, kind: str | None, thread: str | None, since: str | None, until: str | None, session: str | None = None
) -> Filter | None:
    """Returns the filter that the options describe, None for none. Raises InvalidInput for a date that is none, NotFound."""
    if kind is thread is since is until is session is None:
        return None
    first = None if since is None else dates.parse_when(since, project.now)
    last = None if until is None else dates.parse_when(until, project.now)
    if until is not None and last is not None and len(until.strip()) == len("2026-03-01"):
        last += dates.DAY  # a date means the whole day
    return {
        "kind": kind and kind.strip().lower(),
        "thread": thread,
        "since": first,
        "until": last,
        "session": _session(project, session),
    }


def search(
    project: Project, query: str, only: Filter | None, limit: int, offset: int = 0, meaning: QueryVector | None = None
) -> list[SearchHit]:
    """Returns up to `limit` memories that match a query and hold at HEAD, and prompts, best first, without the first `offset`.

    `query`: plain words or syntax. `meaning`: the query as a vector, where meanings are to be compared, too.
    Raises InvalidInput for a limit or an offset that is out of range.
    """
    asked = read(project, query)
    if not index.indexed(project.db, "prompt") or (only and (only["kind"] not in (None, PROMPT) or only["thread"])):
        return answers(project, asked, only, limit, offset, meaning)
    from memcli.recall import prompts

    _check(limit, offset)
    most = min(limit + offset, MAX_LIMIT)
    return prompts.among(project, asked, only, answers(project, asked, only, most, 0, meaning))[offset : offset + limit]


def _check(limit: int, offset: int) -> None:
    if limit < 1 or limit > MAX_LIMIT:
        raise InvalidInput(f"a limit of {limit}", f"give --limit 1 to {MAX_LIMIT}")
    if offset < 0:
        raise InvalidInput(f"an offset of {offset}", "give --offset 0 or more")


def answers(
    project: Project, asked: ParsedQuery, only: Filter | None, limit: int, offset: int = 0, meaning: QueryVector | None = None
) -> list[SearchHit]:
    """Returns what `search` does for a query that has been read."""
    _check(limit, offset)
    found = holding(project, asked, offset + limit, only, meaning)
    return shown(project, found[offset : offset + limit], asked)


def holding(
    project: Project, asked: ParsedQuery, most: int, only: Filter | None = None, meaning: QueryVector | None = None
) -> list[Ranked]:
    """Returns what holds here of the best matches, best first: of `rank.candidates`, or of twice `most` where that is more."""
    ranked = matches(project, asked, max(project.config["rank.candidates"], 2 * most), only)
    if meaning is not None:
        from memcli.recall.semantic import blend

        matching = {(one.from_user, one.hit.n) for one in ranked} if asked.required else None
        ranked = blend(project, meaning, asked.terms, ranked, only)
        if matching is not None:
            ranked = [one for one in ranked if (one.from_user, one.hit.n) in matching]
    return judge(project, ranked, include_orphans=False)[0]


def _session(project: Project, reference: str | None) -> int | None:
    """Returns the row of a session that is named. Raises NotFound or InvalidInput."""
    if reference is None:
        return None
    from memcli.memory.lookup import find_session

    return find_session(project, reference).n


def read(project: Project, query: str) -> ParsedQuery:
    """Returns what a query asks for: plain words, or what its quotes, operators and prefixes demand."""
    words = query.split()
    if '"' in query or not OPERATORS.isdisjoint(words[1:-1]) or ("*" in query and any(w.rstrip(")")[-1:] == "*" for w in words)):
        from memcli.recall import syntax

        if demand := syntax.parse(query):
            asked = candidates.ask(project, demand.plain)
            return replace(asked, required=syntax.fts5(project.db, demand.required, asked.corrected))
    return candidates.ask(project, query)


def shown(project: Project, found: Sequence[Ranked], asked: ParsedQuery) -> list[SearchHit]:
    """Returns ranked memories with their texts, in the same order."""
    excerpt = excerpts(project.db, asked)
    kept: dict[tuple[bool, int], Memory] = {}
    for is_user in (False, True):
        db = project.user_db if is_user and project.user_db is not None else project.db
        if numbers := [one.hit.n for one in found if one.from_user is is_user]:
            kept |= {(is_user, n): memory for n, memory in memories.by_numbers(db, numbers).items()}
    texts = [(kept[one.from_user, one.hit.n], one) for one in found]
    return [SearchHit(memory, one, excerpt(memory.summary)) for memory, one in texts]


def as_json(found: list[SearchHit]) -> list[dict[str, Any]]:
    """Returns the hits as data."""
    return [
        {
            "id": one.memory.id,
            "source_id": one.memory.source_id,
            "thread_id": one.memory.thread,
            "kind": one.memory.kind,
            "title": one.memory.title,
            "snippet": one.snippet,
            "created_at": dates.iso(one.memory.created_at),
            "anchor_commit": one.memory.anchor,
            "anchor_state": state_name(one.ranked.anchor),
            "from": "user" if one.ranked.from_user else "repository",
            "score": round(one.ranked.score, 4),
        }
        for one in found
    ]


def answer_line(
    project: Project, line: str, only: Filter | None, limit: int, encode: Callable[[str], QueryVector | None] = lambda text: None
) -> dict[str, Any]:
    """Answers one line of a batch: `{"id","text"}` -> `{"id","hits":[{"id","source_id","score"}]}`. Raises InvalidInput.

    `encode` makes a vector of a query where meanings are to be compared, too.
    """
    try:
        asked = json.loads(line)
    except json.Malformed as problem:
        raise InvalidInput(
            f"a line of the batch is not JSON: {problem}", 'write {"id": "q1", "text": "the question"} on each line'
        ) from None
    text = asked.get("text", asked.get("query")) if isinstance(asked, dict) else None
    if not isinstance(text, str):
        raise InvalidInput('a line of the batch has no "text"', 'write {"id": "q1", "text": "the question"} on each line')
    hits = answers(project, candidates.ask(project, text), only, limit, meaning=encode(text))
    return {
        "id": asked.get("id"),
        "hits": [{"id": hit.memory.id, "source_id": hit.memory.source_id, "score": round(hit.ranked.score, 4)} for hit in hits],
    }
