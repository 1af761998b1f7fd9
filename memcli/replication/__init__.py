"""Sharing a memory with other stores: each keeps the whole log of what is shared, and each pushes what it wrote itself.

The log is the only thing that travels. What arrives goes through the same fold as what was written here (memory/projection.py),
so that stores which have the same operations have the same memory, whatever the order. Nothing is sent before the person agreed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256

from memcli import system
from memcli.errors import MemError
from memcli.memory.commit import anchor_settled, settled_anchors, update_anchors
from memcli.memory.projection import refresh
from memcli.memory.selection import selected
from memcli.project import Project
from memcli.records import Record, as_dict, replace
from memcli.replication import remote, sharing, unreached, wire
from memcli.replication.held import FUTURE_MS, held, strangers, trusted
from memcli.replication.pool import Pool
from memcli.replication.receive import Intake
from memcli.replication.transports import Epoch, RemotePosition, Transport, split
from memcli.store import (
    erasing,
    meta,
    oplog,
    purging,
    quarantine,
    rehearsal,
    replication,
    set_meta,
    transaction,
    unshared,
    withdrawing,
)
from memcli.store.context import CI_ACTOR
from memcli.store.oplog import Change, LoggedOperation
from memcli.text import dates, json
from memcli.text.ids import writer_of
from memcli.validity import writer_names

_MARK, _LAST = replication.MARK, replication.LAST
_NAMESAKES = "sync_namesakes"  # in meta: of which writers it was said that they have one name
_PUSHED_AT_ONCE = 20_000  # operations
_ACTOR = "sync"

Erase = Callable[[Project, list[str], Epoch], None]


class Pulled(Record):
    """What a pull brought: operations that were applied, that wait, and that were refused, by their reason; objects erased."""

    applied: int
    waiting: int
    refused: dict[str, int]
    masked: dict[str, int]
    erased: int
    renamed: bool
    overwritten: list[dict[str, object]]  # own words that others' took the place of: `id`, `by` whom, whether `forgotten`
    held: list[dict[str, object]]  # of what waits `id` and `name` of the writer, `why`, and the `count`
    strangers: list[str]  # in sync.writers, whose changes never came


class Outgoing(Record):
    """One operation that would leave, as the line that would be sent; None where nothing of it leaves."""

    operation: LoggedOperation
    line: str | None


def locked(project: Project, seconds: float) -> int:
    """Takes the lock of synchronizations of a store; where another runs, such as the worker's, waits for it so long.

    Returns its descriptor, to be closed. Raises MemError where the other one has not ended by then.
    """
    lock = system.open_private(os.path.join(project.folder, "sync.lock"), os.O_CREAT | os.O_RDWR)
    if not system.lock_within(lock, seconds):
        os.close(lock)
        raise MemError("another mem sync runs for this memory", "wait for it to end", "busy")
    return lock


def pull(project: Project, transport: Transport, erase: Erase) -> Pulled:
    """Takes in what others pushed. `erase` takes objects out of this store for good: those that the remote purged."""
    position = RemotePosition(
        replication.segments(project.db),
        replication.tips(project.db),
        meta(project.db, replication.CURSOR) or "",
    )
    is_moved, erased = transport.open(position), 0
    if is_moved:
        remote.check_history(project, remote.required(project), transport)
        erased = _follow(project, transport.epoch(), erase)
    if meta(project.db, replication.UNCLEAN):
        transport.forget_past()
        note_clean(project)
    is_set_back = transport.is_set_back(position)
    with Pool() as pool:
        intake = Intake(project, pool)
        intake.take(transport.segments(replace(position, cursor="") if is_set_back else position))
        intake.release()
        intake.finish()
    names, missing = _compared(project, transport) if is_set_back or replication.is_missing_some(project.db) else (None, set())
    with transaction(project.db):
        if names is not None:
            replication.note_missing(project.db, missing)
            replication.keep_segments(project.db, names)
        replication.save_tips(project.db, transport.tips())
    writers = writer_names(project).shown
    lost = {it.id: {"id": it.id, "by": writers.get(it.by, it.by), "forgotten": it.forgotten} for it in intake.overwritten}
    return Pulled(
        intake.applied,
        intake.waiting,
        dict(intake.refused),
        dict(intake.masked),
        erased,
        intake.renamed,
        list(lost.values()),
        list(map(as_dict, intake.held)),
        strangers(project),
    )


def _compared(project: Project, transport: Transport) -> tuple[set[str], set[str]]:
    """Returns the names of the segments that the remote has, and the ids of operations that were exchanged and that it lacks."""
    names, missing = set(), replication.exchanged(project.db)
    for name, ids in transport.contents():
        names.add(name)
        missing.difference_update(ids)
    return names, missing


def followed(project: Project) -> Epoch:
    """Returns the newest epoch that this store followed, with all that was ever purged."""
    return Epoch(int(meta(project.db, replication.EPOCH) or 0), tuple(sorted(purging.purged(project.db))))


def note_clean(project: Project) -> None:
    """Notes that nothing is left of what was purged in what the transport keeps beside the store."""
    with transaction(project.db):
        replication.forget(project.db, replication.UNCLEAN)


def _follow(project: Project, epoch: Epoch, erase: Erase) -> int:
    """Erases what the remote purged since, before anything is read or pushed. Returns how many objects that is."""
    before = followed(project)
    fresh = set(epoch.purged) - set(before.purged)
    if not fresh and epoch.number <= before.number:
        return 0
    shared = replication.ever_shared(project.db)  # nobody elsewhere takes out what never left
    present = [name for name in sorted(fresh) if name in shared and not erasing.is_erased(project.db, name)]
    take_out(project, present, Epoch(max(epoch.number, before.number), tuple(sorted(fresh))), erase)
    return len(present)


def take_out(project: Project, present: list[str], epoch: Epoch, erase: Erase) -> None:
    """Erases what an epoch purged and is here, and notes the epoch: both or neither, wherever this is killed."""
    if present or purging.named_by(project.db, epoch.purged):
        return erase(project, present, epoch)
    with transaction(project.db):
        purging.note_purged(project.db, epoch.number, epoch.purged)


def outgoing(project: Project) -> list[Outgoing]:
    """Returns what the next push would send, in the order of the log, by the rules that share, too. Changes nothing."""
    settled = settled_anchors(project)
    with rehearsal(project.db):
        anchor_settled(project, settled)
        sharing.apply_rules(project)
        if _is_name_due(project, _waits(project)):
            _name_writer(project)
        return _waiting(project, -1)[::-1]


def _due(project: Project, limit: int) -> tuple[list[Outgoing], list[str]]:
    """Returns the last operations that are to be sent, the last first, and the objects that the rules select of all."""
    update_anchors(project)
    if _is_name_due(project, True):
        with rehearsal(project.db):
            sharing.apply_rules(project)
            waits = _waits(project)
        if _is_name_due(project, waits):
            with transaction(project.db):
                _name_writer(project)
    with rehearsal(project.db):
        selection = sharing.apply_rules(project)
        return _waiting(project, limit), selection


def _waits(project: Project) -> bool:
    return bool(replication.waiting(project.db, int(meta(project.db, _MARK) or 0), 1))


def _waiting(project: Project, limit: int) -> list[Outgoing]:
    """Returns the last operations that wait, the last first, as they would be sent.

    What was overwritten before it left stays here: what is shared is a text as it is, not what was taken out of it before. What
    overwrote it leaves first, so that an older operation never lacks a field whose value is not there yet.
    """
    portable = wire.Portable(project.root)
    mark = int(meta(project.db, _MARK) or 0)
    pending = replication.waiting(project.db, mark, limit)
    overwritten: dict[str, frozenset[str]] = {}  # fields of objects that later operations set, which left or leave before
    items = []
    for op in sorted([*pending, *replication.own_pushed(project.db, {op.object for op in pending})], key=_newest_first):
        is_own, later = not writer_of(op.actor), overwritten.get(op.object, frozenset())
        if op.vis != replication.SHARED:
            items.append(Outgoing(op, wire.line_of(op, portable, later if is_own else frozenset())))
        if is_own and op.kind in wire.SETTING and op.hlc_ms <= project.now + FUTURE_MS:
            overwritten[op.object] = later | json.loads(op.body).keys()
    return items


def as_it_leaves(project: Project, text: str) -> str:
    """Returns a text as others would get it: without directories of this machine and e-mail addresses."""
    return wire.Portable(project.root).text(text)


def _newest_first(op: LoggedOperation) -> int:
    return -op.revision


def _name_writer(project: Project) -> None:
    """Has the log say what the person calls themselves for others, in the words that a preview showed.

    Inside the caller's transaction.
    """
    name, writer = _author(project), meta(project.db, "writer") or ""
    actor = CI_ACTOR if system.is_ci() else _ACTOR
    target = f"{wire.WRITER}{writer}"
    oplog.append_following(project.db, Change("writer", target, {"name": name or replication.NAMELESS}), actor)
    replication.save_writer(project.db, writer, name)
    replication.share(project.db, [target])


def _is_name_due(project: Project, waits: bool) -> bool:
    """Tells whether the person's name is new to others: it changed, and something of theirs is there or waits to leave."""
    writer = meta(project.db, "writer") or ""
    is_new = replication.writers(project.db).get(writer, "") != _author(project)
    return is_new and (waits or replication.has_exchanged(project.db, writer))


