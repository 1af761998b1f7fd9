"""share and unshare: give memories, states, notes and profile entries to those who share this memory, or keep them here."""

from __future__ import annotations

from collections.abc import Sequence

from memcli import fields
from memcli.errors import InvalidInput
from memcli.fields import Request, Result
from memcli.memory import items
from memcli.memory.items import Item
from memcli.operations import Operation
from memcli.project import Project
from memcli.replication import remote, sharing
from memcli.store import replication
from memcli.text.terminal import oneline


class ShareRequest(Request):
    """What to share, or to stop sharing."""

    id: tuple[str, ...] = fields.identifiers("Ids of memories, states, notes or profile entries, or unique prefixes.")


class SharedItem(Result):
    """An object, and whether its changes are shared. `enabled`: whether this memory has a remote yet.

    `left`: whether others already have something of it.
    """

    id: str
    title: str
    shared: bool
    enabled: bool
    left: bool


def plan(project: Project, request: ShareRequest) -> list[Item]:
    """Returns the objects. Raises NotFound, or InvalidInput for one that never leaves this machine."""
    if request.id[:1] in (("export",), ("import",)):  # in the Go mempack these were bundles of files
        raise InvalidInput(
            "share takes ids of memories", f"for files there is mem {request.id[0]}: see mem {request.id[0]} --help"
        )
    objects = items.find_items(project, request.id)
    sharing.check(objects)
    return objects


def apply_share(project: Project, planned: list[Item], actor: str) -> list[SharedItem]:
    """Shares the objects with their whole history, at the next synchronization."""
    sharing.begin(project, [item.id for item in planned], actor)
    return _results(project, planned, is_shared=True)


def apply_unshare(project: Project, planned: list[Item], actor: str) -> list[SharedItem]:
    """Keeps later changes of the objects in this store."""
    sharing.stop(project, [item.id for item in planned], actor)
    return _results(project, planned, is_shared=False)


def _results(project: Project, objects: Sequence[Item], is_shared: bool) -> list[SharedItem]:
    is_enabled, left = remote.agreed(project) is not None, replication.ever_shared(project.db)
    return [SharedItem(it.id, oneline(items.title_of(it)), is_shared, is_enabled, it.id in left) for it in objects]


OPERATIONS = {
    "share": Operation("share", "Share memories through mem sync.", ShareRequest, SharedItem, plan, apply_share, repeatable=True),
    "unshare": Operation(
        "unshare", "Stop sharing further changes to memories.", ShareRequest, SharedItem, plan, apply_unshare, repeatable=True
    ),
}
