"""`mem ingest --watch`: following a tree's changes as they happen.

What is ingested is never an event but the state of the files: events only say where to look. So one that comes twice, late or
not at all (the system's queue overflows when thousands of files change) costs a look, and nothing is missed for long.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from memcli.errors import MemError
from memcli.ingest.read import root_gone
from memcli.ingest.walk import GIT_IGNORE, OWN_IGNORE
from memcli.project import Project
from memcli.store import Error

MAX_PATHS = 100  # changed paths; from more the whole tree is checked: a branch was switched
IDLE = 60  # quiet seconds after which the tree is checked anyway
_QUIET_MS = 100  # without an event, before what changed is ingested
_MAX_WAIT_MS = 1_600  # for such a pause
_TICK_MS = 1_000

_GIT_FILES = ("index", "HEAD", os.path.join("info", "exclude"))  # those of git's own that decide what it lists

Scopes = tuple[str, ...] | None  # paths from the root of the tree; None: all of it
NOTHING: Scopes = ()


def watch(project: Project, scopes: Sequence[str], update: Callable[[Scopes], None], report: Callable[[Exception], None]) -> None:
    """Calls `update` with the changed paths of the project's tree, or None for all of it, until KeyboardInterrupt.

    `scopes`: only these paths and what lies under them. An error that `update` raises is reported, and the update is tried
    again. Raises MemError where the system cannot watch so many directories, or the tree goes away.
    """
    from watchfiles import watch as file_changes

    path_filter = _PathFilter(project, scopes)
    due: Scopes = None  # all of it, first: something may have changed before the system began to watch
    quiet = 0
    try:
        for changes in file_changes(
            *path_filter.watched,
            watch_filter=lambda _, path: path_filter.matches(path),
            step=_QUIET_MS,
            debounce=_MAX_WAIT_MS,
            rust_timeout=_TICK_MS,
            yield_on_timeout=True,
            raise_interrupt=True,
            ignore_permission_denied=True,
        ):
            if not os.path.isdir(path_filter.root):
                raise root_gone(path_filter.root)
            quiet = 0 if changes else quiet + 1
            if changes:
                due = _union(due, path_filter.scopes_of({path for _, path in changes}))
            elif quiet % IDLE == 0:
                due = None
            if due != NOTHING:
                due = NOTHING if _try(update, due, report) else None
    except OSError as problem:
        raise MemError(
            f"the system cannot watch {path_filter.root}: {problem}",
            "raise its limit (fs.inotify.max_user_watches), or run mem ingest now and then",
            "watch",
        ) from None


def _union(first: Scopes, second: Scopes) -> Scopes:
    return None if first is None or second is None else tuple(dict.fromkeys(first + second))


def _try(update: Callable[[Scopes], None], due: Scopes, report: Callable[[Exception], None]) -> bool:
    try:
        update(due)
    except (MemError, OSError, Error) as problem:
        report(problem)
        return False
    return True


class _PathFilter:
    """Which changed paths matter, and which directories and files of the tree they are."""

    def __init__(self, project: Project, scopes: Sequence[str]) -> None:
        self.root = os.path.realpath(project.root)
        self._scopes = scopes
        self._dot_git = os.path.join(self.root, ".git")
        self._git_dir = project.checkout.git_dir if project.checkout else self._dot_git
        self._store = os.path.realpath(project.folder)
        # The git directory of a linked working tree is elsewhere.
        self.watched = [self.root] if _is_under(self._git_dir, self.root) else [self.root, self._git_dir]

    def matches(self, path: str) -> bool:
        """Tells whether a change of a path can change what is ingested."""
        if _is_under(path, self._dot_git) or _is_under(path, self._git_dir):
            return path in [os.path.join(self._git_dir, name) for name in _GIT_FILES]
        return not _is_under(path, self._store)

    def scopes_of(self, paths: set[str]) -> Scopes:
        """Returns the changed paths from the root of the tree; None for all of it."""
        scopes = []
        for path in paths:
            name = os.path.relpath(path, self.root).replace(os.sep, "/")
            if name == "." or _is_under(path, self._git_dir) or name.rpartition("/")[2] in (GIT_IGNORE, OWN_IGNORE):
                return None
            if not self._scopes or any(name == scope or name.startswith(scope + "/") for scope in self._scopes):
                scopes.append(name)
            elif any(scope.startswith(name + "/") for scope in self._scopes):
                return None
        return tuple(sorted(scopes)) if len(scopes) <= MAX_PATHS else None


def _is_under(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)
