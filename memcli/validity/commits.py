"""Asks git which anchors HEAD can see, and records what their commits changed while they exist.

Reached once after HEAD moved; the cache answers every later question.
"""

from __future__ import annotations

import time

from memcli import repo
from memcli.repo import ancestry, carry, head, history, next_commit
from memcli.repo.ancestry import ORPHAN, REACHABLE, UNKNOWN
from memcli.repo.carry import CommitDigest
from memcli.repo.head import storable_name
from memcli.repo.history import Commit
from memcli.store import graph, memories, transaction
from memcli.store.cache import CARRIED, FETCHED
from memcli.store.graph import IN_VAIN, NOTED, CommitNote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.project import Project
    from memcli.repo.head import Checkout
    from memcli.store import Connection

_MAX_ANCHORS = 100_000  # distinct commits of a store that one question to git may cover
SLOW = "slow git"  # note in the cache: the HEAD at which git did not answer a hook in time
_NEVER = float("inf")
_PAGE = 500  # commits that one look at the cache or the store is about
_MAX_FORWARD = 64  # commits that HEAD may have moved by for the short way


def anchor_states(project: Project, pending: Sequence[str]) -> dict[str, str]:
    """Returns the states of these anchors, and caches those of all anchors of the store: git is asked once per HEAD."""
    checkout = project.checkout
    assert checkout is not None
    view = head.view(checkout)
    is_hurried = repo.deadline < _NEVER
    if is_hurried and is_slow(project):  # it would take too long again
        return dict.fromkeys(pending, UNKNOWN)
    before, last_states = _last(project, checkout)
    if before and (states := _after_moving_forward(project, checkout, before, last_states, pending)) is not None:
        project.cache.keep_anchor_states(view, states)
        return states
    anchors = list(dict.fromkeys([*pending, *memories.anchors(project.db, _MAX_ANCHORS)]))
    states = _after_moving(checkout, before, last_states, anchors) if before else None
    if states is None:
        states = ancestry.reachability(checkout, anchors)
    if states is None:
        if is_hurried and time.monotonic() >= repo.deadline:
            project.cache.keep_note(SLOW, view)
        return dict.fromkeys(anchors, UNKNOWN)
    _note_fetched(project, checkout)
    states |= _gone(project, checkout, states)
    carried = _carried(
        project, checkout, [anchor for anchor, state in states.items() if _may_be_carried(checkout, anchor, state)]
    )
    if carried is None:  # git failed: an orphan may still be found elsewhere
        project.cache.keep_anchor_states(view, {a: s for a, s in states.items() if s == REACHABLE})
        return states
    states.update(carried)
    certain = {anchor: state for anchor, state in states.items() if state != UNKNOWN or head.is_hash(anchor)}
    project.cache.keep_anchor_states(view, certain if head.is_complete(checkout) else states)
    return states


def _note_fetched(project: Project, checkout: Checkout) -> None:
    """Clears the unknown states from the cache, for every HEAD, if commits arrived from elsewhere since."""
    fetched = head.fetched(checkout)
    if project.cache.note(FETCHED) != fetched:
        project.cache.forget_states(UNKNOWN)
        project.cache.keep_note(FETCHED, fetched)


def _gone(project: Project, checkout: Checkout, states: dict[str, str]) -> dict[str, str]:
    """Marks as orphans the commits that a complete clone no longer has: it once had those that something was recorded about.

    A commit that it never had stays unknown, such as one that a teammate has not pushed.
    """
    missing = [anchor for anchor, state in states.items() if state == UNKNOWN and head.is_hash(anchor)]
    if not missing or not head.is_complete(checkout):
        return {}
    return {anchor: ORPHAN for start in range(0, len(missing), _PAGE) for anchor in notes_of(project.db, missing[start:][:_PAGE])}


def _may_be_carried(checkout: Checkout, anchor: str, state: str) -> bool:
    return state == ORPHAN or (state == UNKNOWN and head.is_hash(anchor) and head.is_complete(checkout))


def _carried(project: Project, checkout: Checkout, orphans: Sequence[str]) -> dict[str, str] | None:
    """Returns the states of the orphans whose change is in HEAD; None if git failed."""
    if not orphans:
        return {}
    matches = carry.find(checkout, orphans, notes_of(project.db, orphans))
    return None if matches is None else {anchor: f"{CARRIED} {match.how} {match.to}" for anchor, match in matches.items()}


def _last(project: Project, checkout: Checkout) -> tuple[str, dict[str, str]]:
    """Returns the HEAD at which git was last asked and each anchor's state then; ("", {}) if that is of no use now."""
    last_view, last_states = project.cache.latest_view()
    before = head.commit_of(last_view)
    is_same_clone = head.view(checkout).replace(checkout.commit or "-", before or "-") == last_view
    return (before, last_states) if before and checkout.commit and is_same_clone and head.is_complete(checkout) else ("", {})


def _after_moving_forward(
    project: Project, checkout: Checkout, before: str, last_states: dict[str, str], pending: Iterable[str]
) -> dict[str, str] | None:
    """Returns the state of every anchor known at the previous HEAD, and of those pending, if HEAD moved forward a little.

    This is how HEAD usually moves, and takes one git process instead of four. What was cached stays true unless the new commits
    touch files of an orphan. None if that is not certain.
    """
    new = history.listed(checkout, (f"-n{_MAX_FORWARD + 1}", f"{before}..{checkout.commit}"))
    if not new or len(new) > _MAX_FORWARD or not any(before in commit.parents for commit in new.values()):
        return None
    states = {anchor: REACHABLE if anchor in new else state for anchor, state in last_states.items()}
    states |= {anchor: REACHABLE for anchor in pending if anchor == before or anchor in new}
    if UNKNOWN in states.values():  # the clone may have it by now
        return None
    orphans = [anchor for anchor, state in states.items() if state == ORPHAN]
    if any(anchor not in states for anchor in pending) or _may_carry(project, list(new.values()), orphans):
        return None
    return states


