"""`get`: from a question to a pack of what is known and holds on this commit, inside a token budget."""

from __future__ import annotations

from memcli.errors import InvalidInput
from memcli.recall import candidates, truth
from memcli.recall.choose import folded
from memcli.recall.pack import DroppedChunk, Pack, Packing, TokenBudget
from memcli.recall.rank import matches
from memcli.records import Record, replace
from memcli.store import memories, search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.project import Project
    from memcli.recall.candidates import ParsedQuery
    from memcli.recall.holds import Told
    from memcli.recall.pack import LeftOut
    from memcli.recall.rank import Ranked
    from memcli.recall.render import PackedChunk
    from memcli.recall.semantic import QueryVector


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
    """Parts the ranked memories into those that may be shown, heirs among them, and those that are left out."""
    wanted = [one for one in ranked if one.hit.id not in query.but] if query.but else ranked
    shown, hidden = judge(project, wanted, query.include_orphans)
    shown, doubled = _repository_first(_with_heirs(project, shown, hidden))
    return shown, hidden + doubled


def judge(project: Project, ranked: Sequence[Ranked], include_orphans: bool) -> tuple[list[Ranked], list[LeftOut]]:
    """Parts the ranked memories into those that hold at HEAD and those that do not. Superseded ones never pass as facts."""
    states = truth.anchor_states(project, [one.hit.anchor for one in ranked])
    shown, hidden = [], []
    for one in ranked:
        anchor = states[one.hit.anchor]
        superseded = one.hit.superseded_by is not None and truth.is_superseded(project, one)
        if superseded or anchor != truth.REACHABLE:
            one = replace(one, anchor=anchor, superseded=superseded)
        if superseded:
            hidden.append((one, "superseded"))
        elif anchor == truth.ORPHAN and not include_orphans:
            hidden.append((one, "orphan"))
        else:
            shown.append(one)
    return shown, hidden


def _with_heirs(project: Project, shown: list[Ranked], hidden: Sequence[LeftOut]) -> list[Ranked]:
    """Adds what replaced a superseded match and does not match by itself, in the old one's place."""
    superseded = [one for one, why in hidden if why == "superseded"]
    if not superseded:
        return shown
    from memcli.recall import holds

    heirs = holds.give_way(project, superseded, {one.hit.id for one in shown} | {one.hit.id for one, _ in hidden})
    return sorted([*shown, *heirs], key=lambda one: (-one.score, one.from_user, one.hit.n)) if heirs else shown


def freshness_lookup(project: Project, shown: Sequence[Ranked]) -> Callable[[str], Told | None]:
    """Returns what tells of a memory's files and rivals. Links are looked up for all at once, files when they are asked for."""
    own = [one.hit.id for one in shown if not (one.from_user and project.user_db is not None)]
    links = memories.links_of(project.db, own) if own else []
    if not links:
        return lambda memory_id: None
    from memcli.recall import holds

    return holds.Links(project, links).told


def _repository_first(ranked: list[Ranked]) -> tuple[list[Ranked], list[LeftOut]]:
    """Takes out what the person's own memory says under a title on which the repository has its own word."""
    if all(one.from_user for one in ranked) or not any(one.from_user for one in ranked):
        return ranked, []
    own = {folded(one.hit.title) for one in ranked if not one.from_user}
    doubled = [one for one in ranked if one.from_user and folded(one.hit.title) in own]
    return [one for one in ranked if one not in doubled], [(one, "duplicate") for one in doubled]
