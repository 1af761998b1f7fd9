"""Memories, threads and operations of the log: results that several operations return."""

from __future__ import annotations

from memcli import fields
from memcli.fields import Result
from memcli.memory import MemoryFields, field_values
from memcli.records import Record
from memcli.store import SYNC_AGREEMENT, meta, oplog, passages
from memcli.text import dates, json
from memcli.text.ids import anchor_branch, anchor_commit, writer_of
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Literal

    from memcli.memory.overtaken import Overtaking
    from memcli.project import Project
    from memcli.store import Connection
    from memcli.store.graph import Thread
    from memcli.store.memories import Memory
    from memcli.store.oplog import LoggedOperation
    from memcli.store.passages import Passage
    from memcli.store.usage import Usage


class MemoryLine(Result):
    """A memory as a command that changed it prints it."""

    id: str
    title: str
    thread_id: str
    anchor_commit: str | None
    anchor_branch: str | None = fields.text("The branch whose next commit it belongs to, where it has none yet.")
    tokens: int


def memory_line(memory: Memory) -> dict[str, Any]:
    """Returns the fields of a MemoryLine."""
    return {
        "id": memory.id,
        "title": memory.title,
        "thread_id": memory.thread,
        "anchor_commit": anchor_commit(memory.anchor),
        "anchor_branch": anchor_branch(memory.anchor) or None,
        "tokens": memory.prompt_tokens,
    }


class Identified(Result):
    """What has an id."""

    id: str


class MemoryRecord(Identified, MemoryFields):
    """A memory."""

    created_at: str
    updated_at: str
    anchor_commit: str | None
    anchor_branch: str | None = fields.text("The branch whose next commit it belongs to, where it has none yet.")
    superseded_by: str | None
    pinned: bool
    origin: str
    trust: Literal["high", "medium", "low"]
    exposed_to: list[str]
    suspicious: bool
    source_id: str | None
    revision: int
    tokens: int


class MemoryUsage(Result):
    """How many sessions were told a memory in the last year, how many of them used it, and when one last did."""

    told: int
    used: int
    last_told: str | None
    last_used: str | None


def memory_usage(usage: Usage) -> MemoryUsage:
    """Returns the result for the usage of a memory."""
    moments = [None if at is None else dates.iso(at) for at in (usage.last_told, usage.last_used)]
    return MemoryUsage(usage.told, usage.used, *moments)


class ThreadRecord(Result):
    """A thread."""

    thread_id: str
    title: str
    created_at: str
    memory_count: int
    invalid_count: int = fields.number("Of these, those that do not hold on this commit.")
    chunk_count: int = fields.number("Chunks of files that were ingested into it.")
    suspicious: bool


class OvertakenStatement(Result):
    """A statement of a person or an agent that later words or work overtook, or that holds again."""

    text: str
    by: str | None = fields.text("What overtook it: a passage, or the memory of a commit; null where it holds again.")
    how: str = fields.text("done, replaced, reverted, fixed or removed; empty where it holds again.")
    name: str = fields.text("Of the code that was removed.", default="")


class LogRecord(Result):
    """An operation of the log, under the names of the sync format where that has them.

    `overtaken`: what an operation on a prompt says about its statements.
    """

    revision: int
    id: str
    hlc: list[int]
    w: str = fields.text("The store that wrote it.")
    k: str = fields.text("put, forget, restore, supersede, link, state, profile, note, session, prompt, undo or erase.")
    o: str = fields.text("The object's id.")
    b: dict[str, Any] = fields.json_value("The fields that changed.")
    actor: str
    vis: str
    command: int
    holds: bool = True  # what its memory says now, on this commit
    before: dict[str, Any] | None = None  # with --patch: what the fields that it changed said before
    overtaken: list[OvertakenStatement] | None = None
    suspicious: bool = False  # what its memory, state or prompt says now reads like an order to a model


def memory_values(memory: Memory) -> dict[str, Any]:
    """Returns the fields of a MemoryRecord."""
    from memcli.validity import origin_values  # printing text does not need it

    return {
        "id": memory.id,
        **field_values(memory),
        "created_at": dates.iso(memory.created_at),
        "updated_at": dates.iso(memory.updated_at),
        "anchor_commit": anchor_commit(memory.anchor),
        "anchor_branch": anchor_branch(memory.anchor) or None,
        "superseded_by": memory.superseded_by,
        "pinned": bool(memory.pinned),
        **origin_values(memory.origin, memory.tags),
        "suspicious": bool(memory.suspicious),
        "source_id": memory.source_id,
        "revision": memory.revision,
        "tokens": memory.prompt_tokens,
    }


def memory_record(memory: Memory) -> MemoryRecord:
    """Returns the result for a memory."""
    return MemoryRecord(**memory_values(memory))


