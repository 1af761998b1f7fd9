"""A line of an export: a checked object, and the changes for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memcli.errors import InvalidInput
from memcli.fields import REQUIRED, Field
from memcli.memory import FIELDS, entries
from memcli.memory.commit import masked_fields, masked_text
from memcli.memory.contents import title_of
from memcli.memory.context import checked_note, checked_state, profile_change
from memcli.project import Project
from memcli.records import Record, replace
from memcli.repo import ancestry, next_commit
from memcli.store import oplog
from memcli.store.oplog import Change
from memcli.sync import conversations
from memcli.text import dates, ids, json
from memcli.text.terminal import is_storable

HINT = (
    'write one object a line: {"text": "..."}, or {"title": "...", "summary": "...", "source_id": "..."}; '
    "of a program or an agent: --from NAME"
)
_ENTRY_HINT = 'write {"profile": "editor", "value": "vim"} or {"note": "Deployed"}'
_MISSING = object()
MOST_FILES = 20  # that a memory is linked to
_NO_CONTENT = ("created", "pinned")  # fields in which two memories that say the same may differ
_TEXTS = ("text", "fact", "content", "title")  # names under which a line may have all that it says, as `mem add TEXT` takes it


class Row(Record):
    """A checked memory: its fields, its source id and its successor's, links to (relation, source id), files that it is about.

    `hashed`: whether the files are as the memory says; else they only were when it was written. `place`: as in edits.py.
    `is_partial`: the source lacks some of its text, so that it replaces none. `is_unnamed`: it came without a source id, and has
    one that follows from what it says.
    """

    fields: dict[str, Any]
    source_id: str | None
    superseded_by: str | None
    links: Sequence[tuple[str, str]] = ()
    files: Sequence[str] = ()
    hashed: bool = True
    place: str | None = None
    is_partial: bool = False
    is_unnamed: bool = False


def line(text: str) -> dict[str, Any]:
    """Returns the object in a line. Raises InvalidInput."""
    try:
        body = json.loads(text)
    except json.Malformed as error:
        raise InvalidInput(str(error), HINT) from None
    if not isinstance(body, dict):
        raise InvalidInput("not an object", HINT)
    return body


def memory(project: Project, body: dict[str, Any]) -> Row:
    """Returns the memory of an object. Raises InvalidInput."""
    body = _completed(body)
    values = {name: _value(body, name, field) for name, field in FIELDS.items()}
    fields = entries.checked(project, entries.NewMemory(**values))
    fields["anchor"] = text(body, "anchor_commit", None)
    created = text(body, "created_at", None)
    fields["created"] = dates.parse(created) if created else project.now
    if (pinned := body.get("pinned")) is not None:
        if not isinstance(pinned, bool):
            raise InvalidInput("pinned is neither true nor false", HINT)
        fields["pinned"] = pinned
    sources = [text(body, name, None) for name in ("source_id", "superseded_by")]
    oplog.body_of(Change("put", "", fields))  # raises InvalidInput for what the log cannot take
    source_id, superseded_by = [source and masked_text(project, source) for source in sources]
    if source_id is None:
        return Row(fields, _named_by_content(fields), superseded_by, is_unnamed=True)
    return Row(fields, source_id, superseded_by)


def _named_by_content(fields: dict[str, Any]) -> str:
    """Returns a source id for a memory that came without one, so that the same line is the same memory each time."""
    return ids.of_text("line", json.canonical({name: value for name, value in fields.items() if name not in _NO_CONTENT}))


def _completed(body: dict[str, Any]) -> dict[str, Any]:
    """Returns an object with a title and a summary, if it has at least a text. Raises InvalidInput."""
    name = next((name for name in ("summary", *_TEXTS) if body.get(name) is not None), None)
    if name is None:
        raise InvalidInput("it has no text", HINT)
    title = text(body, "title", None)
    words = text(body, name)
    return {**body, "title": title_of(words) if title is None else title, "summary": words}


def foreign_memory(project: Project, body: dict[str, Any]) -> Row:
    """Returns the memory of another program's entry, with the fields that only such an entry has. Raises InvalidInput."""
    row = memory(project, body)
    if "entities" not in body:  # of which the source says nothing
        row.fields.pop("entities")
    details = masked_fields(project, body.get("details", {}))
    if session := body.get("session"):
        key = conversations.session_id(project, body.get("harness", ""), session)
        details |= {"session": key, "prompt": body.get("prompt_number") or 0, "tools": body.get("tools", [])}
    oplog.body_of(Change("put", "", {**row.fields, **details}))
    files = body.get("files") or body.get("past_files") or ()
    return replace(
        row,
        fields={**row.fields, **details},
        links=[(relation, masked_text(project, target)) for relation, target in body.get("links", ())],
        files=list(dict.fromkeys(files))[:MOST_FILES],
        hashed="files" in body,
        place=body.get("place"),
        is_partial=body.get("is_partial", False),
    )


