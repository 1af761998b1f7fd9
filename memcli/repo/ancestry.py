"""Which commits HEAD can see. One process for many.

    reachable   HEAD, or an ancestor of HEAD
    orphan      a commit that is not an ancestor
    unknown     a commit that the clone does not have, or of which it cannot tell (shallow), git failed, or it is no commit hash

The answers cost a walk through history; `head.view` is the key under which they can be kept.
"""

from __future__ import annotations

import os

from memcli.repo.head import Checkout, is_hash, is_partial, is_shallow
from memcli.repo.history import feed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_MOST_ROOTS = 32  # the oldest
REACHABLE, ORPHAN, UNKNOWN = "reachable", "orphan", "unknown"

# Both print those that exist and are commits. The first does not read them, which is several times quicker; but in a partial
# clone an older git fetches what is missing, one process for each object, and only the second can be told not to.
_LOOKED_UP = ("cat-file", "--batch-check=%(objectname) %(objecttype)", "--buffer")
_EXISTING = ("rev-list", "--no-walk=unsorted", "--ignore-missing", "--missing=allow-any", "--stdin")
# Topological order makes git use the generation numbers of a commit-graph, which do not suffer from skewed clocks.
_APART = ("rev-list", "--topo-order", "--parents", "--stdin")


def reachability(checkout: Checkout, anchors: Sequence[str]) -> dict[str, str] | None:
    """Returns the state of each distinct anchor (a full lower-case commit hash) as `checkout.commit` sees it; None if git failed.

    Runs git twice whatever their number, not at all if HEAD is the only one, and a third time only where a side line does
    not join HEAD's history (see `_apart`). On an unborn HEAD every commit is an orphan: nothing leads to it.
    """
    answer = {anchor: REACHABLE if anchor == checkout.commit else UNKNOWN for anchor in anchors}
    unresolved = {anchor for anchor in answer if answer[anchor] == UNKNOWN and is_hash(anchor)}
    if not unresolved:
        return answer
    if _head_is_broken(checkout):
        return None
    present = _present(checkout, unresolved)
    if present is None:
        return None
    if not present:
        return answer
    shallow = is_shallow(checkout)
    apart = _apart(checkout, checkout.commit, present, shallow) if checkout.commit else present
    if apart is None:
        return None
    answer.update(dict.fromkeys(present - apart, REACHABLE))
    answer.update(dict.fromkeys(apart, UNKNOWN if shallow else ORPHAN))
    return answer


def referenced(checkout: Checkout, commits: Sequence[str]) -> set[str] | None:
    """Returns those of the commits that HEAD, a branch or a tag leads to, here or as last seen at remotes; None if git failed."""
    hashes = {name for name in commits if is_hash(name)}
    existing = _present(checkout, hashes)
    if not existing:
        return existing
    refs = ("--branches", "--remotes", "--tags", *([checkout.commit] if checkout.commit else []))
    lost = _printed(checkout, ("rev-list", "--topo-order", "--not", *refs, "--not", "--stdin"), existing, existing)
    return None if lost is None else existing - lost


def roots(checkout: Checkout) -> tuple[str, ...]:
    """Returns the first commits of all that HEAD, the branches and the tags lead to; none where the clone cannot tell.

    Two histories share a commit where they share one of these. It is a walk through all of history, so keep the answer.
    """
    if checkout.commit is None or is_shallow(checkout):
        return ()
    names: list[str] = []
    words = ("rev-list", "--max-parents=0", "--branches", "--remotes", "--tags", checkout.commit)
    failed = feed(checkout, words, (), lambda line: names.append(line.decode("ascii", "replace")))
    return () if failed else tuple(names[-_MOST_ROOTS:])


def existing_commits(checkout: Checkout, anchors: Iterable[str]) -> set[str]:
    """Returns those of the anchors that this clone has as commits. Runs git once; nothing if it failed."""
    hashes = {anchor for anchor in anchors if is_hash(anchor)}
    return (_present(checkout, hashes) or set()) if hashes else set()


def _present(checkout: Checkout, hashes: set[str]) -> set[str] | None:
    """Returns those of the hashes that are commits of this clone; None if git failed."""
    if is_partial(checkout):
        return _printed(checkout, _EXISTING, hashes, hashes)
    present: set[str] = set()

    def take(line: bytes) -> None:
        name, _, kind = line.decode("ascii", "replace").partition(" ")
        if kind == "commit" and name in hashes:
            present.add(name)

    return None if feed(checkout, _LOOKED_UP, hashes, take) else present


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


def crossed(checkout: Checkout, before: str, hashes: set[str]) -> tuple[set[str], set[str]] | None:
    """Returns which of `hashes` HEAD lost and gained since it was at `before`; None if git failed or cannot be sure.

    Costs what lies between the two commits, however long the history. Where clocks went backwards git may print what both
    have, and all before it down to the root (see `_apart`).
    """
    sides: dict[bytes, set[str]] = {b"<": set(), b">": set()}
    roots: list[bytes] = []
    whole = 1 + len(before)

    def take(line: bytes) -> None:
        name = line[1:whole].decode("ascii", "replace")
        if name in hashes:
            sides[line[:1]].add(name)
        if len(line) == whole:  # no parents behind it
            roots.append(line)

    words = ("rev-list", "--topo-order", "--parents", "--left-right", f"{before}...{checkout.commit}")
    return None if feed(checkout, words, (), take) or roots else (sides[b"<"], sides[b">"])


def _printed(
    checkout: Checkout,
    arguments: Sequence[str],
    names: Iterable[str],
    hashes: set[str],
    each: Callable[[bytes], None] | None = None,
) -> set[str] | None:
    """Gives git one name a line. Returns those of `hashes` that begin a line of its output, None if it failed.

    Memory is bounded by `hashes`: the other lines, as many as a side line has commits, are dropped as they come.
    """
    printed: set[str] = set()

    def take(line: bytes) -> None:
        name = line.partition(b" ")[0].decode("ascii", "replace")
        if name in hashes:
            printed.add(name)
        if each:
            each(line)

    return None if feed(checkout, arguments, names, take) else printed


def _head_is_broken(checkout: Checkout) -> bool:
    """Tells an unborn branch from one whose ref file is there and says nothing, as after a crash of the machine."""
    if checkout.commit or not checkout.ref:
        return False
    return os.path.isfile(os.path.join(checkout.common_dir, "refs", "heads", checkout.ref))
