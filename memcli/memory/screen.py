"""What may not be stored, taken out of what is about to be: private spans and secrets.

Every change passes `changes` on its way into the log (commit.py). A use case that compares with what is stored calls `fields`
itself before, since the masked text is what is there.
"""

from __future__ import annotations

from memcli.errors import InvalidInput
from memcli.records import replace
from memcli.text.privacy import without_private
from memcli.text.secrets import mask, mask_payload

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.project import Project
    from memcli.store.oplog import Change

_NEEDED = ("title", "summary", "reason")  # texts without which nothing would be said


def changes(project: Project, given: Sequence[Change]) -> list[Change]:
    """Returns changes as they may be stored, and notes on the project which rules found something. Raises InvalidInput."""
    done = []
    for change in given:
        body = _session(project, change.body) if change.kind == "session" else fields(project, change.body)
        object_id = f"T-{text(project, change.object[2:])}" if change.object.startswith("T-") else change.object
        done.append(
            change if body is change.body and object_id == change.object else replace(change, body=body, object=object_id)
        )
    return done


def _session(project: Project, body: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields of a session as they may be stored. Its name in the harness looks like a secret, and is called `key`."""
    found = fields(project, {name: value for name, value in body.items() if name != "key"})
    return {**found, "key": text(project, body["key"])} if "key" in body else found


def fields(project: Project, body: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields of one change as they may be stored. Raises InvalidInput where nothing would be left of a text."""
    found = mask_payload(body, without_private)
    if found.rules:
        project.masked.update(dict.fromkeys(found.rules))
        for name in _NEEDED:
            if isinstance(body.get(name), str) and body[name].strip() and not found.value[name].strip():
                raise InvalidInput(f"the {name} is private as a whole", "nothing was stored; leave something outside <private>")
    masked: dict[str, Any] = found.value
    return masked


def text(project: Project, given: str) -> str:
    """Returns one text as it may be stored."""
    found = mask(without_private(given))
    if found.rules:
        project.masked.update(dict.fromkeys(found.rules))
    return found.text