def _after_moving(checkout: Checkout, before: str, last_states: dict[str, str], anchors: Sequence[str]) -> dict[str, str] | None:
    """Returns the state of each anchor from its state at the previous HEAD and the commits since; None if git cannot tell.

    It does not find out where the change of an orphan went.
    """
    if (moved := ancestry.crossed(checkout, before, set(anchors))) is None:
        return None
    lost, gained = moved
    last_states = {**last_states, before: REACHABLE}
    judged = [anchor for anchor in anchors if last_states.get(anchor, UNKNOWN) != UNKNOWN]
    undecided = [anchor for anchor in anchors if last_states.get(anchor, UNKNOWN) == UNKNOWN]
    answers = ancestry.reachability(checkout, undecided)
    if answers is None:
        return None
    reachable = gained | {anchor for anchor in judged if last_states[anchor] == REACHABLE and anchor not in lost}
    return {anchor: REACHABLE if anchor in reachable else ORPHAN for anchor in judged} | answers


def _may_carry(project: Project, new: Sequence[Commit], orphans: Sequence[str]) -> bool:
    """Tells whether new commits may carry the change of an orphan: only one that touches its files can."""
    touched = {path for commit in new for path in commit.changes}
    if not touched or not orphans:
        return False
    if any(commit.total > len(commit.changes) for commit in new):
        return True  # too many paths to have been kept
    notes = notes_of(project.db, orphans)
    return any(orphan not in notes or not touched.isdisjoint(notes[orphan].commit.changes) for orphan in orphans)


def ask_again(project: Project) -> None:
    """Asks git, without a hook's time limit, what it could not answer in time, so that the next hook finds the answer."""
    if is_slow(project):
        anchor_states(project, [])


def is_slow(project: Project) -> bool:
    """Tells whether git did not answer a hook in time at this HEAD, and the answer is still missing."""
    if project.checkout is None or project.cache.note(SLOW) != (view := head.view(project.checkout)):
        return False
    return project.cache.latest_view()[0] != view


def settled(project: Project, anchors: Sequence[str]) -> dict[str, str]:
    """Returns what became of anchors that waited for a branch's next commit, if it was made or the branch is gone."""
    assert project.checkout is not None
    successors = {anchor: next_commit.settled(project.checkout, anchor) for anchor in anchors}
    return {
        it: successor.commit or next_commit.abandoned(it)
        for it, successor in successors.items()
        if successor.commit or not successor.branch
    }


def lost(project: Project) -> list[tuple[str, str]]:
    """Returns (id, anchor) of the live memories whose commits are on no branch or tag any more and whose changes were not found.

    This happens when history is rewritten or a branch is deleted. None in a clone that does not have all commits.
    """
    if project.checkout is None or not head.is_complete(project.checkout):
        return []
    anchors = memories.anchors(project.db, _MAX_ANCHORS)
    states = all_states(project, anchors)
    orphans = [anchor for anchor in anchors if states[anchor] == ORPHAN]
    referenced = ancestry.referenced(project.checkout, orphans) if orphans else set()
    names = [] if referenced is None else [anchor for anchor in orphans if anchor not in referenced]
    return [
        row for start in range(0, len(names), _PAGE) for row in graph.memories_anchored_at(project.db, names[start:][:_PAGE], -1)
    ]


def all_states(project: Project, anchors: Sequence[str]) -> dict[str, str]:
    """Returns the states of any number of commits, from the cache or else from git."""
    states: dict[str, str] = {project.commit: REACHABLE} if project.commit else {}
    view = head.view(project.checkout) if project.checkout else ""
    states |= project.cache.anchor_states(view, anchors)
    if pending := [anchor for anchor in anchors if anchor not in states]:
        states |= anchor_states(project, pending)
    return states


def note(project: Project, due: Sequence[str]) -> None:
    """Records what these commits changed. If git fails, they stay due."""
    assert project.checkout is not None
    commits = carry.note(project.checkout, due)
    if commits is None:
        return
    notes = [_row(commit) for commit in commits]
    missing = set(due) - {row.id for row in notes}
    with transaction(project.db):
        graph.save_commit_notes(project.db, [*notes, *[CommitNote(commit_id, IN_VAIN) for commit_id in sorted(missing)]])


def notes_of(db: Connection, commits: Sequence[str]) -> dict[str, CommitDigest]:
    """Returns what is recorded of these commits."""
    return {row.id: _digest(row) for row in graph.commit_notes(db, commits)}


def _row(digest: CommitDigest) -> CommitNote:
    commit = digest.commit
    changes = "\n".join([f"{after} {storable_name(path)}" for path, (_, after) in commit.changes.items()])
    author, subject = storable_name(commit.author), storable_name(commit.subject)
    return CommitNote(commit.id, NOTED, commit.at, author, subject, commit.total, changes, digest.patch)


def _digest(row: CommitNote) -> CommitDigest:
    pairs = [line.partition(" ") for line in row.changes.split("\n") if line]
    changes = {path: ("", after) for after, _, path in pairs}
    return CommitDigest(Commit(row.id, (), row.at, row.author, row.subject, changes, row.total), row.patch)
