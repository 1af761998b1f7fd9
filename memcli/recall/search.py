"""`search`: memories as a list of hits with a snippet each. It finds and ranks as `get` does, without a budget."""

from __future__ import annotations

from memcli.errors import InvalidInput
from memcli.recall import candidates, relevance
from memcli.recall.selection import fetched
from memcli.recall.snippet import snippets
from memcli.records import Record, replace
from memcli.store import memories, passages
from memcli.store import search as store_search
from memcli.store.memories import Memory
from memcli.store.passages import owner_of
from memcli.text import json
from memcli.text.terminal import oneline
from memcli.validity import CHUNK_ACTOR, REACHABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from memcli.fields import Filtered
    from memcli.project import Project
    from memcli.recall.candidates import ParsedQuery
    from memcli.recall.relevance import Ranked
    from memcli.recall.semantic import QueryVector
    from memcli.store import Connection
    from memcli.store.chunks import Chunk
    from memcli.store.search import Filter

CHUNK = "chunk"  # the kind by which pieces of the repository's text are searched
_TITLE = 120  # characters of a prompt that stand for its title
OPERATORS = frozenset(("AND", "OR", "NOT"))


class SearchHit(Record):
    """One hit: the memory, its rank and whether it holds, and the part of it that matches."""

    memory: Memory
    ranked: Ranked
    snippet: str


class HiddenMatches(Record):
    """How many matches are not listed: those whose commits are not on this branch, and superseded memories."""

    orphans: int = 0
    superseded: int = 0


def filter_of(project: Project, only: Filtered, session: str | None = None) -> Filter | None:
    """Returns the filter that the options describe, or None. Raises InvalidInput for an invalid time, NotFound for a session."""
    if only.kind is only.thread is only.origin is only.since is only.until is session is None:
        return None
    from memcli.memory import filters

    return {**filters.conditions(project, only), "session": _session(project, session)}


def search(
    project: Project, query: str, only: Filter | None, limit: int, offset: int = 0, meaning: QueryVector | None = None
) -> tuple[list[SearchHit], HiddenMatches, int]:
    """Returns up to `limit` memories, prompts, states, notes and profile entries that match a query and hold at HEAD.

    Best first, without the first `offset`. Also returns how many match but do not hold here, and how many match here, of
    those that were examined. `query`: plain words or syntax.
    `meaning`: the query as a vector, if meanings are to be compared, too.
    """
    parsed = parse(project, query)
    ranked, hidden = valid_matches(project, parsed, offset + limit, only, meaning, with_others=True)
    hits = with_texts(project, ranked[offset : offset + limit], parsed)
    return [_with_statement(project, hit) if _is_of_kind(hit.ranked, only) else hit for hit in hits], hidden, len(ranked)


def _is_of_kind(match: Ranked, only: Filter | None) -> bool:
    """Tells whether a match is a statement of the kind that the filter asks for."""
    return only is not None and bool(match.hit.role) and match.hit.role == only["kind"]


def _with_statement(project: Project, hit: SearchHit) -> SearchHit:
    """Returns a hit with its statement in place of the prompt that it is part of."""
    passage = passages.find(project.db, hit.ranked.hit.id)
    return replace(hit, memory=passage.as_statement(project.config["capture.thread"])) if passage else hit


def chunk_hits(
    project: Project, parsed: ParsedQuery, thread: str | None, limit: int, offset: int = 0, meaning: QueryVector | None = None
) -> tuple[list[SearchHit], int]:
    """Returns up to `limit` chunks that match a query and are still in their files, as hits, best first.

    Also returns how many do, of those that were examined.
    """
    from memcli.recall import chunk_relevance
    from memcli.store import chunks
    from memcli.validity.chunks import VALID, WorkingTree

    tree = WorkingTree(project)
    matches = chunk_relevance.matching(project, parsed, meaning, tree.only, most=2 * (offset + limit))
    rows = chunks.by_numbers(project.db, [match.n for match in matches])
    score_of = {match.n: match.score for match in matches}
    checked = tree.check([rows[match.n] for match in matches])
    valid = [chunk for chunk, state in checked if state in VALID and (thread is None or chunk.thread == thread)]
    snippet = snippets(project.db, parsed)
    shown = valid[offset : offset + limit]
    return [_chunk_hit(chunk, score_of[chunk.n], snippet(chunk.text)) for chunk in shown], len(valid)


