"""The stores of a call: one by name, all if none is named, a new one if something is written."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from memcli import registry, store
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.http import cmem, logs
from memcli.memory.modes import MODES
from memcli.operations import after_change
from memcli.project import (
    Location,
    Project,
    Where,
    folder_of,
    locate,
    open_for_writing,
    open_named,
    rehearse_on_empty,
)
from memcli.records import replace
from memcli.repo import head
from memcli.serving.projects import reading
from memcli.store import inbox, sessions
from memcli.store.sessions import Session
from memcli.text import ids

T = TypeVar("T")
Page = tuple[list[dict[str, Any]], int]  # records, and how many there are in all

_NAME_LIFETIME = 5.0  # seconds in which a name goes on meaning the store it meant
_MAX_NAMES = 1_000


class Stores:
    """The stores of this machine, as calls name them: by id, path or name, and by a session in them."""

    def __init__(self) -> None:
        self._names: dict[str, tuple[float, str]] = {}  # name -> (when it is looked up again, id)
        self._sessions: dict[str, Where] = {}

    def resolve(self, name: str) -> str | None:
        """Returns the id or path of the memory with this id, path or name, or None."""
        if head.is_id(name):
            return name if registry.is_stored(name) else None
        if os.path.isabs(name):
            return _at_path(name)
        expires, repo_id = self._names.get(name, (0.0, ""))
        if expires > time.monotonic():
            return repo_id
        adopted = registry.adopted(name)
        if adopted is None and name == MODES:
            return None  # modes stand by themselves, also where a repository is called so
        if adopted is None:
            try:
                adopted = registry.by_name(name).repo_id
            except NotFound:
                adopted = registry.by_short_name(name)
                if adopted is None:
                    return None
        if len(self._names) >= _MAX_NAMES:
            self._names.clear()
        self._names[name] = (time.monotonic() + _NAME_LIFETIME, adopted)
        return adopted

    def matching(self, project: str | None, workspace: str | None = None) -> list[Where]:
        """Returns the stores for a reading call: none for an unknown name, all default ones without a name."""
        if project is None:
            return [where for where in all_stores() if where.workspace == workspace]
        repo = self.resolve(project)
        return [] if repo is None else [Where(repo, workspace)]

    @contextmanager
    def open(
        self,
        project: str | None,
        workspace: str | None = None,
        create: bool = True,
        rehearse: Callable[[Project], Any] | None = None,
    ) -> Iterator[Project]:
        """Opens the store with a name, or the person's own, for writing. An unknown name gets a new store.

        Raises InvalidInput, NotFound.
        `rehearse` is called with an empty memory before a store is created, so that a refusal creates none.
        """
        repo = None if project is None else self.resolve(project)
        if project is None:
            opened = open_for_writing(Where(user=True), create, rehearse)
        elif repo is not None:
            opened = open_for_writing(Where(repo, workspace), create, rehearse)
        elif create:
            if rehearse is not None:
                rehearse_on_empty(Location(None, None, "", ""), rehearse)
            opened = open_named(project, workspace)
        else:
            raise NotFound("nothing is stored there yet", "add something first")
        try:
            yield opened
        finally:
            opened.close()
        after_change(opened)

    def change(
        self,
        store: tuple[str | None, str | None],
        work: Callable[[Project], dict[str, Any]],
        via: dict[str, str],
        create: bool = True,
    ) -> dict[str, Any]:
        """Returns the result of a change to the store of (project, workspace). `create`: make it if it does not exist.

        The result names the rules that masked something. If it raises InvalidInput or NotFound, nothing is created.
        """
        with self.open(*store, create=create, rehearse=work) as project:
            result = work(replace(project, via=via))
        return {**result, "masked": list(project.masked)} if project.masked else result

    def remember_session(self, key: str, where: Where) -> None:
        """Notes which store a session is in, for calls that give only the harness's name for it."""
        self._sessions.pop(key, None)
        self._sessions[key] = where
        while len(self._sessions) > _MAX_NAMES:
            self._sessions.pop(next(iter(self._sessions)), None)  # the one named longest ago

    def of_session(self, key: str) -> Where:
        """Returns the store of a session by its harness's name: from an earlier call, else the last active. Raises NotFound."""
        if key in self._sessions:
            return self._sessions[key]
        folders = {folder_of(where.repo or "", where.workspace): where for where in all_stores()}
        times = each(list(folders.values()), lambda project: (inbox.last_of_session(project.db, key), project.folder))
        used = [(at, folder) for at, folder in times if at is not None]
        if not used:
            raise NotFound(f"no session {key[:80]}", "begin it: POST /sessions/ID/init with a project", "no_session")
        where = folders[max(used, key=lambda item: item[0])[1]]
        self.remember_session(key, where)
        return where

    def session(
        self,
        name: str,
        stores: Sequence[Where],
        work: Callable[[Project, Session | None], T | None],
        is_explicit: bool = False,
    ) -> T | None:
        """Returns the result of `work` for a session, given by its harness's name, its number or its id; None if there is none.

        Several stores may have such a session: the one that was active last counts. `stores`: where to look. `is_explicit`:
        the call names the store; otherwise the one that the session's events go to comes first.
        """
        if not is_explicit:
            try:
                result = first([self.of_session(name)], lambda project: work(project, session_in(project, name)))
            except NotFound:
                result = None
            if result is not None:
                return result

        def dated(project: Project) -> tuple[int, T] | None:
            session = session_in(project, name)
            result = work(project, session)
            return None if result is None else (session.last_at if session else 0, result)

        results = [result for result in each(stores, dated) if result is not None]
        return max(results, key=lambda result: result[0])[1] if results else None


