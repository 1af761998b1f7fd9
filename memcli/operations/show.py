"""show: everything about memories or chunks."""

from __future__ import annotations

from memcli import fields
from memcli.fields import Request
from memcli.memory import lookup
from memcli.operations import Operation
from memcli.operations.results import chunk_json, memory_json
from memcli.records import Record
from memcli.store import graph
from memcli.store.chunks import Chunk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.project import Project
    from memcli.store.graph import Link
    from memcli.store.memories import Memory

MAX_CONTEXT = 1_000  # lines before and after a chunk


class ShowRequest(Request):
    """Which memories or chunks, and how many lines around a chunk."""

    id: tuple[str, ...] = fields.identifiers("Ids of memories, chunks, sessions or prompts, or unique prefixes.")
    context: int = fields.number("Lines to show before and after a chunk.", default=0, maximum=MAX_CONTEXT)


class Shown(Record):
    """A memory or a chunk and its links. `details`: the MemoryStatus of a memory, the ChunkInFile of a chunk."""

    item: Memory | Chunk
    links: list[Link]
    details: Any
    now: int

    def to_json(self) -> dict[str, Any]:
        """Returns everything as data."""
        if isinstance(self.item, Chunk):
            return {"kind": "chunk", "chunk": chunk_json(self.details, self.links)}
        edges = [{"from_id": link.from_id, "rel": link.rel, "to_id": link.to_id, "hash": link.hash} for link in self.links]
        return {"kind": "memory", "memory": {**memory_json(self.item), **self.details.as_json(), "links": edges}}


def read(project: Project, request: ShowRequest) -> list[Shown]:
    """Returns everything about what each id means. Raises NotFound or InvalidInput."""
    return [_shown(project, reference, request.context) for reference in request.id]


def _shown(project: Project, reference: str, context: int) -> Shown:
    item = lookup.find_chunk(project, reference) or lookup.find(project, reference)
    links = [*graph.links_from(project.db, item.id), *graph.links_to(project.db, item.id)]
    if isinstance(item, Chunk):
        from memcli.validity.chunks import chunk_in_file

        return Shown(item, links, chunk_in_file(project, item, context), project.now)
    from memcli.validity.status import statuses

    return Shown(item, links, statuses(project, [item])[0], project.now)


OPERATIONS = {
    "show": Operation("show", "Show everything about memories, chunks, sessions or prompts.", ShowRequest, Shown, read=read)
}