def _author(project: Project) -> str:
    return str(project.config["sync.author"].strip())


def push(project: Project, transport: Transport) -> int:
    """Sends what waits, after a pull. Returns how many operations left.

    A remote that was wiped or set back, or an offline store's push, may have brought back what was purged: that goes first.
    """
    count, last, names, epoch = 0, 0, set[str](), followed(project)
    if transport.is_behind(epoch):
        transport.purge(epoch)
    unreached.settle(project)
    while True:
        pending, selection = _due(project, _PUSHED_AT_ONCE)
        if not pending:
            return count
        lines: dict[str, list[str]] = {}  # by writer: what the remote lost may be another's
        for item in pending:
            if item.line is not None:
                lines.setdefault(item.operation.writer, []).append(item.line)
        segments = [segment for writer, group in lines.items() for segment in split(writer, group)]
        if segments:
            transport.push(segments)
        objects = {item.operation.object for item in pending}
        names |= objects
        last = max(last, pending[0].operation.revision)
        with transaction(project.db):
            sharing.note_sent(project, [name for name in selection if name in objects])
            again = withdrawing.count_again(project.db, [item.operation.id for item in pending])
            replication.note_pushed(project.db, [item.operation for item in pending])
            for name in again:
                refresh(project, name)
            replication.add_segments(project.db, [segment.name for segment in segments])
            replication.save_tips(project.db, transport.tips())
            if len(pending) < _PUSHED_AT_ONCE:
                replication.note_whole(project.db, names)
                set_meta(project.db, _MARK, str(max(last, int(meta(project.db, _MARK) or 0))))
        count += sum(map(len, lines.values()))


