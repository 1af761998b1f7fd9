"""Does what is read agree with the log? The log is the truth, unless a table remembers an operation that was lost."""

from __future__ import annotations

from memcli.maintenance import observed
from memcli.memory import notes as note_rows
from memcli.memory import profile as profile_rows
from memcli.memory.commit import refresh
from memcli.memory.reduce import fold
from memcli.records import Record
from memcli.store import checks, graph, memories, notes, oplog, profile, salvage, sessions, states, trees
from memcli.store.oplog import Change
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.memory.reduce import Folded
    from memcli.project import Project
    from memcli.store.db import Connection
    from memcli.store.memories import Memory
    from memcli.store.oplog import Operation

AGREES = "agrees"
STALE = "stale"  # the row has to be written again from the log
LOST = "lost"  # the row knows what the log has lost
NOWHERE = "nowhere"  # the log lacks what makes a row, and there is none
NEEDED = {
    "M-": ("title", "summary", "thread", "kind", "created"),
    "S-": ("state", "reason", "thread", "created"),
    "T-": ("title",),
    "A-": ("harness", "key", "started"),
    "P-": ("session", "number", "text", "created"),
    "K-": ("key", "value"),
    "N-": ("day", "text", "created"),
}
_TEXTS = tuple("title summary thread kind reason by rel to harness key status session text reply skipped value day".split())
_LISTS = ("tags", "entities", "tools", "files", "facts")
_LABELS = ("tags", "entities")
_MOMENTS = ("created", "started", "ended", "replied")
_LATEST = 1 << 47  # ms since 1970


class Mended(Record):
    """What was done to bring the tables and the log together."""

    refreshed: int = 0  # rows written again from the log
    entered: int = 0  # objects that the log has again, from their rows
    dropped: int = 0  # operations that nothing can be made of


def usable(op: Operation) -> bool:
    """Tells whether an operation says something that can be told: JSON of the sort its kind has."""
    try:
        body = json.loads(op.body)
        fold([op])
    except (json.Malformed, KeyError, TypeError, ValueError, AttributeError):
        return False
    if not isinstance(body, dict):
        return False
    return (
        all(isinstance(body[name], str) for name in _TEXTS if name in body)
        and all(
            isinstance(body[name], list) and all(isinstance(one, str) for one in body[name]) for name in _LISTS if name in body
        )
        and isinstance(body.get("summary", ""), str if op.kind != "session" else str | None)
        and all(_is_moment(body[name]) or (name == "ended" and body[name] is None) for name in _MOMENTS if name in body)
        and isinstance(body.get("number", 0), int)
    )


def _is_moment(value: object) -> bool:
    return isinstance(value, int) and abs(value) < _LATEST


def verdict(db: Connection, object_id: str) -> str:
    """Compares one object's row with what the log says. Raises ValueError and the like for what is not usable."""
    kind = object_id[:2]
    if kind not in NEEDED:
        return AGREES
    operations = oplog.of_object(db, object_id)
    folded = fold(operations)
    if not _is_whole(folded, kind):
        return LOST if _row(db, object_id) is not None else NOWHERE if folded.last else AGREES
    if kind == "M-":
        memory = memories.find(db, object_id)
        if _of_memory(db, memory) == _wanted_memory(db, folded):
            return AGREES
        return LOST if memory is not None and memory.revision not in {op.revision for op in operations} else STALE
    if kind in ("A-", "P-"):
        return AGREES if _row(db, object_id) == observed.wanted(db, object_id, folded) else STALE
    if kind in ("K-", "N-"):
        row = (profile_rows if kind == "K-" else note_rows).row_of(object_id, folded)
        return AGREES if _row(db, object_id) == row else STALE
    wanted = None if folded.forgotten else (folded.fields["title"],) if kind == "T-" else _wanted_state(folded)
    return AGREES if _row(db, object_id) == wanted else STALE


def _row(db: Connection, object_id: str) -> Any:
    """Returns what a table holds of an object, as far as it can be compared with the log; None for nothing."""
    if object_id.startswith("M-"):
        return _of_memory(db, memories.find(db, object_id))
    if object_id.startswith("S-"):
        state = states.find(db, object_id)
        return state and (state.reason, state.body, state.thread, state.memory_id, state.created_at, state.revision)
    if object_id.startswith(("A-", "P-")):
        return observed.there(db, object_id)
    if object_id.startswith("K-"):
        return profile.find(db, object_id)
    if object_id.startswith("N-"):
        return notes.find(db, object_id)
    title = checks.thread_title(db, object_id[2:])
    return None if title is None else (title,)


def _is_whole(folded: Folded, kind: str) -> bool:
    return folded.first is not None and all(name in folded.fields for name in NEEDED[kind])


def _wanted_memory(db: Connection, folded: Folded) -> Any:
    said = folded.fields
    labels = ["\n".join(said.get(name) or ()) for name in _LABELS]
    last = folded.last.revision if folded.last else 0
    plain = (said["title"], said["summary"], said["thread"], said["kind"], *labels, said.get("anchor"), said["created"])
    marks = (folded.superseded_by, int(folded.forgotten), int(bool(said.get("pinned"))), said.get("source"), last)
    links = sorted([link[1:4] for link in folded.links.values() if link], key=repr)  # type: ignore[index]
    session = observed.session_name(db, sessions.number(db, said["session"])) if said.get("session") else None
    return plain, marks, links, (session, said.get("prompt", 0), "\n".join(said.get("tools") or ()))


