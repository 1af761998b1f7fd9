"""state, log: where the work stands and how it got there."""

from __future__ import annotations

from memcli.cli.invoke import answer, show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.operations.state import LogRequest, StateRequest, States


def state(request: StateRequest, common: Common) -> None:
    """Prints the state, its history, or what the last checkpoint changed."""
    show(common, answer(common, "state", request), _state)


def _state(result: States) -> str:
    from memcli.cli import views

    if result.view == "diff":
        return views.differences(result.changes)
    if result.view == "history":
        return views.states(result.states, result.now)
    return views.state(result.states[0], result.now) if result.states else "no checkpoint yet"


def log(request: LogRequest, common: Common) -> None:
    """Prints the operation log, newest first; of one object where an id is given."""
    from memcli.cli import views

    show(common, answer(common, "log", request), lambda result: views.log(result.operations, result.now))
