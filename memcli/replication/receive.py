"""Taking in what came from other stores: checked line by line, applied in transactions, the rest counted by its reason."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from memcli.memory.projection import commit_of, refresh
from memcli.project import Project
from memcli.records import Record, replace
from memcli.replication import overwritten, sharing, wire
from memcli.replication.held import FUTURE_MS, Held, held, trusted
from memcli.replication.overwritten import Overwritten
from memcli.replication.pool import Pool, make_rows, read_lines, rows_from
from memcli.replication.remote import is_short_lived
from memcli.replication.transports import SEGMENT_LINES, Segment, is_whole
from memcli.replication.transports.lines import lines_of
from memcli.store import (
    bulk,
    erasing,
    graph,
    meta,
    passages,
    purging,
    quarantine,
    replication,
    set_meta,
    transaction,
    withdrawing,
)
from memcli.store.oplog import LoggedOperation
from memcli.store.replication import CURSOR
from memcli.text import ids
from memcli.text.terminal import oneline

_AT_ONCE = 10_000  # lines or segments that are taken in together: so many that the processes seldom wait for the next
_BYTES_AT_ONCE = 16 << 20
_FOR_PROCESSES = 2_000  # lines from which on they are worth their start
_MANY = 5_000  # operations whose vectors are left to the worker
_LINES_OF_A_JOB = _OBJECTS_OF_A_JOB = 500

Aside = tuple[str, str, int, str]
Operations = list[tuple[str, list[tuple[Any, ...]]]]


class Page(Record):
    """Some of the objects that arrived; `new`: the operations on each memory of them that is not stored yet, as plain values."""

    names: list[str]
    new: Operations


class Intake:
    """A running pull: what was applied, what was left out and why, which secrets were masked."""

    def __init__(self, project: Project, pool: Pool) -> None:
        self._project = project
        self._pool = pool
        self._writer = meta(project.db, "writer") or ""
        self._trusted = trusted(project)
        self._purged = purging.purged(project.db)
        self.applied = 0
        self.overwritten: list[Overwritten] = []
        self._aside = set[str]()
        self.refused: Counter[str] = Counter()
        self.masked: Counter[str] = Counter()
        self.renamed = False  # this store met its own writer's name in operations that it never wrote

    @property
    def waiting(self) -> int:
        """How many operations came that are not applied yet."""
        return len(self._aside)

    @property
    def held(self) -> list[Held]:
        """Whose these are, and why they wait."""
        return held(self._project, self._aside) if self._aside else []

    def take(self, segments: Iterable[Segment]) -> None:
        """Takes in segments, small ones together. The good lines of each count even where others are refused."""
        batch: list[tuple[Segment, list[str]]] = []
        count = size = 0
        for segment in segments:
            batch.append((segment, self._lines(segment)))
            count, size = count + len(batch[-1][1]), size + len(segment.data)
            if count >= _FOR_PROCESSES:
                self._pool.start()
            if count >= _AT_ONCE or len(batch) == _AT_ONCE or size >= _BYTES_AT_ONCE:
                self._take(batch)
                batch, count, size = [], 0, 0
        if batch:
            self._take(batch)

    def _lines(self, segment: Segment) -> list[str]:
        """Returns the lines of a segment; none of one that is refused as a whole."""
        lines = lines_of(segment)
        if not segment.name:
            self.refused[f"a ref that cannot be read: {oneline(segment.writer)[:100]}"] += 1
        elif not segment.data:
            self.refused["a segment that is empty or too large"] += 1
        elif not is_whole(segment):
            self.refused["not the bytes that its name promises"] += 1
        elif len(lines) > SEGMENT_LINES:
            self.refused["a segment of too many lines"] += 1
        else:
            return lines
        return []

    def _take(self, batch: Sequence[tuple[Segment, list[str]]]) -> None:
        """Takes in some segments in one transaction."""
        written = [(segment.writer, line) for segment, lines in batch for line in lines]
        operations, aside = self._read(written)
        db, last = self._project.db, batch[-1][0]
        with transaction(db):
            logged = replication.known_ids(db, [op.id for op in operations] + [row[0] for row in aside])
            again = withdrawing.count_again(db, logged)
            replication.note_exchanged(db, logged)
            known = sorted({op.object for op in operations if op.id in logged and not op.object.startswith(wire.WRITER)})
            sharing.note_sent(self._project, known)  # a push that the rules asked for may have ended before it could note them
            threads = {op.object for op in operations if op.id in logged and op.object.startswith("T-")}  # others have the name
            for name in [*again, *threads]:
                refresh(self._project, name)
            self._set_aside(aside)
            self._log(operations)
            # A file that another program has not delivered whole yet is read again.
            replication.add_segments(db, [it.name for it, _ in batch if it.name and not it.cursor and is_whole(it)])
            if last.cursor:
                set_meta(db, CURSOR, last.cursor)

    def _set_aside(self, aside: list[Aside]) -> None:
        quarantine.set_aside(self._project.db, aside)
        self._aside |= {name for name, *_ in aside}

    def _read(self, written: Sequence[tuple[str, str]]) -> tuple[list[LoggedOperation], list[Aside]]:
        """Returns the operations of lines, given with their writers, that are to be applied, and those that wait."""
        operations: list[LoggedOperation] = []
        aside: list[Aside] = []
        jobs = [written[start : start + _LINES_OF_A_JOB] for start in range(0, len(written), _LINES_OF_A_JOB)]
        for job, (results, masked) in zip(jobs, self._pool.map(read_lines, jobs)):
            self.masked.update(masked)
            self.refused.update([result for result in results if isinstance(result, str)])
            for (_, line), result in zip(job, results):
                if isinstance(result, str):
                    continue
                op = LoggedOperation(*result)
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
        fresh = list({op.id: op for op in operations if op.id not in logged and not {op.id, op.object} & self._purged}.values())
        if unshared := replication.kept_here(db, {op.object for op in fresh}):
            self._set_aside([(op.id, op.writer, op.hlc_ms, wire.line_that_came(op)) for op in fresh if op.object in unshared])
            fresh = [op for op in fresh if op.object not in unshared]
        if not self.renamed and any(op.writer == self._writer for op in fresh):
            self._rename()
        erased = erasing.erased(db, {op.object for op in fresh})
        fresh = [replace(op, body="{}") if op.object in erased else op for op in fresh]
        before = overwritten.own(db, {op.object for op in fresh})
        replication.insert(db, fresh)
        self.overwritten += overwritten.since(db, before)
        objects = dict.fromkeys([op.object for op in fresh])
        for name in objects:
            if name.startswith("K-") and replication.set_apart(db, name, own := ids.new("K")):
                refresh(self._project, own)
        replication.received(db, [name for name in objects if not name.startswith(wire.WRITER)])
        self.applied += len(fresh)

    def finish(self) -> None:
        """Brings the objects of all operations that arrived up to date: each once, and those of a pull that was killed, too."""
        pages = deque[Page]()
        for rows in self._pool.map(make_rows, self._jobs(pages)):
            page = pages.popleft()
            with transaction(self._project.db):
                self._save(page, rows)
                replication.note_applied(self._project.db, page.names[-1])

    def _jobs(self, pages: deque[Page]) -> Iterator[tuple[int, bool, Operations]]:
        """Yields the jobs that make the rows of new memories, and notes of each what it is about.

        The vectors of very many are a fifth of the time: the worker makes them, where there is one.
        """
        db, last = self._project.db, ""
        has_vectors = self.applied < _MANY or is_short_lived()
        while names := replication.arrived(db, last, _OBJECTS_OF_A_JOB):
            last = names[-1]
            memories = [name for name in names if name.startswith("M-")]
            pages.append(Page(names, replication.operations_of(db, set(memories) - bulk.stored(db, memories))))
            yield self._project.config["budget.memory_each"], has_vectors, pages[-1].new

    def _save(self, page: Page, plain_rows: Sequence[Any]) -> None:
        """Writes the rows of objects: of memories that are new those that were made, of all others what the log says now."""
        db = self._project.db
        latest = replication.latest(db, [name for name, _ in page.new])
        new_rows = {
            name: rows_from(plain)
            for (name, operations), plain in zip(page.new, plain_rows)
            if plain is not None and latest[name] == max([op[0] for op in operations])  # else somebody wrote meanwhile
        }
        bulk.insert(db, [(rows.memory, vectors[name]) for name, (rows, vectors) in new_rows.items()])
        bulk.expect_commits(db, [commit for rows, _ in new_rows.values() if (commit := commit_of(rows.memory))])
        for name, (rows, vectors) in new_rows.items():
            if rows.passages:
                passages.save(db, name, rows.passages, vectors)
            if rows.links:
                graph.save_links(db, name, rows.links)
        for name in page.names:
            if name not in new_rows:
                refresh(self._project, name)

    def _rename(self) -> None:
        """Takes a new name as a writer: another store, copied from this one or the other way round, uses the old one."""
        self.renamed = True
        name = os.urandom(8).hex()
        replication.rename_writer(self._project.db, self._writer, name)
        set_meta(self._project.db, "writer", name)

    def release(self) -> None:
        """Applies what waited and need not any more: its time came, its writer is trusted, or its object is shared now."""
        db, due = self._project.db, []
        for name, writer, at, line in quarantine.applicable(db):
            if at <= self._project.now + FUTURE_MS and self._is_trusted(writer):
                due.append((name, wire.read(line, writer).operation))
        if due:
            with transaction(db):
                quarantine.release(db, [name for name, _ in due])
                self._aside -= {name for name, _ in due}
                self._log([op for _, op in due])
