"""`get`: from a question to a pack of what is known and holds on this commit, inside a token budget."""

from __future__ import annotations

from memcli.errors import InvalidInput
from memcli.recall import candidates
from memcli.recall.choose import folded
from memcli.recall.pack import DroppedChunk, Pack, Packing, TokenBudget
from memcli.recall.rank import matches
from memcli.records import Record, replace
from memcli.store import memories, search
from memcli.validity.status import NO_LINKS, ORPHAN, REACHABLE, LinkStatus, Successors, anchor_states, standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.project import Project
    from memcli.recall.candidates import ParsedQuery
    from memcli.recall.pack import LeftOut
    from memcli.recall.rank import Ranked
    from memcli.recall.render import PackedChunk
    from memcli.recall.semantic import QueryVector
    from memcli.store.memories import Memory
    from memcli.validity.status import Freshness

_MAX_SUBSTITUTED = 10  # superseded matches whose successors are looked up


class Query(Record):
    """A question. `form` is what the budget is counted for; `budget` None: the setting; `max_bytes` None: any number."""

    text: str
    form: str = "prompt"
    budget: int | None = None
    include_orphans: bool = False
    max_bytes: int | None = None
    meaning: QueryVector | None = None  # the question as a vector, where meanings are to be compared, too
    is_long: bool = False  # it may be a whole text, of which the most telling words are enough
    with_state: bool = True
    but: frozenset[str] = frozenset()  # ids of memories that are not wanted, whatever they match


def get(project: Project, query: Query, tick: Callable[[str], None] = lambda stage: None) -> Pack:
    """Returns the pack that answers a question. `tick` is told each stage as it ends. Writes nothing to the store."""
    budget = _budget(project, query)
    total = budget.tokens
    parsed = candidates.ask(project, query.text, query.is_long)
    tick("analyse")
    ranked = _candidates(project, query, parsed)
    offered, dropped = _evidence(project, query, parsed)
    tick("search")
    shown, hidden = _standing(project, query, ranked)
    tick("judge")
    packing = Packing(project, shown, freshness_lookup(project, shown), budget, query.form)
    packing.take_root()
    packing.take_memories(1)  # the best one before all that surrounds it
    packing.take_frame(len(shown) + len(hidden))
    if not query.is_long:  # of a prompt nobody asked how it was read
        packing.take_corrections(parsed.corrected)
    packing.take_outdated(len([chunk for chunk in dropped if chunk.is_outdated]))
    if query.with_state:
        packing.take_state(alone=len(shown) < 2 and not offered)
    packing.take_all(offered)
    tick("pack")
    left_out = (*hidden, *packing.left_out)
    why = "count" if len(packing.chunks) >= project.config["budget.chunks"] else "budget"
    return Pack(
        repo_id=project.repo_id or "",
        name=packing.names[0],
        root=project.root,
        commit=project.commit or "",
        branch=packing.names[2],
        query=query,
        parsed=parsed,
        read_as=packing.read_as,
        budget=total,
        tokens=budget.spent,
        state=packing.state,
        items=packing.items,
        evidence=tuple(packing.chunks),
        dropped=(*dropped, *[DroppedChunk(item.chunk, why, None) for item in offered if item not in packing.chunks]),
        left_out=left_out,
        sections=packing.sections(left_out),
    )


def _evidence(project: Project, query: Query, parsed: ParsedQuery) -> tuple[list[PackedChunk], list[DroppedChunk]]:
    """Returns the chunks that may be taken, best first, and those that were looked at and are not among them."""
    if not search.indexed(project.db, "chunk"):
        return [], []
    from memcli.recall import evidence

    return evidence.offered(project, parsed, query.meaning, query.form)


def _budget(project: Project, query: Query) -> TokenBudget:
    """Returns what a pack may cost. Raises InvalidInput where that is nothing."""
    budget = project.config["budget.total"] if query.budget is None else query.budget
    if budget < 1:
        raise InvalidInput(f"a budget of {budget} tokens holds nothing", "give --budget 1 or more")
    if query.max_bytes is not None and query.max_bytes < 1:
        raise InvalidInput(f"{query.max_bytes} bytes hold nothing", "give --max-bytes 1 or more")
    return TokenBudget(budget, query.max_bytes)


def _candidates(project: Project, query: Query, parsed: ParsedQuery) -> list[Ranked]:
    """Returns the memories that match, best first."""
    ranked = matches(project, parsed, project.config["rank.candidates"])
    if query.meaning is not None:
        from memcli.recall.semantic import blend

        return blend(project, query.meaning, parsed.terms, ranked)
    return ranked


