"""Which stores are meant by a `project`: one by its name; every one where none is named; a new one where something is written."""

from __future__ import annotations

import os
from contextlib import contextmanager

from memcli import project as projects
from memcli import registry
from memcli.agents.turns import context_file
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.http import logs
from memcli.project import DEFAULT_WORKSPACE, Location, Project, Where, folder_of, locate, project_of
from memcli.records import replace
from memcli.serving.projects import reading
from memcli.store import db as store
from memcli.store.db import empty_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeVar

    from memcli.http.service import Service

    T = TypeVar("T")


def everything() -> list[Where]:
    """Returns every repository's store of this machine, workspaces among them."""
    base = os.path.dirname(registry.index_path())
    found = []
    for repo_id in sorted(os.listdir(base)) if os.path.isdir(base) else []:
        if os.path.isfile(os.path.join(base, repo_id, "memory.db")):
            found.append(Where(repo_id))
        found += [Where(repo_id, name) for name in workspaces(repo_id)]
    return found


def workspaces(repo_id: str) -> list[str]:
    """Returns the names of the workspaces that a memory has beside the default one."""
    inside = os.path.join(folder_of(repo_id, None), "workspaces")
    names = sorted(os.listdir(inside)) if os.path.isdir(inside) else []
    return [name for name in names if name != DEFAULT_WORKSPACE and os.path.isfile(os.path.join(inside, name, "memory.db"))]


def meant(service: Service, project: str | None, workspace: str | None = None) -> list[Where]:
    """Returns the stores that a reading call means: none for a name that is not known, every default one where none is named."""
    if project is None:
        return [where for where in everything() if where.workspace == workspace]
    found = service.named(project)
    return [] if found is None else [Where(found, workspace)]


def each(service: Service, places: Sequence[Where], work: Callable[[Project], T]) -> list[T]:
    """Returns what a piece of work finds in each store. Of several, those that cannot be read are left out."""
    return list(_walk(service, places, work))


def first(service: Service, places: Sequence[Where], work: Callable[[Project], T | None]) -> T | None:
    """Returns what a piece of work finds in the first store where it finds something."""
    return next((found for found in _walk(service, places, work) if found is not None), None)


def _walk(service: Service, places: Sequence[Where], work: Callable[[Project], T]) -> Iterator[T]:
    """Yields what a piece of work finds in each store. Raises what the work does where no store can be read."""
    failed: Exception | None = None
    reads = False
    for where in places:
        try:
            with reading(where) as project:
                found = work(project)
        except (InvalidInput, NotFound):
            raise
        except (MemError, OSError, store.Error) as problem:
            passed_over(where, problem)
            failed = problem
            continue
        reads = True
        yield found
    if failed is not None and not reads:
        raise failed


def passed_over(where: Where, problem: Exception) -> None:
    """Notes that a store was left out."""
    logs.write(f"error {where.repo} {where.workspace or ''} is left out: {type(problem).__name__}: see mem doctor")


def page(
    service: Service,
    places: Sequence[Where],
    window: tuple[int, int],
    work: Callable[[Project, int, int], tuple[list[dict[str, Any]], int]],
) -> tuple[list[dict[str, Any]], int]:
    """Returns (a page of what the stores have, newest first, how much there is). `window`: limit, offset.

    `work` returns a page of one store and how much that has.
    """
    limit, offset = window
    if len(places) == 1:
        return each(service, places, lambda project: work(project, limit, offset))[0]
    found = each(service, places, lambda project: work(project, limit + offset, 0))
    merged = sorted([one for items, _ in found for one in items], key=lambda one: -one["created_at_epoch"])
    return merged[offset : offset + limit], sum(total for _, total in found)


@contextmanager
def opened(service: Service, project: str, workspace: str | None = None, create: bool = True) -> Iterator[Project]:
    """Opens the store of a name to change it; one that nobody has heard of is made. Raises InvalidInput, NotFound."""
    found = service.named(project)
    if found is not None:
        made = projects.open_for_writing(Where(found, workspace), create)
    elif create:
        made = projects.open_named(project, workspace)
    else:
        raise NotFound("nothing is stored there yet", "put something there first")
    try:
        yield made
    finally:
        made.close()
    context_file.follow(made.folder, made.root)


def write(
    service: Service,
    place: tuple[str, str | None],
    work: Callable[[Project], dict[str, Any]],
    via: dict[str, str],
    create: bool = True,
) -> dict[str, Any]:
    """Returns what a piece of work changed in the store of a name and a workspace, which is made where `create` says so.

    Rules that masked something are named. Raises InvalidInput, NotFound; then nothing is made.
    """
    if create:
        found = service.named(place[0])
        rehearse(None if found is None else Where(found, place[1]), work)
    with opened(service, *place, create=create) as project:
        project = replace(project, via=via)
        done = work(project)
    return {**done, "masked": list(project.masked)} if project.masked else done


def rehearse(where: Where | None, work: Callable[[Project], Any]) -> None:
    """Does a piece of work in an empty store that is thrown away, where the store that is meant is still to be made.

    So what the work refuses makes no store. None: a name that nobody has heard of. Raises what the work raises.
    """
    place = Location(None, None, "", "") if where is None else locate(where)
    folder = folder_of(place.repo_id or "", where.workspace if where else None)
    if place.repo_id and os.path.lexists(os.path.join(folder, "memory.db")):
        return
    project = project_of(place, DEFAULT_WORKSPACE, "", empty_store())
    try:
        work(project)
    finally:
        project.close()


def of_session(service: Service, key: str) -> Where:
    """Returns the store of a session by its harness's name: as an earlier call said, else where it was last. Raises NotFound."""
    from memcli.store import inbox

    known = service.sessions.get(key)
    if known is not None:
        return known
    places = {projects.folder_of(where.repo or "", where.workspace): where for where in everything()}
    when = each(service, list(places.values()), lambda project: (inbox.last_of_session(project.db, key), project.folder))
    seen = [(at, folder) for at, folder in when if at is not None]
    if seen:
        found = places[max(seen, key=lambda one: one[0])[1]]
        service.remember(key, found)
        return found
    raise NotFound(f"no session {key[:80]}", "begin it: POST /sessions/ID/init with a project", "no_session")
