"""Which commits HEAD can see: the truth behind "does this memory hold here?".

    reachable   HEAD, or an ancestor of HEAD
    orphan      a commit that is not an ancestor, or one that is gone from a complete clone
    unknown     the clone cannot tell (shallow, partial), git failed, or it is no commit hash at all

The answers cost a walk through history; `head.view` is the key under which they can be kept.
"""

from __future__ import annotations

import os

from memcli.repo import gitrun
from memcli.repo.head import Checkout, is_bare, is_hash, is_partial, is_shallow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

REACHABLE, ORPHAN, UNKNOWN = "reachable", "orphan", "unknown"

# Prints those that exist and are commits. Unlike `cat-file --batch-check`, it can be told not to fetch what is missing, which
# an older git tries in a partial clone, one process for each object.
_EXISTING = ("rev-list", "--no-walk=unsorted", "--ignore-missing", "--missing=allow-any", "--stdin")
# Topological order makes git use the generation numbers of a commit-graph, which do not suffer from skewed clocks.
_APART = ("rev-list", "--topo-order", "--parents", "--stdin")


def states(checkout: Checkout, anchors: Sequence[str]) -> dict[str, str]:
    """Returns the state of each distinct anchor (a full lower-case commit hash) as seen from `checkout.commit`.

    Runs git twice whatever their number, not at all if HEAD is the only one, and a third time only where a side line does
    not join HEAD's history (see `_apart`). On an unborn HEAD every commit is an orphan: nothing leads to it.
    """
    answer = {anchor: REACHABLE if anchor == checkout.commit else UNKNOWN for anchor in anchors}
    unresolved = {anchor for anchor in answer if answer[anchor] == UNKNOWN and is_hash(anchor)}
    if not unresolved or _head_is_broken(checkout):
        return answer
    existing = _printed(checkout, _EXISTING, unresolved, unresolved)
    if existing is None:
        return answer
    shallow = is_shallow(checkout)
    if not shallow and not is_partial(checkout):
        answer.update(dict.fromkeys(unresolved - existing, ORPHAN))
    apart = _apart(checkout, checkout.commit, existing, shallow) if checkout.commit else existing
    if apart is not None:
        answer.update(dict.fromkeys(existing - apart, REACHABLE))
        answer.update(dict.fromkeys(apart, UNKNOWN if shallow else ORPHAN))
    return answer


def existing(checkout: Checkout, anchors: Iterable[str]) -> set[str]:
    """Returns those of the anchors that this clone has as commits. Runs git once; nothing if it failed."""
    hashes = {anchor for anchor in anchors if is_hash(anchor)}
    return (_printed(checkout, _EXISTING, hashes, hashes) or set()) if hashes else set()


def _apart(checkout: Checkout, head: str, existing: set[str], shallow: bool) -> set[str] | None:
    """Returns those of `existing` that are no ancestors of `head`, None if git failed.

    Git walks by date and may stop early where clocks went backwards, so that it prints an ancestor, and all before it down to
    the root. A printed root is therefore checked against the whole history.
    """
    roots: list[bytes] = []
    whole = len(head)

    def note_root(line: bytes) -> None:
        if len(line) == whole:  # no parents behind it
            roots.append(line)

    apart = _printed(checkout, _APART, (*existing, "^" + head), existing, note_root)
    if not apart or not roots or shallow:
        return apart
    ancestors = _printed(checkout, ("rev-list", head), (), apart)
    return None if ancestors is None else apart - ancestors


def _printed(
    checkout: Checkout,
    arguments: Sequence[str],
    names: Iterable[str],
    hashes: set[str],
    each: Callable[[bytes], None] | None = None,
) -> set[str] | None:
    """Gives git one name a line; returns the `hashes` hashes that begin a line it prints, None if it failed.

    Memory is bounded by `hashes`: the other lines, as many as a side line has commits, are dropped as they come.
    """
    printed: set[str] = set()
    incomplete = b""

    def take(data: bytes) -> None:
        nonlocal incomplete
        *lines, incomplete = (incomplete + data).split(b"\n")
        for line in lines:
            name = line.partition(b" ")[0].decode("ascii", "replace")
            if name in hashes:
                printed.add(name)
            if each:
                each(line)

    stdin = "".join(f"{name}\n" for name in names).encode()
    done = gitrun.run(arguments, checkout.root, stdin, bare=is_bare(checkout), sink=take)
    return None if done.code else printed


def _head_is_broken(checkout: Checkout) -> bool:
    """Tells an unborn branch from one whose ref file is there and says nothing, as after a crash of the machine."""
    if checkout.commit or not checkout.branch:
        return False
    return os.path.isfile(os.path.join(checkout.common_dir, "refs", "heads", checkout.branch))
