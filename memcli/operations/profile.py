"""profile: values that are stored word for word under keys."""

from __future__ import annotations

from typing import Any, Literal

from memcli import fields
from memcli.fields import Based, Request, Result
from memcli.memory import context
from memcli.memory.commit import commit
from memcli.operations import Operation
from memcli.project import Project
from memcli.screening import is_suspicious
from memcli.store import oplog
from memcli.store.context import ProfileEntry
from memcli.store.oplog import Change
from memcli.text import dates
from memcli.validity import origin_of, writer_name


class ProfileRequest(Request):
    """A key of the profile; None: all of them."""

    key: str | None = fields.text("A name, such as editor.", default=None, metavar="KEY")


class SetRequest(Based):
    """A key and its value."""

    key: str = fields.text("A name, such as editor.", metavar="KEY")
    value: str = fields.text("The value; - reads standard input.", max_length=65_536, metavar="VALUE")


class DeleteRequest(Based):
    """The key to remove."""

    key: str = fields.text("A name, such as editor.", metavar="KEY")


class ProfileValue(Result):
    """A value under a key."""

    id: str
    key: str
    value: str
    updated_at: str
    origin: str
    trust: Literal["high", "medium", "low"]
    suspicious: bool
    revision: int
    author: str = ""  # of what another store wrote: what that is called


class OwnedValue(ProfileValue):
    """A value under a key, and whether it is the person's own or the repository's."""

    source: str = fields.text("user or repository", default="repository", output="from")


class DeletedKey(Result):
    """A key that was removed, or did not exist."""

    key: str
    status: str
    revision: int = 0


def read(project: Project, request: ProfileRequest) -> list[OwnedValue]:
    """Returns the entries, or those under a key. Raises NotFound or InvalidInput."""
    pairs = context.profile(project) if request.key is None else context.find_entries(project, request.key)
    return [owned_value(entry, is_own, writer_name(project, entry.actor)) for entry, is_own in pairs]


def owned_value(entry: ProfileEntry, is_own: bool, author: str = "") -> OwnedValue:
    """Returns the result for an entry, the person's own or the repository's. `author`: the name of another store."""
    return OwnedValue(**_values(entry), source="user" if is_own else "repository", author=author)


def profile_value(entry: ProfileEntry) -> ProfileValue:
    """Returns the result for an entry."""
    return ProfileValue(**_values(entry))


def plan_set(project: Project, request: SetRequest) -> Change | ProfileValue:
    """Returns the change, or the entry if it has this value already. Raises InvalidInput."""
    change = context.profile_change(project, request.key, request.value)
    current = context.profile_entry(project, change)
    return profile_value(current) if current and current.value == change.body["value"] else change


def apply_set(project: Project, planned: Change, actor: str) -> ProfileValue:
    """Stores the value, replacing an earlier one."""
    return profile_value(context.store_entry(project, planned, actor))


def plan_delete(project: Project, request: DeleteRequest) -> Change | DeletedKey:
    """Returns the change, or the result if the key does not exist. Raises InvalidInput."""
    return context.profile_removal(project, request.key) or DeletedKey(request.key.strip(), "absent")


def apply_delete(project: Project, planned: Change, actor: str) -> DeletedKey:
    """Removes the key. Its history stays in the log."""
    entry = context.profile_entry(project, planned)
    commit(project, lambda: [planned, *(context.detail_hidden(project, entry.key) if entry else ())], actor)
    return DeletedKey(entry.key if entry else "", "deleted", oplog.last_of(project.db, planned.object))


def _values(entry: ProfileEntry) -> dict[str, Any]:
    values = {"id": entry.id, "key": entry.key, "value": entry.value, "updated_at": dates.iso(entry.updated_at)}
    facts = {"suspicious": is_suspicious(entry.key, entry.value), "revision": entry.revision}
    return values | origin_of(entry.actor).as_json() | facts


OPERATIONS = {
    "profile": Operation(
        "profile", "Show the profile: lasting values under keys, stored word for word.", ProfileRequest, OwnedValue, read=read
    ),
    "profile_set": Operation(
        "profile_set",
        "Keep a value under a key.",
        SetRequest,
        ProfileValue,
        plan_set,
        apply_set,
        creates=True,
        question="Keep this in the profile?",
        hides=True,
        repeatable=True,
    ),
    "profile_delete": Operation(
        "profile_delete",
        "Remove a key from the profile.",
        DeleteRequest,
        DeletedKey,
        plan_delete,
        apply_delete,
        question="Remove this from the profile?",
        hides=True,
        repeatable=True,
    ),
}