def new_namesakes(project: Project) -> list[tuple[str, list[str]]]:
    """Returns the names that several stores have, with their short ids, unless that was returned before; notes that it was."""
    if not replication.owned_writers(project.db):
        return []
    found = writer_names(project).namesakes()
    noted = set(json.loads(meta(project.db, _NAMESAKES) or "[]"))
    new = [it for it in found if json.canonical(it[1]) not in noted]
    if new:
        with transaction(project.db):
            set_meta(project.db, _NAMESAKES, json.canonical([json.canonical(it[1]) for it in found]))
    return new


def is_any_shared(project: Project) -> bool:
    """Tells whether something is shared, whoever wrote it."""
    return bool(replication.shared_objects(project.db))


class Status(Record):
    """The state of sharing: the remote, what waits here, what waits in quarantine, other writers, the last synchronization."""

    remote: str
    address: str
    place: str
    new_place: str  # the one that the settings name now, "" where it is the same
    shared: int
    pending: int
    quarantined: int
    held: list[dict[str, object]]  # the same by writer and reason
    is_purge_due: bool  # a purge has not reached the remote yet
    strangers: list[str]  # in sync.writers, whose changes never came
    ahead: list[dict[str, object]]  # of the writers whose changes wait as their clock was ahead: since when they count
    own_ahead: str | None  # since when what this store wrote counts for others, where its clock was ahead
    own: str  # the id of this store, by which others know it
    own_name: str
    writers: list[dict[str, object]]
    last: dict[str, object] | None


def status(project: Project) -> Status | None:
    """Returns the state of sharing; None where this memory is not shared. Asks nobody."""
    agreement = remote.agreed(project)
    if agreement is None:
        return None
    names = writer_names(project).shown
    last = meta(project.db, _LAST)
    quarantined = quarantine.quarantined(project.db)
    latest = {writer: at for _, writer, at, _ in quarantined if at > project.now + FUTURE_MS}  # in the order of their clocks
    waiting = len([it for it in _waiting(project, -1) if it.line is not None]) + unshared.count(project.db, selected(project))
    listed, jobs = trusted(project), replication.jobs(project.db)
    writer_id = meta(project.db, "writer") or ""
    own = replication.last_clock(project.db, writer_id)
    return Status(
        agreement.remote,
        agreement.address,
        agreement.place,
        remote.new_place(project, agreement),
        len(replication.live_objects(project.db, replication.shared_objects(project.db))),
        waiting + _is_name_due(project, waiting > 0),
        len(quarantined),
        list(map(as_dict, held(project))),
        unreached.is_due(project),
        strangers(project),
        [{"id": it, "name": names.get(it) or None, "until": dates.iso(at - FUTURE_MS)} for it, at in latest.items()],
        dates.iso(own - FUTURE_MS) if own > project.now + FUTURE_MS else None,
        writer_id,
        _author(project),
        [
            {
                "id": writer,
                "name": names.get(writer) or None,
                "operations": count,
                "listed": None if listed is None else writer in listed,
                "ci": writer in jobs,
            }
            for writer, count in replication.owned_writers(project.db)
        ],
        json.loads(last) if last else None,
    )


def note_outcome(project: Project, error: str, refused: int) -> None:
    """Notes how a synchronization ended, for mem sync status and mem doctor."""
    with transaction(project.db):
        set_meta(project.db, _LAST, json.canonical({"at": dates.iso(project.now), "error": error, "refused": refused}))


def digest(project: Project) -> str:
    """Returns a digest of all that is shared: equal in stores that have the same operations, whatever the order they came in."""
    from memcli.memory.projection import fold
    from memcli.records import many

    operations: dict[str, list[LoggedOperation]] = {}
    for op in many(LoggedOperation, replication.operations_of_shared(project.db)):
        operations.setdefault(op.object, []).append(op)
    lines = []
    for name, group in sorted(operations.items()):
        folded = fold(group)
        fields = {key: value for key, value in folded.fields.items() if key in wire.fields_of(name)}
        edges = sorted([by for by, stands in folded.superseded.items() if stands])
        links = sorted([[*edge, link.hash] for edge, link in folded.links.items() if link])
        lines.append(json.canonical([name, fields, folded.forgotten, edges, links]))
    return sha256("\n".join(lines).encode()).hexdigest()
