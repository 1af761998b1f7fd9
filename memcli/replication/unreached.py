"""A purge that the remote does not have yet: noted from before anything is erased here until the remote has it, too."""

from __future__ import annotations

from memcli.project import Project
from memcli.replication import remote
from memcli.replication.remote import Agreement
from memcli.store import meta, purging, replication, set_meta, transaction
from memcli.text import json

_EPOCH = 3  # the place of the epoch in a note, behind the name, address and place of the remote


def note(project: Project, epoch: int) -> None:
    """Notes that a purge is on its way to the remote, with the epoch that it begins: it counts once this store follows that."""
    with transaction(project.db):
        set_meta(project.db, purging.DUE, json.canonical([*_place(remote.required(project)), epoch]))


def settle(project: Project) -> None:
    """Notes that the remote has all that was purged."""
    if meta(project.db, purging.DUE):
        with transaction(project.db):
            replication.forget(project.db, purging.DUE)


def is_due(project: Project) -> bool:
    """Tells whether a purge has not reached the remote yet."""
    text = meta(project.db, purging.DUE)
    return text is not None and json.loads(text)[_EPOCH] <= int(meta(project.db, replication.EPOCH) or 0)


def abandon(project: Project, agreement: Agreement) -> str:
    """Returns the remote that keeps what was purged, as another one is agreed to, and forgets it; "" for none."""
    if not is_due(project):
        return ""
    name, *place, _ = json.loads(meta(project.db, purging.DUE) or "")
    if place == _place(agreement)[1:]:  # by whatever name
        return ""
    settle(project)
    return str(name)


def _place(agreement: Agreement) -> list[str]:
    return [agreement.remote, agreement.address, agreement.place]
