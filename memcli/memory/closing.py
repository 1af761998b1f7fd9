"""Closing what a session left open: a new memory says what became of it, and the prompt notes that as it notes later work."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memcli.errors import Call, InvalidInput
from memcli.memory import FIELDS
from memcli.memory.commit import commit
from memcli.memory.entries import NewMemory, draft, put, stored
from memcli.memory.items import PASSAGE, find_item
from memcli.memory.projection import fold
from memcli.records import Record
from memcli.store import oplog
from memcli.store.memories import CLOSES
from memcli.store.oplog import Change
from memcli.store.passages import OPEN, OVERTAKEN
from memcli.text import dates, ids
from memcli.text.ids import PLACE
from memcli.text.passages import digest
from memcli.text.terminal import oneline
from memcli.validity import is_replaced

if TYPE_CHECKING:
    from memcli.memory.entries import Draft, Edit
    from memcli.project import Project
    from memcli.store.memories import Memory
    from memcli.store.passages import Passage

_CLOSED = "Closed: "
_LABEL = re.compile(r"(still open|open|to-?do|left|remaining|next)\s*:\s+", re.IGNORECASE)  # with which a point may begin


class Closing(Record):
    """An open point, and the memory that says what became of it."""

    passage: Passage
    draft: Draft


def is_meant(reference: str) -> bool:
    """Tells whether an id is that of a part of a prompt or of its answer."""
    return PLACE in reference and ids.canonical(reference).startswith("P-")


def closing(project: Project, reference: str, edit: Edit) -> Closing:
    """Drafts the memory that closes an open point. Raises NotFound, or InvalidInput for what is not open."""
    passage = _open(project, reference)
    given = {name: value for name in FIELDS if (value := getattr(edit, name)) is not None}
    point = oneline(passage.statement or passage.text)
    label = _LABEL.match(point)
    title = _CLOSED + (point[label.end() :] if label else point)
    return Closing(passage, draft(project, NewMemory(**{"title": title[: FIELDS["title"].max_length], **given})))


def _open(project: Project, reference: str) -> Passage:
    item = find_item(project, reference)
    passage: Passage = item.row
    if item.kind != PASSAGE or passage.role != OPEN or is_replaced(project, project.db, passage.id, passage.superseded_by):
        state = "is closed already" if item.kind == PASSAGE and passage.role == OPEN else "is nothing that was left open"
        raise InvalidInput(f"{item.id} {state}", ("see ", Call("show", item.id)))
    return passage


def close(project: Project, planned: Closing, actor: str) -> tuple[Memory, int]:
    """Stores the memory, and that it closes the point. Returns it, and the last revision of both.

    Raises InvalidInput where something closed the point meanwhile.
    """
    memory_id = ids.new("M")

    def decide() -> list[Change]:
        passage = _open(project, planned.passage.id)
        noted = fold(oplog.of_object(project.db, passage.owner)).fields.get(OVERTAKEN) or {}
        how = f"{memory_id} done {dates.local_day(project.now)}"
        changes = put(project, memory_id, planned.draft)
        changes.append(Change("link", memory_id, {"rel": CLOSES, "to": passage.id, "on": True}))
        return [*changes, Change("prompt", passage.owner, {OVERTAKEN: {**noted, digest(passage.text): how}})]

    written = commit(project, decide, actor)
    return stored(project, memory_id), written[-1].revision
