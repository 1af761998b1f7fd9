"""The changes of rows that are stored together, and whether what they would change was written here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memcli.memory import FIELDS, entries
from memcli.memory.projection import fold
from memcli.project import Project
from memcli.records import replace
from memcli.store import memories, oplog
from memcli.store.memories import Memory
from memcli.store.oplog import Change, LoggedOperation
from memcli.sync.conversations import CHANGED, FORGOTTEN, NEW, UNCHANGED
from memcli.sync.rows import Row
from memcli.text import ids, json

ACTOR = "import"
_NOT_LOCAL = (ACTOR, "anchor", "doctor")  # actors whose changes are nobody's words of this machine
_COMPARED = (*FIELDS, "pinned")


class RowBatch:
    """The changes for rows that are stored together. A source id may occur more than once among them: the last row counts.

    `planned`: where nothing is stored, the values of rows that would be by now, by source id; None where rows are stored.
    `edited`: source id -> the memory that had another one before its entry was edited in the source.
    """

    def __init__(self, project: Project, planned: dict[str, set[str]] | None, edited: dict[str, str]) -> None:
        self.project = project
        self.planned = planned
        self.edited = edited
        self.counts = [0, 0, 0, 0]  # as Imported lists them
        self.written_here: list[str] = []  # titles of rows that would change what was written here
        self.changes: dict[str, Change] = {}  # by the memory's id
        self.restored: list[Change] = []
        self.ids: dict[str, str] = {}  # source id -> memory id
        self.confirmed: set[str] = set()  # memories that were there, and say now what their rows do

    def add_all(self, rows: Iterable[Row]) -> None:
        """Adds the changes of rows."""
        groups: dict[str | int, list[Row]] = {}
        for number, row in enumerate(rows):
            groups.setdefault(row.source_id or number, []).append(row)
        for first, *later in groups.values():
            row = replace(first, fields={**first.fields, **_compared(later[-1])}) if later else first
            target = self._add(row)
            for earlier in [first, *later[:-1]] if later else ():
                differs = target in (NEW, CHANGED) and _compared(earlier) != _compared(row)
                self.counts[CHANGED if differs else UNCHANGED] += 1

    def _add(self, row: Row) -> int | None:
        """Adds the changes of a row. Returns the index of its count, None if it would change what was written here."""
        target = self._decide(row)
        if target is None:
            self.written_here.append(row.fields["title"])
        else:
            self.counts[target] += 1
        return target

    def _decide(self, row: Row) -> int | None:
        """Adds the changes of a row, as `_add` does, but counts nothing."""
        values = json.canonical(_compared(row)) if self.planned is not None else ""
        if self.planned and (versions := self.planned.get(row.source_id or "")):
            is_same = values in versions
            versions.add(values)
            return UNCHANGED if is_same else CHANGED
        memory = self._memory(row.source_id) if row.source_id else None
        if memory is None and row.is_unnamed and _is_said(self.project, row):
            return UNCHANGED
        memory_id = memory.id if memory else ids.new("M")
        if row.source_id:
            self.ids[row.source_id] = memory_id
        if memory and memory.forgotten and not _may_return(self.project, memory):
            return FORGOTTEN
        if memory is None or memory.forgotten:
            if self.planned is not None and row.source_id:
                self.planned[row.source_id] = {values}
            self._bring(row, memory, memory_id)
            return NEW
        if row.is_partial:
            return UNCHANGED
        is_changed_here = is_local(oplog.standing(self.project.db, memory.id))
        differences = _differences(self.project, memory, row)
        follows = row.place is not None and not is_changed_here  # what is named by its text says what it says there now
        fields = differences if follows else _changed_fields(self.project, memory, row)
        if fields and is_changed_here:
            return None
        if fields or not differences:
            self.confirmed.add(memory_id)
        source = _source(row) if memory.source_id != row.source_id else {}
        if fields or source:
            self.changes[memory_id] = Change("put", memory_id, {**fields, **source})
        return CHANGED if fields else UNCHANGED

    def _memory(self, source_id: str) -> Memory | None:
        """Returns the memory with a source id, or the one whose entry was edited in the source."""
        memory = memories.by_source(self.project.db, source_id)
        return memory or memories.find(self.project.db, self.edited.get(source_id, ""))

    def _bring(self, row: Row, undone: Memory | None, memory_id: str) -> None:
        """Adds a memory that is new or whose import was undone."""
        if undone is None:
            self.changes[memory_id] = Change("put", memory_id, {**row.fields, **_source(row)})
            return
        self.restored.append(Change("restore", memory_id, {}))
        fields = _changed_fields(self.project, undone, row)
        if undone.source_id != row.source_id:
            fields = {**_differences(self.project, undone, row), **_source(row)}
        if fields:
            self.changes[memory_id] = Change("put", memory_id, fields)

    def all_changes(self) -> list[Change]:
        """Returns the changes, starting with those that create missing threads."""
        db = self.project.db
        threads = dict.fromkeys([str(change.body["thread"]) for change in self.changes.values() if "thread" in change.body])
        threads |= dict.fromkeys([memory.thread for change in self.restored if (memory := memories.find(db, change.object))])
        created = [change for thread in threads for change in entries.thread_change(self.project, thread)]
        return [*created, *self.restored, *self.changes.values()]


def _is_said(project: Project, row: Row) -> bool:
    """Tells whether a memory that holds here has all the fields of a row, whoever pinned it."""
    return any(not _differences(project, memory, row).keys() - {"pinned"} for memory in entries.with_text(project, row.fields))


def _may_return(project: Project, memory: Memory) -> bool:
    """Tells whether a memory is gone because an import removed it or a command was undone, not because somebody forgot it."""
    last = [op for op in oplog.of_object(project.db, memory.id) if op.kind in ("forget", "restore")][-1:]
    if not last or last[0].kind != "forget":
        return False
    return last[0].actor == ACTOR or oplog.is_undo(project.db, last[0].command)


def is_local(operations: Iterable[LoggedOperation]) -> bool:
    """Tells whether some of these operations on an object did not come from an import."""
    return any(op.kind in ("put", "profile", "note") and op.actor not in _NOT_LOCAL for op in operations)


def _source(row: Row) -> dict[str, Any]:
    """Returns the fields with a row's name in its source, and that source."""
    return {name: value for name, value in (("source", row.source_id), ("place", row.place)) if value}


def _compared(row: Row) -> dict[str, Any]:
    """Returns the fields of a row that an import changes in an existing memory."""
    return {name: row.fields[name] for name in _COMPARED if name in row.fields}


def _changed_fields(project: Project, memory: Memory, row: Row) -> dict[str, Any]:
    """Returns the fields that a row changes. Values that the memory had earlier are not new, unless they were undone."""
    values = _compared(row)
    standing = oplog.standing(project.db, memory.id)
    for end in range(len(standing), 0, -1):  # compares with every state that the memory had
        earlier = {"pinned": False, **fold(standing[:end]).fields}
        if all(earlier.get(name) == value for name, value in values.items()):
            return {}
    return _differences(project, memory, row)


def _differences(project: Project, memory: Memory, row: Row) -> dict[str, Any]:
    """Returns the fields in which a row differs from the memory."""
    values = _compared(row)
    current = {"pinned": False, **fold(oplog.of_object(project.db, memory.id)).fields}
    return {name: value for name, value in values.items() if current.get(name) != value}
