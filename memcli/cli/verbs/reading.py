"""show, recent, threads, thread: looking at what is there."""

from __future__ import annotations

from memcli.cli import output
from memcli.cli.invoke import reading
from memcli.errors import InvalidInput, NotFound
from memcli.memory import lookup
from memcli.records import Record
from memcli.store import graph, memories
from memcli.store.chunks import Chunk
from memcli.store.memories import Memory
from memcli.text import dates
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.cli.invoke import Common
    from memcli.project import Project
    from memcli.recall.evidence import Seen
    from memcli.recall.holds import Told
    from memcli.store.graph import Link, Thread

MAX_LIMIT = 100_000
MAX_CONTEXT = 1_000  # lines before and after a chunk


class Show(Record):
    """What `mem show` was asked."""

    id: tuple[str, ...]
    context: int = 0


class Recent(Record):
    """What `mem recent` was asked."""

    limit: int = 20


class Threads(Record):
    """`mem threads` asks for nothing more."""


class OneThread(Record):
    """What `mem thread` was asked."""

    id: str
    limit: int = 20


def show(asked: Show, common: Common) -> None:
    """Prints everything about memories or chunks, or about sessions and prompts."""
    if not 0 <= asked.context <= MAX_CONTEXT:
        raise InvalidInput(f"a context of {asked.context} lines", f"give --context 0 to {MAX_CONTEXT}")
    told = [reference for reference in asked.id if reference.strip()[:2].upper() in ("A-", "P-")]
    if told and len(told) == len(asked.id):
        from memcli.cli.verbs import sessions

        return sessions.show(asked.id, common)
    if told:
        raise InvalidInput("sessions and prompts are shown by themselves", f"mem show {oneline(told[0])[:40]}")
    reading(common, lambda project: _show(project, asked, common.json))


def _show(project: Project, asked: Show, as_json: bool) -> None:
    found = [lookup.find_chunk(project, reference) or lookup.find(project, reference) for reference in asked.id]
    links = [[*graph.links_from(project.db, one.id), *graph.links_to(project.db, one.id)] for one in found]
    told: list[Any] = [_seen(project, one, asked.context) if isinstance(one, Chunk) else _told(project, one.id) for one in found]
    if as_json:
        items = [_item(*each) for each in zip(found, links, told, strict=True)]
        return output.data(items[0] if len(items) == 1 else items)
    from memcli.cli import views

    texts: list[str] = []
    for one, its, known in zip(found, links, told, strict=True):
        texts.append(
            views.memory(one, [k for k in its if k.from_id == one.id], known, project.now)
            if isinstance(one, Memory)
            else views.chunk(known, its)
        )
    output.show("\n\n".join(texts))


def _told(project: Project, memory_id: str) -> Told | None:
    """Returns what is known of a memory's files, None where it has none."""
    links = memories.links_of(project.db, [memory_id])
    if not links:
        return None
    from memcli.recall import holds

    return holds.Links(project, links).told(memory_id)


def _seen(project: Project, chunk: Chunk, context: int) -> Seen:
    from memcli.recall import evidence

    return evidence.seen(project, chunk, context)


def _chunk_json(seen: Seen, links: list[Link]) -> dict[str, Any]:
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


def _item(one: Any, links: list[Link], told: Any) -> dict[str, Any]:
    if isinstance(one, Chunk):
        return {"kind": "chunk", "chunk": _chunk_json(told, links)}
    edges = [{"from_id": link.from_id, "rel": link.rel, "to_id": link.to_id, "hash": link.hash} for link in links]
    truth = {
        "freshness": told.freshness if told else "unlinked",
        "drifted": sorted(told.changed + told.gone) if told else [],
        "contested_by": list(told.rivals) if told else [],
    }
    return {"kind": "memory", "memory": {**as_json(one), **truth, "links": edges}}


def as_json(memory: Memory) -> dict[str, Any]:
    """Returns a memory as data."""
    return {
        "id": memory.id,
        "thread_id": memory.thread,
        "kind": memory.kind,
        "title": memory.title,
        "summary": memory.summary,
        "tags": list(lookup.labels(memory.tags)),
        "entities": list(lookup.labels(memory.entities)),
        "created_at": dates.iso(memory.created_at),
        "updated_at": dates.iso(memory.updated_at),
        "anchor_commit": memory.anchor,
        "superseded_by": memory.superseded_by,
        "pinned": bool(memory.pinned),
        "origin": memory.origin,
        "source_id": memory.source_id,
        "revision": memory.revision,
        "tokens": memory.prompt_tokens,
    }


def recent(asked: Recent, common: Common) -> None:
    """Prints the newest memories, newest first."""
    reading(common, lambda project: _list(project, memories.recent(project.db, checked_limit(asked.limit)), common.json))


def checked_limit(limit: int) -> int:
    """Returns the limit. Raises InvalidInput for one that is none."""
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"a limit of {limit}", f"give --limit 1 to {MAX_LIMIT}")
    return limit


def _list(project: Project, found: list[Memory], as_json_: bool) -> None:
    if as_json_:
        return output.data([as_json(one) for one in found])
    from memcli.cli import views

    output.show(views.recent(found, project.now))


def threads(asked: Threads, common: Common) -> None:
    """Prints every thread with the number of its memories."""
    reading(common, lambda project: _threads(project, common.json))


def _threads(project: Project, as_json_: bool) -> None:
    found = graph.threads(project.db)
    if as_json_:
        return output.data([_thread_json(one) for one in found])
    from memcli.cli import views

    output.show(views.threads(found, project.now))


def _thread_json(one: Thread) -> dict[str, Any]:
    return {"thread_id": one.id, "title": one.title, "created_at": dates.iso(one.created_at), "memory_count": one.memory_count}


def thread(asked: OneThread, common: Common) -> None:
    """Prints the newest memories of one thread."""
    reading(common, lambda project: _thread(project, asked, common.json))


def _thread(project: Project, asked: OneThread, as_json_: bool) -> None:
    found = graph.thread(project.db, asked.id)
    if found is None:
        raise NotFound(f"no thread {oneline(asked.id)[:80]}", "see mem threads")
    inside = memories.recent(project.db, checked_limit(asked.limit), found.id)
    if as_json_:
        return output.data({"thread": _thread_json(found), "memories": [as_json(one) for one in inside]})
    _list(project, inside, as_json_=False)