def _chunk_hit(chunk: Chunk, score: float, snippet: str) -> SearchHit:
    """Returns a chunk in the shape of a memory whose title is its location."""
    from memcli.recall.relevance import match_of

    memory = Memory(
        n=chunk.n,
        id=chunk.id,
        thread=chunk.thread,
        kind=CHUNK,
        title=chunk.place,
        summary=chunk.text,
        created_at=chunk.created_at,
        suspicious=chunk.suspicious,
        origin=CHUNK_ACTOR,
    )
    return SearchHit(memory, replace(match_of(memory, False, REACHABLE), score=score), snippet)


def memory_hits(
    project: Project, query: ParsedQuery, only: Filter | None, limit: int, offset: int = 0, meaning: QueryVector | None = None
) -> list[SearchHit]:
    """Returns the memories, without prompts, that match a parsed query and hold at HEAD."""
    ranked, _ = valid_matches(project, query, offset + limit, only, meaning)
    return with_texts(project, ranked[offset : offset + limit], query)


def words_of(db: Connection, memory: Memory, query: ParsedQuery) -> list[str]:
    """Returns the words by which a memory matches: in its text, its labels and the name of its thread."""
    terms = query.all_terms()
    folded = {term.casefold() for term in terms}
    thread_words = "".join([letter if letter.isalnum() else " " for letter in memory.thread]).split()
    of_thread = [word for word in thread_words if word.casefold() in folded]
    return sorted({*store_search.matched(db, memory.n, terms, query.required), *of_thread})


def plain_hits(
    project: Project, text: str, only: Filter | None, limit: int, meaning: QueryVector | None = None
) -> list[SearchHit]:
    """Returns the memories that match a question, best first. The question is not parsed as search syntax."""
    return memory_hits(project, candidates.parse(project, text), only, limit, meaning=meaning)


def valid_matches(
    project: Project,
    query: ParsedQuery,
    count: int,
    only: Filter | None = None,
    meaning: QueryVector | None = None,
    with_others: bool = False,
) -> tuple[list[Ranked], HiddenMatches]:
    """Returns the best matches that hold at HEAD, best first, out of `rank.candidates`, or twice `count` if that is more.

    Each memory is represented by its best match: itself or a passage. Also returns how many do not hold here. `with_others`:
    prompts, states, notes and the profile, too.
    """
    limit = max(project.config["rank.candidates"], 2 * count)
    ranked = relevance.memories(project, query, limit, meaning, only)
    valid, left_out = relevance.valid_at_head(project, ranked, moment=query.moment)
    best: dict[tuple[bool, str], Ranked] = {}
    if query.moment:
        from memcli.recall import moments

        parts = moments.parted(valid, query.moment)
        valid = [*parts.inside, *parts.others, *parts.strangers]
    for match in valid:
        owner = owner_of(match.hit.id)
        if with_others or owner.startswith("M-"):
            best.setdefault((match.from_user, match.hit.id if _is_of_kind(match, only) else owner), match)
    owners: dict[str, set[str]] = {"orphan": set(), "superseded": set()}
    for match, reason in left_out:
        owners[reason].add(owner_of(match.hit.id))
    replaced = [owner for owner in owners["superseded"] if owner.startswith("M-")]  # an earlier state is history
    orphans = [owner for owner in owners["orphan"] if with_others or owner.startswith("M-")]
    return list(best.values()), HiddenMatches(len(orphans), len(replaced))


def hidden_matches(project: Project, query: ParsedQuery, count: int, reason: str, only: Filter | None = None) -> list[Ranked]:
    """Returns the best matches that are left out by `valid_matches` for a reason, superseded or orphan; of each memory one."""
    limit = max(project.config["rank.candidates"], 2 * count)
    ranked = relevance.memories(project, query, limit, None, only)
    _, left_out = relevance.valid_at_head(project, ranked, moment=query.moment)
    best: dict[str, Ranked] = {}
    for match, why in left_out:
        if why == reason and owner_of(match.hit.id).startswith("M-"):
            best.setdefault(owner_of(match.hit.id), match)
    return list(best.values())


