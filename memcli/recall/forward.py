"""HEAD moved forward by a few commits: what was known of anchors before holds on, unless those commits touch their files.

The usual way that HEAD moves, and one git process instead of four. Whatever is not certain is left to the whole search.
"""

from __future__ import annotations

from memcli.memory import anchoring
from memcli.recall.truth import ORPHAN, REACHABLE
from memcli.repo import head, history

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from memcli.project import Project
    from memcli.repo.head import Checkout
    from memcli.repo.history import Commit

MOST = 64  # commits that HEAD may have moved by


def states(project: Project, checkout: Checkout, asked: Iterable[str]) -> dict[str, str] | None:
    """Returns the state of every anchor that was known at the HEAD before this one, and of those asked; None if not certain.

    Runs git once.
    """
    view, known = project.cache.latest_view()
    before = head.commit_of(view)
    if not before or not head.is_complete(checkout) or head.view(checkout).replace(checkout.commit or "-", before) != view:
        return None
    new = history.listed(checkout, (f"-n{MOST + 1}", f"{before}..{checkout.commit}"))
    if not new or len(new) > MOST or not any(before in commit.parents for commit in new.values()):
        return None  # HEAD did not move forward, or far
    answer = {anchor: REACHABLE if anchor in new else state for anchor, state in known.items()}
    answer |= {anchor: REACHABLE for anchor in asked if anchor == before or anchor in new}
    orphans = [anchor for anchor, state in answer.items() if state == ORPHAN]
    if any(anchor not in answer for anchor in asked) or _may_bring(project, list(new.values()), orphans):
        return None
    return answer


def _may_bring(project: Project, new: Sequence[Commit], orphans: Sequence[str]) -> bool:
    """Tells whether the change of an orphan may have come with the new commits: only a commit of its files can bring it."""
    touched = {path for commit in new for path in commit.changes}
    if not touched or not orphans:
        return False
    if any(commit.total > len(commit.changes) for commit in new):
        return True  # too many paths to have been kept
    notes = anchoring.noted(project.db, orphans)
    return any(orphan not in notes or not touched.isdisjoint(notes[orphan].commit.changes) for orphan in orphans)
