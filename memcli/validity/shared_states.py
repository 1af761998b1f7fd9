"""Which state leads where the newest one is of others, at a commit that this clone does not have: not that one."""

from __future__ import annotations

from memcli.records import replace
from memcli.store import context, memories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.store import Connection
    from memcli.store.context import State

_MOST = 50  # states that are looked through for one that holds here


def leading(db: Connection, states: Sequence[State], is_unknown: Callable[[str | None], bool]) -> list[State]:
    """Returns the states that are current, the newest one marked and behind one that holds here where its commit is unknown."""

    def is_apart(state: State) -> bool:
        memory = memories.find(db, state.memory_id) if state.memory_id else None
        return memory is not None and is_unknown(memory.anchor)

    *own, newest = states
    if not is_apart(newest):
        return list(states)
    earlier = [] if own else context.latest_states(db, _MOST)[1:]
    holding = next((state for state in earlier if not is_apart(state)), None)
    return [*own, *([holding] if holding else []), replace(newest, unknown=1)]
