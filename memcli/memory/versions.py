"""Versions of an object: what the log says about it at a revision, and what changed between two revisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.errors import Call, InvalidInput
from memcli.memory.history import object_of
from memcli.memory.projection import fold
from memcli.project import Project
from memcli.records import Record
from memcli.store import oplog
from memcli.store.oplog import LoggedOperation
from memcli.text import json

_EDITS = ("put", "profile", "note")
_NOT_SHOWN = ("via", "created")  # where a change came from and when the object began: no part of what it says


class FieldChange(Record):
    """A field of an object that changed; None if it did not exist."""

    key: str
    before: Any
    after: Any


class VersionChange(Record):
    """What changed in an object between two revisions of the log."""

    id: str
    since: int
    to: int
    changes: list[FieldChange]


def changes_since(project: Project, reference: str, since: int | None) -> VersionChange:
    """Returns what changed in an object after a revision; None: by the last command that changed it.

    Raises NotFound, or InvalidInput for a revision that the log does not have.
    """
    object_id = object_of(project, reference)
    operations = oplog.of_object(project.db, object_id)
    newest = max([op.revision for op in operations], default=0)
    if since is None:
        since = _before_last_command(operations)
    elif since > (last := oplog.revision(project.db)):
        raise InvalidInput(f"no revision {since}; the newest is {last}", ("see ", Call("log", object_id)))
    return VersionChange(object_id, since, newest, _between(operations, since, newest))


def title_at(project: Project, memory_id: str, revision: int) -> str:
    """Returns the title that a memory had at a revision of the log, "" where the log does not have that."""
    operations = [op for op in oplog.of_object(project.db, memory_id) if op.revision <= revision]
    return str(fold(operations, withdrawn=True).fields.get("title") or "")


def _before_last_command(operations: Sequence[LoggedOperation]) -> int:
    """Returns the revision before the newest command that changed an object, given all operations on the object."""
    sharing = (oplog.SHARE, oplog.UNSHARE)
    commands = [op.command for op in operations if op.command != oplog.NO_COMMAND and op.kind not in sharing]
    return min([op.revision for op in operations if op.command == max(commands, default=oplog.NO_COMMAND)]) - 1


def changes_of(project: Project, operations: Sequence[LoggedOperation]) -> dict[str, list[FieldChange]]:
    """Returns, by operation id, what each operation changed in its object."""
    logged = {name: oplog.of_object(project.db, name) for name in {op.object for op in operations}}
    return {op.id: _between(logged[op.object], op.revision - 1, op.revision) for op in operations}


def lost_in(project: Project, operations: Sequence[LoggedOperation]) -> dict[str, list[FieldChange]]:
    """Returns, by operation id, changes that never took effect here: a later change of the field had arrived before them."""
    lost = {}
    for op in [op for op in operations if op.kind in _EDITS and op.vis != oplog.LOCAL]:
        here = [it for it in oplog.of_object(project.db, op.object) if it.revision < op.revision and _clock(it) > _clock(op)]
        later = {key for it in here if it.kind in _EDITS for key in json.loads(it.body)}
        fields = [FieldChange(key, None, value) for key, value in json.loads(op.body).items() if key in later - {*_NOT_SHOWN}]
        if fields:
            lost[op.id] = fields
    return lost


def _clock(op: LoggedOperation) -> tuple[int, int, str, str]:
    return op.hlc_ms, op.hlc_n, op.writer, op.id


def _between(operations: Sequence[LoggedOperation], since: int, to: int) -> list[FieldChange]:
    """Returns the differences between two revisions, given all operations on one object."""
    before, after = (_at([op for op in operations if op.revision <= revision]) for revision in (since, to))
    keys = dict.fromkeys([*before, *after])
    return [FieldChange(key, before.get(key), after.get(key)) for key in keys if before.get(key) != after.get(key)]


def _at(operations: Sequence[LoggedOperation]) -> dict[str, Any]:
    """Returns the fields that operations give their object, by name, without empty ones."""
    folded = fold(operations, withdrawn=True)
    links = sorted([" ".join([link.rel, link.to_id, (link.hash or "")[:7]]).rstrip() for link in folded.links.values() if link])
    more = {"links": links, "superseded_by": folded.superseded_by, "forgotten": folded.forgotten}
    values = {**folded.fields, **more}
    return {name: value for name, value in values.items() if name not in _NOT_SHOWN and value not in (None, "", [], False)}
