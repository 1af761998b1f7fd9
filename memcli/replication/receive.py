"""Taking in what came from other stores: checked line by line, applied in transactions, the rest counted by its reason."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence

from memcli.memory.projection import refresh
from memcli.project import Project
from memcli.records import replace
from memcli.replication import wire
from memcli.replication.transports import SEGMENT_LINES, Segment, is_whole
from memcli.replication.transports.lines import lines_of
from memcli.store import erasing, meta, replication, set_meta, transaction
from memcli.store.oplog import LoggedOperation
from memcli.text.dates import DAY

_AT_ONCE = 2_000  # operations in a transaction: others can write in between
_OBJECTS_AT_ONCE = 500
FUTURE_MS = DAY  # an operation that is dated later than this from now waits until then
CURSOR = "sync_cursor"


class Intake:
    """A running pull: what was applied, what was left out and why, which secrets were masked."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._writer = meta(project.db, "writer") or ""
        self._trusted = _trusted(project)
        self.applied = 0
        self.waiting = 0
        self.refused: Counter[str] = Counter()
        self.masked: Counter[str] = Counter()
        self.renamed = False  # this store met its own writer's name in operations that it never wrote

    def take(self, segment: Segment) -> None:
        """Takes in one segment. Its good lines count even where others are refused."""
        lines = lines_of(segment)
        if segment.data and not is_whole(segment):
            self.refused["not the bytes that its name promises"] += 1
            lines = []
        elif not segment.data:
            self.refused["a segment that is too large"] += 1
        if len(lines) > SEGMENT_LINES:
            self.refused["a segment of too many lines"] += 1
            lines = []
        operations, aside = self._read(lines, segment.writer)
        for start in range(0, max(1, len(operations)), _AT_ONCE):
            batch = operations[start : start + _AT_ONCE]
            with transaction(self._project.db):
                self._log(batch)
                if start + _AT_ONCE >= len(operations):
                    replication.set_aside(self._project.db, aside)
                    replication.add_segments(self._project.db, [segment.name] if not segment.cursor else [])
                    if segment.cursor:
                        set_meta(self._project.db, CURSOR, segment.cursor)
        self.waiting += len(aside)

    def _read(self, lines: Iterable[str], writer: str) -> tuple[list[LoggedOperation], list[tuple[str, str, int, str]]]:
        """Returns the operations to be applied, and those that wait."""
        operations: list[LoggedOperation] = []
        aside = []
        for line in lines:
            try:
                received = wire.read(line, writer)
            except wire.Refused as reason:
                self.refused[str(reason)] += 1
                continue
            self.masked.update(received.rules)
            op = received.operation
            if op.hlc_ms > self._project.now + FUTURE_MS or not self._is_trusted(op.writer):
                aside.append((op.id, op.writer, op.hlc_ms, line))
            else:
                operations.append(op)
        return operations, aside

    def _is_trusted(self, writer: str) -> bool:
        return self._trusted is None or writer in self._trusted or writer == self._writer

    def _log(self, operations: Sequence[LoggedOperation]) -> None:
        """Adds operations to the log, inside a transaction; `finish` brings the tables up to date."""
        db = self._project.db
        logged = replication.known_ids(db, [op.id for op in operations])
        fresh = list({op.id: op for op in operations if op.id not in logged}.values())
        if not self.renamed and any(op.writer == self._writer for op in fresh):
            self._rename()
        erased = {name for name in {op.object for op in fresh} if erasing.is_erased(db, name)}
        fresh = [replace(op, body="{}") if op.object in erased else op for op in fresh]
        replication.insert(db, fresh)
        objects = dict.fromkeys([op.object for op in fresh])
        replication.received(db, [name for name in objects if not name.startswith(wire.WRITER)])
        self.applied += len(fresh)

    def finish(self) -> None:
        """Brings the objects of all operations that arrived up to date: each once, and those of a pull that was killed, too."""
        while objects := replication.arrived(self._project.db, _OBJECTS_AT_ONCE):
            with transaction(self._project.db):
                for name in objects:
                    refresh(self._project, name)
                replication.note_applied(self._project.db, objects)

    def _rename(self) -> None:
        """Takes a new name as a writer: another store, copied from this one or the other way round, uses the old one."""
        self.renamed = True
        name = os.urandom(8).hex()
        replication.rename_writer(self._project.db, self._writer, name)
        set_meta(self._project.db, "writer", name)

    def release(self) -> None:
        """Applies what waited and need not any more: its time came, or its writer is trusted now."""
        due = []
        for name, writer, at, line in replication.quarantined(self._project.db):
            if at <= self._project.now + FUTURE_MS and self._is_trusted(writer):
                due.append((name, wire.read(line, writer).operation))
        if due:
            with transaction(self._project.db):
                self._log([op for _, op in due])
                replication.release(self._project.db, [name for name, _ in due])


def _trusted(project: Project) -> set[str] | None:
    """Returns the writers whose changes are applied; None: everybody's."""
    if project.config["sync.trust"] == "all":
        return None
    return {name.strip() for name in project.config["sync.writers"].split(",")}
