"""Looking after anchors: noting what their commits changed while these are there, and moving on with a change that moved."""

from __future__ import annotations

from memcli.memory.commit import refresh
from memcli.repo import carry
from memcli.repo.history import Commit
from memcli.store import anchors, oplog
from memcli.store.anchors import IN_VAIN, NOTED, Note
from memcli.store.db import transaction
from memcli.store.oplog import Change

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.project import Project
    from memcli.repo.carry import Noted
    from memcli.store.db import Connection

ACTOR = "anchor"


def note(project: Project, due: Sequence[str]) -> None:
    """Notes what these commits changed. Where git fails they stay due."""
    assert project.checkout is not None
    found = carry.note(project.checkout, due)
    if found is None:
        return
    made = [_row(one) for one in found]
    missing = set(due) - {one.id for one in made}
    with transaction(project.db):
        anchors.keep(project.db, [*made, *[Note(name, IN_VAIN) for name in sorted(missing)]])


def move(project: Project, held: Sequence[tuple[str, str]], to: dict[str, str]) -> None:
    """Anchors memories, given as (id, anchor), where the change of their anchor went.

    The operations belong to no command: `mem undo` takes back what somebody did, and this nobody did.
    """
    with transaction(project.db):
        changes = [Change("put", memory_id, {"anchor": to[anchor]}) for memory_id, anchor in held]
        oplog.append(project.db, changes, ACTOR, project.now, oplog.NO_COMMAND)
        for memory_id, _ in held:
            refresh(project, memory_id)


def noted(db: Connection, commits: Sequence[str]) -> dict[str, Noted]:
    """Returns what is noted of these commits."""
    return {row.id: _noted(row) for row in anchors.notes(db, commits)}


def _row(noted: Noted) -> Note:
    commit = noted.commit
    changes = "\n".join([f"{after} {path}" for path, (_, after) in commit.changes.items()])
    return Note(commit.id, NOTED, commit.at, commit.author, commit.subject, commit.total, changes, noted.patch)


def _noted(row: Note) -> Noted:
    pairs = [line.partition(" ") for line in row.changes.split("\n") if line]
    changes = {path: ("", after) for after, _, path in pairs}
    return carry.Noted(Commit(row.id, (), row.at, row.author, row.subject, changes, row.total), row.patch)