def _at_path(path: str) -> str | None:
    """Returns the path of a repository, or the id of a memory that was created under such a name."""
    if "\0" in path or not os.path.isdir(path):
        return registry.adopted(path)
    try:
        locate(Where(path))
        return path
    except MemError:
        return registry.adopted(path)


def session_in(project: Project, name: str) -> Session | None:
    """Returns the session of a store by its harness's name for it, its number or its id."""
    return sessions.by_name(project.db, name) or sessions.find(project.db, ids.canonical(cmem.name_of(name, "A")))


def all_stores() -> list[Where]:
    """Returns the stores of all repositories on this machine, including workspaces."""
    stores = []
    for repo_id in sorted(registry.store_ids()):
        if os.path.isfile(os.path.join(folder_of(repo_id, None), "memory.db")):
            stores.append(Where(repo_id))
        stores += [Where(repo_id, name) for name in registry.workspaces(folder_of(repo_id, None))]
    return stores


def each(stores: Sequence[Where], work: Callable[[Project], T]) -> list[T]:
    """Returns the result of `work` in each store. If there are several, unreadable ones are left out."""
    return list(_results(stores, work))


def first(stores: Sequence[Where], work: Callable[[Project], T | None]) -> T | None:
    """Returns the first result of `work` in a store that is not None."""
    return next((result for result in _results(stores, work) if result is not None), None)


def _results(stores: Sequence[Where], work: Callable[[Project], T]) -> Iterator[T]:
    """Yields the result of `work` in each store. Raises the last error if no store can be read."""
    failure: Exception | None = None
    succeeded = False
    for where in stores:
        try:
            with reading(where) as project:
                result = work(project)
        except InvalidInput:
            raise
        except (MemError, OSError, store.Error) as error:
            log_skipped(where, error)
            failure = error
            continue
        succeeded = True
        yield result
    if failure is not None and not succeeded:
        raise failure


def log_skipped(where: Where, error: Exception) -> None:
    """Logs that a store was left out."""
    logs.write(f"error {where.repo} {where.workspace or ''} is left out: {type(error).__name__}: see mem doctor")


def page(
    stores: Sequence[Where], window: tuple[int, int], work: Callable[[Project, int, int], Page], key: str = "created_at"
) -> Page:
    """Returns a page over all stores, the greatest value of `key` first. `window`: limit, offset; `work` reads one store."""
    limit, offset = window
    if len(stores) == 1:
        return each(stores, lambda project: work(project, limit, offset))[0]
    pages = each(stores, lambda project: work(project, limit + offset, 0))
    merged = sorted([record for records, _ in pages for record in records], key=lambda record: record[key], reverse=True)
    return merged[offset : offset + limit], sum(total for _, total in pages)
