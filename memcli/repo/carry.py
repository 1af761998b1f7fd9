"""Where the change of a commit went that HEAD cannot see: amended, rebased, cherry-picked, or merged as part of a squash.

Evidence, in this order, for a commit X and a commit C of HEAD's recent history that X does not build upon:

    reflog      git noted that X was amended, once or several times, and C is what it became
    same        C changes the same files from and to the same blobs
    author      C has X's author, moment of writing and subject, shares a file, and is the only such one (a rebase keeps these)
    squash      every file that X changed got, in commits like C, the content it had after X or after a later commit of X's line
    patch       C makes the same change to the same files, on whatever lines, as X does, or as the whole of X's line

X may be gone from the clone: what was recorded of it in time serves as well, except for "same" and for its line. A commit that
changed nothing is found by the reflog, or goes with a later one of its line.
"""

from __future__ import annotations

from memcli.records import Record
from memcli.repo import ancestry, history
from memcli.repo.head import is_hash
from memcli.repo.history import Commit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from memcli.repo.head import Checkout

    _IsNew = Callable[[Commit], bool]
    _Paths = tuple[int, tuple[str, ...]]  # how many, and their names in order

AMENDED, REBASED, CHERRY_PICKED, SQUASHED = "amended", "rebased", "cherry-picked", "squash-merged"
RECENT = 500  # commits of HEAD's history that are looked at
SIDE = 1_000  # commits beside it that are looked at
_MOST_ORPHANS = 500
_MOST_DIFFS = 200
_CHAIN = 50  # times that one commit was amended
_MOST_ENDS = 5  # of one commit's line


class CarriedOver(Record):
    """How the change of a commit came into HEAD's history, and the commit that brought it."""

    how: str
    to: str


class CommitDigest(Record):
    """A commit as it was when it was recorded, and the digest of its patch ("" for none)."""

    commit: Commit
    patch: str


def note(checkout: Checkout, anchors: Sequence[str]) -> list[CommitDigest] | None:
    """Returns what can be recorded of those commits that this clone has. Runs git twice; None if it failed."""
    names = [name for name in anchors if is_hash(name)]
    commits = history.listed(checkout, ("--no-walk=unsorted", "--ignore-missing", "--stdin"), names) if names else {}
    if commits is None:
        return None
    small = [name for name, commit in commits.items() if 0 < commit.total < history.MOST_PATHS]
    patches = history.patches(checkout, small)
    if patches is None:
        return None
    digests = dict(zip(small, patches))
    return [CommitDigest(commit, digests.get(name, "")) for name, commit in commits.items()]


def find(checkout: Checkout, orphans: Sequence[str], notes: dict[str, CommitDigest]) -> dict[str, CarriedOver] | None:
    """Returns, for those of the orphans whose change HEAD has, where it went. Runs git six times at most; None if it failed."""
    if checkout.commit is None:
        return {}
    mapped = _mapped(checkout, orphans)
    if mapped is None:
        return None
    unmapped = [orphan for orphan in orphans if orphan not in mapped]
    compared = _compared(checkout, unmapped, notes) if unmapped else {}
    return None if compared is None else mapped | compared


def _mapped(checkout: Checkout, orphans: Sequence[str]) -> dict[str, CarriedOver] | None:
    """Returns the orphans that git's hook or `git filter-repo` says to be replaced by a commit of HEAD's history, however old.

    None if git failed.
    """
    replaced = history.replaced(checkout)
    chains = {orphan: _chain(orphan, replaced)[1:] for orphan in orphans if orphan in replaced}
    states = ancestry.reachability(checkout, list({name for chain in chains.values() for name in chain})) if chains else {}
    if states is None:
        return None
    ends = {orphan: [name for name in chain if states[name] == ancestry.REACHABLE][-1:] for orphan, chain in chains.items()}
    return {orphan: CarriedOver(REBASED, end[0]) for orphan, end in ends.items() if end}


def _compared(checkout: Checkout, orphans: Sequence[str], notes: dict[str, CommitDigest]) -> dict[str, CarriedOver] | None:
    """Returns what reflogs and a comparison of changes tell of the first of these orphans; None if git failed."""
    assert checkout.commit is not None
    past = history.past(checkout)
    chains = {orphan: _chain(orphan, past.amended) for orphan in orphans[:_MOST_ORPHANS]}
    chained = dict.fromkeys([name for chain in chains.values() for name in chain])
    tips = history.tips(checkout)
    names = [*chained, *sorted((past.visited | tips) - chained.keys()), "^" + checkout.commit]
    side = history.listed(checkout, (f"-n{SIDE}", "--topo-order", "--ignore-missing", "--stdin"), names)
    recent = history.listed(checkout, (f"-n{RECENT}", checkout.commit))
    if side is None or recent is None:
        return None
    scene = _Scene(side, recent, notes, tips)
    patches = scene.look_at(chained)
    digests = history.patches(checkout, patches)
    if digests is None:
        return None
    scene.compare(dict(zip(patches, digests)))
    return {orphan: carried for orphan, chain in chains.items() if (carried := scene.fate(chain))}


