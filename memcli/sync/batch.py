"""What rows change that are stored together, and whether what they would change was written here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memcli.memory import FIELDS, entries
from memcli.memory.projection import fold
from memcli.project import Project
from memcli.store import memories, oplog
from memcli.store.memories import Memory
from memcli.store.oplog import Change, LoggedOperation
from memcli.sync.rows import Row
from memcli.text import ids

ACTOR = "import"
_NOT_LOCAL = (ACTOR, "anchor", "doctor")  # actors whose changes are nobody's words of this machine
_COMPARED = (*FIELDS, "pinned")


class RowBatch:
    """The changes for rows that are stored together. A source id may occur more than once among them.

    `seen`: source ids of rows that would be stored already, where nothing is stored.
    """

    def __init__(self, project: Project, seen: set[str]) -> None:
        self.project = project
        self.seen = seen
        self.counts = [0, 0, 0, 0]  # as Imported lists them
        self.written_here = 0
        self.changes: dict[str, Change] = {}  # by the memory's id
        self.restored: list[Change] = []
        self.ids: dict[str, str] = {}  # source id -> memory id

    def add(self, row: Row) -> None:
        """Adds what a row changes."""
        if row.source_id in self.seen:
            self.counts[2] += 1
            return
        memory = memories.by_source(self.project.db, row.source_id) if row.source_id else None
        memory_id = self.ids.get(row.source_id or "") or (memory.id if memory else "")
        if not memory_id:
            memory_id = ids.new("M")
            source = {"source": row.source_id} if row.source_id else {}
            self.changes[memory_id] = Change("put", memory_id, {**row.fields, **source})
            self.counts[0] += 1
        elif memory and memory.forgotten and not _was_undone(self.project, memory):
            self.counts[3] += 1
        elif memory and memory.forgotten and row.source_id not in self.ids:
            self.restored.append(Change("restore", memory_id, {}))
            self.counts[0] += 1
            if fields := _changed_fields(self.project, memory, row, None):
                self.changes[memory_id] = Change("put", memory_id, fields)
        elif memory and is_local(oplog.standing(self.project.db, memory.id)):
            is_same = not _changed_fields(self.project, memory, row, None)
            self.counts[2] += is_same
            self.written_here += not is_same
        elif fields := _changed_fields(self.project, memory, row, self.changes.get(memory_id)):
            self.changes[memory_id] = Change("put", memory_id, fields)
            self.counts[1] += 1
        else:
            self.counts[2] += 1
        if row.source_id:
            self.ids[row.source_id] = memory_id

    def all_changes(self) -> list[Change]:
        """Returns the changes, those that create missing threads first."""
        db = self.project.db
        threads = dict.fromkeys([str(change.body["thread"]) for change in self.changes.values() if "thread" in change.body])
        threads |= dict.fromkeys([memory.thread for change in self.restored if (memory := memories.find(db, change.object))])
        created = [change for thread in threads for change in entries.thread_change(self.project, thread)]
        return [*created, *self.restored, *self.changes.values()]


def _was_undone(project: Project, memory: Memory) -> bool:
    """Tells whether a memory is gone because a command was undone, not because somebody forgot it."""
    last = [op for op in oplog.of_object(project.db, memory.id) if op.kind in ("forget", "restore")][-1:]
    return bool(last) and last[0].kind == "forget" and oplog.is_undo(project.db, last[0].command)


def is_local(operations: Iterable[LoggedOperation]) -> bool:
    """Tells whether these operations on an object say something that no import brought."""
    return any(op.kind in ("put", "profile", "note") and op.actor not in _NOT_LOCAL for op in operations)


def _changed_fields(project: Project, memory: Memory | None, row: Row, pending: Change | None) -> dict[str, Any]:
    """Returns the fields that a row changes. Values that the memory had before it was changed are not new, unless undone."""
    operations = oplog.of_object(project.db, memory.id) if memory else []
    standing = oplog.standing(project.db, memory.id) if memory else []
    if pending is not None:  # an earlier row of this batch has the same source id
        base = {**fold(operations).fields, **pending.body}
        changed = {name: row.fields[name] for name in _COMPARED if name in row.fields and base.get(name) != row.fields[name]}
        return {**pending.body, **changed} if changed else {}
    if memory is None:
        return {}
    values = {name: value for name, value in row.fields.items() if name in _COMPARED}
    for end in range(len(standing), 0, -1):  # compares with every state that the memory had
        earlier = {"pinned": False, **fold(standing[:end]).fields}
        if all(earlier.get(name) == value for name, value in values.items()):
            return {}
    current = {"pinned": False, **fold(operations).fields}
    return {name: value for name, value in values.items() if current.get(name) != value}
