"""Tags and branches that a question speaks of: before the release of v1.2, since v1.1, on branch feature/x.

A tag or branch stands for a time, and a branch also for the commits that only it has. What is of that time, or of that branch,
is told first; where nothing is, the rest is told, and that it is of other times.
"""

from __future__ import annotations

from memcli.records import Record
from memcli.repo.head import storable_name
from memcli.text.ids import anchor_branch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.project import Project
    from memcli.recall.relevance import LeftOut, Ranked

_UNTIL, _SINCE = ("before", "until", "till"), ("after", "since")
_KINDS = ("branch", "tag", "release", "version")
_REACH = 6  # words between "before" and a name: before the first release of the version v1.2
_MOST = 4  # words of a question that git is asked about
_AROUND = "`'\"?!,;:()[]"


class Moment(Record):
    """What a question says of its time: from `since`, up to `until` (ms since 1970, None: any), or a branch and its commits."""

    since: int | None = None
    until: int | None = None
    branch: str = ""
    commits: frozenset[str] = frozenset()

    def holds(self, match: Ranked) -> bool:
        """Tells whether a match is of this time and branch."""
        anchor, at = match.hit.anchor or "", match.hit.created_at
        if self.branch:
            return anchor in self.commits or anchor_branch(anchor) == self.branch
        return (self.since is None or at >= self.since) and (self.until is None or at < self.until)


def named(project: Project, text: str) -> Moment | None:
    """Returns the time or branch that a question names, None for none. Asks git about words that may be names."""
    if project.checkout is None:
        return None
    words = [word for piece in text.split() if (word := piece.strip(_AROUND).rstrip("."))]
    lower = [word.lower() for word in words]
    indices = [index for index in range(len(words)) if _may_be_name(words, lower, index)]
    if not indices:  # most questions with "after" or "before" name nothing that git knows
        return None
    from memcli.repo import history  # loads what runs git, which takes a fifth of a whole get

    for index in indices[:_MOST]:
        before = [word for word in lower[max(0, index - _REACH) : index] if word in (*_UNTIL, *_SINCE)]
        is_branch = "branch" in (lower[index - 1] if index else "", lower[index + 1] if index + 1 < len(lower) else "")
        is_branch = is_branch or len(words) == 1  # nothing but a name
        if (before or is_branch) and (second := history.committed_at(project.checkout, words[index])) is not None:
            if not before:
                commits = frozenset(history.only_on(project.checkout, words[index]))
                return Moment(branch=storable_name(words[index]), commits=commits)
            moment = second * 1000
            return Moment(until=moment) if before[-1] in _UNTIL else Moment(since=moment)
    return None


def _may_be_name(words: Sequence[str], lower: Sequence[str], index: int) -> bool:
    word = words[index]
    is_after_kind = index > 0 and lower[index - 1] in _KINDS
    is_before_kind = index + 1 < len(words) and lower[index + 1] in _KINDS
    return any(char.isdigit() or char in "/-_" for char in word) or is_after_kind or is_before_kind


def parted(ranked: Sequence[Ranked], moment: Moment) -> tuple[list[Ranked], list[LeftOut]]:
    """Parts matches into those of a moment and the others; where none is of it, all are told."""
    inside = [match for match in ranked if match.hit.pinned or moment.holds(match)]
    if not inside:
        return [*ranked], []
    return inside, [(match, "relevance") for match in ranked if match not in inside]