def _chain(name: str, amended: dict[str, str]) -> list[str]:
    """Returns a commit and what it became by being amended or replaced, one after the other."""
    chain = [name]
    while (name := amended.get(name, "")) and name not in chain and len(chain) < _CHAIN:
        chain.append(name)
    return chain


class _Scene:
    """HEAD's recent history and what stands beside it."""

    def __init__(
        self, side: dict[str, Commit], recent: dict[str, Commit], notes: dict[str, CommitDigest], tips: set[str]
    ) -> None:
        self.side = side
        self.recent = recent
        self._notes = notes
        self._order = {name: index for index, name in enumerate(recent)}
        self._children: dict[str, list[str]] = {}
        self._beside: dict[str, list[Commit]] = {}
        for commit in side.values():
            for parent in commit.parents:
                self._children.setdefault(parent, []).append(commit.id)
            for path in commit.changes:
                self._beside.setdefault(path, []).append(commit)
        self._beneath_of: dict[str, set[str]] = {}
        self._later_than: dict[str, list[str]] = {}
        self._ends_of: dict[str, list[str]] = {}
        self._line_to: dict[str, tuple[str, _Paths]] = {}
        self._on_branch = self._reached(tips & side.keys())
        self._by_paths: dict[_Paths, list[Commit]] = {}
        self._by_author: dict[tuple[str, str], list[Commit]] = {}
        self._brought: dict[tuple[str, str], list[Commit]] = {}
        for commit in recent.values():
            self._by_paths.setdefault(_paths(commit), []).append(commit)
            self._by_author.setdefault((commit.author, commit.subject), []).append(commit)
            for path, (_, after) in commit.changes.items():
                self._brought.setdefault((path, after), []).append(commit)
        self._pairs: list[tuple[Commit, str, Commit]] = []  # a commit, the patch of its change, a commit that may have that patch
        self._carried: dict[str, CarriedOver] = {}

    def look_at(self, names: Iterable[str]) -> list[str]:
        """Finds where these commits went as far as their files tell. Returns the patches that are needed to find more."""
        commits = {name: commit for name in names if (commit := self._commit(name))}
        for name, commit in list(commits.items()):
            if not commit.total:
                commits.update({later: self.side[later] for later in self._later(name)})
        for commit in commits.values():
            is_new = self._newness(commit)
            carried = self._same(commit, is_new) or self._authored(commit, is_new) or self._squashed(commit, is_new)
            if carried:
                self._carried[commit.id] = carried
            else:
                self._pairs += [(commit, commit.id, candidate) for candidate in self._alike(_paths(commit), is_new)]
                self._pairs += self._lines(commit, is_new)
        patches = dict.fromkeys([name for _, patch, candidate in self._pairs for name in (patch, candidate.id)])
        missing = [name for name in patches if name not in self._notes and name.partition(" ")[0] in self.side | self.recent]
        return missing[:_MOST_DIFFS]

    def compare(self, patches: dict[str, str]) -> None:
        """Finds more, with the digests of the patches that `look_at` asked for."""
        patches |= {name: digest.patch for name, digest in self._notes.items()}
        for commit, patch, candidate in self._pairs:
            if commit.id not in self._carried and patches.get(patch) and patches[patch] == patches.get(candidate.id):
                self._carried[commit.id] = (
                    self._classified(commit, candidate) if patch == commit.id else CarriedOver(SQUASHED, candidate.id)
                )

    def fate(self, chain: Sequence[str]) -> CarriedOver | None:
        """Returns where a commit went that became the others of the chain by being amended."""
        for name in reversed(chain[1:]):
            if name in self.recent:
                return CarriedOver(AMENDED, name)
        for name in chain:
            if carried := self._carried.get(name):
                return carried
            if name in self.side and not self.side[name].total:
                for later in self._later(name):
                    if carried := self._carried.get(later):
                        return carried
        return None

    def _commit(self, name: str) -> Commit | None:
        digest = self._notes.get(name)
        return self.side.get(name) or (digest.commit if digest else None)

    def _reached(self, names: Iterable[str]) -> set[str]:
        """Returns the commits on which those in `names` were built, as far as is known, and themselves."""
        reached = set(names)
        waiting = list(reached)
        while waiting:
            commit = self.side.get(name := waiting.pop()) or self.recent.get(name)
            fresh = [parent for parent in commit.parents if parent not in reached] if commit else []
            reached.update(fresh)
            waiting += fresh
        return reached

    def _beneath(self, name: str) -> set[str]:
        """Returns the commits of HEAD's on which one beside it was built. Those of one line share the answer."""
        line = []
        while name not in self._beneath_of and name in self.side and len(self.side[name].parents) == 1:
            line.append(name)
            (name,) = self.side[name].parents
        if name not in self._beneath_of:
            self._beneath_of[name] = self._reached([name])
        self._beneath_of.update(dict.fromkeys(line, self._beneath_of[name]))
        return self._beneath_of[name]

    def _later(self, name: str) -> list[str]:
        """Returns the commits beside HEAD's history that were built upon one, the nearest first. A line is walked once."""
        line = []
        while name not in self._later_than and len(self._children.get(name, ())) == 1:
            line.append(name)
            (name,) = self._children[name]
        if name not in self._later_than:
            self._later_than[name] = self._descendants(name)
            self._ends_of[name] = [end for end in (name, *self._later_than[name]) if end not in self._children]
        for above in reversed(line):
            self._later_than[above] = [name, *self._later_than[name]]
            self._ends_of[above] = self._ends_of[name]
            name = above
        return self._later_than[name]

    def _descendants(self, name: str) -> list[str]:
        descendants: dict[str, None] = {}
        waiting = [name]
        for ancestor in waiting:
            fresh = [child for child in self._children.get(ancestor, ()) if child not in descendants]
            descendants.update(dict.fromkeys(fresh))
            waiting += fresh
        return list(descendants)

    def _newness(self, commit: Commit) -> Callable[[Commit], bool]:
        """Returns what tells whether a commit of HEAD's is one that this one does not build upon; if it is gone, by the date."""
        if commit.id not in self.side:
            return lambda candidate: candidate.at >= commit.at
        return lambda candidate: candidate.id not in self._beneath(commit.id)

    def _classified(self, commit: Commit, to: Commit) -> CarriedOver:
        """Tells how one commit became the other, as well as that is known."""
        if to.at < commit.at or (commit.id in self._on_branch and to.author == commit.author):
            return CarriedOver(CHERRY_PICKED, to.id)
        if to.author != commit.author:
            return CarriedOver(SQUASHED, to.id)
        return CarriedOver(AMENDED if commit.parents == to.parents else REBASED, to.id)

    def _same(self, commit: Commit, is_new: _IsNew) -> CarriedOver | None:
        alike = self._alike(_paths(commit), is_new) if commit.id in self.side else []
        return next((self._classified(commit, candidate) for candidate in alike if candidate.changes == commit.changes), None)

    def _alike(self, paths: _Paths, is_new: _IsNew) -> list[Commit]:
        """Returns the commits of HEAD's that change these files and no others."""
        return (
            [candidate for candidate in self._by_paths.get(paths, ()) if is_new(candidate)]
            if 0 < paths[0] <= history.MOST_PATHS
            else []
        )

    def _authored(self, commit: Commit, is_new: _IsNew) -> CarriedOver | None:
        alike = [candidate for candidate in self._by_author.get((commit.author, commit.subject), ()) if is_new(candidate)]
        if len(alike) != 1 or not commit.changes.keys() & alike[0].changes.keys():
            return None
        return self._classified(commit, alike[0])

    def _squashed(self, commit: Commit, is_new: _IsNew) -> CarriedOver | None:
        later = set(self._later(commit.id))
        newest: list[Commit] = []
        for path, (before, after) in commit.changes.items():
            contents = {after, *[other.changes[path][1] for other in self._beside.get(path, ()) if other.id in later]}
            brought = [
                candidate for content in contents for candidate in self._brought.get((path, content), ()) if is_new(candidate)
            ]
            if brought:
                newest.append(min(brought, key=lambda candidate: self._order[candidate.id]))
            elif before not in contents or commit.id not in self.side:  # else its own line took the change back
                return None
        if not newest:
            return None
        to = min(newest, key=lambda candidate: self._order[candidate.id])
        return CarriedOver(SQUASHED if to.at >= commit.at else CHERRY_PICKED, to.id)

    def _lines(self, commit: Commit, is_new: _IsNew) -> list[tuple[Commit, str, Commit]]:
        """Returns what the whole of a commit's line changed, up to each of its ends, with the commits of HEAD's to compare."""
        pairs = []
        if commit.id in self.side:
            self._later(commit.id)
            for end in self._ends_of[commit.id][:_MOST_ENDS]:
                base, paths = self._line(end)
                pairs += [(commit, f"{end} {base}", candidate) for candidate in self._alike(paths, is_new)] if base else []
        return pairs

    def _line(self, end: str) -> tuple[str, _Paths]:
        """Returns the last commit of HEAD's on which a line was built, and the files that it changed since."""
        if end not in self._line_to:
            self._line_to[end] = self._summed(end)
        return self._line_to[end]

    def _summed(self, end: str) -> tuple[str, _Paths]:
        reached = self._reached([end])
        line = [commit for name, commit in self.side.items() if name in reached]  # newest first
        bases = {parent for commit in line for parent in commit.parents if parent not in self.side}
        ordered = sorted(bases & self._order.keys(), key=lambda name: self._order[name]) or sorted(bases)
        net: dict[str, tuple[str, str]] = {}
        for commit in reversed(line):
            for path, (before, after) in commit.changes.items():
                net[path] = (net[path][0] if path in net else before, after)
        paths = sorted([path for path, (before, after) in net.items() if before != after])
        return (ordered[0] if ordered else ""), (len(paths), tuple(paths))


def _paths(commit: Commit) -> _Paths:
    return commit.total, tuple(sorted(commit.changes))
