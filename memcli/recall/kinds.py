"""The answer to a question for all of a kind: every decision, rule or open point that holds, newest first, and nothing else."""

from __future__ import annotations

from memcli.recall.relevance import is_of_turn, match_of
from memcli.records import replace
from memcli.store import listing
from memcli.store.listing import MemoryFilter
from memcli.store.memories import OBSERVED, WELCOME
from memcli.store.passages import standing
from memcli.validity import ORPHAN, anchor_states

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.project import Project
    from memcli.recall.moments import Moment
    from memcli.recall.relevance import Ranked
    from memcli.store.search import Filter

_MOST = 10  # that are told
_BY_ITSELF = (*OBSERVED, WELCOME)  # origins of what nobody wrote on purpose
_LOOKED_AT = 50  # of each kind, where some are of other branches
# The kinds under which people write down what sessions state in a role.
_WRITTEN = {
    "open": ("open", "todo", "task"),
    "instruction": ("instruction", "rule", "convention"),
    "preference": ("preference",),
    "decision": ("decision",),
    "dropped": ("dropped",),
    "lesson": ("lesson", "gotcha"),
    "command": ("command",),
}


def all_of(
    project: Project, roles: Sequence[str], valid: Sequence[Ranked], only: Filter | None, moment: Moment | None
) -> tuple[list[Ranked], bool]:
    """Returns what is of some kinds and holds, and whether it is from other times than the question mentions.

    `only`: the times asked for. If nothing is of these kinds, matches that were written on purpose take their place.
    """
    times = only or {}
    bounds = MemoryFilter(since=times.get("since"), until=times.get("until"))  # type: ignore[arg-type]
    stated = _holding(project, roles, bounds)
    if not stated:
        return [match for match in valid if not is_of_turn(match.hit) and match.hit.origin not in _BY_ITSELF], False
    if moment is None or roles == ("open",):  # what is open is so now
        return _ranked(stated), False
    of_time = [match for match in stated if moment.holds(match)]
    if not of_time and moment.since is not None:  # there may be newer ones
        bounds = replace(bounds, since=bounds.since or moment.since, until=bounds.until or moment.until)
        of_time = [match for match in _holding(project, roles, bounds) if moment.holds(match)]
    return _ranked(of_time or stated), not of_time


def _holding(project: Project, roles: Sequence[str], bounds: MemoryFilter) -> list[Ranked]:
    """Returns what holds of some roles and within some times, newest first."""
    since, until = bounds.since or 0, project.now + 1 if bounds.until is None else bounds.until
    stated = [passage for role in roles for passage in standing(project.db, role, until, _LOOKED_AT)]
    pairs = [(passage.as_memory(), False) for passage in stated if passage.created_at >= since]
    stores = [(project.db, project.is_user), *([(project.user_db, True)] if project.user_db else [])]
    for kind in [kind for role in roles for kind in _WRITTEN.get(role, ())]:
        filter_ = replace(bounds, kind=kind, superseded=False, limit=_LOOKED_AT)
        pairs += [(memory, from_user) for db, from_user in stores for memory in listing.page(db, filter_)]
    states = anchor_states(project, [memory.anchor for memory, _ in pairs])
    valid = [(memory, from_user) for memory, from_user in pairs if states[memory.anchor] != ORPHAN]
    newest = sorted(valid, key=lambda pair: (-pair[0].pinned, -pair[0].created_at))
    return [match_of(memory, from_user, states[memory.anchor]) for memory, from_user in newest]


def _ranked(matches: Sequence[Ranked]) -> list[Ranked]:
    """Returns the first matches with scores by their rank."""
    return [replace(match, score=2.0 - rank / _MOST) for rank, match in enumerate(matches[:_MOST])]
