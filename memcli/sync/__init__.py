"""Export and import: memories, the profile and the notes as JSON lines. An import is idempotent.

A line with `profile` is an entry of the profile, one with `note` a note, any other a memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from memcli.errors import InvalidInput
from memcli.fields import REQUIRED, Field
from memcli.memory import FIELDS, entries, field_values
from memcli.memory.commit import commit, masked_text
from memcli.memory.context import checked_note, profile_change
from memcli.memory.projection import fold
from memcli.project import Project
from memcli.records import Record
from memcli.repo import history, next_commit
from memcli.store import context, memories, oplog
from memcli.store.memories import Memory
from memcli.store.oplog import Change, LoggedOperation
from memcli.text import dates, ids, json
from memcli.text.terminal import is_storable

ACTOR = "import"
_NOT_LOCAL = (ACTOR, "anchor", "doctor")  # actors whose changes are nobody's words of this machine
_COMPARED = (*FIELDS, "pinned")
_BATCH = 500  # rows in a transaction: others can write in between, and an interrupted import continues where it stopped
_PAGE = 500
_HINT = 'write one object a line: {"title": "...", "summary": "...", "source_id": "..."}'
_ENTRY_HINT = 'write {"profile": "editor", "value": "vim"} or {"note": "Deployed"}'
_MISSING = object()


class Imported(Record):
    """How many lines were new, changed something, were already stored, or were forgotten here; and what was not taken.

    `written_here`: lines that would have changed or replaced what was written here. `pins`, `profile`: what only a trusted file
    brings. `dates`: moments to come, taken as now.
    """

    imported: int
    updated: int
    unchanged: int
    forgotten: int = 0
    written_here: int = 0
    pins: int = 0
    profile: int = 0
    dates: int = 0


class Row(Record):
    """A checked line: the fields of a memory, its source id and its successor's."""

    fields: dict[str, Any]
    source_id: str | None
    superseded_by: str | None


def lines(project: Project) -> Iterator[str]:
    """Yields every live memory as a line of JSON, in the order they were stored, then the profile and the notes."""
    after = 0
    while page := memories.everything(project.db, after, _PAGE):
        for memory in page:
            yield json.dumps(_exported(project, memory))
        after = page[-1].n
    for entry in context.profile(project.db):
        yield json.dumps({"profile": entry.key, "value": entry.value, "updated_at": dates.iso(entry.updated_at)})
    for note in context.notes_between(project.db, "", "~"):
        yield json.dumps({"note": note.text, "created_at": dates.iso(note.created_at), "id": note.id})


def _exported(project: Project, memory: Memory) -> dict[str, Any]:
    successor = memories.find(project.db, memory.superseded_by) if memory.superseded_by else None
    return {
        **field_values(memory),
        "created_at": dates.iso(memory.created_at),
        "anchor_commit": memory.anchor,
        "pinned": bool(memory.pinned),
        "superseded_by": successor and (successor.source_id or successor.id),
        "source_id": memory.source_id or memory.id,
    }


def load(
    project: Project, json_lines: Iterable[str], progress: Callable[[int], None] = lambda size: None, trust: bool = False
) -> Imported:
    """Imports JSON lines, each once by its `source_id`. `progress` gets the length of each line; `trust` takes pins and profile.

    What was written here is never changed or replaced, and nothing is dated later than now.

    A row keeps its anchor if the clone knows the commit or if it waits for one; otherwise it is valid everywhere. Raises
    InvalidInput for the first bad line; what was stored before it stays, and the next import skips it.
    """
    running = _Import(project, trust)
    for number, line in enumerate(json_lines, 1):
        progress(len(line) + 1)
        if line.strip():
            running.add(line, number)
    running.store_batch()
    running.supersede()
    return Imported(*running.counts, **running.left_out)


