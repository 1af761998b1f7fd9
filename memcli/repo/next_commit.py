"""Anchors that are no commit yet: what was written on a branch before its first own commit belongs to that commit.

Such an anchor reads `COMMIT MOMENT BRANCH`: what was checked out, when the branch began there (in seconds since 1970), its name.
A moment of 0 says that the branch was deleted without a commit. Whether the commit was made is read from reflogs, whatever became
of the branch; no process is started. The name is the one that may be stored (screening/): what git calls the branch is
searched for among its reflogs where that differs.
"""

from __future__ import annotations

import os

from memcli.records import Record
from memcli.repo.head import Checkout, is_hash, seconds, storable_name
from memcli.text import bounded
from memcli.text.ids import MASK, anchor_branch, anchor_commit

_LARGEST = 1 << 24  # bytes of a reflog
_MOST_LOGS = 500  # reflogs that are looked at for a branch that was renamed
_MOST_RENAMES = 5
_LONGEST_NAME = 255
_NO_NAME = ("..", "\0", "//", "\\")
_OWN = ("commit", "cherry-pick", "revert", "am")  # begin the entries of a branch's own commits
DEFAULTS = ("main", "master", "trunk", "develop")  # branches on which everything holds at once


class ReflogLine(Record):
    """An entry of a reflog: from which commit to which, when (seconds since 1970), and why."""

    old: str
    new: str
    at: int
    message: str

    @property
    def is_own(self) -> bool:
        """Whether a commit was made, rather than taken from elsewhere."""
        return self.message.startswith(_OWN) or "Merge made by" in self.message


class Beginning(Record):
    """A branch from when it was made, or set back, to its first own commit: `commit`, empty while there is none."""

    at: int
    places: tuple[str, ...]
    commit: str = ""


class Settled(Record):
    """What became of an anchor: the commit that was made; else the branch that still waits for it; neither where that is gone."""

    commit: str = ""
    branch: str = ""


def anchor_at(checkout: Checkout) -> str | None:
    """Returns the anchor of what is written now: the commit, or the next one where the branch has none of its own."""
    branch = checkout.ref
    if checkout.commit is None or branch is None or branch in DEFAULTS:
        return checkout.commit
    entries = read_log(log_of(checkout, branch))
    if not entries or entries[-1].is_own or _is_default(checkout, branch):
        return checkout.commit
    # Where the reflog has no beginning of the branch, nothing waits.
    last = (_beginnings(entries, branch) or [Beginning(0, (), "none")])[-1]
    is_waiting = not last.commit and checkout.commit == last.places[-1]
    return f"{checkout.commit} {last.at} {checkout.branch}" if is_waiting else checkout.commit


def settled(checkout: Checkout, anchor: str) -> Settled:
    """Returns what became of an anchor that was no commit when it was written."""
    _, moment, branch = anchor.split(" ", 2) if is_awaited(anchor) else ("", "0", "")
    at = seconds(moment)
    if not at or any(pattern in branch for pattern in _NO_NAME):
        return Settled()
    branch = _as_git_has_it(checkout, branch)
    for _ in range(_MOST_RENAMES):
        entries = read_log(log_of(checkout, branch))
        beginnings = _beginnings(entries, branch)
        for beginning in [beginning for beginning in beginnings if beginning.at == at]:
            if beginning.commit or beginning == beginnings[-1]:
                return Settled(beginning.commit, "" if beginning.commit else storable_name(branch))
        until = min([beginning.at for beginning in beginnings if beginning.at > at], default=None)
        if commit := _made_elsewhere(checkout, anchor_commit(anchor) or "", branch, at, until):
            return Settled(commit)
        later = _new_name(checkout, branch)
        if not later:
            break
        branch = later
    return Settled()


def is_awaited(anchor: str | None) -> bool:
    """Tells whether a text is an anchor that waits, or waited, for the next commit of a branch."""
    commit, _, beginning = (anchor or "").partition(" ")
    moment, _, branch = beginning.partition(" ")
    return is_hash(commit) and moment.isdecimal() and branch.isprintable() and 0 < len(branch) <= _LONGEST_NAME


def abandoned(anchor: str) -> str:
    """Returns the anchor of what belonged to a branch that was deleted without a commit."""
    return f"{anchor_commit(anchor)} 0 {anchor_branch(anchor)}"


