"""diff: what changed in an object since a revision of the log."""

from __future__ import annotations

from typing import Any

from memcli import fields
from memcli.fields import Request, Result
from memcli.memory import versions
from memcli.memory.versions import VersionChange
from memcli.operations import Operation
from memcli.operations.results import titles_of
from memcli.project import Project
from memcli.records import Record


class DiffRequest(Request):
    """The object, and since which revision."""

    id: str = fields.identifier("A memory's id, or that of a session, a prompt, a note, a state or an entry of the profile.")
    revision: int | None = fields.number(
        "A revision of the log, as shown by mem log ID; by default the one before the last change.",
        default=None,
        maximum=(1 << 53) - 1,
        metavar="REV",
    )


class FieldDifference(Result):
    """A field that changed; null if it did not exist."""

    key: str
    before: Any
    after: Any


class ObjectDifference(Result):
    """What changed in an object from one revision of the log to its newest."""

    id: str
    title: str
    source: int = fields.number("The revision it is compared with.", output="from")
    to: int
    changes: list[FieldDifference]


class Compared(Record):
    """What changed in an object, and its title."""

    version: VersionChange
    title: str

    def answer(self) -> ObjectDifference:
        """Returns the difference as a result."""
        version = self.version
        changes = [FieldDifference(change.key, change.before, change.after) for change in version.changes]
        return ObjectDifference(version.id, self.title, version.since, version.to, changes)


def read(project: Project, request: DiffRequest) -> Compared:
    """Returns what changed. Raises NotFound or InvalidInput."""
    version = versions.changes_since(project, request.id, request.revision)
    return Compared(version, titles_of(project.db, [version.id]).get(version.id, ""))


OPERATIONS = {"diff": Operation("diff", "Show how a memory changed since a revision.", DiffRequest, Compared, read=read)}
