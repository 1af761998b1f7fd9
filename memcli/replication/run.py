"""One synchronization from its lock to its note: what the command line, the worker and a CI job do."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from memcli import replication
from memcli.errors import InvalidInput, MemError, NotFound
from memcli.maintenance import erase
from memcli.project import Project
from memcli.records import Record, replace
from memcli.replication import Outgoing, Pulled, remote, unreached
from memcli.replication.purge import Match, Select
from memcli.replication.remote import Agreement
from memcli.replication.transports import NOTHING_READ, Deadline, Epoch, Transport
from memcli.replication.transports.epochs import purgeable
from memcli.store import erasing, purging, transaction
from memcli.store import replication as rows

_ACTOR, _PERSON = "sync", "cli"  # of what follows a purge elsewhere, and of one that somebody asks for here
_ALWAYS_OLDER_MS = 7 * 86_400_000


class Synced(Record):
    """What one synchronization did: what came, and how many operations left. None: not asked for.

    `purged`: whether it ended a purge that had not reached the remote.
    """

    pulled: Pulled | None
    pushed: int | None
    purged: bool


@contextmanager
def _session(project: Project, seconds: float | None, shallow: bool = False) -> Iterator[Transport]:
    """Holds the lock, and notes how it ended."""
    agreement = remote.required(project)
    seconds = seconds or project.config["sync.seconds"]
    lock = replication.locked(project, seconds)
    error = ""
    try:
        remote.drop_trial(project)
        yield remote.transport(project, agreement, seconds, shallow)
    except MemError as problem:
        if problem.code not in (InvalidInput.code, NotFound.code):  # a purge of what is not there says nothing of the exchange
            error = problem.message
        raise
    finally:
        os.close(lock)
        if error:
            replication.note_outcome(project, error, 0)


def synchronize(project: Project, pulls: bool, pushes: bool, seconds: float | None = None, shallow: bool = False) -> Synced:
    """Pulls, pushes, or both. A push always looks at the remote first. Raises MemError; nothing is lost then."""
    with _session(project, seconds, shallow) as transport:
        is_purge_due = unreached.is_due(project)
        pulled = replication.pull(project, transport, _erase)
        pushed = replication.push(project, transport) if pushes else None
        replication.note_outcome(project, "", sum(pulled.refused.values()))
        shown = pulled if pulls or pulled.applied or pulled.refused else None
        return Synced(shown, pushed, is_purge_due and not unreached.is_due(project))


def _erase(project: Project, ids: Sequence[str], epoch: Epoch) -> None:
    erase.erase(project, ids, _ACTOR, (epoch.number, epoch.purged))


def _purge(project: Project, ids: Sequence[str], epoch: Epoch) -> None:
    erase.erase(project, ids, _PERSON, (epoch.number, epoch.purged))


class Enabled(Record):
    """What was agreed to, and what would leave first.

    `left`: another remote, or another place of the same one, that was used before; `unpurged`: one that keeps what was purged.
    """

    agreement: Agreement
    outgoing: list[Outgoing]
    left: str
    unpurged: str


def enable(
    project: Project,
    name: str | None,
    address: str | None,
    seconds: float | None,
    trusts_clone: bool = False,
    joins: bool = False,
) -> Enabled:
    """Notes that a memory is shared through a remote: the one of before where none is named, else `origin`.

    Where the refs move within one remote, what others wrote comes along. Raises InvalidInput for a remote that everybody can read
    and nobody named, and where settings of the clone would reach it that nobody trusts, MemError for one that does not answer;
    then nothing has changed.
    """
    agreement, earlier = replace(remote.resolve(project, name, address), is_joined=joins), remote.agreed(project)
    if not trusts_clone:
        remote.check_clone(project, agreement)
    deadline = Deadline(seconds or project.config["sync.seconds"])
    before = remote.latest(project)
    is_agreed = before is not None and before.address == agreement.address
    if name is None and not is_agreed and _is_public(agreement.address, deadline):
        raise InvalidInput(
            f"everybody can read {agreement.address}",
            f"share through another remote, or say that you mean it: mem sync enable --remote {agreement.remote}",
            "public_remote",
        )
    with _trial(project, deadline):
        transport = remote.transport(project, agreement, deadline.remaining(), is_trial=True)
        transport.open(NOTHING_READ)
        remote.check_history(project, agreement, transport)
        there = {name for _, ids in transport.contents() for name in ids} if rows.exchanged(project.db) else set()
        if earlier is None:
            remote.agree(project, agreement)
            remote.keep_trial(project)
    left = ""
    if earlier is not None and remote.is_moved(earlier, agreement):
        left = earlier.place
        synchronize(project, True, False, seconds)
    elif earlier is not None and earlier.address != agreement.address:
        left = earlier.remote
    if earlier is not None:
        remote.agree(project, agreement)
    with transaction(project.db):
        rows.note_missing(project.db, rows.exchanged(project.db) - there)
    outgoing = [it for it in replication.outgoing(project) if it.operation.id not in there]
    return Enabled(agreement, outgoing, left, unreached.abandon(project, agreement))


@contextmanager
def _trial(project: Project, deadline: Deadline) -> Iterator[None]:
    """Holds the lock while a remote is looked at; what was fetched is removed, unless it is agreed to and kept."""
    lock = replication.locked(project, deadline.remaining())
    try:
        remote.drop_trial(project)
        yield
    finally:
        remote.drop_trial(project)
        os.close(lock)


def _is_public(address: str, deadline: Deadline) -> bool:
    from memcli.replication.transports.gitcommand import is_public

    return is_public(address, deadline)


def disable(project: Project) -> tuple[Agreement, bool]:
    """Stops sharing. What others have stays with them. Raises NotFound.

    Returns what was agreed to, and whether a purge has not reached the remote.
    """
    agreement = remote.required(project)
    remote.agree(project, None)
    return agreement, unreached.is_due(project)


class Purged(Record):
    """What was purged, or would be: each with its reason; the epoch of the remote since; the ids alone."""

    ids: tuple[str, ...]
    epoch: int
    items: tuple[Match, ...]


def rehearse_purge(project: Project, select: Select, seconds: float | None = None) -> Purged:
    """Returns what a purge would take out, as the remote is now. Changes nothing. Raises what the selection raises."""
    with _session(project, seconds) as transport:
        transport.open(NOTHING_READ)
        matches = select(transport).matches
        return Purged(tuple([it.id for it in matches]), replication.followed(project).number, tuple(matches))


def purge(project: Project, select: Select, seconds: float | None = None) -> Purged:
    """Takes objects out for good: here, and from every ref of the remote. Other stores follow when they synchronize.

    What is erased here and not at the remote, because it refuses or all of this is killed, is taken out by the next push.
    """
    with _session(project, seconds) as transport:
        replication.pull(project, transport, _erase)
        selection = select(transport)
        ids = [match.id for match in selection.matches]
        present = [name for name in ids if name[0] not in "TW" and not erasing.is_erased(project.db, name)]
        last = replication.followed(project)
        epoch = Epoch(last.number + 1, tuple(dict.fromkeys([*last.purged, *_purged_by(project, ids), *selection.operations])))
        purgeable(epoch)  # else each push would try again to write down what nobody reads
        unreached.note(project, epoch.number)
        replication.take_out(project, present, epoch, _purge)
        try:
            transport.purge(epoch)
        except MemError as problem:
            raise MemError(
                problem.message, "it is erased here; the next mem sync takes it out of the remote", problem.code
            ) from None
        with transaction(project.db):
            rows.save_tips(project.db, transport.tips())
        replication.note_clean(project)
        unreached.settle(project)
        replication.note_outcome(project, "", 0)
        return Purged(tuple(ids), epoch.number, tuple(selection.matches))


def _purged_by(project: Project, names: Sequence[str]) -> list[str]:
    """Returns what an epoch lists for objects: their ids; for threads and writers, whose ids are names, those of operations.

    A thread that nothing else is or was in goes with them, as it does here.
    """
    threads = [f"T-{thread}" for thread in erase.emptied_threads(project, names)]
    return [name for name in names if name[0] not in "TW"] + purging.namings(project.db, [*names, *threads])


def compact(project: Project, seconds: float | None = None) -> int:
    """Folds what is older than a week at the remote. Returns how many segments went."""
    with _session(project, seconds) as transport:
        replication.pull(project, transport, _erase)
        count = transport.compact(project.now - _ALWAYS_OLDER_MS)
        with transaction(project.db):
            rows.save_tips(project.db, transport.tips())
        return count
