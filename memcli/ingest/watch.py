"""`mem ingest --watch`: following a tree's changes as they happen.

What is ingested is never an event but the state of the files: events only say where to look. So one that comes twice, late or
not at all (the system's queue overflows when thousands of files change) costs a look, and nothing is missed for long.
"""

from __future__ import annotations

import os

from memcli.errors import MemError
from memcli.ingest.read import gone
from memcli.ingest.walk import GIT_IGNORE, OWN_IGNORE
from memcli.store.db import Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memcli.project import Project

MANY = 100  # changed paths from which the whole tree is looked at: a branch was switched
IDLE = 60  # quiet seconds after which it is looked at anyway
_QUIET_MS = 100  # without an event, until what changed is looked at
_MOST_MS = 1_600  # that it waits for such a pause
_TICK_MS = 1_000

_OF_GIT = ("index", "HEAD", os.path.join("info", "exclude"))  # of git's own files those that decide what is listed

Scopes = tuple[str, ...] | None  # paths from the top of the tree; None: all of it
NOTHING: Scopes = ()


def watch(project: Project, scopes: Sequence[str], look: Callable[[Scopes], None], tell: Callable[[Exception], None]) -> None:
    """Calls `look` with the changed paths of the project's tree, or None for all of it, until KeyboardInterrupt.

    `scopes`: only what is these paths or lies under them. What `look` raises is told, and tried again. Raises MemError where the
    system cannot watch so many directories, or the tree goes away.
    """
    from watchfiles import watch as changes

    asked = _Filter(project, scopes)
    due: Scopes = None  # all of it, first: something may have changed before the system began to watch
    quiet = 0
    try:
        for found in changes(
            *asked.watched,
            watch_filter=lambda _, path: asked.concerns(path),
            step=_QUIET_MS,
            debounce=_MOST_MS,
            rust_timeout=_TICK_MS,
            yield_on_timeout=True,
            raise_interrupt=True,
            ignore_permission_denied=True,
        ):
            if not os.path.isdir(asked.root):
                raise gone(asked.root)
            quiet = 0 if found else quiet + 1
            if found:
                due = _both(due, asked.scopes_of({path for _, path in found}))
            elif quiet % IDLE == 0:
                due = None
            if due != NOTHING:
                due = NOTHING if _done(look, due, tell) else None
    except OSError as problem:
        raise MemError(
            f"the system cannot watch {asked.root}: {problem}",
            "raise its limit (fs.inotify.max_user_watches), or run mem ingest now and then",
            "watch",
        ) from None


def _both(one: Scopes, other: Scopes) -> Scopes:
    return None if one is None or other is None else tuple(dict.fromkeys(one + other))


def _done(look: Callable[[Scopes], None], due: Scopes, tell: Callable[[Exception], None]) -> bool:
    try:
        look(due)
    except (MemError, OSError, Error) as problem:
        tell(problem)
        return False
    return True


class _Filter:
    """Which paths concern us, and which directories and files of the tree they mean."""

    def __init__(self, project: Project, scopes: Sequence[str]) -> None:
        self.root = os.path.realpath(project.root)
        self._scopes = scopes
        self._inside = os.path.join(self.root, ".git")
        self._git_dir = project.checkout.git_dir if project.checkout else self._inside
        self._store = os.path.realpath(project.folder)
        # The git directory of a linked working tree is elsewhere.
        self.watched = [self.root] if _is_under(self._git_dir, self.root) else [self.root, self._git_dir]

    def concerns(self, path: str) -> bool:
        """Tells whether a change there can change what is ingested."""
        if _is_under(path, self._inside) or _is_under(path, self._git_dir):
            return path in [os.path.join(self._git_dir, name) for name in _OF_GIT]
        return not _is_under(path, self._store)

    def scopes_of(self, paths: set[str]) -> Scopes:
        """Returns the changed paths from the top of the tree; None for all of it."""
        found = []
        for path in paths:
            name = os.path.relpath(path, self.root).replace(os.sep, "/")
            if name == "." or _is_under(path, self._git_dir) or name.rpartition("/")[2] in (GIT_IGNORE, OWN_IGNORE):
                return None
            if not self._scopes or any(name == scope or name.startswith(scope + "/") for scope in self._scopes):
                found.append(name)
            elif any(scope.startswith(name + "/") for scope in self._scopes):
                return None
        return tuple(sorted(found)) if len(found) <= MANY else None


def _is_under(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + os.sep)
