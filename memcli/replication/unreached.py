"""A purge that the remote does not have yet: noted from before anything is erased here until the remote has it, too."""

from __future__ import annotations

from memcli.project import Project
from memcli.replication import remote
from memcli.replication.remote import Agreement
from memcli.store import meta, purging, replication, set_meta, transaction
from memcli.text import json


def note(project: Project) -> None:
    """Notes that a purge is on its way to the remote."""
    with transaction(project.db):
        set_meta(project.db, purging.DUE, json.canonical(_place(remote.required(project))))


def settle(project: Project) -> None:
    """Notes that the remote has all that was purged."""
    if meta(project.db, purging.DUE):
        with transaction(project.db):
            replication.forget(project.db, purging.DUE)


def is_due(project: Project) -> bool:
    """Tells whether a purge has not reached the remote yet."""
    return bool(meta(project.db, purging.DUE))


def abandon(project: Project, agreement: Agreement) -> str:
    """Returns the remote that keeps what was purged, as another one is agreed to, and forgets it; "" for none."""
    text = meta(project.db, purging.DUE)
    place = json.loads(text) if text else None
    if place is None or place == _place(agreement):
        return ""
    settle(project)
    return str(place[0])


def _place(agreement: Agreement) -> list[str]:
    return [agreement.remote, agreement.address, agreement.place]
