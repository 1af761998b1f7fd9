"""sessions, session, timeline: how the command line words what agents did."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.cli import captured, output
from memcli.cli.invoke import Common, answer, reading, show
from memcli.fields import to_json
from memcli.operations import sessions as operation
from memcli.operations.sessions import SessionDetails, SessionRequest, Sessions, SessionsRequest, TimelineRequest


def sessions(request: SessionsRequest, common: Common) -> None:
    """Prints the latest sessions, or the index of what was observed in them."""
    none = "every session has a summary" if request.needs_summary else "no agent was seen here yet"
    show(common, answer(common, "sessions", request), lambda result: _sessions(result, none))


def _sessions(result: Sessions, none: str) -> str:
    if result.index is not None:
        return captured.index(result.index)
    return captured.sessions(result.sessions, result.now, none)


def session(request: SessionRequest, common: Common) -> None:
    """Prints everything about one session: its summary, and turn by turn what was asked, done and answered."""
    show(common, answer(common, "session", request), _details)


def _details(result: SessionDetails) -> str:
    return captured.session(result.history, result.now, result.turn)


def show_items(references: Sequence[str], common: Common) -> None:
    """Prints what `mem session` prints of each session, and of each prompt its turn."""
    items = reading(common, lambda project: [operation.details(project, reference) for reference in references])
    if not common.json:
        return output.show("\n\n".join(map(_details, items)))
    kinds = [("session" if item.turn is None else "prompt", to_json(item)) for item in items]
    data = [{"kind": kind, kind: value} for kind, value in kinds]
    output.data(data[0] if len(data) == 1 else data)


def timeline(request: TimelineRequest, common: Common) -> None:
    """Prints what happened before and after a memory or a prompt."""
    show(common, answer(common, "timeline", request), lambda result: captured.timeline(result.id, result.items))
