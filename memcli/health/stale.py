"""Memories whose files changed since they were written: to be superseded, or confirmed."""

from __future__ import annotations

from memcli.recall import truth
from memcli.recall.holds import DRIFTED, Links
from memcli.records import Record
from memcli.store import memories
from memcli.text import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.project import Project
    from memcli.store.memories import Memory

_PAGE = 500  # memories looked at together


class Stale(Record):
    """A memory that HEAD can see, and the files that are not as they were: paths from the top of the repository."""

    memory: Memory
    changed: tuple[str, ...]
    gone: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Returns it as data, with the two commands that settle it."""
        memory = self.memory
        facts: dict[str, Any] = {
            "id": memory.id,
            "title": memory.title,
            "thread_id": memory.thread,
            "anchor_commit": memory.anchor,
        }
        facts |= {"created_at": dates.iso(memory.created_at), "changed": list(self.changed), "gone": list(self.gone)}
        return facts | {"supersede": f'mem supersede {memory.id} --summary "..."', "confirm": f"mem confirm {memory.id}"}


def stale(project: Project) -> list[Stale]:
    """Returns the memories that hold on this commit and have drifted, oldest first. Changes nothing."""
    found = []
    linked = memories.linked(project.db)
    for start in range(0, len(linked), _PAGE):
        page = linked[start : start + _PAGE]
        links = Links(project, memories.links_of(project.db, [memory.id for memory in page]))
        states = truth.anchor_states(project, [memory.anchor for memory in page])
        for memory in page:
            if states[memory.anchor] == truth.ORPHAN or truth.is_replaced(project, project.db, memory.superseded_by):
                continue
            told = links.told(memory.id)
            if told and told.freshness == DRIFTED:
                found.append(Stale(memory, told.changed, told.gone))
    return found
