"""`ingest.auto`: what is kept of a tree's files is brought up to date where agents worked, once nothing waits.

Only what somebody has ingested: of a tree that was read whole all of it, of any other the files that are kept of it. One batch at
least, then no longer than a while and only until an event comes; the next quiet moment goes on.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from memcli.errors import MemError
from memcli.ingest import ingest
from memcli.project import Project, renewed
from memcli.repo import head, worktree
from memcli.store import db as store
from memcli.store import trees

LONGEST = 30.0  # seconds of reading before the worker looks after its other duties
_MOST = 500  # changed files of a tree that was ingested in part, at a time


class _Interrupted(Exception):
    """Somebody else wants the worker, or this took long enough."""


def catch_up(project: Project, roots: set[str], is_wanted: Callable[[], bool], note: Callable[[str], None]) -> None:
    """Ingests what changed in those working trees, and takes each out of `roots` when it is done with it.

    `is_wanted` tells whether the worker has something else to do; `note` is told what went wrong.
    """
    if not project.config["ingest.auto"]:
        return roots.clear()
    deadline = time.monotonic() + LONGEST

    def tick(files: int, of: int) -> None:
        if is_wanted() or time.monotonic() > deadline:
            raise _Interrupted

    for root in sorted(roots):
        try:
            at_root = _seen_from(project, root)
            tree = trees.find(project.db, root, worktree.inode(root, at_root.checkout)) if at_root else None
            if at_root is not None and tree is not None:
                _ingest(at_root, tree, tick)
        except _Interrupted:
            return
        except (MemError, OSError, store.Error) as problem:
            note(f"the files of a working tree were not brought up to date: {problem}")
        finally:
            store.sync_commits(project.db, True)
        roots.discard(root)


def _seen_from(project: Project, root: str) -> Project | None:
    """Returns the project as seen from one of its working trees; None where there is no such tree any more."""
    if not root or not os.path.isdir(root):
        return None
    checkout = head.find(root)
    if checkout is not None and head.recorded_id(checkout) != project.repo_id:
        return None
    return renewed(project, root, checkout)


def _ingest(project: Project, tree: int, tick: Callable[[int, int], None]) -> None:
    if trees.was_read_whole(project.db, tree):
        ingest.ingest(project, ingest.IngestOptions(), tick)
        return
    changed = [file.path for file in trees.kept(project.db, tree) if _has_changed(os.path.join(project.root, file.path), file)]
    if changed:
        ingest.ingest(project, ingest.IngestOptions(tuple(changed[:_MOST]), must_exist=False), tick)


def _has_changed(path: str, stored: trees.TreeFile) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return True
    return (status.st_size, status.st_mtime_ns) != (stored.size, stored.mtime_ns)
