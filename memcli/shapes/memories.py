"""Memories, chunks, threads and links as data, and what became of a command about them."""

from __future__ import annotations

from memcli.memory import lookup
from memcli.records import Record
from memcli.store import graph
from memcli.store.chunks import Chunk
from memcli.text import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.memory.entries import NewMemory
    from memcli.project import Project
    from memcli.store.graph import Link, Thread
    from memcli.store.memories import Memory
    from memcli.validity.chunks import ChunkInFile
    from memcli.validity.status import MemoryStatus


class Whole(Record):
    """A memory or a chunk and its links. `known`: the MemoryStatus of a memory, the ChunkInFile of a chunk."""

    one: Memory | Chunk
    links: list[Link]
    known: Any


def whole(project: Project, reference: str, context: int = 0) -> Whole:
    """Returns everything about what an id means. `context`: lines around a chunk. Raises NotFound or InvalidInput."""
    one = lookup.find_chunk(project, reference) or lookup.find(project, reference)
    links = [*graph.links_from(project.db, one.id), *graph.links_to(project.db, one.id)]
    known: Any = _seen(project, one, context) if isinstance(one, Chunk) else _status(project, one)
    return Whole(one, links, known)


def _status(project: Project, one: Memory) -> MemoryStatus:
    from memcli.validity.status import statuses

    return statuses(project, [one])[0]


def _seen(project: Project, chunk: Chunk, context: int) -> ChunkInFile:
    from memcli.validity.chunks import chunk_in_file

    return chunk_in_file(project, chunk, context)


def item(found: Whole) -> dict[str, Any]:
    """Returns everything about a memory or a chunk as data."""
    if isinstance(found.one, Chunk):
        return {"kind": "chunk", "chunk": _chunk(found.known, found.links)}
    edges = [{"from_id": link.from_id, "rel": link.rel, "to_id": link.to_id, "hash": link.hash} for link in found.links]
    return {"kind": "memory", "memory": {**memory(found.one), **found.known.as_json(), "links": edges}}


def _chunk(seen: ChunkInFile, links: list[Link]) -> dict[str, Any]:
    one = seen.chunk
    return {
        "id": one.id,
        "path": one.path,
        "lines": [one.first_line, one.last_line],
        "symbol": one.symbol,
        "kind": one.kind,
        "language": seen.language,
        "state": seen.state,
        "thread_id": one.thread,
        "text": one.text,
        "before": list(seen.before),
        "after": list(seen.after),
        "tags": list(lookup.labels(one.tags)),
        "created_at": dates.iso(one.created_at),
        "cited_by": [{"id": link.from_id, "rel": link.rel} for link in links],
    }


def memory(of: Memory) -> dict[str, Any]:
    """Returns a memory as data."""
    from memcli.validity.origin import origin_of  # nobody else needs it to print text

    return {
        "id": of.id,
        "thread_id": of.thread,
        "kind": of.kind,
        "title": of.title,
        "summary": of.summary,
        "tags": list(lookup.labels(of.tags)),
        "entities": list(lookup.labels(of.entities)),
        "created_at": dates.iso(of.created_at),
        "updated_at": dates.iso(of.updated_at),
        "anchor_commit": of.anchor,
        "superseded_by": of.superseded_by,
        "pinned": bool(of.pinned),
        **origin_of(of.origin).as_json(),
        "source_id": of.source_id,
        "revision": of.revision,
        "tokens": of.prompt_tokens,
    }


def thread(of: Thread) -> dict[str, Any]:
    """Returns a thread as data."""
    return {"thread_id": of.id, "title": of.title, "created_at": dates.iso(of.created_at), "memory_count": of.memory_count}


def in_thread(of: Thread, inside: Sequence[Memory]) -> dict[str, Any]:
    """Returns a thread with some of its memories as data."""
    return {"thread": thread(of), "memories": [memory(one) for one in inside]}


def added(of: Memory, new: NewMemory, was_there: bool) -> dict[str, Any]:
    """Returns what `add` says of a memory that was stored, or was there already."""
    said = {
        "id": of.id,
        "thread_id": of.thread,
        "thread_used": of.thread,
        "thread_defaulted": new.thread is None,
        "title": of.title,
        "anchor_commit": of.anchor,
        "created_at": dates.iso(of.created_at),
        "tokens": of.prompt_tokens,
    }
    return {**said, "duplicate_of": of.id} if was_there else said


def updated(of: Memory) -> dict[str, Any]:
    """Returns what `update` says."""
    names = {"id": of.id, "thread_id": of.thread, "title": of.title, "summary": of.summary}
    return {**names, "operation_at": dates.iso(of.updated_at)}


def superseded(old: Memory, new: Memory) -> dict[str, Any]:
    """Returns what `supersede` says."""
    return {"old_id": old.id, "new_id": new.id, "status": "superseded"}


def confirmed(of: Memory) -> dict[str, Any]:
    """Returns what `confirm` says of one memory."""
    return {"id": of.id, "anchor_commit": of.anchor, "status": "confirmed"}


def hidden(name: str, status: str) -> dict[str, Any]:
    """Returns what `forget` and `restore` say of a memory or a chunk."""
    return {"id": name, "kind": "chunk" if name.startswith("C-") else "memory", "status": status}


def pinned(of: Memory, wanted: bool) -> dict[str, Any]:
    """Returns what `pin` and `unpin` say."""
    return {"id": of.id, "pinned": bool(of.pinned), "status": "pinned" if wanted else "unpinned"}


def linked(made: Link, created: bool) -> dict[str, Any]:
    """Returns what `link` says."""
    ends = {"from_id": made.from_id, "rel": made.rel, "to_id": made.to_id, "weight": 1}
    status = "linked" if created else "exists"
    return {**ends, "created_at": dates.iso(made.created_at), "created": created, "status": status}
