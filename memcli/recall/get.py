"""`get`: from a question to a pack of what is known and holds on this commit, inside a token budget."""

from __future__ import annotations

from memcli.errors import InvalidInput
from memcli.recall import candidates, render, truth
from memcli.recall.pack import Pack, Purse, folded, name_and_branch, pack_evidence, pack_memories, pack_state
from memcli.recall.rank import chunk_matches, matches
from memcli.recall.render import cost
from memcli.records import Record, replace
from memcli.store import memories
from memcli.text.terminal import xml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.project import Project
    from memcli.recall.candidates import Asked
    from memcli.recall.holds import Told
    from memcli.recall.pack import Item, LeftOut
    from memcli.recall.rank import Ranked
    from memcli.recall.semantic import Meaning


class Query(Record):
    """A question. `form` is what the budget is counted for; `budget` None: the setting."""

    text: str
    form: str = "prompt"
    budget: int | None = None
    include_orphans: bool = False
    meaning: Meaning | None = None  # the question as a vector, where meanings are to be compared, too


def get(project: Project, query: Query, tick: Callable[[str], None] = lambda stage: None) -> Pack:
    """Returns the pack that answers a question. `tick` is told each stage as it ends. Writes nothing to the store."""
    budget = project.config["budget.total"] if query.budget is None else query.budget
    if budget < 1:
        raise InvalidInput(f"a budget of {budget} tokens holds nothing", "give --budget 1 or more")
    asked = candidates.ask(project, query.text)
    tick("analyse")
    ranked, hits = _candidates(project, query, asked)
    tick("search")
    shown, hidden = judge(project, ranked, query.include_orphans)
    shown = _with_heirs(project, shown, hidden)
    shown, doubled = _repository_first(shown)
    told = _told(project, shown)
    tick("judge")
    name, branch = name_and_branch(project)
    commit = project.commit or ""
    heading = (name, commit[:7], branch)
    purse = Purse(budget)
    items: list[Item] = []
    if query.form == "xml" and not _take_root(purse, heading):
        purse.left = 0  # no room for the element that everything stands in
    left = pack_memories(project, shown[:1], purse, query.form, items, told)  # the best one before all that surrounds it
    with_heading, with_rules, with_footer = _take_frame(purse, heading, query.form, len(shown) + len(hidden) + len(doubled))
    state, state_items, state_more = pack_state(project, purse, query.form)
    left += pack_memories(project, shown[1:], purse, query.form, items, told)
    evidence = pack_evidence(project, hits, purse, query.form)
    tick("pack")
    return Pack(
        repo_id=project.repo_id or "",
        name=name,
        root=project.root,
        commit=commit,
        branch=branch,
        query=query.text,
        terms=asked.terms,
        corrected=asked.corrected,
        near=asked.near,
        form=query.form,
        budget=budget,
        tokens=purse.spent,
        state=state,
        state_items=state_items,
        state_more=state_more,
        items=tuple(items),
        evidence=tuple(evidence),
        left_out=(*hidden, *doubled, *left),
        with_rules=with_rules,
        with_heading=with_heading,
        with_footer=with_footer,
        semantic=query.meaning is not None,
    )


def _candidates(project: Project, query: Query, asked: Asked) -> tuple[list[Ranked], list[int]]:
    """Returns the memories and the row numbers of the chunks that match, best first."""
    ranked = matches(project, asked, project.config["rank.candidates"])
    hits = chunk_matches(project, asked)
    if query.meaning is not None:
        from memcli.recall.semantic import blend, with_near_chunks

        return blend(project, query.meaning, asked.terms, ranked), with_near_chunks(project, query.meaning, hits)
    return ranked, hits


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


def _told(project: Project, shown: Sequence[Ranked]) -> Callable[[str], Told | None]:
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


def _take_root(purse: Purse, heading: tuple[str, str, str]) -> bool:
    """Takes the element that a pack in XML is."""
    return purse.take(cost(render.XML_OPEN, *map(xml, heading)) + cost(render.XML_CLOSE))


def _take_frame(purse: Purse, heading: tuple[str, str, str], form: str, matched: int) -> tuple[bool, bool, bool]:
    """Takes heading, rules, and the line that tells what was left out, as far as the budget goes."""
    rules = cost(render.RULE_TRUTH) + cost(render.RULE_KEEP)
    if form == "xml":
        opened = purse.spent > 0
        with_rules = opened and purse.take(cost(render.XML_RULES) + rules)
        return opened, with_rules, opened and purse.take(cost(render.XML_LEFT_OUT, matched, matched))
    with_heading = purse.take(cost(render.HEADING_BRANCH, *heading))
    with_rules = purse.take(cost(render.GAP) + rules)
    return with_heading, with_rules, purse.take(max(cost(render.MORE_AND_ORPHANS, matched, matched), cost(render.NOTHING)))