def thread_record(thread: Thread) -> ThreadRecord:
    """Returns the result for a thread."""
    from memcli.validity import names_orders  # seldom needed

    return ThreadRecord(
        thread.id,
        thread.title,
        dates.iso(thread.created_at),
        thread.memory_count,
        thread.invalid_count,
        thread.chunk_count,
        names_orders(thread.id) or names_orders(thread.title),
    )


_NO_CHANGES = (oplog.SHARE, oplog.UNSHARE, "erase", "undo")
_TITLES = {"M-": "title", "T-": "title", "S-": "reason", "K-": "key", "N-": "text", "P-": "text", "A-": "key"}


class Authors(Record):
    """Who wrote something and who changed it last: the names of stores, "" for one without a name."""

    wrote: str
    changed: str
    actor: str  # of its first operation
    editor: str = ""  # of its last one


def authors_in(project: Project, object_id: str) -> Authors:
    """Returns who wrote an object and who changed it last; this store under the name that the person gave it."""
    changes = [op for op in oplog.of_object(project.db, object_id) if op.kind not in _NO_CHANGES and op.vis != oplog.WITHDRAWN]
    first, last = [op.actor for op in changes[:1] + changes[-1:]] or ("", "")
    names: dict[str, str] = {}
    if any(writer_of(actor) for actor in (first, last)):
        from memcli.validity import writer_names  # seldom needed

        names = writer_names(project).shown
    own = project.config["sync.author"].strip()
    wrote, changed = [
        names.get(writer) or writer if (writer := writer_of(actor)) else own * (actor != oplog.ANCHOR_ACTOR)
        for actor in (first, last)
    ]
    return Authors(wrote, changed, first, last)


def shared_in(project: Project, object_id: str) -> str:
    """Returns whether others get an object, in words; "" where the memory has no remote."""
    if meta(project.db, SYNC_AGREEMENT) is None:
        return ""
    from memcli.memory.selection import selected
    from memcli.store import replication

    if replication.is_shared(project.db, object_id):
        return "yes"
    return "by the rules, from the next mem sync on" if object_id in selected(project) else "no, it is kept here"


def authors_of(project: Project, memories: Iterable[Memory], is_every: bool = False) -> dict[str, Authors]:
    """Returns the authors of those of some memories that another store wrote or changed.

    `is_every`: also of those of which all words are this store's own by now.
    """
    foreign = {memory.id: memory.origin for memory in memories if is_every or writer_of(memory.origin)}
    if not foreign:
        return {}
    from memcli.validity import writer_names  # seldom needed

    names = {"": ""} | writer_names(project).shown
    authors = {}
    for name, origin in foreign.items():
        actors = [
            op.actor for op in oplog.of_object(project.db, name) if op.kind == "put" and json.loads(op.body).keys() - {"anchor"}
        ]
        actor, last = (actors[0], actors[-1]) if actors else (origin, origin)
        writers = [writer_of(actor), writer_of(last)]
        wrote, changed = [names.get(writer) or writer for writer in writers]
        authors[name] = Authors(wrote, changed if writers[0] != writers[1] else "", actor)
    return authors


def titles_of(db: Connection, object_ids: Iterable[str]) -> dict[str, str]:
    """Returns the titles of objects of the log: a memory's title, a state's reason, a note's text; none for erased objects.

    The log also has those of forgotten objects. For a passage of a prompt it is the statement, or the subject of the commit.
    """
    titles: dict[str, str] = {}
    for object_id in dict.fromkeys(object_ids):
        if passages.owner_of(object_id) != object_id:
            passage = passages.find(db, object_id)
            titles |= {object_id: oneline(_title_of(passage))} if passage else {}
        elif field := _TITLES.get(object_id[:2]):
            texts = [text for op in oplog.of_object(db, object_id) if (text := json.loads(op.body).get(field))]
            titles |= {object_id: oneline(texts[-1])} if texts else {}
    return titles


def _title_of(passage: Passage) -> str:
    subject = passage.heading if passage.thread == passages.COMMIT else ""
    return subject or passage.statement or passage.text


def named_in(operations: Sequence[LoggedOperation]) -> list[str]:
    """Returns the ids of the objects that operations are about or refer to."""
    bodies = [json.loads(operation.body) for operation in operations]
    others = [body[name] for body in bodies for name in ("by", "to") if isinstance(body.get(name), str)]
    return [*[operation.object for operation in operations], *others]


def log_record(
    operation: LoggedOperation, holds: bool = True, overtakings: Sequence[Overtaking] = (), suspicious: bool = False
) -> LogRecord:
    """Returns the result for an operation of the log. `holds`: whether its memory is valid at HEAD."""
    return LogRecord(
        revision=operation.revision,
        id=operation.id,
        hlc=[operation.hlc_ms, operation.hlc_n],
        w=operation.writer,
        k=operation.kind,
        o=operation.object,
        b=json.loads(operation.body),
        actor=operation.actor,
        vis=operation.vis,
        command=operation.command,
        holds=holds,
        overtaken=[OvertakenStatement(it.text, it.by or None, it.how, it.name) for it in overtakings] or None,
        suspicious=suspicious,
    )
