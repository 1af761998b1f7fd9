"""Memories, chunks, threads and operations of the log as data: what several operations answer."""

from __future__ import annotations

from memcli.fields import Result
from memcli.memory import lookup
from memcli.memory.fields import FIELDS
from memcli.text import dates, json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.store.graph import Link, Thread
    from memcli.store.memories import Memory
    from memcli.store.oplog import LoggedOperation
    from memcli.validity.chunks import ChunkInFile


class MemoryLine(Result):
    """A memory as a command that changed it prints it."""

    id: str
    title: str
    thread_id: str
    anchor_commit: str | None
    tokens: int


def memory_line(memory: Memory) -> dict[str, Any]:
    """Returns the fields of a MemoryLine."""
    return {
        "id": memory.id,
        "title": memory.title,
        "thread_id": memory.thread,
        "anchor_commit": memory.anchor,
        "tokens": memory.prompt_tokens,
    }


def memory_json(memory: Memory) -> dict[str, Any]:
    """Returns a memory as data."""
    from memcli.validity.origin import origin_of  # nobody else needs it to print text

    fields = {FIELDS[name].output or name: value for name, value in lookup.field_values(memory).items()}
    return {
        "id": memory.id,
        **fields,
        "created_at": dates.iso(memory.created_at),
        "updated_at": dates.iso(memory.updated_at),
        "anchor_commit": memory.anchor,
        "superseded_by": memory.superseded_by,
        "pinned": bool(memory.pinned),
        **origin_of(memory.origin).as_json(),
        "source_id": memory.source_id,
        "revision": memory.revision,
        "tokens": memory.prompt_tokens,
    }


def chunk_json(located: ChunkInFile, links: list[Link]) -> dict[str, Any]:
    """Returns a chunk, its surroundings and what cites it as data."""
    chunk = located.chunk
    return {
        "id": chunk.id,
        "path": chunk.path,
        "lines": [chunk.first_line, chunk.last_line],
        "symbol": chunk.symbol,
        "kind": chunk.kind,
        "language": located.language,
        "state": located.state,
        "thread_id": chunk.thread,
        "text": chunk.text,
        "before": list(located.before),
        "after": list(located.after),
        "tags": list(lookup.labels(chunk.tags)),
        "created_at": dates.iso(chunk.created_at),
        "cited_by": [{"id": link.from_id, "rel": link.rel} for link in links],
    }


def thread_json(thread: Thread) -> dict[str, Any]:
    """Returns a thread as data."""
    return {
        "thread_id": thread.id,
        "title": thread.title,
        "created_at": dates.iso(thread.created_at),
        "memory_count": thread.memory_count,
    }


def operation_json(operation: LoggedOperation) -> dict[str, Any]:
    """Returns an operation of the log as data, in the names of the sync format where it has them."""
    return {
        "revision": operation.revision,
        "id": operation.id,
        "hlc": [operation.hlc_ms, operation.hlc_n],
        "w": operation.writer,
        "k": operation.kind,
        "o": operation.object,
        "b": json.loads(operation.body),
        "actor": operation.actor,
        "vis": operation.vis,
        "command": operation.command,
    }
