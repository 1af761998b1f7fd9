"""Which memories hold on the commit that is checked out."""

from __future__ import annotations

from memcli.repo import head
from memcli.store import memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.project import Project
    from memcli.recall.rank import Ranked

REACHABLE, ORPHAN, UNKNOWN = "reachable", "orphan", "unknown"
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
    from memcli.repo import ancestry

    assert project.checkout is not None
    everything = dict.fromkeys([*asked, *memories.anchors(project.db, _ALL_ANCHORS)])
    states = ancestry.states(project.checkout, list(everything))
    certain = {anchor: state for anchor, state in states.items() if state != UNKNOWN}
    project.cache.keep_anchor_states(view, states if not head.is_complete(project.checkout) else certain, project.now)
    return states


def is_superseded(project: Project, one: Ranked) -> bool:
    """True when HEAD can see a memory that replaced this one.

    On a branch that has not got the replacement, the old memory still holds. A forgotten replacement replaces all the same:
    forgetting must not bring older knowledge back.
    """
    db = project.user_db if one.from_user and project.user_db is not None else project.db
    successor = one.hit.superseded_by
    for _ in range(_CHAIN):
        if successor is None:
            return False
        memory = memories.find(db, successor)
        if memory is None or anchor_states(project, [memory.anchor])[memory.anchor] != ORPHAN:
            return True
        successor = memory.superseded_by
    return True
