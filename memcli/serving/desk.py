"""The stores that a server works with: kept open between calls for reading, opened for each write.

A call sees HEAD, the settings and what other processes wrote as they are when it begins; between calls no snapshot is held, so
that nobody has to wait for an idle server.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from memcli import config
from memcli.project import USER, Where, folder_of, locate, now, open_for_reading, open_for_writing
from memcli.store import db as store
from memcli.turns import bridge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from memcli.project import Place, Project

    Stamp = tuple[str | None, str, tuple[int, int] | None, tuple[int, int] | None]

_MOST = 8  # stores that are kept open


class Desk:
    """Where a server's calls find their memories. One call at a time."""

    def __init__(self, where: Where) -> None:
        self.where = where
        self._held: dict[Where, tuple[Stamp, Project]] = {}

    def meant(self, repo: str | None, workspace: str | None) -> Where:
        """Returns which memory a call means: what it names, else what the server was started for."""
        return Where(repo or self.where.repo, workspace or (None if repo else self.where.workspace))

    @contextmanager
    def reading(self, where: Where) -> Iterator[Project]:
        """Opens a memory for one reading call, as it is now. Raises NotFound and what else opening raises."""
        place = locate(where)
        stamp = _stamp(place, where)
        held = self._held.pop(where, None)
        if held is not None and held[0] != stamp:
            held[1].close()
            held = None
        project = held[1] if held is not None else open_for_reading(where)
        try:
            if held is not None:
                _renew(project, place)
            yield project
            for db in _handles(project):
                store.rows(db, "COMMIT")
        except BaseException:
            project.close()
            raise
        bridge.refresh(project.root, waits=False)
        if stamp[2] is None:
            project.close()
            return
        self._held[where] = (stamp, project)  # the last of the row: the first is the one that was not used for longest
        if len(self._held) > _MOST:
            self._held.pop(next(iter(self._held)))[1].close()

    @contextmanager
    def writing(self, where: Where, via: dict[str, str], create: bool = False) -> Iterator[Project]:
        """Opens a memory to change it; `via` is kept with every operation. Raises what opening raises."""
        project = open_for_writing(where, create)
        try:
            project.via = via
            yield project
        finally:
            project.close()
        bridge.follow(project.folder, project.root)

    def close(self) -> None:
        """Closes everything."""
        for _, project in self._held.values():
            project.close()
        self._held.clear()


def _handles(project: Project) -> list[store.Connection]:
    return [db for db in (project.db, project.user_db) if db is not None]


def _stamp(place: Place, where: Where) -> Stamp:
    """Returns what has to stay the same for an open store to be the one that is meant."""
    return place.repo_id, place.root, _file(place.repo_id, where.workspace), _file(USER, None)


def _file(repo_id: str | None, workspace: str | None) -> tuple[int, int] | None:
    try:
        found = os.stat(os.path.join(folder_of(repo_id, workspace), "memory.db")) if repo_id else None
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if found else None


def _renew(project: Project, place: Place) -> None:
    """Brings an open memory to the present: HEAD, clock, settings, and a new moment of the stores. Raises MemError."""
    for db in _handles(project):
        store.version(db)  # another process may have brought the store to a newer schema
        store.rows(db, "BEGIN")
    project.now = now()
    if place.root:
        project.checkout = place.checkout
    elif project.root:
        from memcli.repo import head

        project.checkout = head.find(project.root)
    project.config = config.load(project.root or None, project.cache.note, project.cache.keep_note)


class Desks:
    """Desks for calls at the same time: each takes a free one and gives it back, so that no two threads share a handle.

    Whoever limits how many calls run at once limits how many desks there are.
    """

    def __init__(self, where: Where) -> None:
        self._where = where
        self._free: list[Desk] = []

    @contextmanager
    def one(self) -> Iterator[Desk]:
        """Lends a desk. The one given back last is lent first: what it holds is the most likely to be of use."""
        try:
            desk = self._free.pop()
        except IndexError:
            desk = Desk(self._where)
        try:
            yield desk
        finally:
            self._free.append(desk)

    def close(self) -> None:
        """Closes every desk that is not lent."""
        while self._free:
            self._free.pop().close()
