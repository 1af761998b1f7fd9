"""What of a memory is shared: what the person named, what the rules of the settings say, and what these need."""

from __future__ import annotations

from collections.abc import Sequence

from memcli.errors import InvalidInput
from memcli.memory.commit import commit
from memcli.memory.items import Item
from memcli.memory.selection import selected
from memcli.project import Project
from memcli.store import oplog, replication, transaction, unshared
from memcli.store.oplog import BY_RULES, SHARE, UNSHARE, Change

_ACTOR = "sync"
_KINDS = ("memory", "state", "note", "profile entry")


def check(items: Sequence[Item]) -> None:
    """Raises InvalidInput for what never leaves this machine: sessions, prompts, passages, chunks."""
    for item in items:
        if item.kind not in _KINDS:
            raise InvalidInput(
                f"{item.id} is a {item.kind}, which never leaves this machine", "share a memory, state, note or entry"
            )


def share(project: Project, ids: Sequence[str]) -> None:
    """Shares objects that a command has just made, as a part of it."""
    with transaction(project.db):
        replication.share(project.db, ids)


def begin(project: Project, ids: Sequence[str], actor: str) -> None:
    """Shares objects from now on: as they are, not what was overwritten before. Undo takes it back."""

    def decide() -> list[Change]:
        shared = set(replication.shared_objects(project.db))
        fresh = [name for name in ids if name not in shared]
        replication.share(project.db, fresh)
        return [Change(SHARE, name, {}) for name in fresh]

    commit(project, decide, actor)


def stop(project: Project, ids: Sequence[str], actor: str) -> None:
    """Keeps objects here from now on, whatever the rules say. What others have already stays with them. Undo takes it back."""

    def decide() -> list[Change]:
        stopped, shared = replication.stopped_objects(project.db), set(replication.shared_objects(project.db))
        ended = [name for name in ids if name not in stopped]
        replication.stop_sharing(project.db, ended)
        return [Change(UNSHARE, name, {} if name in shared else {BY_RULES: True}) for name in ended]

    commit(project, decide, actor)


def apply_rules(project: Project) -> list[str]:
    """Shares what the settings say, and what shared memories need: their threads, and what replaces them.

    Inside the caller's rehearsal: of these, only what was sent is noted (`note_sent`). Returns them.
    """
    names = selected(project)
    replication.share(project.db, names)
    while neighbours := unshared.neighbours(project.db):
        replication.share(project.db, neighbours)
        names += neighbours
    return names


def note_sent(project: Project, names: Sequence[str]) -> None:
    """Shares from now on what was sent though nobody named it, and has the log say so. Inside the caller's transaction."""
    noted = unshared.noted(project.db, names)
    fresh = [name for name in names if name not in noted]
    replication.share(project.db, fresh)
    changes = [Change(SHARE, name, {}) for name in fresh if not name.startswith("T-")]
    oplog.append(project.db, changes, _ACTOR, project.now, oplog.NO_COMMAND)
