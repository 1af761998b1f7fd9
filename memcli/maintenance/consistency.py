"""Do the tables agree with the operation log? The log is the truth, unless a row remembers an operation that was lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from memcli.memory.projection import FORGOTTEN, Folded, entry_row, fold, note_row, prompt_row, refresh, session_row
from memcli.project import Project
from memcli.records import Record
from memcli.store import context, graph, integrity, memories, oplog, sessions, trees
from memcli.store.context import Note, ProfileEntry, State
from memcli.store.memories import Memory
from memcli.store.oplog import Change, LoggedOperation
from memcli.store.sessions import Prompt, Session
from memcli.text import json

if TYPE_CHECKING:
    from memcli.store import Connection

AGREES = "agrees"
STALE = "stale"  # the row must be written again from the log
LOST = "lost"  # the row knows what the log has lost
INCOMPLETE = "incomplete"  # the log has too little to make a row, and there is no row
UNREADABLE = (json.Malformed, KeyError, TypeError, ValueError, AttributeError)  # what an operation that makes no sense raises
_TEXTS = "title summary thread kind reason by rel to harness key status session text reply skipped value day".split()
_LISTS = ("tags", "entities", "tools", "files", "facts")
_TIMES = ("created", "started", "ended", "replied")
_LATEST = 1 << 47  # ms since 1970


class Reconciled(Record):
    """What was done to make the tables and the log agree."""

    refreshed: int = 0  # rows written again from the log
    restored: int = 0  # objects written to the log again from their rows
    dropped: int = 0  # operations from which nothing can be made


class Kind(Record):
    """How objects of one kind are compared. Values can be compared with each other only; None stands for no row."""

    required: tuple[str, ...]  # fields of the log without which there can be no row
    stored: Callable[[Connection, str], Any]  # the values of an object's row
    expected: Callable[[Connection, str, Folded], Any]  # the values that the log says the row should have
    lost_changes: Callable[[Connection, str, Folded], tuple[list[Change], str, int]]  # what the row knows, its actor and ms


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
    stored = kind.stored(db, object_id)
    if folded.first is None or not all(name in folded.fields for name in kind.required):
        return LOST if stored is not None else INCOMPLETE if folded.last else AGREES
    if stored == kind.expected(db, object_id, folded):
        return AGREES
    memory = memories.find(db, object_id) if object_id.startswith("M-") else None
    return LOST if memory is not None and memory.revision not in {op.revision for op in operations} else STALE


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
    if everything or trees.lost(db):
        trees.forget_lost(db)
    integrity.rebuild_indexes(db)  # first, since removing a row from an index needs the entry that should be there
    refreshed = restored = dropped = 0
    for object_id in integrity.everything(db):
        result = compare(db, object_id)
        if result == LOST:
            integrity.enter(db, *_KINDS[object_id[:2]].lost_changes(db, object_id, fold(oplog.of_object(db, object_id))))
            restored += 1
        if result == INCOMPLETE:
            dropped += integrity.drop(db, object_id)
        elif result != AGREES or everything:
            refresh(project, object_id)
            refreshed += 1
    for thread, created_at in integrity.threads_without_row(db):
        integrity.enter(db, [Change("put", f"T-{thread}", {"title": thread})], "doctor", max(created_at, 0))
        refresh(project, f"T-{thread}")
    return Reconciled(refreshed, restored, dropped)


def _stored_memory(db: Connection, memory_id: str) -> Any:
    row = memories.find(db, memory_id)
    if row is None:
        return None
    fields = (row.title, row.summary, row.thread, row.kind, row.tags, row.entities, row.anchor, row.created_at)
    marks = (row.superseded_by, row.forgotten, row.pinned, row.source_id, row.revision)
    links = sorted([link[1:4] for link in graph.links_from(db, row.id)], key=repr)  # type: ignore[index]
    return fields, marks, links, (_session_id(db, row.session), row.prompt, row.tools)


def _expected_memory(db: Connection, memory_id: str, folded: Folded) -> Any:
    body = folded.fields
    labels = ["\n".join(body.get(name) or ()) for name in ("tags", "entities")]
    fields = (body["title"], body["summary"], body["thread"], body["kind"], *labels, body.get("anchor"), body["created"])
    marks = (folded.superseded_by, int(folded.forgotten), int(bool(body.get("pinned"))), body.get("source"), _revision(folded))
    links = sorted([link[1:4] for link in folded.links.values() if link], key=repr)  # type: ignore[index]
    session = _session_id(db, sessions.number(db, body["session"])) if body.get("session") else None
    return fields, marks, links, (session, body.get("prompt", 0), "\n".join(body.get("tools") or ()))


def _lost_memory(db: Connection, memory_id: str, folded: Folded) -> tuple[list[Change], str, int]:
    row = memories.find(db, memory_id)
    assert row is not None
    body: dict[str, Any] = {"title": row.title, "summary": row.summary, "thread": row.thread, "kind": row.kind}
    body |= {"tags": _lines(row.tags), "entities": _lines(row.entities)}
    body |= {"anchor": row.anchor, "created": row.created_at, "pinned": bool(row.pinned)}
    if row.source_id is not None:
        body["source"] = row.source_id
    if (session := _session_id(db, row.session)) is not None:
        body |= {"session": session, "prompt": row.prompt, "tools": _lines(row.tools)}
    changes = [Change("put", row.id, body), *_lost_marks(row, folded), *_lost_links(db, row, folded)]
    return changes, row.origin, max(row.updated_at, 0)


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


def _stored_state(db: Connection, state_id: str) -> Any:
    row = context.find(db, State, state_id)
    return row and (row.reason, row.body, row.thread, row.memory_id, row.created_at, row.revision)


def _expected_state(db: Connection, state_id: str, folded: Folded) -> Any:
    if folded.forgotten:
        return None
    body = folded.fields
    state = json.canonical(body["state"])
    return body["reason"], state, body["thread"], body.get("memory"), body["created"], _revision(folded)


def _lost_state(db: Connection, state_id: str, folded: Folded) -> tuple[list[Change], str, int]:
    row = context.find(db, State, state_id)
    assert row is not None
    body = {"state": json.loads(row.body), "reason": row.reason, "thread": row.thread, "created": row.created_at}
    return [Change("state", state_id, body | {"memory": row.memory_id})], "doctor", row.hlc_ms


def _stored_thread(db: Connection, thread_id: str) -> Any:
    title = integrity.thread_title(db, thread_id.removeprefix("T-"))
    return None if title is None else (title,)


def _expected_thread(db: Connection, thread_id: str, folded: Folded) -> Any:
    return None if folded.forgotten else (folded.fields["title"],)


def _lost_thread(db: Connection, thread_id: str, folded: Folded) -> tuple[list[Change], str, int]:
    (title,) = _stored_thread(db, thread_id)
    return [Change("put", thread_id, {"title": title})], "doctor", 0


def _session_values(row: Session | None) -> Any:
    return row and (row.harness, row.key, row.status, row.reason, row.summary, row.started_at, row.ended_at)


def _lost_session(db: Connection, session_id: str, folded: Folded) -> tuple[list[Change], str, int]:
    row = sessions.find(db, session_id)
    assert row is not None
    body: dict[str, Any] = {"harness": row.harness, "key": row.key, "status": row.status}
    body |= {"reason": row.reason, "summary": row.summary}
    body |= {"started": row.started_at, "ended": row.ended_at}
    return [Change("session", session_id, body)], "hook", max(row.started_at, 0)


def _prompt_values(row: Prompt | None) -> Any:
    return row and (row.session, row.number, row.text, row.words, row.reply, row.skipped, row.files, row.created_at)


def _expected_prompt(db: Connection, prompt_id: str, folded: Folded) -> Any:
    return _prompt_values(prompt_row(prompt_id, folded, sessions.number(db, folded.fields["session"])))


def _lost_prompt(db: Connection, prompt_id: str, folded: Folded) -> tuple[list[Change], str, int]:
    row = sessions.find_prompt(db, prompt_id)
    assert row is not None
    body = {"session": _session_id(db, row.session) or "", "number": row.number, "text": row.text, "reply": row.reply}
    body |= {"created": row.created_at, "skipped": row.skipped, "files": _lines(row.files)}
    forgotten = [Change("forget", prompt_id, {})] if row.skipped == FORGOTTEN else []
    return [Change("prompt", prompt_id, body), *forgotten], "hook", max(row.created_at, 0)


def _lost_profile_entry(db: Connection, entry_id: str, folded: Folded) -> tuple[list[Change], str, int]:
    row = context.find(db, ProfileEntry, entry_id)
    assert row is not None
    return [Change("profile", entry_id, {"key": row.key, "value": row.value})], "doctor", row.updated_at


def _lost_note(db: Connection, note_id: str, folded: Folded) -> tuple[list[Change], str, int]:
    row = context.find(db, Note, note_id)
    assert row is not None
    body = {"day": row.day, "text": row.text, "created": row.created_at}
    return [Change("note", note_id, body)], "doctor", row.created_at


def _session_id(db: Connection, number: int) -> str | None:
    return sessions.name(db, number) if number else None


def _revision(folded: Folded) -> int:
    return folded.last.revision if folded.last else 0


def _lines(text: str) -> list[str]:
    return text.split("\n") if text else []


_KINDS = {
    "M-": Kind(("title", "summary", "thread", "kind", "created"), _stored_memory, _expected_memory, _lost_memory),
    "S-": Kind(("state", "reason", "thread", "created"), _stored_state, _expected_state, _lost_state),
    "T-": Kind(("title",), _stored_thread, _expected_thread, _lost_thread),
    "A-": Kind(
        ("harness", "key", "started"),
        lambda db, session_id: _session_values(sessions.find(db, session_id)),
        lambda db, session_id, folded: _session_values(session_row(session_id, folded)),
        _lost_session,
    ),
    "P-": Kind(
        ("session", "number", "text", "created"),
        lambda db, prompt_id: _prompt_values(sessions.find_prompt(db, prompt_id)),
        _expected_prompt,
        _lost_prompt,
    ),
    "K-": Kind(
        ("key", "value"),
        lambda db, entry_id: context.find(db, ProfileEntry, entry_id),
        lambda db, entry_id, folded: entry_row(entry_id, folded),
        _lost_profile_entry,
    ),
    "N-": Kind(
        ("day", "text", "created"),
        lambda db, note_id: context.find(db, Note, note_id),
        lambda db, note_id, folded: note_row(note_id, folded),
        _lost_note,
    ),
}
