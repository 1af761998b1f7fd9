"""Which working trees there were, and what was checked out at a moment long past: by reflogs, else by the branch's history.

A reflog says where a branch or HEAD was in this clone, even if the commit was amended since. Before it begins, which may be long
after the moment in a fresh clone, the commits of the branch count that were there by then.
"""

from __future__ import annotations

import os

from memcli.records import Record
from memcli.repo import ancestry, gitrun
from memcli.repo.head import Checkout, is_bare, is_hash, seconds
from memcli.text import bounded

_MOST_LOG = 1 << 26  # bytes of a reflog
_LIMIT = 30.0  # seconds
_LONGEST_PATH = 1 << 14
_NO_NAME = (" ", "~", "^", ":", "?", "*", "[", "\\", "..", "@{", "//")


class Position(Record):
    """Where a branch or HEAD was from a moment on, in ms since 1970."""

    at: int
    commit: str


class Heads:
    """Answers for one import, each branch read once."""

    def __init__(self) -> None:
        self._positions: dict[tuple[str, str], tuple[list[Position], list[Position]]] = {}
        self._existing: dict[str, bool] = {}

    def commit_at(self, checkout: Checkout, branch: str, at: int) -> str | None:
        """Returns the commit that was checked out on a branch, "" for an unknown one, at a moment; None where none was."""
        reflog, commits = self._of(checkout, branch)
        for positions in (reflog, commits):  # newest first; the clock may have been put back, so the order counts
            if commit := next((position.commit for position in positions if position.at <= at), None):
                return commit
        return None

    def exists(self, checkout: Checkout, commit: str) -> bool:
        """Tells whether the clone has a commit."""
        if commit not in self._existing:
            self._existing[commit] = is_hash(commit) and bool(ancestry.existing_commits(checkout, {commit}))
        return self._existing[commit]

    def _of(self, checkout: Checkout, branch: str) -> tuple[list[Position], list[Position]]:
        key = checkout.git_dir, branch
        if key not in self._positions:
            name = _ref(checkout, branch)
            log = os.path.join(checkout.common_dir if name else checkout.git_dir, "logs", *(name or "HEAD").split("/"))
            self._positions[key] = _reflog(log), _commits(checkout, name or "HEAD")
        return self._positions[key]


def _ref(checkout: Checkout, branch: str) -> str:
    """Returns the ref of a branch that exists, here or as a remote one; "" for any other name."""
    if not branch.isprintable() or branch in ("", "HEAD") or branch[0] in "-/" or any(pattern in branch for pattern in _NO_NAME):
        return ""
    names = (f"refs/heads/{branch}", f"refs/remotes/origin/{branch}")
    listed = gitrun.run(("for-each-ref", "--format=%(refname)", *names), checkout.root, limit=_LIMIT, bare=is_bare(checkout))
    existing = listed.out.decode("utf-8", "replace").splitlines()
    return next((name for name in names if name in existing), "")


def _reflog(path: str) -> list[Position]:
    """Returns what a reflog notes, newest first."""
    content = bounded.read(path, _MOST_LOG) or b""
    positions = []
    for line in reversed(content.decode("utf-8", "replace").splitlines()):
        words = line.partition("\t")[0].split()
        if len(words) > 4 and is_hash(words[1]) and words[-2].isdecimal() and words[1].strip("0"):
            positions.append(Position(seconds(words[-2]) * 1000, words[1]))
    return positions


def _commits(checkout: Checkout, name: str) -> list[Position]:
    """Returns the commits of a branch by itself, without those that merges brought, newest first."""
    words = ("log", "--first-parent", "--format=%H %ct", "--end-of-options", name, "--")
    listed = gitrun.run(words, checkout.root, limit=_LIMIT, bare=is_bare(checkout))
    pairs = [line.split() for line in listed.out.decode("ascii", "replace").splitlines()]
    return [Position(int(pair[1]) * 1000, pair[0]) for pair in pairs if len(pair) == 2 and pair[1].isdecimal()]


def roots(checkout: Checkout) -> list[str]:
    """Returns the tops of a repository's working trees, this one first; those of trees that are gone, too."""
    folders = [checkout.root]
    if os.path.basename(checkout.common_dir) == ".git":
        folders.append(os.path.dirname(checkout.common_dir))
    folder = os.path.join(checkout.common_dir, "worktrees")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        names = []
    for name in names:
        link = (bounded.read(os.path.join(folder, name, "gitdir"), _LONGEST_PATH) or b"").decode("utf-8", "surrogateescape")
        if link.strip():
            folders.append(os.path.dirname(link.strip()))
    return list(dict.fromkeys(folders))
