"""Times, tags and branches that a question mentions: last week, before the release of v1.2, on branch feature/x.

A branch stands for the commits that only it has, or had before it was merged. What is both from that time or branch and about the
subject is told first. If there is nothing, the rest is told, marked as being from other times.
"""

from __future__ import annotations

from memcli.recall import calendar
from memcli.recall.prompts import OF_ANY_TIME
from memcli.records import Record, replace
from memcli.repo.head import storable_name
from memcli.store.passages import owner_of
from memcli.text import analysis, dates
from memcli.text.ids import anchor_branch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.project import Project
    from memcli.recall.relevance import Ranked

_UNTIL, _SINCE = ("before", "until", "till"), ("after", "since")
_RELEASES = frozenset(("tag", "release", "version"))
_KINDS = ("branch", *_RELEASES)
_NEWEST = ("last", "latest", "newest")
_REACH = 6  # words between "before" and a name: before the first release of the version v1.2
_MOST = 4  # words of a question that git is asked about
_AROUND = "`'\"?!,;:()[]"
_ABOUT = 0.5  # of the weight of a question's words that the best match holds, from which on another is about the same


class Moment(Record):
    """The time that a question asks about: from `since` up to `until` (ms since 1970, None: any), or a branch and its commits.

    `names`: its months and days, as texts and the index write them; `about`: words of the subject, none for all of that time.
    """

    since: int | None = None
    until: int | None = None
    branch: str = ""
    commits: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    about: frozenset[str] = frozenset()
    loosely: int | None = None  # since when up to now is meant where nothing is of that time; None: nothing else

    def holds(self, match: Ranked, is_loose: bool = False) -> bool:
        """Tells whether a match is from this time and branch, or mentions this time. `is_loose`: in the wider sense."""
        anchor, at = match.hit.anchor or "", match.hit.created_at
        if is_loose and self.loosely is not None and at >= self.loosely:
            return True
        if self.branch and anchor not in self.commits and anchor_branch(anchor) != self.branch:
            return False
        if (self.since is None or at >= self.since) and (self.until is None or at < self.until):
            return True
        return not self.names.isdisjoint(match.words()) and self.names.isdisjoint(dates.words(at).split())

    def on(self, terms: Sequence[str]) -> Moment:
        """Returns the moment with the words of a question that name its subject."""
        of_branch = {"branch", *analysis.terms(self.branch)} if self.branch else set()
        return replace(self, about=frozenset(terms) - OF_ANY_TIME - dates.MENTIONED - self.names - of_branch)


class Parts(Record):
    """Matches of a question that mentions a time: from that time and about its subject, from other times, and neither.

    `is_exact`: some are from that very time, not only from the wider one.
    """

    inside: list[Ranked]
    others: list[Ranked]
    strangers: list[Ranked]
    is_exact: bool

    def to_tell(self) -> tuple[list[Ranked], list[Ranked]]:
        """Returns what is told (what is from that time or pinned, else what is from other times), and what is not."""
        if not self.inside:
            return self.others, self.strangers
        pinned = [match for match in self.others if match.hit.pinned]
        return [*self.inside, *pinned], [*[match for match in self.others if not match.hit.pinned], *self.strangers]


def parted(ranked: Sequence[Ranked], moment: Moment) -> Parts:
    """Splits matches by whether they are from a moment and about the subject: they hold half as much of it as the best."""
    weights: dict[str, dict[str, float]] = {}  # of the words of the subject that a memory or turn holds
    for match in ranked:
        terms = [term for term in (match.matches.terms if match.matches else []) if term.word in moment.about]
        idfs = {term.word: term.idf for term in terms if match.hit.n in term.bm25}
        weights[owner_of(match.hit.id)] = weights.get(owner_of(match.hit.id), {}) | idfs
    shares = [sum(weights[owner_of(match.hit.id)].values()) for match in ranked]
    least = _ABOUT * max(shares, default=0.0)
    if moment.about and not least:  # nothing is about that: what says the name of the time answers
        about = enough = [match for match in ranked if not moment.names.isdisjoint(match.words())]
    else:
        of_subject = [(match, share) for match, share in zip(ranked, shares) if not moment.about or share > 0]
        about, enough = [match for match, _ in of_subject], [match for match, share in of_subject if share >= least]
    exact = [it for it in enough if moment.holds(it)]
    inside = exact or [it for it in enough if moment.holds(it, is_loose=True)]
    ids, about_ids = ({(it.from_user, it.hit.id) for it in group} for group in (inside, about))
    others = [it for it in about if (it.from_user, it.hit.id) not in ids]
    return Parts(inside, others, [it for it in ranked if (it.from_user, it.hit.id) not in about_ids], bool(exact))


def read(project: Project, text: str) -> tuple[Moment | None, str]:
    """Returns the time and branch that a question names, or None, and the question without words that only say when."""
    spoken = calendar.spoken(text, project.now)
    moment = Moment(spoken.since, spoken.until, names=spoken.names, loosely=spoken.loosely) if spoken else None
    named, rest = _named(project, text)
    if named is None or (moment and not named.branch):
        return moment, spoken.text if spoken else text
    if moment is None or spoken is None:
        return named, rest
    return replace(moment, branch=named.branch, commits=named.commits), spoken.text


def _named(project: Project, text: str) -> tuple[Moment | None, str]:
    """Returns the tag or branch that a question names, or None, and the question without the words that name a tag.

    Asks git about words that may be names.
    """
    words = [word for piece in text.split() if (word := piece.strip(_AROUND).rstrip("."))]
    lower = [word.lower() for word in words]
    if project.checkout is None or ({*_UNTIL, *_SINCE, "branch"}.isdisjoint(lower) and len(words) > 1):
        return None, text
    indices = [index for index in range(len(words)) if _may_be_name(words, lower, index)]
    if not indices:  # most questions with "after" or "before" name nothing that git knows
        return None, text
    from memcli.repo import history, merged  # load what runs git, which takes a fifth of a whole get

    for index in indices[:_MOST]:
        name, neighbours = words[index], lower[max(0, index - 1) : index + 2]
        bounds = [word for word in lower[max(0, index - _REACH) : index] if word in (*_UNTIL, *_SINCE)]
        is_branch = "branch" in neighbours or len(words) == 1  # beside the word for it, or nothing but a name
        if not bounds and not is_branch:
            continue
        is_newest = lower[index] in _NEWEST and not _RELEASES.isdisjoint(neighbours)
        second = history.released_at(project.checkout) if is_newest else history.committed_at(project.checkout, name)
        if bounds and second is not None:
            moment = Moment(until=second * 1000) if bounds[-1] in _UNTIL else Moment(since=second * 1000)
            return moment, _without(words, lower, bounds[-1], index)
        if is_branch:
            commits = merged.commits_of(project.checkout, name)
            if commits or second is not None:
                return Moment(branch=storable_name(name), commits=commits), text
    return None, text


def _without(words: Sequence[str], lower: Sequence[str], bound: str, index: int) -> str:
    """Returns a question's words without those from `before` or the like up to the name of a tag and a following `release`."""
    first = max([place for place in range(index) if lower[place] == bound])
    after = index + 1 + (lower[index + 1 : index + 2] in [[word] for word in _RELEASES])
    return " ".join([*words[:first], *words[after:]])


def _may_be_name(words: Sequence[str], lower: Sequence[str], index: int) -> bool:
    is_after_kind = index > 0 and lower[index - 1] in _KINDS
    is_before_kind = index + 1 < len(words) and lower[index + 1] in _KINDS
    return any(char.isdigit() or char in "/-_" for char in words[index]) or is_after_kind or is_before_kind
