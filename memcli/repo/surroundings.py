"""The commits around one: those that really come before and after it, and how many lie between them and HEAD.

Only what is shown is described; of the commits between, git lists the hashes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memcli.records import Record
from memcli.repo import gitrun, revisions
from memcli.repo.head import is_bare, is_hash, storable_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.repo.head import Checkout
    from memcli.repo.revisions import DescribedCommit

_SECONDS = 5.0
_LONG = 24  # a limit from which on `_STEPS` commits are shown on each side; below it, one
_STEPS = 3


class Edge(Record):
    """A commit that comes after another one, and how many commits lie between them: none between a child and its parent."""

    above: str
    below: str
    between: int


class Surroundings(Record):
    """Some commits, children before their parents, and how each leads to the next.

    `branch`: the one that contains the commit in the middle, and `tip`: where it is; empty where HEAD contains it.
    """

    commits: tuple[DescribedCommit, ...] = ()
    edges: tuple[Edge, ...] = ()
    branch: str = ""
    tip: str = ""


class _Picture:
    """Collects ways between commits, of which only the ends and what is near them are shown."""

    def __init__(self, steps: int) -> None:
        self.steps = steps
        self.shown: list[str] = []
        self.edges: list[Edge] = []

    def add(self, way: Sequence[str], near: Iterable[str] = ()) -> None:
        """Shows a way from a commit down to another one, the first commits, the last, and those beside the ones in `near`."""
        last, steps = len(way) - 1, self.steps
        indexes = {*range(steps), *range(last - steps, last + 1)}
        for at in [way.index(name) for name in near if name in way]:
            indexes |= {at - 1, at, at + 1}
        inside = sorted(index for index in indexes if 0 <= index <= last)
        self.shown += [way[index] for index in inside if way[index] not in self.shown]
        for above, below in zip(inside, inside[1:]):
            self._join(way[above], way[below], below - above - 1)

    def _join(self, above: str, below: str, between: int) -> None:
        if not any((edge.above, edge.below) == (above, below) for edge in self.edges):
            self.edges.append(Edge(above, below, between))

    def finished(self, checkout: Checkout, limit: int, branch: str, tip: str) -> Surroundings:
        """Returns the picture with what its commits say; parents that are shown are joined to their children."""
        described = revisions.described(checkout, self.shown)
        commits = [described[name] for name in _in_order(self.shown, self.edges) if name in described][:limit]
        names = {commit.id for commit in commits}
        for commit in commits:
            for parent in commit.parents:
                if parent in names:
                    self._join(commit.id, parent, 0)
        edges = [edge for edge in self.edges if edge.above in names and edge.below in names]
        return Surroundings(tuple(commits), tuple(edges), branch, tip)


def _in_order(names: Sequence[str], edges: Sequence[Edge]) -> list[str]:
    """Returns the commits with children before their parents, a line as a whole where that can be."""
    waiting = {name: len({edge.above for edge in edges if edge.below == name}) for name in names}
    ordered: list[str] = []
    ready = [name for name in reversed(names) if not waiting[name]]
    while ready:
        name = ready.pop()
        ordered.append(name)
        for below in {edge.below: None for edge in edges if edge.above == name}:
            waiting[below] -= 1
            if not waiting[below]:
                ready.append(below)
    return ordered


def around(checkout: Checkout, anchor: str | None, near: str | None = None, limit: int = _LONG) -> Surroundings:
    """Returns the commits around `anchor` and HEAD, `limit` at most. `near`: another commit whose neighbours are shown.

    An anchor that this clone has not got is left out. Starts up to eight processes of git.
    """
    top = checkout.commit
    if top is None:
        return Surroundings()
    picture = _Picture(_STEPS if limit >= _LONG else 1)
    marks = [near] if near else []
    if anchor is None or not is_hash(anchor) or not revisions.described(checkout, [anchor]):
        lowest = near if near and _base(checkout, top, near) == near else top
        picture.add(_way(checkout, top, lowest), marks)
        picture.add(_older(checkout, lowest, picture.steps))
        return picture.finished(checkout, limit, "", "")
    base = _base(checkout, top, anchor)
    branch, tip = ("", "") if base == anchor else _branch_with(checkout, anchor)
    if base is None:  # the two have no common history
        picture.add(_older(checkout, top, picture.steps))
    else:
        picture.add(_way(checkout, top, base), marks)
    if base != anchor:
        picture.add(_way(checkout, tip or anchor, anchor))
        picture.add(_way(checkout, anchor, base) if base else _older(checkout, anchor, picture.steps))
    if base is not None:
        picture.add(_older(checkout, base, picture.steps))
    return picture.finished(checkout, limit, branch, tip)


def _base(checkout: Checkout, first: str, other: str) -> str | None:
    """Returns the best common ancestor of two commits, None where there is none."""
    if first == other:
        return first
    return next(iter(_lines(checkout, "merge-base", first, other)), None)


def _way(checkout: Checkout, upper: str, lower: str) -> list[str]:
    """Returns the commits from one down to an ancestor of it, each a parent of the one before: the first that leads there."""
    if upper == lower:
        return [upper]
    rows = [line.split() for line in _lines(checkout, "rev-list", "--parents", "--ancestry-path", upper, f"^{lower}")]
    parents = {row[0]: row[1:] for row in rows}
    way = [upper]
    while way[-1] != lower:
        below = next((name for name in parents.get(way[-1], ()) if name == lower or name in parents), None)
        if below is None:
            return [upper]  # git gave up on the way
        way.append(below)
    return way


def _older(checkout: Checkout, commit: str, steps: int) -> list[str]:
    """Returns a commit and those before it on its own line."""
    return _lines(checkout, "rev-list", "--first-parent", f"--max-count={steps + 1}", commit) or [commit]


def _branch_with(checkout: Checkout, commit: str) -> tuple[str, str]:
    """Returns (name, tip) of a branch that contains a commit, the person's own before remote ones; empty for none."""
    form = "--format=%(objectname) %(refname)"
    refs = _lines(checkout, "for-each-ref", form, f"--contains={commit}", "refs/heads", "refs/remotes")
    if not refs:
        return "", ""
    tip, _, ref = refs[0].partition(" ")
    return storable_name(ref.removeprefix("refs/heads/").removeprefix("refs/remotes/")), tip


def _lines(checkout: Checkout, *words: str) -> list[str]:
    output = gitrun.run(words, checkout.root, limit=_SECONDS, bare=is_bare(checkout))
    return output.out.decode("utf-8", "replace").splitlines() if output.code == 0 else []
