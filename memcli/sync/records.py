"""The profile and the notes as lines of JSON: `{"profile": KEY, "value": ...}` and `{"note": TEXT, "created_at": ...}`."""

from __future__ import annotations

from memcli.errors import InvalidInput
from memcli.memory import notes as day
from memcli.memory import profile as entries
from memcli.memory.commit import commit
from memcli.store import notes, oplog, profile
from memcli.store.oplog import Change
from memcli.text import dates, ids, json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from memcli.project import Project

NAMES = ("profile", "note")  # the first of these fields that a line has says what it is; one with neither is a memory
NEW, CHANGED, THERE = range(3)


def lines(project: Project) -> Iterator[str]:
    """Yields every entry of the profile and every note as one line of JSON."""
    for entry in profile.everything(project.db):
        yield json.dumps({"profile": entry.key, "value": entry.value, "updated_at": dates.iso(entry.updated_at)})
    for note in notes.between(project.db, "", "~"):
        yield json.dumps({"note": note.text, "created_at": dates.iso(note.created_at), "id": note.id})


def take(project: Project, given: dict[str, Any], actor: str, command: int | None) -> tuple[int, int | None]:
    """Takes in one line. Returns (NEW, CHANGED or THERE, the command). Raises InvalidInput.

    A value that the profile had once, and somebody changed here since, changes nothing.
    """
    change = _entry(project, given) if "profile" in given else _note(project, given)
    earlier = [json.loads(op.body) for op in oplog.of_object(project.db, change.object)]
    if any(body.get(name) == change.body[name] for body in earlier for name in ("value", "text") if name in change.body):
        return THERE, command
    written = commit(project, lambda: [change], actor, command)
    return CHANGED if earlier else NEW, written[0].command


def _entry(project: Project, given: dict[str, Any]) -> Change:
    return entries.said(project, _text(given, "profile"), _text(given, "value"))


def _note(project: Project, given: dict[str, Any]) -> Change:
    created = dates.parse(_text(given, "created_at")) if given.get("created_at") is not None else project.now
    name = ids.canonical(_text(given, "id")) if given.get("id") is not None else ids.new("N")
    if not name.startswith("N-") or len(name) != 2 + ids.LENGTH or not set(name[2:]) <= set(ids.ALPHABET):
        raise InvalidInput(f"no note can have the id {name[:40]!r}", "leave the id out")
    return Change(
        "note", name, {"day": dates.day(created), "text": day.checked(project, _text(given, "note")), "created": created}
    )


def _text(given: dict[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str):
        raise InvalidInput(f"{name} is not a text", 'write {"profile": "editor", "value": "vim"} or {"note": "Deployed"}')
    return value
