"""`get`: from a question to a pack of what is known and holds on this commit, inside a token budget."""

from __future__ import annotations

from memcli.recall import candidates, relevance, selection
from memcli.recall.pack import DroppedChunk, Pack, Packing, TokenBudget
from memcli.recall.relevance import Ranked, hit_of
from memcli.recall.render import name_and_branch
from memcli.records import Record, replace
from memcli.store import memories, search
from memcli.store.passages import STATE, owner_of
from memcli.validity import NO_LINKS, REACHABLE, LinkStatus, anchor_states, succession

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.project import Project
    from memcli.recall.candidates import ParsedQuery
    from memcli.recall.relevance import LeftOut
    from memcli.recall.render import PackedChunk
    from memcli.recall.semantic import QueryVector
    from memcli.store.memories import Memory
    from memcli.store.search import Filter
    from memcli.validity import Freshness

    Links = list[tuple[str, str, str, str | None]]

_MAX_SUBSTITUTED = 10  # superseded matches whose successors are looked up


class Query(Record):
    """A question, and what its pack may cost.

    `form`: prompt or xml, for which tokens are counted; `budget`: in tokens, None: the setting; `max_bytes` None: any number.
    """

    text: str
    form: str = "prompt"
    budget: int | None = None
    include_orphans: bool = False
    max_bytes: int | None = None
    meaning: QueryVector | None = None  # the question as a vector, where meanings are to be compared, too
    is_prompt: bool = False  # it is what a person said to an agent, perhaps about nothing that is stored
    with_state: bool = True
    excerpts: int | None = None  # of answers, prompts and long memories that are told, None: the setting
    evidence: bool | None = None  # True: as much as the budget holds; False: none; None: at most half of what is told
    exclude: frozenset[str] = frozenset()  # ids of memories that are left out, whatever they match
    since: int | None = None  # of which time what is told may be, in ms since 1970, None: any; chunks are of now
    until: int | None = None

    @property
    def only(self) -> Filter | None:
        """The times as a filter, None for any."""
        return None if self.since is self.until is None else {"since": self.since, "until": self.until}


def get(project: Project, query: Query, on_stage: Callable[[str], None] = lambda stage: None) -> Pack:
    """Returns the pack that answers a question. `on_stage` gets the name of each stage as it ends. Writes nothing."""
    total = project.config["budget.total"] if query.budget is None else query.budget
    budget = TokenBudget(total, query.max_bytes)
    parsed = candidates.parse(project, query.text, query.is_prompt)
    on_stage("analyse")
    ranked = relevance.memories(project, parsed, project.config["rank.candidates"], query.meaning, query.only, STATE)
    on_stage("search")
    valid, hidden, is_of_other_times = _valid(project, query, parsed, ranked)
    valid, hidden, links = _with_rivals(project, query, valid, hidden)
    offered, dropped = _evidence(project, query, parsed, bool(valid))
    on_stage("judge")
    packing = Packing(project, valid, _freshness(project, links), budget, query)
    packing.take_root()
    packing.take_memories(1)  # the best one before all that surrounds it
    packing.take_frame(len(valid) + len(hidden))
    if not query.is_prompt:  # of a prompt nobody asked how it was read
        packing.take_corrections(parsed.corrected)
    if valid and is_of_other_times:
        packing.take_other_times()
    packing.take_outdated(len([chunk for chunk in dropped if chunk.is_outdated]))
    if query.with_state and query.only is None:
        packing.take_state(alone=len(valid) < 2 and not offered)
    packing.take_all(offered, at_most_half=bool(valid) and not query.evidence)
    on_stage("pack")
    left_out = (*hidden, *packing.left_out)
    why = "count" if len(packing.chunks) >= project.config["budget.chunks"] else "budget"
    sections = packing.sections(left_out)  # before the tokens are read: an empty pack is one line, and costs less
    name, branch = name_and_branch(project)
    return Pack(
        repo_id=project.repo_id or "",
        name=name,
        root=project.root,
        commit=project.commit or "",
        branch=branch,
        is_suspicious=(name, branch) != (packing.names[0], packing.names[2]),
        query=query,
        parsed=parsed,
        read_as=packing.read_as,
        budget=total,
        tokens=budget.spent,
        state=packing.state,
        items=packing.items,
        evidence=tuple(packing.chunks),
        dropped=(*dropped, *[DroppedChunk(item.chunk, why, None, item.score) for item in offered if item not in packing.chunks]),
        left_out=left_out,
        sections=sections,
        lacking=budget.lacking,
        beside=packing.beside,
    )


def _evidence(
    project: Project, query: Query, parsed: ParsedQuery, is_answered: bool
) -> tuple[list[PackedChunk], list[DroppedChunk]]:
    """Returns the chunks that may be taken, best first, and those that were looked at and are not among them."""
    # Chunks are of no kind and of no time but now.
    wants_memories_only = parsed.kinds or query.only is not None
    if query.evidence is False or (wants_memories_only and not query.evidence) or not search.indexed(project.db, "chunk"):
        return [], []
    from memcli.recall import evidence

    return evidence.offered(project, query, parsed, is_answered)


