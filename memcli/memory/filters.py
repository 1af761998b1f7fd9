"""Options that select memories (kind, thread, origin, times) as conditions; a time may be the name of a tag or a branch."""

from __future__ import annotations

from memcli.text import calendar
from memcli.text.calendar import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.fields import Filtered
    from memcli.project import Project

_NAMED = ", or the name of a tag or a branch"


def conditions(project: Project, only: Filtered) -> dict[str, Any]:
    """Returns what is demanded of memories, by name; None: whatever. Raises InvalidInput for a time that is none."""
    return {
        "kind": only.kind and only.kind.strip().lower(),
        "thread": only.thread,
        "origin": only.origin,
        "since": since(project, only.since),
        "until": until(project, only.until),
    }


def since(project: Project, text: str | None) -> int | None:
    """Returns the first moment of what is meant, in ms since 1970, None for None. Raises InvalidInput."""
    return None if text is None else _span(project, text).first


def until(project: Project, text: str | None) -> int | None:
    """Returns the moment behind what is meant, which is part of it as a whole. Raises InvalidInput."""
    return None if text is None else _span(project, text).after


def _span(project: Project, text: str) -> Span:
    name = text.strip()
    if span := calendar.span(name, project.now):
        return span
    if project.checkout is not None and name:
        from memcli.repo import history

        if (second := history.committed_at(project.checkout, name)) is not None:
            return Span(calendar.MOMENT, second * 1000, second * 1000 + 1000)
    raise calendar.unknown(text, "" if project.checkout is None else _NAMED)