def _beginnings(entries: list[ReflogLine], branch: str) -> list[Beginning]:
    """Returns how often a branch began, by its reflog, oldest first. What was taken from a remote has its own commits there."""
    beginnings: list[Beginning] = []
    for entry in entries:
        last = beginnings[-1] if beginnings else None
        # A reset to where the branch was before its first own commit begins it anew.
        is_back = entry.message.startswith("reset: ") and any(entry.new in beginning.places for beginning in beginnings)
        is_new = entry.message.startswith("branch: Created from ") and not entry.message.endswith(f"/{branch}")
        if is_new or (last is not None and (entry.message.startswith("branch: Reset to ") or (last.commit and is_back))):
            beginnings.append(Beginning(entry.at, (entry.new,)))
        elif last is not None and not last.commit:
            is_own = entry.is_own
            beginnings[-1] = Beginning(last.at, last.places if is_own else (*last.places, entry.new), entry.new if is_own else "")
    return beginnings


def _made_elsewhere(checkout: Checkout, base: str, branch: str, at: int, until: int | None) -> str:
    """Returns the first commit of a branch that is gone, by what was checked out meanwhile or merged; "" where none is known."""
    merged = ""
    for log in head_logs(checkout):
        name = None
        for entry in read_log(log):
            if entry.message.startswith("checkout: moving from "):
                name = entry.message.rpartition(" to ")[2]
            if entry.at < at or (until is not None and entry.at >= until):
                continue
            if entry.is_own and (_is_called(name, branch) or (name is None and entry.old == base)):
                return entry.new
            if entry.message.startswith("merge ") and _is_called(entry.message[6:].partition(":")[0], branch):
                merged = merged or entry.new
    return merged


def _new_name(checkout: Checkout, branch: str) -> str:
    """Returns what a branch was renamed to, "" where no reflog says so."""
    before = "Branch: renamed refs/heads/"
    for name in _names_of_logs(checkout):
        for entry in read_log(log_of(checkout, name)):
            if entry.message.startswith(before) and _is_called(entry.message[len(before) :].partition(" to ")[0], branch):
                return name
    return ""


def _as_git_has_it(checkout: Checkout, branch: str) -> str:
    """Returns what git calls a branch whose name an anchor has as it may be stored; that one where it is gone."""
    if MASK not in branch:
        return branch
    if branch == checkout.branch and checkout.ref:
        return checkout.ref
    return next((name for name in _names_of_logs(checkout) if storable_name(name) == branch), branch)


def _is_called(name: str | None, branch: str) -> bool:
    """Tells whether a name of a reflog is that of a branch, of which the name as it may be stored may be all that is left."""
    return name == branch or (name is not None and MASK in branch and storable_name(name) == branch)


def _names_of_logs(checkout: Checkout) -> list[str]:
    """Returns the names of branches that have a reflog."""
    top = os.path.join(checkout.common_dir, "logs", "refs", "heads")
    paths = [os.path.join(folder, name) for folder, _, names in os.walk(top) for name in names]
    return [os.path.relpath(path, top).replace(os.sep, "/") for path in paths[:_MOST_LOGS]]


def _is_default(checkout: Checkout, branch: str) -> bool:
    """Whether a remote calls this its default branch."""
    head = bounded.read(os.path.join(checkout.common_dir, "refs", "remotes", "origin", "HEAD"), 1 << 12) or b""
    return head.decode("utf-8", "replace").strip() == f"ref: refs/remotes/origin/{branch}"


def log_of(checkout: Checkout, branch: str) -> str:
    return os.path.join(checkout.common_dir, "logs", "refs", "heads", *branch.split("/"))


def head_logs(checkout: Checkout) -> list[str]:
    """Returns the reflogs of HEAD in every working tree."""
    trees = os.path.join(checkout.common_dir, "worktrees")
    folders = [os.path.join(trees, name) for name in os.listdir(trees)[:_MOST_LOGS]] if os.path.isdir(trees) else []
    return [os.path.join(folder, "logs", "HEAD") for folder in [checkout.common_dir, *folders]]


def read_log(path: str) -> list[ReflogLine]:
    """Returns the entries of a reflog, oldest first; none where it cannot be read."""
    entries = []
    for line in (bounded.read(path, _LARGEST) or b"").decode("utf-8", "replace").split("\n"):
        facts, _, message = line.partition("\t")
        words = facts.split()
        if len(words) > 3 and is_hash(words[0]) and is_hash(words[1]) and words[-2].isdecimal():
            entries.append(ReflogLine(words[0], words[1], seconds(words[-2]), message))
    return entries
