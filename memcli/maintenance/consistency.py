"""Do the tables agree with the operation log? The log is the truth, unless a row remembers an operation that was lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memcli.memory import FIELDS
from memcli.memory.projection import CONTEXT, Folded, fold, logged_row, passages_of, refresh
from memcli.project import Project
from memcli.records import Record
from memcli.store import context, graph, integrity, memories, oplog, passages, salvage, sessions, trees
from memcli.store.memories import Memory
from memcli.store.oplog import Change, LoggedOperation
from memcli.store.sessions import Prompt
from memcli.text import json
from memcli.text.ids import writer_of

if TYPE_CHECKING:
    from memcli.store import Connection

AGREES = "agrees"
STALE = "stale"  # the row must be written again from the log
LOST = "lost"  # the row knows what the log has lost
INCOMPLETE = "incomplete"  # the log has too little to make a row, and there is no row
UNREADABLE = (json.Malformed, KeyError, TypeError, ValueError, AttributeError)  # what an operation that makes no sense raises
_TEXTS = (
    "title summary thread kind reason by rel to harness key status session text reply narration earlier skipped value day".split()
)
_LISTS = ("tags", "entities", "tools", "files", "facts", "left")
_TIMES = ("created", "started", "ended", "replied")
_LATEST = 1 << 47  # ms since 1970


class Reconciled(Record):
    """What was done to make the tables and the log agree."""

    refreshed: int = 0  # rows written again from the log
    restored: int = 0  # objects written to the log again from their rows
    dropped: int = 0  # operations from which nothing can be made


class RowKind:
    """How rows of one kind are compared with the rows that the log says they should have.

    `columns`: fields of the log, each with the column it is in; `also`: further columns that are compared. An operation that
    stands for a lost one is of the kind `operation`, by `actor`, as of the column `at` (empty: as of long ago).
    """

    def __init__(self, operation: str, required: str, columns: str, also: str = "", actor: str = "doctor", at: str = "") -> None:
        self.operation = operation
        self.required = required.split()
        pairs = [column.partition("=") for column in columns.split()]
        self.columns = {name: column or name for name, _, column in pairs}
        self.compared = (*self.columns.values(), *also.split())
        self.actor = actor
        self.at = at


def is_readable(operation: LoggedOperation) -> bool:
    """Tells whether an operation makes sense: JSON whose fields have the types of its kind."""
    try:
        body = json.loads(operation.body)
        fold([operation])
    except UNREADABLE:
        return False
    if not isinstance(body, dict):
        return False
    return (
        all(isinstance(body[name], str) for name in _TEXTS if name in body and (name, operation.kind) != ("summary", "session"))
        and all(_is_text_list(body[name]) for name in _LISTS if name in body)
        and isinstance(body.get("summary"), str | None)
        and all(_is_time(body[name]) or (name == "ended" and body[name] is None) for name in _TIMES if name in body)
        and isinstance(body.get("number", 0), int)
    )


def _is_text_list(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_time(value: object) -> bool:
    return isinstance(value, int) and abs(value) < _LATEST


def compare(db: Connection, object_id: str) -> str:
    """Compares one object's row with the log. Returns AGREES, STALE, LOST or INCOMPLETE; raises UNREADABLE."""
    kind = _KINDS.get(object_id[:2])
    if kind is None:
        return AGREES
    operations = oplog.of_object(db, object_id)
    folded = fold(operations)
    row = _stored(db, object_id)
    if folded.first is None or not all(name in folded.fields for name in kind.required):
        is_foreign = any(writer_of(op.actor) for op in operations)  # its beginning may still come from another store
        return LOST if row is not None else INCOMPLETE if folded.last and not is_foreign else AGREES
    logged = logged_row(db, object_id, folded)
    values = [None if it is None else [getattr(it, column) for column in kind.compared] for it in (row, logged)]
    if values[0] == values[1] and _has_logged_links(db, object_id, folded) and _has_its_passages(db, object_id, row, folded):
        return AGREES
    is_lost = isinstance(row, Memory) and row.revision not in {op.revision for op in operations}
    return LOST if is_lost else STALE


def _stored(db: Connection, object_id: str) -> Any:
    """Returns the row of an object, or None."""
    kind = object_id[:2]
    if kind in CONTEXT:
        return context.find(db, CONTEXT[kind], object_id)
    return graph.logged_thread(db, object_id[2:]) if kind == "T-" else _TABLES[kind](db, object_id)


def _has_logged_links(db: Connection, object_id: str, folded: Folded) -> bool:
    stored = {link[1:4] for link in graph.links_from(db, object_id)}  # type: ignore[index]
    return not object_id.startswith("M-") or stored == {link[1:4] for link in folded.links.values() if link}  # type: ignore[index]


