"""Sharing a memory with other stores: each keeps the whole log of what is shared, and each pushes what it wrote itself.

The log is the only thing that travels. What arrives goes through the same fold as what was written here (memory/projection.py),
so that stores which have the same operations have the same memory, whatever the order. Nothing is sent before the person agreed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256

from memcli.errors import MemError
from memcli.memory.commit import update_anchors
from memcli.project import Project
from memcli.records import Record
from memcli.replication import remote, sharing, wire
from memcli.replication.pool import Pool
from memcli.replication.receive import CURSOR, Intake
from memcli.replication.transports import Epoch, RemotePosition, Transport, split
from memcli.store import meta, oplog, replication, set_meta, transaction
from memcli.store.oplog import Change, LoggedOperation
from memcli.text import dates, files, json

_MARK, EPOCH = replication.MARK, "sync_epoch"  # in meta: revision up to which all was pushed; the remote's epoch that was seen
_LAST = replication.LAST
_PUSHED_AT_ONCE = 20_000  # operations
_ACTOR = "sync"

Erase = Callable[[Project, list[str]], object]


class Pulled(Record):
    """What a pull brought: operations that were applied, that wait, and that were refused, by their reason; objects erased."""

    applied: int
    waiting: int
    refused: dict[str, int]
    masked: dict[str, int]
    erased: int
    renamed: bool


class Outgoing(Record):
    """One operation that would leave, as the line that would be sent; None where nothing of it leaves."""

    operation: LoggedOperation
    line: str | None


def locked(project: Project) -> int:
    """Takes the lock of synchronizations of a store. Returns its descriptor, to be closed. Raises MemError where another runs."""
    lock = os.open(os.path.join(project.folder, "sync.lock"), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    if not files.try_lock(lock):
        os.close(lock)
        raise MemError("another mem sync runs for this memory", "wait for it to end", "busy")
    return lock


def pull(project: Project, transport: Transport, erase: Erase) -> Pulled:
    """Takes in what others pushed. `erase` takes objects out of this store for good: those that the remote purged."""
    position = RemotePosition(
        replication.segments(project.db),
        replication.tips(project.db),
        meta(project.db, CURSOR) or "",
        int(meta(project.db, EPOCH) or 0),
    )
    erased = _follow(project, transport, transport.epoch(), erase) if transport.open(position) > position.epoch else 0
    with Pool() as pool:
        intake = Intake(project, pool)
        intake.release()
        intake.take(transport.segments(position))
        intake.finish()
    with transaction(project.db):
        if _is_lost(position.tips, transport.tips(), meta(project.db, "writer") or ""):
            replication.push_again(project.db)
        replication.save_tips(project.db, transport.tips())
    return Pulled(intake.applied, intake.waiting, dict(intake.refused), dict(intake.masked), erased, intake.renamed)


def _is_lost(before: dict[str, str], now: dict[str, str], writer: str) -> bool:
    """Tells whether the ref that this store pushed to is gone from the remote, and was not compacted."""
    own = any(name.endswith(f"/w/{writer}") for name in before) and not any(name.endswith(f"/w/{writer}") for name in now)
    return own and not any(name.endswith("/base") for name in now)


def _follow(project: Project, transport: Transport, epoch: Epoch, erase: Erase) -> int:
    """Erases what a new epoch of the remote purged, before anything is read or pushed. Returns how many objects that is."""
    from memcli.store import erasing

    shared = replication.ever_shared(project.db)  # nobody elsewhere takes out what never left
    present = [name for name in epoch.purged if name in shared and not erasing.is_erased(project.db, name)]
    if present:
        erase(project, present)
    with transaction(project.db):
        set_meta(project.db, EPOCH, str(epoch.number))
    forget_past = getattr(transport, "forget_past", None)
    if forget_past is not None:
        forget_past()
    return len(present)


def outgoing(project: Project, limit: int = _PUSHED_AT_ONCE) -> list[Outgoing]:
    """Returns what the next push would send, in the order of the log. Rules that share are applied first."""
    update_anchors(project)
    sharing.apply_rules(project)
    _name_writer(project)
    portable = wire.Portable(project.root)
    mark = int(meta(project.db, _MARK) or 0)
    return [Outgoing(op, wire.line_of(op, portable)) for op in replication.waiting(project.db, mark, limit)]


def _name_writer(project: Project) -> None:
    """Has the log say what the person calls themselves for others, where something is shared and the name changed."""
    name, writer = project.config["sync.author"].strip(), meta(project.db, "writer") or ""
    target = f"{wire.WRITER}{writer}"
    if replication.writers(project.db).get(writer, "") == name or not replication.shared_objects(project.db):
        return
    with transaction(project.db):
        oplog.append(project.db, [Change("writer", target, {"name": name or "?"})], _ACTOR, project.now, oplog.NO_COMMAND)
        replication.save_writer(project.db, writer, name)
        replication.share(project.db, [target])


def push(project: Project, transport: Transport) -> int:
    """Sends what waits, after a pull. Returns how many operations left."""
    writer, count, names = meta(project.db, "writer") or "", 0, set[str]()
    while pending := outgoing(project):
        lines = [item.line for item in pending if item.line is not None]
        segments = split(writer, lines)
        if segments:
            transport.push(segments)
        names |= {item.operation.object for item in pending}
        with transaction(project.db):
            replication.note_pushed(project.db, [item.operation for item in pending])
            replication.add_segments(project.db, [segment.name for segment in segments])
            replication.save_tips(project.db, transport.tips())
            if len(pending) < _PUSHED_AT_ONCE:
                replication.note_whole(project.db, names)
                set_meta(project.db, _MARK, str(max(item.operation.revision for item in pending)))
        count += len(lines)
    return count


def was_shared(project: Project, name: str) -> bool:
    """Tells whether something of an object was pushed, or came from others."""
    return name in replication.ever_shared(project.db)


class Status(Record):
    """The state of sharing: the remote, what waits here, what waits in quarantine, other writers, the last synchronization."""

    remote: str
    address: str
    shared: int
    pending: int
    quarantined: int
    writers: list[dict[str, object]]
    last: dict[str, object] | None


def status(project: Project) -> Status | None:
    """Returns the state of sharing; None where this memory is not shared. Asks nobody."""
    agreement = remote.agreed(project)
    if agreement is None:
        return None
    mark = int(meta(project.db, _MARK) or 0)
    names = replication.writers(project.db)
    last = meta(project.db, _LAST)
    return Status(
        agreement.remote,
        agreement.address,
        len([name for name in replication.shared_objects(project.db) if name[0] in "MSKN"]),
        replication.count_waiting(project.db, mark),
        len(replication.quarantined(project.db)),
        [
            {"id": writer, "name": names.get(writer) or None, "operations": count}
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
