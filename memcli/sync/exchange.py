"""Memories as JSON lines: out of one store, into another, as often as one likes."""

from __future__ import annotations

from memcli.errors import InvalidInput
from memcli.fields import REQUIRED
from memcli.memory import entries, screen
from memcli.memory.commit import commit
from memcli.memory.fields import FIELDS
from memcli.memory.lookup import field_values
from memcli.memory.reduce import fold
from memcli.records import Record
from memcli.store import memories, oplog
from memcli.store.oplog import Change
from memcli.sync import records
from memcli.text import dates, ids, json
from memcli.text.terminal import is_storable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from memcli.fields import Field
    from memcli.project import Project
    from memcli.store.memories import Memory

ACTOR = "import"
_COMPARED = (*FIELDS, "pinned")
_BATCH = 500  # rows a transaction: others can write in between, and an interrupted import goes on where it stopped
_PAGE = 500
_HINT = 'write one object a line: {"title": "...", "summary": "...", "source_id": "..."}'


class Imported(Record):
    """How many rows were new, changed, there already, and forgotten here by somebody."""

    imported: int
    updated: int
    unchanged: int
    forgotten: int = 0


class Row(Record):
    """One line, checked: the fields of a memory and its name where it comes from."""

    fields: dict[str, Any]
    source_id: str | None
    superseded_by: str | None


def lines(project: Project) -> Iterator[str]:
    """Yields every live memory as one line of JSON, in the order they were stored, then the profile and the notes."""
    after = 0
    while page := memories.everything(project.db, after, _PAGE):
        for memory in page:
            yield json.dumps(_exported(project, memory))
        after = page[-1].n
    yield from records.lines(project)


def _exported(project: Project, memory: Memory) -> dict[str, Any]:
    return {
        **field_values(memory),
        "created_at": dates.iso(memory.created_at),
        "anchor_commit": memory.anchor,
        "pinned": bool(memory.pinned),
        "superseded_by": _source(project, memory.superseded_by),
        "source_id": memory.source_id or memory.id,
    }


def _source(project: Project, memory_id: str | None) -> str | None:
    """Returns the name under which a memory is exported."""
    memory = memories.find(project.db, memory_id) if memory_id else None
    return (memory.source_id or memory.id) if memory else None


def load(project: Project, given: Iterable[str], tick: Callable[[int], None] = lambda size: None) -> Imported:
    """Takes in lines of JSON, each once by its `source_id`. `tick` is told the length of each line done.

    A row keeps its anchor if the clone knows the commit, else it has none and holds everywhere. Raises InvalidInput for
    the first line that is not a memory; what was stored before it stays, and the next run finds it there.
    """
    totals = [0, 0, 0, 0]
    command: int | None = None  # all batches are one command, so that undo takes the whole import back
    batch: list[Row] = []
    replaced: dict[str, str] = {}
    for number, line in enumerate(given, 1):
        tick(len(line) + 1)
        if not line.strip():
            continue
        said = _object(line, number)
        if any(name in said for name in records.NAMES):
            command = _store(project, batch, totals, command)
            batch = []
            command = _keep(project, said, number, totals, command)
            continue
        row = _row(project, said, number)
        batch.append(row)
        if row.source_id and row.superseded_by:
            replaced[row.source_id] = row.superseded_by
        if len(batch) == _BATCH:
            command = _store(project, batch, totals, command)
            batch = []
    command = _store(project, batch, totals, command)
    _supersede(project, replaced, command)
    return Imported(*totals)


def _supersede(project: Project, replaced: dict[str, str], command: int | None) -> None:
    """Makes the edges from memories to what replaced them, named by their source ids, where they are missing."""

    def decide() -> list[Change]:
        changes = []
        for old_source, new_source in replaced.items():
            old, new = (memories.by_source(project.db, source) for source in (old_source, new_source))
            if old and new and old.id != new.id and not old.superseded_by:
                changes.append(Change("link", new.id, {"rel": "supersedes", "to": old.id, "on": True}))
                changes.append(Change("supersede", old.id, {"by": new.id, "on": True}))
        return changes

    if replaced:
        commit(project, decide, ACTOR, command)


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        given = json.loads(line)
    except json.Malformed as problem:
        raise InvalidInput(f"line {number}: {problem}", _HINT) from None
    if not isinstance(given, dict):
        raise InvalidInput(f"line {number}: not an object", _HINT)
    return given


def _keep(project: Project, given: dict[str, Any], number: int, totals: list[int], command: int | None) -> int | None:
    """Takes in what is no memory, and counts it. Returns the command."""
    try:
        place, command = records.take(project, given, ACTOR, command)
    except InvalidInput as problem:
        raise InvalidInput(f"line {number}: {problem}", problem.hint) from None
    totals[place] += 1
    return command


def _row(project: Project, given: dict[str, Any], number: int) -> Row:
    try:
        values = {name: _value(given, name, field) for name, field in FIELDS.items()}
        fields = entries.checked(project, entries.NewMemory(**values))
        fields["anchor"] = _text(given, "anchor_commit", None)
        created = _text(given, "created_at", None)
        fields["created"] = dates.parse(created) if created else project.now
        if given.get("pinned") is not None:
            fields["pinned"] = _flag(given, "pinned")
        sources = [_text(given, name, None) for name in ("source_id", "superseded_by")]
        return Row(fields, *[source and screen.text(project, source) for source in sources])
    except InvalidInput as problem:
        raise InvalidInput(f"line {number}: {problem}", problem.hint or _HINT) from None