class _Import:
    """A running import. All its batches are one command, so that one undo reverts the whole import."""

    def __init__(self, project: Project, trust: bool) -> None:
        self.project = project
        self.trust = trust
        self.left_out = {"written_here": 0, "pins": 0, "profile": 0, "dates": 0}  # as Imported names them
        self.command: int | None = None
        self.counts = [0, 0, 0, 0]  # as Imported lists them
        self.batch: list[Row] = []
        self.successors: dict[str, str] = {}  # source id of a superseded memory -> of its successor

    def add(self, line: str, number: int) -> None:
        """Adds a line to the batch, or stores it if it is a profile entry or a note. Raises InvalidInput."""
        try:
            body = _parse(line)
            if "profile" in body or "note" in body:
                self.store_batch()
                self._store_entry(body)
                return
            row = self._checked(_row(self.project, body))
        except InvalidInput as error:
            raise InvalidInput(f"line {number}: {error}", error.parts or _HINT) from None
        self.batch.append(row)
        if row.source_id and row.superseded_by:
            self.successors[row.source_id] = row.superseded_by
        if len(self.batch) == _BATCH:
            self.store_batch()

    def _checked(self, row: Row) -> Row:
        """Takes out of a row what would put it above what was written here."""
        if row.fields["created"] > self.project.now:
            row.fields["created"] = self.project.now
            self.left_out["dates"] += 1
        if not self.trust and row.fields.pop("pinned", False):
            self.left_out["pins"] += 1
        return row

    def _store_entry(self, body: dict[str, Any]) -> None:
        """Stores a profile entry or a note. A value that it once had, and that was changed here since, changes nothing."""
        change = _profile_change(self.project, body) if "profile" in body else _note_change(self.project, body)
        operations = oplog.standing(self.project.db, change.object)
        earlier = [json.loads(operation.body) for operation in operations]
        values = [(name, change.body[name]) for name in ("value", "text") if name in change.body]
        if any(body.get(name) == value for body in earlier for name, value in values):
            self.counts[2] += 1
            return
        if "profile" in body and not self.trust:
            self.left_out["profile"] += 1
            return
        if _is_local(operations):
            self.left_out["written_here"] += 1
            return
        is_gone = fold(oplog.of_object(self.project.db, change.object)).forgotten
        changes = [Change("restore", change.object, {}), change] if is_gone and change.kind == "note" else [change]
        self.command = commit(self.project, lambda: changes, ACTOR, self.command)[0].command
        self.counts[1 if earlier else 0] += 1

    def store_batch(self) -> None:
        """Stores the batch in one transaction and adds to the counts."""
        if not self.batch:
            return
        _drop_unknown_anchors(self.project, self.batch)
        batch = _Batch(self.project)

        def decide() -> list[Change]:
            for row in self.batch:
                batch.add(row)
            return batch.all_changes()

        operations = commit(self.project, decide, ACTOR, self.command)
        self.counts = [total + count for total, count in zip(self.counts, batch.counts)]
        self.left_out["written_here"] += batch.written_here
        self.command = operations[0].command if operations else self.command
        self.batch = []

    def supersede(self) -> None:
        """Adds the missing edges from superseded memories to their successors, both named by their source ids."""

        def decide() -> list[Change]:
            changes = []
            for old_source, new_source in self.successors.items():
                old, new = (memories.by_source(self.project.db, source) for source in (old_source, new_source))
                if not (old and new and old.id != new.id and not old.superseded_by):
                    continue
                if _is_local(oplog.standing(self.project.db, old.id)):
                    self.left_out["written_here"] += 1
                else:
                    changes.append(Change("link", new.id, {"rel": "supersedes", "to": old.id, "on": True}))
                    changes.append(Change("supersede", old.id, {"by": new.id, "on": True}))
            return changes

        if self.successors:
            commit(self.project, decide, ACTOR, self.command)


