"""The commits of a branch, also of one that was merged, and of one that is gone."""

from __future__ import annotations

from memcli.repo import gitrun, history
from memcli.repo.head import Checkout, is_bare
from memcli.repo.next_commit import head_logs, log_of, read_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.repo.next_commit import ReflogLine

_MERGES = 8  # merges of a branch that are looked at, the newest
_MOST = 1_000  # commits of a branch, or that one merge of it brought
_LIMIT = 5.0  # seconds
_CHECKED_OUT = "checkout: moving from "
_REBASED = tuple([f"rebase ({step})" for step in ("pick", "reword", "edit", "squash", "fixup", "continue")])
_AROUND = "'\"`(),:;"


def commits_of(checkout: Checkout, branch: str) -> frozenset[str]:
    """Returns the newest commits that only this branch has; where it has none, those that merges of it brought or it once had.

    Empty where git knows no such branch. What was merged without a commit of its own is known by the reflogs of this clone.
    """
    if not history.may_be_ref(branch):
        return frozenset()
    own = _only_on(checkout, branch)
    return frozenset(own or [*_brought_by_merges(checkout, branch), *_made_on(checkout, branch)])


def _only_on(checkout: Checkout, branch: str) -> list[str]:
    words = ("rev-list", f"--max-count={_MOST}", f"refs/heads/{branch}", "--not", f"--exclude={branch}", "--branches", "--")
    return _lines(checkout, words)


def _brought_by_merges(checkout: Checkout, branch: str) -> list[str]:
    """Returns the commits that merges brought which name the branch, as git and its hosts word it."""
    words = ("log", "--all", "--merges", "--fixed-strings", f"--grep={branch}", "--format=%P%x00%s", "--")
    commits: list[str] = []
    merges = 0
    for line in _lines(checkout, words):
        parents, _, subject = line.partition("\0")
        first, *others = parents.split()
        if others and _names(subject, branch) and merges < _MERGES:
            merges += 1
            commits += _lines(checkout, ("rev-list", f"--max-count={_MOST}", *others, "--not", first, "--"))
    return commits


def _names(subject: str, branch: str) -> bool:
    """Tells whether a merge is of a branch: Merge branch 'X' into main, Merge pull request #7 from owner/X."""
    source = subject.partition(" into ")[0].split()
    names = [word.strip(_AROUND) for word in source]
    return any(name == branch or (name.endswith(f"/{branch}") and name.count("/") == branch.count("/") + 1) for name in names)


def _made_on(checkout: Checkout, branch: str) -> list[str]:
    """Returns the commits that reflogs saw being made on a branch."""
    commits = [entry.new for entry in read_log(log_of(checkout, branch)) if _is_made(entry)]
    for log in head_logs(checkout):
        is_there = False
        for entry in read_log(log):
            if entry.message.startswith(_CHECKED_OUT):
                is_there = entry.message.rpartition(" to ")[2] == branch
            elif is_there and _is_made(entry):
                commits.append(entry.new)
    return commits


def _is_made(entry: ReflogLine) -> bool:
    return entry.is_own or entry.message.startswith(_REBASED)


def _lines(checkout: Checkout, words: tuple[str, ...]) -> list[str]:
    """Returns what git prints; nothing where it fails."""
    done = gitrun.run(words, checkout.root, limit=_LIMIT, bare=is_bare(checkout))
    return done.out.decode("utf-8", "replace").splitlines() if done.code == 0 else []