def _standing(project: Project, query: Query, ranked: Sequence[Ranked]) -> tuple[list[Ranked], list[LeftOut]]:
    """Parts the ranked memories into those that may be shown, successors among them, and those that are left out."""
    wanted = [one for one in ranked if one.hit.id not in query.but] if query.but else ranked
    shown, hidden = judge(project, wanted, query.include_orphans)
    shown, doubled = _repository_first(_with_successors(project, shown, hidden))
    return shown, hidden + doubled


def judge(project: Project, ranked: Sequence[Ranked], include_orphans: bool) -> tuple[list[Ranked], list[LeftOut]]:
    """Parts the ranked memories into those that hold at HEAD and those that do not. Superseded ones never pass as facts."""
    shown, hidden = [], []
    for match, (anchor, superseded) in zip(ranked, _standings(project, ranked)):
        if superseded or anchor != REACHABLE:
            match = replace(match, anchor=anchor, superseded=superseded)
        if superseded:
            hidden.append((match, "superseded"))
        elif anchor == ORPHAN and not include_orphans:
            hidden.append((match, "orphan"))
        else:
            shown.append(match)
    return shown, hidden


def _standings(project: Project, ranked: Sequence[Ranked]) -> list[tuple[str, bool]]:
    """Returns for each match the state of its anchor and whether it is superseded, as its own store knows it."""
    user_db = project.user_db
    if user_db is None or not any(match.from_user for match in ranked):
        return standing(project, project.db, [match.hit for match in ranked])
    of_user = iter(standing(project, user_db, [match.hit for match in ranked if match.from_user]))
    of_repository = iter(standing(project, project.db, [match.hit for match in ranked if not match.from_user]))
    return [next(of_user if match.from_user else of_repository) for match in ranked]


def _with_successors(project: Project, shown: list[Ranked], hidden: Sequence[LeftOut]) -> list[Ranked]:
    """Adds what replaced a superseded match and does not match by itself, in the old one's place."""
    superseded = [one for one, why in hidden if why == "superseded"]
    if not superseded:
        return shown
    successors = _substitutes(project, superseded, {one.hit.id for one in shown} | {one.hit.id for one, _ in hidden})
    return sorted([*shown, *successors], key=lambda one: (-one.score, one.from_user, one.hit.n)) if successors else shown


def _substitutes(project: Project, superseded: Sequence[Ranked], listed: set[str]) -> list[Ranked]:
    """Returns what replaced superseded matches and is not listed already, each with the score of the old one."""
    substitutes = []
    for from_user in (False, True):
        db = project.user_db if from_user and project.user_db is not None else project.db
        successors = Successors(project, db)
        for match in [match for match in superseded if match.from_user == from_user][:_MAX_SUBSTITUTED]:
            for memory in successors.of(match.hit.id):
                if memory.id not in listed:
                    listed.add(memory.id)
                    substitutes.append(_substitute(project, match, memory))
    return substitutes


def _substitute(project: Project, match: Ranked, memory: Memory) -> Ranked:
    hit = replace(
        match.hit,
        n=memory.n,
        id=memory.id,
        title=memory.title,
        thread=memory.thread,
        anchor=memory.anchor,
        created_at=memory.created_at,
        superseded_by=memory.superseded_by,
        pinned=memory.pinned,
        suspicious=memory.suspicious,
    )
    return replace(match, hit=hit, anchor=anchor_states(project, [memory.anchor])[memory.anchor], superseded=False)


def freshness_lookup(project: Project, shown: Sequence[Ranked]) -> Callable[[str], Freshness]:
    """Returns a function from a memory's id to its freshness. Links are read for all at once, files when asked for."""
    own = [one.hit.id for one in shown if not (one.from_user and project.user_db is not None)]
    links = memories.links_of(project.db, own) if own else []
    if not links:
        return lambda memory_id: NO_LINKS
    return LinkStatus(project, links).freshness


def _repository_first(ranked: list[Ranked]) -> tuple[list[Ranked], list[LeftOut]]:
    """Takes out what the person's own memory says under a title on which the repository has its own word."""
    if all(one.from_user for one in ranked) or not any(one.from_user for one in ranked):
        return ranked, []
    own = {folded(one.hit.title) for one in ranked if not one.from_user}
    doubled = [one for one in ranked if one.from_user and folded(one.hit.title) in own]
    return [one for one in ranked if one not in doubled], [(one, "duplicate") for one in doubled]