class _Batch:
    """The changes for rows that are stored together. A source id may occur more than once among them."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.counts = [0, 0, 0, 0]  # as Imported lists them
        self.written_here = 0
        self.changes: dict[str, Change] = {}  # by the memory's id
        self.restored: list[Change] = []
        self.ids: dict[str, str] = {}  # source id -> memory id

    def add(self, row: Row) -> None:
        """Adds what a row changes."""
        memory = memories.by_source(self.project.db, row.source_id) if row.source_id else None
        memory_id = self.ids.get(row.source_id or "") or (memory.id if memory else "")
        if not memory_id:
            memory_id = ids.new("M")
            source = {"source": row.source_id} if row.source_id else {}
            self.changes[memory_id] = Change("put", memory_id, {**row.fields, **source})
            self.counts[0] += 1
        elif memory and memory.forgotten and not _was_undone(self.project, memory):
            self.counts[3] += 1
        elif memory and memory.forgotten and memory_id not in self.ids.values():
            self.restored.append(Change("restore", memory_id, {}))
            self.counts[0] += 1
            if fields := _changed_fields(self.project, memory, row, None):
                self.changes[memory_id] = Change("put", memory_id, fields)
        elif memory and _is_local(oplog.standing(self.project.db, memory.id)):
            is_same = not _changed_fields(self.project, memory, row, None)
            self.counts[2] += is_same
            self.written_here += not is_same
        elif fields := _changed_fields(self.project, memory, row, self.changes.get(memory_id)):
            self.changes[memory_id] = Change("put", memory_id, fields)
            self.counts[1] += 1
        else:
            self.counts[2] += 1
        if row.source_id:
            self.ids[row.source_id] = memory_id

    def all_changes(self) -> list[Change]:
        """Returns the changes, those that create missing threads first."""
        db = self.project.db
        threads = dict.fromkeys([str(change.body["thread"]) for change in self.changes.values() if "thread" in change.body])
        threads |= dict.fromkeys([memory.thread for change in self.restored if (memory := memories.find(db, change.object))])
        created = [change for thread in threads for change in entries.thread_change(self.project, thread)]
        return [*created, *self.restored, *self.changes.values()]


def _was_undone(project: Project, memory: Memory) -> bool:
    """Tells whether a memory is gone because a command was undone, not because somebody forgot it."""
    last = [op for op in oplog.of_object(project.db, memory.id) if op.kind in ("forget", "restore")][-1:]
    return bool(last) and last[0].kind == "forget" and oplog.is_undo(project.db, last[0].command)


def _is_local(operations: Iterable[LoggedOperation]) -> bool:
    """Tells whether these operations on an object say something that no import brought."""
    return any(op.kind in ("put", "profile", "note") and op.actor not in _NOT_LOCAL for op in operations)


def _changed_fields(project: Project, memory: Memory | None, row: Row, pending: Change | None) -> dict[str, Any]:
    """Returns the fields that a row changes. Values that the memory had before it was changed are not new, unless undone."""
    operations = oplog.of_object(project.db, memory.id) if memory else []
    standing = oplog.standing(project.db, memory.id) if memory else []
    if pending is not None:  # an earlier row of this batch has the same source id
        base = {**fold(operations).fields, **pending.body}
        changed = {name: row.fields[name] for name in _COMPARED if name in row.fields and base.get(name) != row.fields[name]}
        return {**pending.body, **changed} if changed else {}
    if memory is None:
        return {}
    values = {name: value for name, value in row.fields.items() if name in _COMPARED}
    for end in range(len(standing), 0, -1):  # compares with every state that the memory had
        earlier = {"pinned": False, **fold(standing[:end]).fields}
        if all(earlier.get(name) == value for name, value in values.items()):
            return {}
    current = {"pinned": False, **fold(operations).fields}
    return {name: value for name, value in values.items() if current.get(name) != value}


def _drop_unknown_anchors(project: Project, batch: list[Row]) -> None:
    """Lets what names a commit that the clone does not know hold everywhere, but not what waits for one of a branch."""
    anchors = {row.fields["anchor"] for row in batch if row.fields["anchor"]}
    existing = history.existing_commits(project.checkout, anchors) if anchors and project.checkout is not None else set()
    for row in batch:
        anchor = row.fields["anchor"]
        if anchor not in existing and not next_commit.is_awaited(anchor):
            row.fields["anchor"] = None


def _parse(line: str) -> dict[str, Any]:
    try:
        body = json.loads(line)
    except json.Malformed as error:
        raise InvalidInput(str(error), _HINT) from None
    if not isinstance(body, dict):
        raise InvalidInput("not an object", _HINT)
    return body


def _row(project: Project, body: dict[str, Any]) -> Row:
    values = {name: _value(body, name, field) for name, field in FIELDS.items()}
    fields = entries.checked(project, entries.NewMemory(**values))
    fields["anchor"] = _text(body, "anchor_commit", None)
    created = _text(body, "created_at", None)
    fields["created"] = dates.parse(created) if created else project.now
    if (pinned := body.get("pinned")) is not None:
        if not isinstance(pinned, bool):
            raise InvalidInput("pinned is neither true nor false", _HINT)
        fields["pinned"] = pinned
    sources = [_text(body, name, None) for name in ("source_id", "superseded_by")]
    return Row(fields, *[source and masked_text(project, source) for source in sources])


def _profile_change(project: Project, body: dict[str, Any]) -> Change:
    return profile_change(project, *[_text(body, name, hint=_ENTRY_HINT) for name in ("profile", "value")])


def _note_change(project: Project, body: dict[str, Any]) -> Change:
    text, created, note_id = (_text(body, name, None, _ENTRY_HINT) for name in ("note", "created_at", "id"))
    created_at = project.now if created is None else min(dates.parse(created), project.now)
    name = ids.new("N") if note_id is None else ids.canonical(note_id)
    if not name.startswith("N-") or len(name) != 2 + ids.LENGTH or not set(name[2:]) <= set(ids.ALPHABET):
        raise InvalidInput(f"{name[:40]!r} is not the id of a note", "leave the id out")
    if text is None:
        raise InvalidInput("note is not a string", _ENTRY_HINT)
    return Change("note", name, {"day": dates.day(created_at), "text": checked_note(project, text), "created": created_at})


def _value(body: dict[str, Any], name: str, field: Field) -> Any:
    """Returns the value of a memory's field in a line. Raises InvalidInput."""
    value = body.get(name)
    if field.kind == "labels":
        if isinstance(value, str):
            return tuple([label.strip() for label in value.split(",")])
        if value and (not isinstance(value, list) or not all(isinstance(label, str) for label in value)):
            raise InvalidInput(f"{name} is not a list of strings", _HINT)
        return tuple(value or ())
    if field.kind in ("text", "name"):
        return _text(body, name, _MISSING if field.default is REQUIRED else field.default)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise InvalidInput(f"{name} is not a whole number", _HINT)
    return field.default if value is None else value


def _text(body: dict[str, Any], name: str, default: Any = _MISSING, hint: str = _HINT) -> Any:
    value = body.get(name)
    if value is None and default is not _MISSING:
        return default
    if not isinstance(value, str):
        raise InvalidInput(f"{name} is not a string", hint)
    if not is_storable(value):
        raise InvalidInput(f"{name} holds a NUL or half a surrogate pair", "remove it: only Unicode text can be stored")
    return value