def _has_its_passages(db: Connection, object_id: str, row: Any, folded: Folded) -> bool:
    """Tells whether the passages of an object are what follows from it; those that the worker still has to make are."""
    kind = object_id[:2]
    if row is None or kind not in ("M-", "P-", *CONTEXT):
        return True
    if passages.context_waits(db) if kind in CONTEXT else passages.is_waiting(db, kind, row.n):
        return True
    texts = [
        [(it.id, it.heading, it.text, it.question, it.superseded_by, it.overtaken) for it in group]
        for group in (passages.of(db, object_id), passages_of(row, folded))
    ]
    return sorted(texts[0]) == sorted(texts[1])


def disagreements(db: Connection, objects: list[str]) -> tuple[list[str], list[str]]:
    """Returns (the objects whose row and log differ, the objects with an operation that makes no sense)."""
    differing, unreadable = [], []
    for object_id in objects:
        try:
            if compare(db, object_id) != AGREES:
                differing.append(object_id)
        except UNREADABLE:
            unreadable.append(object_id)
    return differing, unreadable


def reconcile(project: Project, everything: bool = False) -> Reconciled:
    """Makes tables, text indexes and log agree, inside the caller's transaction. `everything`: writes every row again."""
    db = project.db
    if everything or trees.count_orphans(db):
        trees.remove_orphans(db)
    integrity.rebuild_indexes(db)  # first, since removing a row from an index needs the entry that should be there
    refreshed = restored = dropped = 0
    for object_id in integrity.everything(db):
        result = compare(db, object_id)
        if result == LOST:
            salvage.append_recovered(db, *_lost_changes(db, object_id, fold(oplog.of_object(db, object_id))))
            restored += 1
        if result == INCOMPLETE:
            dropped += salvage.drop_operations(db, object_id)
        elif result != AGREES or everything:
            refresh(project, object_id)
            refreshed += 1
    for thread, created_at in integrity.threads_without_row(db):
        salvage.append_recovered(db, [Change("put", f"T-{thread}", {"title": thread})], "doctor", max(created_at, 0))
        refresh(project, f"T-{thread}")
    return Reconciled(refreshed, restored, dropped)


def _lost_changes(db: Connection, object_id: str, folded: Folded) -> tuple[list[Change], str, int]:
    """Returns the changes that say what only a row knows, their actor and their moment."""
    kind = _KINDS[object_id[:2]]
    row = _stored(db, object_id)
    body = {name: _logged_value(db, name, getattr(row, column)) for name, column in kind.columns.items()}
    changes = [Change(kind.operation, object_id, {name: value for name, value in body.items() if value is not None})]
    if isinstance(row, Memory):
        return [*changes, *_lost_marks(row, folded), *_lost_links(db, row, folded)], row.origin, max(row.updated_at, 0)
    if isinstance(row, Prompt) and row.forgotten:
        changes.append(Change("forget", object_id, {}))
    return changes, kind.actor, max(getattr(row, kind.at), 0) if kind.at else 0


def _logged_value(db: Connection, name: str, value: Any) -> Any:
    """Returns the value of a column as the log has it."""
    if name in _LISTS:
        return value.split("\n") if value else []
    if name == "session":
        return sessions.id_of(db, value)
    return json.loads(value) if name == "state" else bool(value) if name == "pinned" else value


def _lost_marks(row: Memory, folded: Folded) -> list[Change]:
    changes = []
    if bool(row.forgotten) != folded.forgotten:
        changes.append(Change("forget" if row.forgotten else "restore", row.id, {}))
    if row.superseded_by != folded.superseded_by:
        successor = row.superseded_by or folded.superseded_by
        changes.append(Change("supersede", row.id, {"by": successor, "on": bool(row.superseded_by)}))
    return changes


def _lost_links(db: Connection, row: Memory, folded: Folded) -> list[Change]:
    hashes = {(link.rel, link.to_id): link.hash for link in graph.links_from(db, row.id)}
    logged = {edge for edge, link in folded.links.items() if link}
    changes = []
    for rel, to in sorted(hashes.keys() ^ logged):
        digest = hashes.get((rel, to))
        body = {"rel": rel, "to": to, "on": (rel, to) in hashes}
        changes.append(Change("link", row.id, body | ({"hash": digest} if digest else {})))
    return changes


_TABLES = {"M-": memories.find, "A-": sessions.find, "P-": sessions.find_prompt}
_KINDS = {
    "M-": RowKind(
        "put",
        "title summary thread kind created",
        f"{' '.join(FIELDS)} anchor created=created_at pinned source=source_id session prompt tools",
        "superseded_by forgotten revision",
    ),
    "S-": RowKind(
        "state",
        "state reason thread created",
        "state=body reason thread created=created_at memory=memory_id",
        "revision",
        at="hlc_ms",
    ),
    "T-": RowKind("put", "title", "title"),
    "A-": RowKind(
        "session",
        "harness key started",
        "harness key status reason summary started=started_at ended=ended_at",
        actor="hook",
        at="started_at",
    ),
    "P-": RowKind(
        "prompt",
        "session number text created",
        "session number text reply skipped files created=created_at",
        actor="hook",
        at="created_at",
    ),
    "K-": RowKind("profile", "key value", "key value", "updated_at revision", at="updated_at"),
    "N-": RowKind("note", "day text created", "day text created=created_at", "revision", at="created_at"),
}
