"""What the worker does when idle: sums up and closes silent sessions, hides aged observations, updates anchors, follows files.

Files are followed with `ingest.auto`, and only those that somebody has ingested: of a tree that was read whole all of it, of any
other the files that are kept of it. One batch at least, then no longer than a while and only until an event comes; the next quiet
moment goes on.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

from memcli import ingest, logs, store, system
from memcli.agents.capture import distilled, staleness, summaries
from memcli.agents.capture.observations import ACTOR
from memcli.errors import MemError
from memcli.memory import compaction
from memcli.memory.commit import commit, update_anchors
from memcli.memory.projection import refresh
from memcli.memory.selection import selected
from memcli.project import Project, now, renewed
from memcli.records import replace
from memcli.repo import head, worktree
from memcli.store import failures, memories, oplog, passages, queue, replication, sessions, trees, usage, word_vectors
from memcli.store.oplog import Change
from memcli.text import dates
from memcli.validity import commits

LONGEST = 30.0  # seconds of reading files before the worker looks after its other duties
_AT_ONCE = 50  # sessions, or 10 times as many rows: others want to write, too
_FILES = 500  # changed files of a tree that was ingested in part, at a time
_EVER = 1 << 62
_LAST_DAYS = 7  # in which something happened in a session that is summed up while the worker stays
_TOLD_DAYS = 365  # for which it is kept what sessions were told and used
_HINT_DAYS = 28  # for which it is kept what sessions were hinted at
_KEPT_DAYS = 7  # jobs that are done; a harness does not repeat an event after that


def run(project: Project, quiet_ms: int | None, is_wanted: Callable[[], bool] = lambda: False) -> bool:
    """Does everything except following files. Returns whether answers remain to be weighed, as after an import, or vectors made.

    `quiet_ms`: how long a session must have been silent to be summed up.

    None: the worker leaves. Then every session counts, not only the last ones, and what aged is hidden: in a store that is years
    old both take too long to be done between two events.
    """
    project = replace(project, now=now(), masked={})
    since, before = (0, _EVER) if quiet_ms is None else (project.now - _LAST_DAYS * dates.DAY, project.now - quiet_ms)
    for session in sessions.needing_summary(project.db, since, before, _AT_ONCE):
        summaries.revise(project, session)
    idle = project.now - project.config["session.idle_minutes"] * 60_000
    for session in sessions.idle(project.db, idle, project.now, _AT_ONCE):
        summaries.close(project, session, "idle", distilled.distil(project, session))
    _make_passages(project)
    for name in staleness.weigh(project):
        if ended := sessions.find(project.db, name):
            summaries.revise(project, ended)
    lacks_vectors = _make_vectors(project)
    if quiet_ms is None:
        _forget_aged(project)
        usage.prune(project.db, project.now - _TOLD_DAYS * dates.DAY, _AT_ONCE * 10)
        failures.prune(project.db, project.now - _TOLD_DAYS * dates.DAY, project.now - _HINT_DAYS * dates.DAY)
        commits.ask_again(project)
        if compaction.is_due(project):
            compaction.run(project, is_wanted)
    queue.prune(project.db, project.now - _KEPT_DAYS * dates.DAY, _AT_ONCE * 10)
    update_anchors(project)
    return lacks_vectors or staleness.is_behind(project.db)


def synchronize(project: Project) -> None:
    """Starts an exchange of a shared memory with its remote if one is due, in a process that nobody waits for."""
    every = project.config["sync.minutes"] * 60_000
    if project.config["sync.auto"] and replication.is_due(project.db, now(), every, lambda: bool(selected(project))):
        system.spawn_detached(
            [sys.executable, "-P", "-m", "memcli", "sync", "--quiet", "--repo", os.path.basename(project.folder)]
        )


def _forget_aged(project: Project) -> None:
    """Forgets observations older than `capture.keep_days` that nobody cites, pinned or linked."""
    days = project.config["capture.keep_days"]
    before = project.now - days * dates.DAY

    def decide() -> list[Change]:
        return [Change("forget", name, {"days": days}) for name in memories.aged(project.db, before, _AT_ONCE * 10)]

    if memories.aged(project.db, before, 1):
        commit(project, decide, ACTOR, oplog.NO_COMMAND)


def _make_passages(project: Project) -> None:
    """Makes passages for some of the texts that an older version stored without them."""
    for kind, waiting in passages.waiting(project.db, _AT_ONCE).items():
        if passages.is_waiting(project.db, kind, 1):
            with store.transaction(project.db):
                for name, _ in waiting:
                    refresh(project, name)
                passages.settle(project.db, kind, waiting[-1][1] if len(waiting) == _AT_ONCE else 0)
    if passages.context_waits(project.db):
        names = passages.waiting_context(project.db, _AT_ONCE)
        with store.transaction(project.db):
            for name in names:
                refresh(project, name)
            passages.settle_context(project.db, names[-1] if len(names) == _AT_ONCE else "")


def _make_vectors(project: Project) -> bool:
    """Makes some of the vectors that a large pull or an older version left out. Returns whether there may be more."""
    vectors = [(table, n, word_vectors.encode(text)) for table, n, text in word_vectors.rows_without(project.db, _AT_ONCE * 10)]
    if vectors:
        with store.transaction(project.db):
            for table, n, vector in vectors:
                word_vectors.set_vector(project.db, table, n, vector)
    return len(vectors) >= _AT_ONCE * 10


class _Interrupted(Exception):
    """The worker is needed for something else, or this took long enough."""


def ingest_changes(project: Project, roots: set[str], is_wanted: Callable[[], bool]) -> None:
    """Ingests what changed in working trees, and removes each from `roots` when it is done.

    `is_wanted` tells whether the worker is needed for something else.
    """
    if not project.config["ingest.auto"]:
        return roots.clear()
    deadline = time.monotonic() + LONGEST

    def tick(files: int, of: int) -> None:
        if is_wanted() or time.monotonic() > deadline:
            raise _Interrupted

    for root in sorted(roots):
        try:
            at_root = _in_tree(project, root)
            tree = trees.find(project.db, root, worktree.inode(root, at_root.checkout)) if at_root else None
            if at_root is not None and tree is not None:
                _ingest(at_root, tree, tick)
        except _Interrupted:
            return
        except (MemError, OSError, store.Error) as problem:
            logs.write_worker(project.config, "error", f"the files of a working tree were not brought up to date: {problem}")
        finally:
            store.sync_commits(project.db, True)
        roots.discard(root)


def _in_tree(project: Project, root: str) -> Project | None:
    """Returns the project as seen from one of its working trees, None if the tree is gone."""
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
    changed = [
        file.path for file in trees.files_of(project.db, tree) if _has_changed(os.path.join(project.root, file.path), file)
    ]
    if changed:
        ingest.ingest(project, ingest.IngestOptions(tuple(changed[:_FILES]), must_exist=False), tick)


def _has_changed(path: str, stored: trees.TreeFile) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return True
    return (status.st_size, status.st_mtime_ns) != (stored.size, stored.mtime_ns)