def _valid(
    project: Project, query: Query, parsed: ParsedQuery, ranked: Sequence[Ranked]
) -> tuple[list[Ranked], list[LeftOut], bool]:
    """Splits the matches into those that may be shown, with successors among them, and those that are left out.

    Also returns whether the question mentions a time and no match of that time is about its subject.
    """
    matches = [match for match in ranked if match.hit.id not in query.exclude] if query.exclude else ranked
    valid, left_out = relevance.valid_at_head(project, matches, query.include_orphans, parsed.moment)
    is_of_other_times = False
    if parsed.moment:
        from memcli.recall import moments

        parts = moments.parted(valid, parsed.moment)
        is_of_other_times = not parts.is_exact
        valid, of_no_use = parts.to_tell()
        left_out += [(match, "relevance") for match in of_no_use]
    valid, duplicates = _repository_first(_with_successors(project, valid, left_out))
    valid, irrelevant = selection.enough(valid, parsed, project.config)
    if any(relevance.is_of_turn(match.hit) for match in valid[1:]):
        from memcli.recall import worth_telling

        places = project.config["budget.excerpts"] if query.excerpts is None else query.excerpts
        valid, slight = worth_telling.split(project, valid, parsed.corrected_text(), places)
        irrelevant += slight
    if any(match.hit.role for match in valid):
        from memcli.recall import worth_telling

        valid = worth_telling.with_lists(project, valid)
    if parsed.kinds:
        from memcli.recall import kinds

        valid, is_of_other_times = kinds.all_of(project, parsed.kinds, valid, query.only, parsed.moment)
    return valid, left_out + duplicates + irrelevant, is_of_other_times


def _with_rivals(
    project: Project, query: Query, valid: list[Ranked], hidden: list[LeftOut]
) -> tuple[list[Ranked], list[LeftOut], Links]:
    """Returns what is shown, now with what contests it; what is left out, now without that; and the links of what is shown."""
    links = _links(project, valid)
    rivals = [match for match in _rivals(project, valid, links) if match.hit.id not in query.exclude]
    if not rivals:
        return valid, hidden, links
    ids = {match.hit.id for match in rivals}
    valid = sorted([*valid, *rivals], key=lambda match: match.order)
    return valid, [it for it in hidden if it[0].hit.id not in ids], _links(project, valid)


def _rivals(project: Project, valid: Sequence[Ranked], links: Links) -> list[Ranked]:
    """Returns what replaced the same memory as a match but does not match: of two contested memories, both are told."""
    replaced = [(name, target) for name, rel, target, _ in links if rel == "supersedes"]
    if not replaced:
        return []
    matches = {match.hit.id: match for match in valid}
    successors = succession(project, project.db)
    rivals: dict[str, Ranked] = {}
    for name, target in replaced:
        for rival in (successors.rivals(name, (target,)) or ("", ()))[1]:
            if rival not in matches and (memory := memories.find(project.db, rival)) is not None:
                hit, score = replace(hit_of(memory), origin=memory.origin), matches[name].score - relevance.BEHIND
                rivals[rival] = replace(matches[name], hit=hit, score=score, anchor=REACHABLE)
    return list(rivals.values())


def _with_successors(project: Project, valid: list[Ranked], left_out: Sequence[LeftOut]) -> list[Ranked]:
    """Adds what replaced a superseded match but does not match itself, in the old one's place."""
    superseded = [match for match, why in left_out if why == "superseded"]
    if not superseded:
        return valid
    listed = {match.hit.id for match in valid} | {match.hit.id for match, _ in left_out}
    successors = _substitutes(project, superseded, listed)
    return sorted([*valid, *successors], key=lambda match: match.order) if successors else valid


def _substitutes(project: Project, superseded: Sequence[Ranked], listed: set[str]) -> list[Ranked]:
    """Returns what replaced superseded matches and is not listed yet, each with the score of the old one."""
    substitutes = []
    for from_user in (False, True):
        db = project.user_db if from_user and project.user_db is not None else project.db
        successors = succession(project, db)
        for match in [match for match in superseded if match.from_user == from_user][:_MAX_SUBSTITUTED]:
            for memory in successors.of(owner_of(match.hit.id)):
                if memory.id not in listed:
                    listed.add(memory.id)
                    substitutes.append(_substitute(project, match, memory))
    return substitutes


def _substitute(project: Project, match: Ranked, memory: Memory) -> Ranked:
    hit = replace(hit_of(memory), origin=match.hit.origin, kind=match.hit.kind)
    return replace(match, hit=hit, anchor=anchor_states(project, [memory.anchor])[memory.anchor], superseded=False)


def freshness_lookup(project: Project, ranked: Sequence[Ranked]) -> Callable[[str], Freshness]:
    """Returns a function from a memory's id to its freshness. Links are read for all at once, files when asked for."""
    return _freshness(project, _links(project, ranked))


def _freshness(project: Project, links: Links) -> Callable[[str], Freshness]:
    return LinkStatus(project, links).freshness if links else lambda memory_id: NO_LINKS


def _links(project: Project, ranked: Sequence[Ranked]) -> Links:
    """Returns the links of the repository's memories among the matches."""
    ids = [match.hit.id for match in ranked if not (match.from_user and project.user_db is not None)]
    return memories.links_of(project.db, ids) if ids else []


def _repository_first(ranked: list[Ranked]) -> tuple[list[Ranked], list[LeftOut]]:
    """Drops the person's own memories whose title a memory of the repository also has."""
    titles = {selection.folded(match.hit.title) for match in ranked if not match.from_user}
    duplicates = [match for match in ranked if match.from_user and selection.folded(match.hit.title) in titles]
    if not duplicates:
        return ranked, []
    return [match for match in ranked if match not in duplicates], [(match, "duplicate") for match in duplicates]