def _session(project: Project, reference: str | None) -> int | None:
    """Returns the row of a session that is named. Raises NotFound or InvalidInput."""
    if reference is None:
        return None
    from memcli.memory import find_session

    return find_session(project, reference).n


def parse(project: Project, query: str) -> ParsedQuery:
    """Returns a parsed query: plain words, or the conditions of its quotes, operators and prefixes."""
    words = query.split()
    has_prefix = "*" in query and any(word.rstrip(")")[-1:] == "*" for word in words)
    if '"' in query or has_prefix or not OPERATORS.isdisjoint(words[1:-1]):
        from memcli.recall import syntax

        if demand := syntax.parse(query):
            parsed = candidates.parse(project, demand.plain)
            return replace(parsed, required=syntax.fts5(project.db, demand.required, parsed.corrected))
    operands = [word for word in words if word not in OPERATORS]
    if operands and len(operands) < len(words):  # an expression that is half typed: AND is not the word "and"
        words, query = operands, " ".join(operands)
    parsed = candidates.parse(project, query)
    return _completed(project, parsed, words[-1].lower()) if words else parsed


def _completed(project: Project, parsed: ParsedQuery, last: str) -> ParsedQuery:
    """Returns a query whose last word, if nothing has it, stands for stored words that begin with it: it may be half typed.

    Such a word is a better guess than one that is only spelt like it: `sess` is no slip for `seas`.
    """
    rows = parsed.term_rows
    if last not in parsed.terms or (rows and (rows.rare.get(last) or last in rows.common)):
        return parsed
    if store_search.stored_terms(project.db, [last]):
        return parsed
    from memcli.recall import spelling

    words = spelling.completions(project.db, last)
    if not words:
        return parsed
    near = () if last in parsed.corrected else parsed.near  # near words of a slip that is none
    return replace(parsed, corrected={**parsed.corrected, last: words}, near=near)


def with_texts(project: Project, ranked: Sequence[Ranked], query: ParsedQuery) -> list[SearchHit]:
    """Returns matches with the memories or prompts that they belong to, in the same order. The snippet shows what matched."""
    snippet = snippets(project.db, query)
    texts = fetched(project, ranked)
    hits = []
    for match in ranked:
        text = texts[match.from_user, match.hit.id]
        db = project.user_db if match.from_user and project.user_db is not None else project.db
        hits.append(SearchHit(_owner(project, db, text), match, snippet(text.summary)))
    return hits


def _owner(project: Project, db: Connection, text: Memory) -> Memory:
    """Returns the memory that a passage belongs to, or its prompt in the shape of a memory."""
    owner = owner_of(text.id)
    if owner == text.id:
        return text
    if memory := memories.find(db, owner):
        return memory
    if text.kind in (passages.STATE, passages.PROFILE, passages.NOTE):
        return replace(text, id=owner)
    from memcli.store import sessions

    prompt = sessions.find_prompt(db, owner)
    body = prompt.text if prompt else text.summary
    title = oneline(body[: _TITLE * 2])[:_TITLE]
    return replace(text, id=owner, thread=project.config["capture.thread"], title=title, summary=body)


def answer_line(
    project: Project, line: str, only: Filter | None, limit: int, encode: Callable[[str], QueryVector | None] = lambda text: None
) -> dict[str, Any]:
    """Answers one line of a batch: `{"id","text"}` -> `{"id","hits":[{"id","source_id","score"}]}`. Raises InvalidInput.

    `encode` makes a vector of a query if meanings are to be compared, too.
    """
    hint = 'write {"id": "q1", "text": "the question"} on each line'
    try:
        question = json.loads(line)
    except json.Malformed as problem:
        raise InvalidInput(f"a line of the batch is not JSON: {problem}", hint) from None
    text = question.get("text", question.get("query")) if isinstance(question, dict) else None
    if not isinstance(text, str):
        raise InvalidInput('a line of the batch has no "text"', hint)
    hits = plain_hits(project, text, only, limit, encode(text))
    return {
        "id": question.get("id"),
        "hits": [{"id": hit.memory.id, "source_id": hit.memory.source_id, "score": round(hit.ranked.score, 4)} for hit in hits],
    }
