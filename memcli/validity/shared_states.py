"""Which state leads where the newest one is of others, at a commit that this clone does not have: not that one."""

from __future__ import annotations

from memcli.records import replace
from memcli.store import context, memories
from memcli.text.ids import writer_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.store import Connection
    from memcli.store.context import State

_MOST = 50  # states that are looked through for one that holds here


def leading(db: Connection, states: Sequence[State], is_unknown: Callable[[str | None], bool]) -> list[State]:
    """Returns the states that are current, the newest one marked and behind one that holds here where its commit is unknown.

    That of a CI job stays the last, marked as well.
    """

    def is_apart(state: State) -> bool:
        memory = memories.find(db, state.memory_id) if state.memory_id else None
        return memory is not None and is_unknown(memory.anchor)

    ci = states[0].ci
    *own, newest = [state for state in states if state.ci == ci]
    beside = [replace(state, unknown=int(bool(writer_of(state.actor)) and is_apart(state))) for state in states if state.ci != ci]
    if not (writer_of(newest.actor) and is_apart(newest)):
        return [*own, newest, *beside]
    earlier = [] if own else context.latest_states(db, _MOST, ci)[1:]
    holding = next((state for state in earlier if not is_apart(state)), None)
    return [*own, *([holding] if holding else []), replace(newest, unknown=1), *beside]
