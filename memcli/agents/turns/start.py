"""What a session should know before it asks anything: what is pinned, the last summaries, what is newest."""

from __future__ import annotations

from memcli.recall.get import unasked
from memcli.records import Record
from memcli.store import memories
from memcli.validity import MemoryStatus, standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.project import Project
    from memcli.recall.relevance import Ranked
    from memcli.store.memories import Memory

    Pair = tuple[Memory, Ranked]

SUMMARIES = 3
PINNED = 8
_SPARE = 2  # times what is taken is looked at at once: some of it does not hold on this branch ...
_PAGES = 10  # ... and so often, where too little of it does


class Known(Record):
    """Memories that may be told, the most important of each sort first, each once."""

    pinned: list[Pair]
    summaries: list[Pair]
    recent: list[Pair]


def known(project: Project, most: int, but: int) -> Known:
    """Returns what may be told: nothing that gives orders or does not hold at HEAD, nor what is of the session in row `but`.

    `most`: recent memories; those that somebody wrote on purpose come before what hooks observed.
    """
    db = project.db
    pinned = _first(project, PINNED, lambda most, skip: memories.pinned(db, most, but, skip))
    if project.user_db is not None:
        pinned += _holding(project, memories.pinned(project.user_db, PINNED, but), True)
    summaries = _first(project, SUMMARIES, lambda most, skip: memories.summaries(db, most, but, skip))
    recent = _first(project, most, lambda most, skip: memories.newest(db, False, most, but, skip))
    room = most - len(recent)
    observed = _first(project, _SPARE * room, lambda most, skip: memories.newest(db, True, most, but, skip))
    untold = [pair for pair in observed if not any(summary.tells_of(pair[0]) for summary, _ in summaries)]
    recent += untold[:room]
    return Known(pinned, summaries, recent)


def _first(project: Project, most: int, page: Callable[[int, int], list[Memory]]) -> list[Pair]:
    """Returns the first memories of the repository that may be told. `page`: so many of them, after so many."""
    pairs: list[Pair] = []
    size = _SPARE * most
    for number in range(_PAGES if most > 0 else 0):
        group = page(size, number * size)
        pairs += _holding(project, group, False)
        if len(pairs) >= most or len(group) < size:
            break
    return pairs[:most]


def holding(project: Project, group: Sequence[Memory]) -> set[str]:
    """Returns the ids of those memories of the repository that may be told."""
    return {memory.id for memory, _ in _holding(project, [memory for memory in group if not memory.forgotten], False)}


def _holding(project: Project, group: Sequence[Memory], from_user: bool) -> list[Pair]:
    """Returns the memories that are valid at HEAD and give no orders. `from_user`: they are the person's own."""
    db = project.user_db if from_user and project.user_db is not None else project.db
    candidates = [memory for memory in group if not memory.suspicious]
    return [
        (memory, unasked(memory, from_user, anchor))
        for memory, (anchor, superseded) in zip(candidates, standing(project, db, candidates))
        if MemoryStatus(anchor, superseded).is_valid
    ]