def _of_memory(db: Connection, row: Memory | None) -> Any:
    if row is None:
        return None
    plain = (row.title, row.summary, row.thread, row.kind, row.tags, row.entities, row.anchor, row.created_at)
    marks = (row.superseded_by, row.forgotten, row.pinned, row.source_id, row.revision)
    links = sorted([link[1:4] for link in graph.links_from(db, row.id)], key=repr)  # type: ignore[index]
    return plain, marks, links, (observed.session_name(db, row.session), row.prompt, row.tools)


def _wanted_state(folded: Folded) -> Any:
    said = folded.fields
    last = folded.last.revision if folded.last else 0
    return said["reason"], json.canonical(said["state"]), said["thread"], said.get("memory"), said["created"], last


def disagreements(db: Connection, objects: list[str]) -> tuple[list[str], list[str]]:
    """Returns (the objects whose rows and log differ, the objects of which an operation cannot be understood)."""
    differ, unreadable = [], []
    for object_id in objects:
        try:
            if verdict(db, object_id) != AGREES:
                differ.append(object_id)
        except (json.Malformed, KeyError, TypeError, ValueError, AttributeError):
            unreadable.append(object_id)
    return differ, unreadable


def mend(project: Project, everything: bool = False) -> Mended:
    """Brings tables, text indexes and log together, inside the caller's transaction; `everything`: every row is written again."""
    db = project.db
    if everything or trees.lost(db):
        trees.forget_lost(db)
    checks.rebuild_indexes(db)  # first: a row is taken out of the index by what the index must hold
    refreshed = entered = dropped = 0
    for object_id in checks.everything(db):
        found = verdict(db, object_id)
        if found == LOST:
            _enter(db, object_id)
            entered += 1
        if found == NOWHERE:
            dropped += salvage.drop(db, object_id)
        elif found != AGREES or everything:
            refresh(project, object_id)
            refreshed += 1
    for thread, at in checks.threads_without_row(db):
        salvage.enter(db, [Change("put", f"T-{thread}", {"title": thread})], "doctor", max(at, 0))
        refresh(project, f"T-{thread}")
    return Mended(refreshed, entered, dropped)


def _enter(db: Connection, object_id: str) -> None:
    """Writes into the log what an object's row says and the log does not."""
    folded = fold(oplog.of_object(db, object_id))
    if object_id.startswith("M-"):
        memory = memories.find(db, object_id)
        assert memory is not None
        salvage.enter(db, _memory_changes(db, memory, folded), memory.origin, max(memory.updated_at, 0))
    elif object_id.startswith("S-"):
        state = states.find(db, object_id)
        assert state is not None
        said = {"state": json.loads(state.body), "reason": state.reason, "thread": state.thread, "created": state.created_at}
        salvage.enter(db, [Change("state", object_id, said | {"memory": state.memory_id})], "doctor", state.hlc_ms)
    elif object_id.startswith(("A-", "P-")):
        salvage.enter(db, *observed.entered(db, object_id))
    elif object_id.startswith("K-"):
        entry = profile.find(db, object_id)
        assert entry is not None
        salvage.enter(db, [Change("profile", object_id, {"key": entry.key, "value": entry.value})], "doctor", entry.updated_at)
    elif object_id.startswith("N-"):
        note = notes.find(db, object_id)
        assert note is not None
        said = {"day": note.day, "text": note.text, "created": note.created_at}
        salvage.enter(db, [Change("note", object_id, said)], "doctor", note.created_at)
    else:
        title = checks.thread_title(db, object_id[2:])
        salvage.enter(db, [Change("put", object_id, {"title": title})], "doctor", 0)


def _memory_changes(db: Connection, row: Memory, folded: Folded) -> list[Change]:
    said: dict[str, Any] = {"title": row.title, "summary": row.summary, "thread": row.thread, "kind": row.kind}
    said |= {"tags": row.tags.split("\n") if row.tags else [], "entities": row.entities.split("\n") if row.entities else []}
    said |= {"anchor": row.anchor, "created": row.created_at, "pinned": bool(row.pinned)}
    if row.source_id is not None:
        said["source"] = row.source_id
    if (session := observed.session_name(db, row.session)) is not None:
        said |= {"session": session, "prompt": row.prompt, "tools": row.tools.split("\n") if row.tools else []}
    changes = [Change("put", row.id, said)]
    if bool(row.forgotten) != folded.forgotten:
        changes.append(Change("forget" if row.forgotten else "restore", row.id, {}))
    if row.superseded_by != folded.superseded_by:
        successor = row.superseded_by or folded.superseded_by
        changes.append(Change("supersede", row.id, {"by": successor, "on": bool(row.superseded_by)}))
    there = {(link.rel, link.to_id): link.hash for link in graph.links_from(db, row.id)}
    known = {edge for edge, link in folded.links.items() if link}
    for rel, to in sorted(there.keys() ^ known):
        digest = there.get((rel, to))
        body = {"rel": rel, "to": to, "on": (rel, to) in there}
        changes.append(Change("link", row.id, body | ({"hash": digest} if digest else {})))
    return changes