def state(project: Project, body: dict[str, Any]) -> dict[str, Any]:
    """Returns the fields of a state. Raises InvalidInput."""
    value = checked_state(body["reason"], json.dumps(body["state"]))
    created = min(dates.parse(body["created_at"]), project.now) if body.get("created_at") else project.now
    thread = body.get("thread") or project.config["memory.thread"]
    return {"state": value, "reason": body["reason"], "thread": thread, "memory": None, "created": created}


def drop_unknown_anchors(project: Project, batch: list[Row]) -> list[Row]:
    """Makes rows with an unknown commit hold everywhere, except those that wait for a branch's next commit.

    Returns what now holds everywhere.
    """
    anchors = {row.fields["anchor"] for row in batch if row.fields["anchor"]}
    existing = ancestry.existing_commits(project.checkout, anchors) if anchors and project.checkout is not None else set()
    unknown = [row for row in batch if row.fields["anchor"] not in existing and not next_commit.is_awaited(row.fields["anchor"])]
    dropped = [row for row in unknown if row.fields["anchor"]]
    for row in dropped:
        row.fields["anchor"] = None
    return dropped


def profile(project: Project, body: dict[str, Any]) -> Change:
    """Returns the change of an entry of the profile. Raises InvalidInput."""
    return profile_change(project, *[text(body, name, hint=_ENTRY_HINT) for name in ("profile", "value")])


def note(project: Project, body: dict[str, Any]) -> Change:
    """Returns the change that stores a note. Raises InvalidInput."""
    words, created, note_id = (text(body, name, None, _ENTRY_HINT) for name in ("note", "created_at", "id"))
    created_at = project.now if created is None else min(dates.parse(created), project.now)
    name = ids.new("N") if note_id is None else ids.canonical(note_id)
    if not name.startswith("N-") or len(name) != 2 + ids.LENGTH or not set(name[2:]) <= set(ids.ALPHABET):
        raise InvalidInput(f"{name[:40]!r} is not the id of a note", "leave the id out")
    if words is None:
        raise InvalidInput("note is not a string", _ENTRY_HINT)
    return Change("note", name, {"day": dates.day(created_at), "text": checked_note(project, words), "created": created_at})


def _value(body: dict[str, Any], name: str, field: Field) -> Any:
    """Returns the value of a memory's field in a line. Raises InvalidInput."""
    value = body.get(name)
    if field.kind == "labels":
        if isinstance(value, str):
            return tuple([label.strip() for label in value.split(",")])
        if value and (not isinstance(value, list) or not all(isinstance(label, str) for label in value)):
            raise InvalidInput(f"{name} is not a list of strings", HINT)
        return tuple(value or ())
    if field.kind in ("text", "name"):
        return text(body, name, _MISSING if field.default is REQUIRED else field.default)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise InvalidInput(f"{name} is not a whole number", HINT)
    return field.default if value is None else value


def text(body: dict[str, Any], name: str, default: Any = _MISSING, hint: str = HINT) -> Any:
    """Returns a text of an object. Raises InvalidInput."""
    value = body.get(name)
    if value is None and default is not _MISSING:
        return default
    if not isinstance(value, str):
        raise InvalidInput(f"{name} is not a string", hint)
    if not is_storable(value):
        raise InvalidInput(f"{name} holds a NUL or half a surrogate pair", "remove it: only Unicode text can be stored")
    return value
