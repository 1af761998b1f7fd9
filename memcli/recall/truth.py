"""Which memories hold on the commit that is checked out."""

from __future__ import annotations

from memcli.repo import head
from memcli.store import memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.project import Project
    from memcli.recall.rank import Ranked
    from memcli.store.db import Connection

REACHABLE, ORPHAN, UNKNOWN = "reachable", "orphan", "unknown"
CARRIED = "carried"  # an orphan whose change HEAD has all the same; the state goes on with how it came and the commit it is in
_HOW = ("amended", "rebased", "cherry-picked", "squash-merged")
_ALL_ANCHORS = 5_000  # distinct commits of a store that one question to git may cover
_CHAIN = 50  # successors that are followed


def anchor_states(project: Project, anchors: Iterable[str | None]) -> dict[str | None, str]:
    """Returns for each anchor whether HEAD can see it. Answers are cached by HEAD; git runs only for what is new."""
    states: dict[str | None, str] = {None: REACHABLE, project.commit: REACHABLE}
    asked = [anchor for anchor in dict.fromkeys(anchors) if anchor is not None and anchor not in states]
    if not asked:
        return states
    if project.checkout is None:
        return states | dict.fromkeys(asked, UNKNOWN)
    view = head.view(project.checkout)
    states.update(project.cache.anchor_states(view, asked))
    if any(anchor not in states for anchor in asked):
        states.update(_ask_git(project, view, asked))
    return states


def holds(project: Project, anchor: str | None) -> bool:
    """Tells whether a memory with this anchor is shown at HEAD."""
    return anchor_states(project, [anchor])[anchor] != ORPHAN


def _ask_git(project: Project, view: str, asked: Sequence[str]) -> dict[str, str]:
    """Asks about every anchor of the store at once, so that the next question at this HEAD asks nothing."""
    from memcli.recall import forward
    from memcli.repo import ancestry

    assert project.checkout is not None
    if (known := forward.states(project, project.checkout, asked)) is not None:
        project.cache.keep_anchor_states(view, known, project.now)
        return known
    everything = dict.fromkeys([*asked, *memories.anchors(project.db, _ALL_ANCHORS)])
    states = ancestry.states(project.checkout, list(everything))
    found = _found_elsewhere(project, [anchor for anchor, state in states.items() if state == ORPHAN])
    if found is None and head.is_complete(project.checkout):
        project.cache.keep_anchor_states(view, {a: s for a, s in states.items() if s == REACHABLE}, project.now)
        return states
    states.update(found or {})
    certain = {anchor: state for anchor, state in states.items() if state != UNKNOWN}
    project.cache.keep_anchor_states(view, states if not head.is_complete(project.checkout) else certain, project.now)
    return states


def _found_elsewhere(project: Project, orphans: Sequence[str]) -> dict[str, str] | None:
    """Returns the states of those orphans whose change HEAD has; None if git failed."""
    if not orphans or project.checkout is None:
        return {}
    from memcli.memory import anchoring
    from memcli.repo import carry

    found = carry.find(project.checkout, orphans, anchoring.noted(project.db, orphans))
    return None if found is None else {name: f"{CARRIED} {one.how} {one.to}" for name, one in found.items()}


def name(state: str) -> str:
    """Returns the name of a state: reachable, carried, orphan or unknown."""
    return state.partition(" ")[0]


def carried(state: str) -> tuple[str, str] | None:
    """Returns how the change of an anchor in this state came into HEAD's history and the commit that brought it, or None."""
    name, _, rest = state.partition(" ")
    how, _, commit = rest.partition(" ")
    return (how, commit) if name == CARRIED and how in _HOW and head.is_hash(commit) else None


def is_superseded(project: Project, one: Ranked) -> bool:
    """True when HEAD can see a memory that replaced this one.

    On a branch that has not got the replacement, the old memory still holds. A forgotten replacement replaces all the same:
    forgetting must not bring older knowledge back.
    """
    db = project.user_db if one.from_user and project.user_db is not None else project.db
    return is_replaced(project, db, one.hit.superseded_by)


def is_replaced(project: Project, db: Connection, successor: str | None) -> bool:
    """True when HEAD can see this successor of a memory in `db`, or one of those that follow it."""
    for _ in range(_CHAIN):
        if successor is None:
            return False
        memory = memories.find(db, successor)
        if memory is None or anchor_states(project, [memory.anchor])[memory.anchor] != ORPHAN:
            return True
        successor = memory.superseded_by
    return True
