"""`start`: what a session that has not asked anything yet should know, inside a token budget.

The state; then, most important first, the last summary, what is pinned, the summaries before it, the newest memories that
somebody wrote on purpose, the newest observations.
"""

from __future__ import annotations

from memcli.recall import render, truth
from memcli.recall.get import judge, told_of
from memcli.recall.pack import Pack, Purse, item_of, name_and_branch, opening_cost, pack_state
from memcli.recall.rank import Ranked
from memcli.store import memories
from memcli.store.search import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.project import Project
    from memcli.recall.pack import Item
    from memcli.store.memories import Memory

SUMMARIES = 3
PINNED = 8
WRITTEN = 8
OBSERVED = 8
_SPARE = 2  # times what is taken is looked at: some of it does not hold on this branch


def start(project: Project, budget: int, max_bytes: int | None = None) -> Pack:
    """Returns the pack for the start of a session, in at most `budget` tokens and `max_bytes` bytes. Writes nothing."""
    purse = Purse(budget, max_bytes)
    name, branch = name_and_branch(project)
    commit = project.commit or ""
    with_heading = purse.take_fixed((render.HEADING_BRANCH, name, commit[:7], branch))
    with_rules = purse.take_fixed((render.GAP,), (render.RULE_TRUTH,), (render.RULE_KEEP,))
    found = _found(project)
    state, state_items, state_more = pack_state(project, purse, "prompt", alone=not found)
    items = _items(project, found, purse)
    return Pack(
        repo_id=project.repo_id or "",
        name=name,
        root=project.root,
        commit=commit,
        branch=branch,
        query="",
        terms=(),
        corrected={},
        near=(),
        read_as="",
        form="prompt",
        budget=budget,
        max_bytes=max_bytes,
        semantic=False,
        tokens=purse.spent,
        state=state,
        state_items=state_items,
        state_more=state_more,
        items=tuple(items),
        evidence=(),
        left_out=(),
        dropped=(),
        with_heading=with_heading,
        with_rules=with_rules,
        with_footer=False,
        with_outdated=False,
    )


def _found(project: Project) -> list[tuple[Memory, Ranked]]:
    """Returns what may be told, most important first, each memory once; nothing that gives orders or does not hold at HEAD."""
    summaries = memories.summaries(project.db, _SPARE * SUMMARIES)
    pinned = memories.pinned(project.db, _SPARE * PINNED)
    written = memories.newest(project.db, False, _SPARE * WRITTEN)
    observed = memories.newest(project.db, True, _SPARE * OBSERVED)
    groups = [(summaries, SUMMARIES), (pinned, PINNED), (written, WRITTEN), (observed, OBSERVED)]
    told: dict[str, tuple[Memory, Ranked]] = {}
    kept = []
    for group, most in groups:
        holding = [pair for pair in _holding(project, group, False) if pair[0].id not in told][:most]
        told.update({pair[0].id: pair for pair in holding})
        kept.append(holding)
    own = memories.pinned(project.user_db, PINNED) if project.user_db is not None else []
    return [*kept[0][:1], *kept[1], *_holding(project, own, True), *kept[0][1:], *kept[2], *kept[3]]


def _holding(project: Project, group: Sequence[Memory], from_user: bool) -> list[tuple[Memory, Ranked]]:
    ranked = [_ranked(memory, from_user) for memory in group if not memory.suspicious]
    shown, _ = judge(project, ranked, include_orphans=False)
    by_id = {memory.id: memory for memory in group}
    return [(by_id[one.hit.id], one) for one in shown]


def _ranked(memory: Memory, from_user: bool) -> Ranked:
    """Returns a memory as if it had been asked for."""
    hit = Hit(
        memory.n,
        memory.id,
        memory.title,
        memory.thread,
        memory.anchor,
        memory.created_at,
        memory.superseded_by,
        memory.pinned,
        memory.suspicious,
    )
    return Ranked(hit, from_user, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, truth.REACHABLE, False, None, 1.0)


def _items(project: Project, found: Sequence[tuple[Memory, Ranked]], purse: Purse) -> list[Item]:
    """Takes memories in their order until one does not fit."""
    told = told_of(project, [one for _, one in found])
    taken: list[Item] = []
    for memory, one in found[: project.config["budget.memories"]]:
        item = item_of(memory, one, [], told(memory.id), "prompt")
        first = not taken
        size = len(render.memory_text(item, "prompt").encode()) + (len(render.KNOWN) if first else 0)
        if not purse.take(item.tokens + opening_cost("prompt", first), size if purse.room is not None else 0):
            break
        taken.append(item)
    return taken
