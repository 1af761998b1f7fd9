"""Compaction: removes for good what hooks left and nobody used, page by page, each page in its own transaction.

A process that is killed midway has finished some pages and not begun the others; the next run continues.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from memcli.memory.projection import fold
from memcli.project import Project
from memcli.records import Record, as_dict, replace
from memcli.store import compaction, copies, meta, oplog, set_meta, transaction
from memcli.store.oplog import LoggedOperation
from memcli.text import dates, json

if TYPE_CHECKING:
    from memcli.store import Connection
    from memcli.store.compaction import Aged

_PAGE = 200  # objects of one transaction
_KEPT_COPIES_DAYS = 30
_DONE = "compacted"  # in meta: when the worker did all of it last
_EVERY = dates.DAY
_REGISTERS, _FLAGS = ("put", "session", "prompt"), ("forget", "restore")


class Compacted(Record):
    """What was removed: how many memories, prompts, operations, edits and notes on commits, and the paths of store copies."""

    memories: int = 0
    prompts: int = 0
    operations: int = 0
    edits: int = 0
    commits: int = 0
    copies: tuple[str, ...] = ()


class _Stopped(Exception):
    """Another process needs the store."""


class _Run(Record):
    """A store, whether only to count, and a check whether another process needs the store."""

    db: Connection
    dry_run: bool
    is_wanted: Callable[[], bool]
    cited: frozenset[str]

    def check(self) -> None:
        """Raises _Stopped if another process needs the store."""
        if self.is_wanted():
            raise _Stopped


def is_due(project: Project) -> bool:
    """Tells whether the worker last did this more than a day ago."""
    done = meta(project.db, _DONE) or "0"
    return not done.isdecimal() or abs(project.now - int(done)) >= _EVERY


def run(project: Project, is_wanted: Callable[[], bool] = lambda: False) -> None:
    """Compacts on behalf of the worker, until an event arrives."""
    try:
        compact(project, False, is_wanted)
    except _Stopped:
        return
    with transaction(project.db):
        set_meta(project.db, _DONE, str(project.now))


def compact(project: Project, dry_run: bool, is_wanted: Callable[[], bool] = lambda: False) -> Compacted:
    """Removes what may go, or with `dry_run` only counts it."""
    work = _Run(project.db, dry_run, is_wanted, compaction.cited(project.db))
    forgotten_before = project.now - project.config["gc.forgotten_days"] * dates.DAY
    said_before = project.now - project.config["gc.prompt_days"] * dates.DAY
    memories, of_memories = _remove(work, compaction.forgotten, forgotten_before)
    prompts, of_prompts = _remove(work, compaction.old_prompts, said_before)
    merged_away = _merge_all(work, forgotten_before, memories)
    with transaction(work.db):
        edited_before = project.now - project.config["gc.edit_days"] * dates.DAY
        edits = compaction.drop_edits(work.db, edited_before, dry_run)
        commits = compaction.drop_commits(work.db, dry_run)
    old = copies.older(os.path.join(project.folder, "memory.db"), project.now - _KEPT_COPIES_DAYS * dates.DAY)
    if not dry_run:
        copies.delete(old)
        compaction.shrink(work.db, is_wanted)
    operations = of_memories + of_prompts + merged_away
    return Compacted(len(memories), len(prompts), operations, edits, commits, tuple(old))


def _remove(work: _Run, find: Callable[[Connection, int, int, int], list[Aged]], before: int) -> tuple[set[str], int]:
    """Removes what a search finds, page by page. Returns the ids and how many operations were removed. Raises _Stopped."""
    ids: set[str] = set()
    operations, after = 0, 0
    while True:
        work.check()
        with transaction(work.db):  # searched under the lock: nobody pins or cites meanwhile what goes
            page = find(work.db, after, before, _PAGE)
            for name in [row.id for row in page if row.id not in work.cited]:
                ids.add(name)
                operations += len(oplog.of_object(work.db, name)) if work.dry_run else compaction.remove(work.db, name)
        if len(page) < _PAGE:
            return ids, operations
        after = page[-1].n


def _merge_all(work: _Run, before: int, but: set[str]) -> int:
    """Merges the operations on objects that hooks revised repeatedly. Returns how many were removed. Raises _Stopped."""
    gone, after = 0, ""
    while True:
        work.check()
        with transaction(work.db):
            names = compaction.revised(work.db, after, before, _PAGE)
            gone += sum([_merged(work, name) for name in names if name not in but])
        if len(names) < _PAGE:
            return gone
        after = names[-1]


def _merged(work: _Run, object_id: str) -> int:
    """Replaces the operations on an object by the fewest that say the same. Returns how many are removed."""
    operations = oplog.of_object(work.db, object_id)
    fewest = merged(operations)
    bodies = {operation.revision: operation.body for operation in operations}
    revisions = {operation.revision for operation in fewest}
    gone = [operation for operation in operations if operation.revision not in revisions]
    if not gone or not _says_the_same(operations, fewest):
        return 0
    if not work.dry_run:
        compaction.rewrite(work.db, gone, [operation for operation in fewest if operation.body != bodies[operation.revision]])
    return len(gone)


def merged(operations: Sequence[LoggedOperation]) -> list[LoggedOperation]:
    """Returns the fewest operations that fold to the same: the first, the last of each edge and flag, and one for all fields."""
    registers = [operation for operation in operations if operation.kind in _REGISTERS]
    later: dict[str, object] = {}
    for operation in registers[1:]:
        later.update(json.loads(operation.body))
    last = {_slot(operation): operation for operation in operations}
    if len(registers) > 1:
        last["first"], last["fields"] = registers[0], replace(registers[-1], body=json.canonical(later))
    order = {operation.revision: number for number, operation in enumerate(operations)}
    return sorted(last.values(), key=lambda operation: order[operation.revision])


def _slot(operation: LoggedOperation) -> object:
    """Returns what an operation decides. Of all operations that decide the same, the last one counts."""
    if operation.kind in _REGISTERS:
        return "fields"
    if operation.kind in _FLAGS:
        return "flag"
    body = json.loads(operation.body)
    return operation.kind, body.get("rel"), body.get("to"), body.get("by")


def _says_the_same(before: Sequence[LoggedOperation], after: Sequence[LoggedOperation]) -> bool:
    first, second = fold(before), fold(after)
    links = [{edge: as_dict(link) for edge, link in it.links.items() if link} for it in (first, second)]
    ends = [[it.first and it.first.revision, it.last and it.last.revision, it.superseded_by] for it in (first, second)]
    same = first.fields == second.fields and first.forgotten == second.forgotten and links[0] == links[1]
    return same and ends[0] == ends[1]
