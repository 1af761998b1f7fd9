"""`get`: from a question to a pack of what is known and holds on this commit, inside a token budget."""

from __future__ import annotations

from memcli.errors import InvalidInput
from memcli.recall import candidates, render, truth
from memcli.recall.choose import folded
from memcli.recall.pack import (
    EVIDENCE_AFTER,
    DroppedChunk,
    Filling,
    Pack,
    TokenBudget,
    name_and_branch,
    pack_evidence,
    pack_state,
)
from memcli.recall.rank import matches
from memcli.records import Record, replace
from memcli.store import memories, search
from memcli.text.terminal import xml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.project import Project
    from memcli.recall.candidates import ParsedQuery
    from memcli.recall.holds import Told
    from memcli.recall.pack import LeftOut, Line, PackedChunk
    from memcli.recall.rank import Ranked
    from memcli.recall.semantic import QueryVector
    from memcli.store.states import State


_TOLD = 5  # corrections that a pack tells of


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
    purse = _purse(project, query)
    budget = purse.left
    asked = candidates.ask(project, query.text, query.is_long)
    tick("analyse")
    ranked = _candidates(project, query, asked)
    offered, dropped = _evidence(project, query, asked)
    tick("search")
    shown, hidden = _standing(project, query, ranked)
    tick("judge")
    name, branch = name_and_branch(project)
    heading = (name, (project.commit or "")[:7], branch)
    filling = Filling(project, shown, freshness_lookup(project, shown), purse, query.form)
    _take_root(purse, heading, query.form)
    filling.take(1)  # the best one before all that surrounds it
    frame = _take_frame(filling, heading, len(shown) + len(hidden))
    read_as = "" if query.is_long else _take_corrections(purse, asked, query.form)  # of a prompt nobody asked how it was read
    with_outdated = _take_outdated(filling, dropped)
    state, state_items, state_more = _take_state(project, query, purse, len(shown) < 2 and not offered)
    evidence, unpacked = _fill(project, filling, offered)
    tick("pack")
    return Pack(
        repo_id=project.repo_id or "",
        name=name,
        root=project.root,
        commit=project.commit or "",
        branch=branch,
        query=query.text,
        terms=asked.terms,
        corrected=asked.corrected,
        near=asked.near,
        read_as=read_as,
        form=query.form,
        budget=budget,
        max_bytes=query.max_bytes,
        semantic=query.meaning is not None,
        tokens=purse.spent,
        state=state,
        state_items=state_items,
        state_more=state_more,
        items=filling.items,
        evidence=tuple(evidence),
        dropped=(*dropped, *unpacked),
        left_out=(*hidden, *filling.left_out),
        with_heading=frame[0],
        with_rules=frame[1],
        with_footer=frame[2],
        with_outdated=with_outdated,
    )


def _take_state(project: Project, query: Query, purse: TokenBudget, alone: bool) -> tuple[State | None, tuple[str, ...], int]:
    return pack_state(project, purse, query.form, alone) if query.with_state else (None, (), 0)


def _evidence(project: Project, query: Query, asked: ParsedQuery) -> tuple[list[PackedChunk], list[DroppedChunk]]:
    """Returns the chunks that may be taken, best first, and those that were looked at and are not among them."""
    if not search.indexed(project.db, "chunk"):
        return [], []
    from memcli.recall import evidence

    return evidence.offered(project, asked, query.meaning, query.form)


def _fill(project: Project, filling: Filling, offered: list[PackedChunk]) -> tuple[list[PackedChunk], list[DroppedChunk]]:
    """Takes memories, then the first evidence, then the rest of both. Returns the evidence, and what of it had no room.

    Where the best evidence does not fit yet, no memory takes its room: a larger budget would have to take it back.
    """
    taken: list[PackedChunk] = []
    if offered:
        filling.take(filling.most, EVIDENCE_AFTER)
        pack_evidence(offered, filling.purse, filling.form, 1, taken)
        filling.is_over = filling.is_over or taken != offered[:1]
    filling.take(filling.most)
    filling.purse.bring_back()
    most = project.config["budget.chunks"]
    pack_evidence(offered, filling.purse, filling.form, most, taken)
    why = "count" if len(taken) >= most else "budget"
    return taken, [DroppedChunk(one.chunk, why, None) for one in offered if one not in taken]


def _purse(project: Project, query: Query) -> TokenBudget:
    """Returns what a pack may cost. Raises InvalidInput where that is nothing."""
    budget = project.config["budget.total"] if query.budget is None else query.budget
    if budget < 1:
        raise InvalidInput(f"a budget of {budget} tokens holds nothing", "give --budget 1 or more")
    if query.max_bytes is not None and query.max_bytes < 1:
        raise InvalidInput(f"{query.max_bytes} bytes hold nothing", "give --max-bytes 1 or more")
    return TokenBudget(budget, query.max_bytes)


def _candidates(project: Project, query: Query, asked: ParsedQuery) -> list[Ranked]:
    """Returns the memories that match, best first."""
    ranked = matches(project, asked, project.config["rank.candidates"])
    if query.meaning is not None:
        from memcli.recall.semantic import blend

        return blend(project, query.meaning, asked.terms, ranked)
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


def _take_corrections(purse: TokenBudget, asked: ParsedQuery, form: str) -> str:
    """Takes the line that tells what was corrected. Returns what stands in it, empty where nothing was or it does not fit."""
    said = ", ".join([f"{word} → {known[0]}" for word, known in asked.corrected.items()][:_TOLD])
    template = render.READ_AS if form == "prompt" else render.XML_READ_AS
    return said if said and purse.take_fixed((template, said)) else ""


def _take_outdated(filling: Filling, dropped: Sequence[DroppedChunk]) -> bool:
    """Takes the line that tells how many chunks need an ingestion. Where there are some and it does not fit, no more is taken."""
    outdated = len([one for one in dropped if one.is_outdated])
    if not outdated or filling.is_over:
        return False
    line = render.OUTDATED if filling.form == "prompt" else render.XML_OUTDATED
    filling.is_over = not filling.purse.take_fixed((line, outdated))
    return not filling.is_over


def _take_root(purse: TokenBudget, heading: tuple[str, str, str], form: str) -> None:
    """Takes the element that a pack in XML is; without room for it there is room for nothing."""
    if form == "xml" and not purse.take_fixed((render.XML_OPEN, *map(xml, heading)), (render.XML_CLOSE,)):
        purse.left = 0


def _take_frame(filling: Filling, heading: tuple[str, str, str], matched: int) -> tuple[bool, bool, bool]:
    """Takes heading, rules, and the line that tells what was left out; where one does not fit, no more is taken."""
    purse = filling.purse
    rules: tuple[Line, ...] = ((render.RULE_TRUTH,), (render.RULE_KEEP,))
    if filling.form == "xml":
        opened = purse.spent > 0
        with_rules = opened and purse.take_fixed((render.XML_RULES,), *rules)
        frame = opened, with_rules, opened and purse.take_fixed((render.XML_LEFT_OUT, matched, matched))
    else:
        with_heading = purse.take_fixed((render.HEADING_BRANCH, *heading))
        with_rules = purse.take_fixed((render.GAP,), *rules)
        frame = with_heading, with_rules, purse.take_fixed((render.MORE_AND_ORPHANS, matched, matched))
    filling.is_over = filling.is_over or not all(frame)
    return frame
