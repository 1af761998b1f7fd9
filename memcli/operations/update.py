"""update: correct a memory."""

from __future__ import annotations

from memcli import fields
from memcli.fields import Based, options
from memcli.memory import entries, find_memory, labels
from memcli.memory.entries import Edit
from memcli.operations import Operation
from memcli.operations.results import MemoryLine, memory_line
from memcli.records import replace
from memcli.text import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.memory.entries import Revision
    from memcli.project import Project
    from memcli.store.memories import Memory
    from memcli.store.oplog import Change

_LISTS = ("tags_add", "tags_remove", "entities_add", "entities_remove")


class UpdateRequest(Edit, Based):
    """The fields of a memory to change."""

    id: str = fields.identifier()
    tags_add: tuple[str, ...] | None = fields.labels("Tags to add.", default=None)
    tags_remove: tuple[str, ...] | None = fields.labels("Tags to remove.", default=None)
    entities_add: tuple[str, ...] | None = fields.labels("Entities to add.", default=None)
    entities_remove: tuple[str, ...] | None = fields.labels("Entities to remove.", default=None)


class Updated(MemoryLine):
    """A memory after a change."""

    summary: str
    operation_at: str
    revision: int


def plan(project: Project, request: UpdateRequest) -> Revision:
    """Returns the changes. Raises NotFound or InvalidInput."""
    values = options(request)
    if values.keys().isdisjoint(_LISTS):
        return entries.revision(project, request.id, request)
    planned = entries.revision(project, request.id, _with_lists(project, request, values))
    (memory_id,) = planned.ids

    def again() -> list[Change]:
        return entries.revision(project, memory_id, _with_lists(project, request, values)).changes

    return replace(planned, again=again)


def _with_lists(project: Project, request: UpdateRequest, values: dict[str, Any]) -> UpdateRequest:
    """Returns a request with complete lists: those of the memory as it is now, with the added and without the removed labels."""
    old = find_memory(project, request.id)
    return replace(request, tags=_changed(values, "tags", old), entities=_changed(values, "entities", old))


def _changed(values: dict[str, Any], name: str, old: Memory) -> tuple[str, ...] | None:
    """Returns labels with those to add and without those to remove; None if the request changes neither."""
    added, removed = values.get(f"{name}_add", ()), values.get(f"{name}_remove", ())
    if not (added or removed):
        return values.get(name)
    gone = {label.casefold() for label in removed}
    labels_now = dict.fromkeys([*values.get(name, labels(getattr(old, name))), *added])
    return tuple([label for label in labels_now if label.casefold() not in gone])


def apply(project: Project, planned: Revision, actor: str) -> Updated:
    """Changes the memory. Its history stays in the log."""
    (memory,) = entries.apply(project, planned, actor)
    return Updated(
        **memory_line(memory), summary=memory.summary, operation_at=dates.iso(memory.updated_at), revision=memory.revision
    )


OPERATIONS = {
    "update": Operation(
        "update",
        "Correct a memory; its history stays in the log.",
        UpdateRequest,
        Updated,
        plan,
        apply,
        question="Change this memory?",
        hides=True,
        repeatable=True,
    )
}