def _value(given: dict[str, Any], name: str, field: Field) -> Any:
    """Returns the value of a memory's field in a line. Raises InvalidInput."""
    if field.kind == "labels":
        return _list(given, name)
    if field.kind in ("text", "name"):
        return _text(given, name, _MISSING if field.default is REQUIRED else field.default)
    value = given.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise InvalidInput(f"{name} is not a whole number", _HINT)
    return field.default if value is None else value


def _flag(given: dict[str, Any], name: str) -> bool:
    value = given[name]
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} is neither true nor false", _HINT)
    return value


_MISSING = object()


def _text(given: dict[str, Any], name: str, default: Any = _MISSING) -> Any:
    value = given.get(name)
    if value is None and default is not _MISSING:
        return default
    if not isinstance(value, str):
        raise InvalidInput(f"{name} is not a text", _HINT)
    if not is_storable(value):
        raise InvalidInput(f"{name} holds a NUL or half a surrogate pair", "remove it: only Unicode text can be stored")
    return value


def _list(given: dict[str, Any], name: str) -> tuple[str, ...]:
    value = given.get(name) or ()
    if isinstance(value, str):
        return tuple([part.strip() for part in value.split(",")])
    if not isinstance(value, (list, tuple)) or not all(isinstance(part, str) for part in value):
        raise InvalidInput(f"{name} is not a list of texts", _HINT)
    return tuple(value)


def _store(project: Project, batch: list[Row], totals: list[int], command: int | None) -> int | None:
    """Stores one batch in one transaction and adds to the totals, in the order of `Imported`. Returns its command."""
    if not batch:
        return command
    _drop_unknown_anchors(project, batch)
    counted = [0, 0, 0, 0]

    def decide() -> list[Change]:
        changes: dict[str, Change] = {}
        by_source: dict[str, str] = {}
        back: list[Change] = []
        for row in batch:
            known = memories.by_source(project.db, row.source_id) if row.source_id else None
            memory_id = by_source.get(row.source_id or "") or (known.id if known else "")
            if not memory_id:
                memory_id = ids.new("M")
                changes[memory_id] = Change(
                    "put", memory_id, {**row.fields, **({"source": row.source_id} if row.source_id else {})}
                )
                counted[0] += 1
            elif known and known.forgotten and not _was_undone(project, known):
                counted[3] += 1
            elif known and known.forgotten and memory_id not in by_source.values():
                back.append(Change("restore", memory_id, {}))
                counted[0] += 1
            elif changed := _changed(project, known, row, changes.get(memory_id)):
                changes[memory_id] = Change("put", memory_id, changed)
                counted[1] += 1
            else:
                counted[2] += 1
            if row.source_id:
                by_source[row.source_id] = memory_id
        threads = dict.fromkeys([str(change.body["thread"]) for change in changes.values() if "thread" in change.body])
        threads |= dict.fromkeys([memory.thread for change in back if (memory := memories.find(project.db, change.object))])
        opened = [change for thread in threads for change in entries.thread_change(project, thread)]
        return [*opened, *back, *changes.values()]

    written = commit(project, decide, ACTOR, command)
    for place, count in enumerate(counted):
        totals[place] += count
    return written[0].command if written else command


def _was_undone(project: Project, known: Memory) -> bool:
    """True where a memory is gone because a command was undone, not because somebody forgot it."""
    last = [op for op in oplog.of_object(project.db, known.id) if op.kind in ("forget", "restore")][-1:]
    return bool(last) and last[0].kind == "forget" and oplog.is_undo(project.db, last[0].command)


def _changed(project: Project, known: Memory | None, row: Row, pending: Change | None) -> dict[str, Any]:
    """Returns the fields in which a row says something new; what the memory said before somebody changed it here is not new."""
    if pending is not None:
        base = {**(fold(oplog.of_object(project.db, known.id)).fields if known else {}), **pending.body}
        changed = {name: row.fields[name] for name in _COMPARED if name in row.fields and base.get(name) != row.fields[name]}
        return {**pending.body, **changed} if changed else {}
    if known is None:
        return {}
    operations = oplog.of_object(project.db, known.id)
    for end in range(len(operations), 0, -1):  # what the memory says, or once said before somebody changed it here
        said = {"pinned": False, **fold(operations[:end]).fields}
        if all(said.get(name) == value for name, value in row.fields.items() if name in _COMPARED):
            return {}
    now = {"pinned": False, **fold(operations).fields}
    return {name: value for name, value in row.fields.items() if name in _COMPARED and now.get(name) != value}


def _drop_unknown_anchors(project: Project, batch: list[Row]) -> None:
    anchors = {row.fields["anchor"] for row in batch if row.fields["anchor"]}
    if not anchors:
        return
    known: set[str] = set()
    if project.checkout is not None:
        from memcli.repo import ancestry

        known = ancestry.existing(project.checkout, anchors)
    for row in batch:
        if row.fields["anchor"] not in known:
            row.fields["anchor"] = None
