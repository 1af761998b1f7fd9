"""Memories as a model reads them: compact data, in which stored text can never look like anything else."""

from __future__ import annotations

from memcli.memory import contents, lookup
from memcli.store import graph
from memcli.store.chunks import Chunk
from memcli.store.memories import Memory
from memcli.text import dates, json
from memcli.text.terminal import oneline
from memcli.validity.origin import origin_of
from memcli.validity.status import REACHABLE, UNLINKED, statuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.project import Project
    from memcli.store.sessions import Prompt


def whole(project: Project, reference: str) -> str:
    """Returns everything about a memory or chunk as one line of JSON. Raises NotFound or InvalidInput."""
    chunk = lookup.find_chunk(project, reference)
    return json.dumps(_chunk(chunk) if chunk else _memory(project, lookup.find(project, reference)))


def _chunk(chunk: Chunk) -> dict[str, Any]:
    place = {"id": chunk.id, "path": chunk.path, "lines": [chunk.first_line, chunk.last_line], "symbol": chunk.symbol}
    return {**place, "text": chunk.text}


def _memory(project: Project, memory: Memory) -> dict[str, Any]:
    links = [*graph.links_from(project.db, memory.id), *graph.links_to(project.db, memory.id)]
    status = statuses(project, [memory])[0]
    said: dict[str, Any] = {
        "id": memory.id,
        "thread": memory.thread,
        "kind": memory.kind,
        "title": memory.title,
        "summary": memory.summary,
        "tags": list(lookup.labels(memory.tags)),
        "entities": list(lookup.labels(memory.entities)),
        "created_at": dates.iso(memory.created_at),
        "updated_at": dates.iso(memory.updated_at),
        "commit": memory.anchor,
        "superseded_by": memory.superseded_by,
        "pinned": bool(memory.pinned),
        "suspicious": bool(memory.suspicious),
        **origin_of(memory.origin).as_json(),
        **{name: value for name, value in status.as_json().items() if value not in (REACHABLE, UNLINKED)},
        "links": [{"from": link.from_id, "rel": link.rel, "to": link.to_id} for link in links],
    }
    return {name: value for name, value in said.items() if value not in (None, "", [], False)}


def content(memory: Memory) -> str:
    """Returns what a memory says as one text: for one that was written as a text, that text."""
    return memory.summary if contents.is_one(memory) else f"{memory.title}\n{memory.summary}"


def line(one: Memory | Prompt) -> str:
    """Returns a memory on one line: when, id, kind, thread, title; of a prompt when, id and its beginning."""
    if not isinstance(one, Memory):
        return f"{dates.iso(one.created_at)[:16]} {one.id} prompt {oneline(one.text)[:200] or one.skipped}"
    return f"{dates.iso(one.created_at)[:16]} {one.id} {one.kind} {json.dumps(one.thread)} {one.line}"
