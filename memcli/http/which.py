"""Which session is meant by a name, where several stores may have one: that in which something happened last."""

from __future__ import annotations

from memcli.errors import NotFound
from memcli.http import cmem, stores
from memcli.store import sessions
from memcli.text import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeVar

    from memcli.http.service import Service
    from memcli.project import Project, Where
    from memcli.store.sessions import Session

    T = TypeVar("T")


def session(
    service: Service,
    name: str,
    places: Sequence[Where],
    work: Callable[[Project, Session | None], T | None],
    is_named: bool = False,
) -> T | None:
    """Returns what a piece of work makes of a session: by its harness's name for it, its number or its id. None for nothing.

    `places`: the stores that are looked at. `is_named`: the call says which; else the store that events go to is asked first.
    """
    if not is_named:
        try:
            told = stores.first(service, [stores.of_session(service, name)], lambda project: work(project, _in(project, name)))
        except NotFound:
            told = None
        if told is not None:
            return told

    def dated(project: Project) -> tuple[int, T] | None:
        one = _in(project, name)
        made = work(project, one)
        return None if made is None else (one.last_at if one else 0, made)

    found = [one for one in stores.each(service, places, dated) if one is not None]
    return max(found, key=lambda one: one[0])[1] if found else None


def _in(project: Project, name: str) -> Session | None:
    return sessions.by_name(project.db, name) or sessions.find(project.db, ids.canonical(cmem.name_of(name, "A")))
