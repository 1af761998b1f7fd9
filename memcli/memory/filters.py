"""Options that select memories (kind, thread, origin, times) as conditions; a time may be the name of a tag or a branch."""

from __future__ import annotations

from memcli.text import calendar
from memcli.text.calendar import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.fields import Filtered
    from memcli.project import Project

_RELEASES, _LAST = ("release", "tag", "version"), ("last", "latest", "newest")
_NEWEST = frozenset([f"{last} {release}" for last in _LAST for release in _RELEASES])
_LEADING = frozenset(("before", "until", "till", "after", "since", "from", "the", "of", "branch", *_RELEASES))
_NAMED = ", or the name of a tag or a branch"


def conditions(project: Project, only: Filtered) -> dict[str, Any]:
    """Returns the conditions that memories must meet, by name; None: any value. Raises InvalidInput for an invalid time."""
    return {
        "kind": only.kind and only.kind.strip().lower(),
        "thread": only.thread,
        "origin": only.origin,
        "since": since(project, only.since),
        "until": until(project, only.until),
    }


def since(project: Project, text: str | None) -> int | None:
    """Returns the first moment of a given time, in ms since 1970; None for None. Raises InvalidInput."""
    return None if text is None else _span(project, text).first


def until(project: Project, text: str | None) -> int | None:
    """Returns the moment just after a given time, so that all of it is included. Raises InvalidInput."""
    return None if text is None else _span(project, text).after


def _without_words(text: str) -> str:
    """Returns the name in a phrase such as `before the release of v1.2`, `since the last release`."""
    words = text.split()
    while len(words) > 1 and words[0].lower() in _LEADING:
        words.pop(0)
    return " ".join(words[:-1] if len(words) == 2 and words[0].lower() not in _LAST and words[1].lower() in _RELEASES else words)


def _span(project: Project, text: str) -> Span:
    name = text.strip()
    if span := calendar.span(name, project.now):
        return span
    if project.checkout is not None and name:
        from memcli.repo import history

        name = _without_words(name)
        is_newest = name.lower() in _NEWEST
        second = history.released_at(project.checkout) if is_newest else history.committed_at(project.checkout, name)
        if second is not None:
            return Span(calendar.MOMENT, second * 1000, second * 1000 + 1000)
    raise calendar.unknown(text, "" if project.checkout is None else _NAMED)
