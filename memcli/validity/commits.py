"""Asks git which anchors HEAD can see, and notes what their commits changed while these exist.

Reached once after HEAD moved; the cache answers every later question.
"""

from __future__ import annotations

from memcli.repo import carry, head, history, next_commit
from memcli.repo.carry import Noted
from memcli.repo.history import ORPHAN, REACHABLE, UNKNOWN, Commit
from memcli.store import graph, memories, transaction
from memcli.store.cache import CARRIED
from memcli.store.graph import IN_VAIN, NOTED, CommitNote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.project import Project
    from memcli.repo.head import Checkout
    from memcli.store import Connection

_MAX_ANCHORS = 100_000  # distinct commits of a store that one question to git may cover
_MAX_FORWARD = 64  # commits that HEAD may have moved by for the short way


def anchor_states(project: Project, pending: Sequence[str]) -> dict[str, str]:
    """Returns the states of these anchors and of all others of the store, and caches them: git is asked once a HEAD."""
    checkout = project.checkout
    assert checkout is not None
    view = head.view(checkout)
    if (states := _after_moving_forward(project, checkout, pending)) is not None:
        project.cache.keep_anchor_states(view, states)
        return states
    anchors = list(dict.fromkeys([*pending, *memories.anchors(project.db, _MAX_ANCHORS)]))
    states = history.reachability(checkout, anchors)
    if states is None:
        return dict.fromkeys(anchors, UNKNOWN)
    carried = _carried(project, checkout, [anchor for anchor, state in states.items() if state == ORPHAN])
    is_complete = head.is_complete(checkout)
    if carried is None:  # git failed: an orphan may still be found elsewhere
        project.cache.keep_anchor_states(view, {a: s for a, s in states.items() if s == REACHABLE})
        return states
    states.update(carried or {})
    certain = {anchor: state for anchor, state in states.items() if state != UNKNOWN}
    project.cache.keep_anchor_states(view, certain if is_complete else states)
    return states


def _carried(project: Project, checkout: Checkout, orphans: Sequence[str]) -> dict[str, str] | None:
    """Returns the states of those orphans whose change HEAD has; None if git failed."""
    if not orphans:
        return {}
    matches = carry.find(checkout, orphans, noted(project.db, orphans))
    return None if matches is None else {anchor: f"{CARRIED} {match.how} {match.to}" for anchor, match in matches.items()}


def _after_moving_forward(project: Project, checkout: Checkout, pending: Iterable[str]) -> dict[str, str] | None:
    """Returns the state of every anchor that the previous HEAD knew, and of those pending, where HEAD moved forward a little.

    The usual way that HEAD moves: one git process instead of four. What was cached stays true unless the new commits touch
    files of an orphan. None where that is not certain.
    """
    last_view, last_states = project.cache.latest_view()
    before = head.commit_of(last_view)
    if not before or not head.is_complete(checkout):
        return None
    if head.view(checkout).replace(checkout.commit or "-", before) != last_view:
        return None
    new = history.listed(checkout, (f"-n{_MAX_FORWARD + 1}", f"{before}..{checkout.commit}"))
    if not new or len(new) > _MAX_FORWARD or not any(before in commit.parents for commit in new.values()):
        return None
    states = {anchor: REACHABLE if anchor in new else state for anchor, state in last_states.items()}
    states |= {anchor: REACHABLE for anchor in pending if anchor == before or anchor in new}
    orphans = [anchor for anchor, state in states.items() if state == ORPHAN]
    if any(anchor not in states for anchor in pending) or _may_carry(project, list(new.values()), orphans):
        return None
    return states


def _may_carry(project: Project, new: Sequence[Commit], orphans: Sequence[str]) -> bool:
    """True where the change of an orphan may have come with the new commits: only a commit of its files can bring it."""
    touched = {path for commit in new for path in commit.changes}
    if not touched or not orphans:
        return False
    if any(commit.total > len(commit.changes) for commit in new):
        return True  # too many paths to have been kept
    notes = noted(project.db, orphans)
    return any(orphan not in notes or not touched.isdisjoint(notes[orphan].commit.changes) for orphan in orphans)


def settled(project: Project, anchors: Sequence[str]) -> dict[str, str]:
    """Returns what became of anchors that wait for the next commit of a branch, where that was made or the branch is gone."""
    assert project.checkout is not None
    places = {anchor: next_commit.settled(project.checkout, anchor) for anchor in anchors}
    return {it: place.commit or next_commit.abandoned(it) for it, place in places.items() if place.commit or not place.branch}


def note(project: Project, due: Sequence[str]) -> None:
    """Stores what these commits changed. Where git fails they stay due."""
    assert project.checkout is not None
    commits = carry.note(project.checkout, due)
    if commits is None:
        return
    notes = [_row(commit) for commit in commits]
    missing = set(due) - {row.id for row in notes}
    with transaction(project.db):
        graph.save_commit_notes(project.db, [*notes, *[CommitNote(commit_id, IN_VAIN) for commit_id in sorted(missing)]])


def noted(db: Connection, commits: Sequence[str]) -> dict[str, Noted]:
    """Returns what is noted of these commits."""
    return {row.id: _noted(row) for row in graph.commit_notes(db, commits)}


def _row(noted: Noted) -> CommitNote:
    commit = noted.commit
    changes = "\n".join([f"{after} {path}" for path, (_, after) in commit.changes.items()])
    return CommitNote(commit.id, NOTED, commit.at, commit.author, commit.subject, commit.total, changes, noted.patch)


def _noted(row: CommitNote) -> Noted:
    pairs = [line.partition(" ") for line in row.changes.split("\n") if line]
    changes = {path: ("", after) for after, _, path in pairs}
    return Noted(Commit(row.id, (), row.at, row.author, row.subject, changes, row.total), row.patch)
