"""show: everything about the objects of ids. Those that are neither memories nor chunks are in operations/items.py."""

from __future__ import annotations

from memcli import fields
from memcli.fields import Request, Result
from memcli.memory import find_chunk, find_memory, labels
from memcli.operations import Operation
from memcli.operations.results import MemoryRecord, MemoryUsage, authors_in, memory_usage, memory_values, shared_in
from memcli.records import Record
from memcli.store import graph
from memcli.store.chunks import Chunk
from memcli.text import dates, ids
from memcli.text.ids import anchor_commit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from memcli.operations.items import ShownItem
    from memcli.operations.results import Authors
    from memcli.project import Project
    from memcli.store.graph import Link
    from memcli.store.memories import Memory
    from memcli.store.sessions import Session
    from memcli.store.usage import Usage
    from memcli.validity.chunks import ChunkInFile

_OTHERS = ("P-", "A-", "S-", "N-", "K-")
MAX_CONTEXT = 1_000  # lines before and after a chunk


class ShowRequest(Request):
    """What to show, and how many lines around a chunk."""

    id: tuple[str, ...] = fields.identifiers("Ids of anything, or unique prefixes; P-…#a1 is a passage, P-…#a all of an answer.")
    context: int = fields.number("Lines to show before and after a chunk.", default=0, maximum=MAX_CONTEXT)


class LinkRecord(Result):
    """A link."""

    from_id: str
    rel: str
    to_id: str
    hash: str | None


class MemoryWithStatus(MemoryRecord):
    """A memory, and whether it holds at HEAD."""

    anchor_state: Literal["reachable", "carried", "orphan", "unknown"]
    carried_over: dict[str, str] | None = fields.json_value(
        "Where its commit itself is not in the history of HEAD: the `commit` that carried its change over, and `how`."
    )
    freshness: Literal["fresh", "drifted", "unlinked"]
    drifted: list[str]
    contested_by: list[str]
    superseded: bool


class WritingSession(Result):
    """The session of an agent in which a memory was written."""

    id: str
    title: str
    started_at: str


class MemoryDetails(MemoryWithStatus):
    """Everything about a memory."""

    links: list[LinkRecord]
    usage: MemoryUsage
    session: WritingSession | None = None
    written_commit: str | None = None  # on which it was written, wherever it was confirmed since
    confirmed_at: str | None = None
    successors: list[str] = []  # what holds in its place, where that is not only what replaced it
    shared: str = ""  # where this memory has a remote: yes, by the rules at the next synchronization, or no
    author: str = ""  # what the store is called that wrote it, and the one that changed it last
    changed_by: str = ""


class Citation(Result):
    """A memory that cites a chunk."""

    id: str
    rel: str


class ChunkDetails(Result):
    """Everything about a chunk, its surroundings, and what cites it."""

    id: str
    path: str
    lines: list[int]
    symbol: str
    kind: str
    language: str
    state: str
    thread_id: str
    text: str
    before: list[str]
    after: list[str]
    tags: list[str]
    origin: str
    trust: Literal["high", "medium", "low"]
    created_at: str
    cited_by: list[Citation]


class ItemMemory(Result):
    """A memory that was asked for by its id."""

    kind: Literal["memory"]
    memory: MemoryDetails


class ItemChunk(Result):
    """A chunk that was asked for by its id."""

    kind: Literal["chunk"]
    chunk: ChunkDetails


class Shown(Record):
    """A memory or a chunk, and its links. `details`: the MemoryStatus of a memory, or the ChunkInFile of a chunk.

    For a memory: `usage`, `authors`, where it was `written`, and `successors`: what holds in its place;
    `shared`: whether others get it, "" if the memory has no remote.
    """

    item: Memory | Chunk
    links: list[Link]
    details: Any
    now: int
    usage: Usage | None = None
    authors: Authors | None = None
    written: dict[str, Any] = {}
    successors: tuple[str, ...] = ()
    shared: str = ""

    def answer(self) -> ItemMemory | ItemChunk:
        """Returns everything about it as a result."""
        if isinstance(self.item, Chunk):
            return ItemChunk("chunk", _chunk_details(self.details, self.links))
        links = [LinkRecord(link.from_id, link.rel, link.to_id, link.hash) for link in self.links]
        assert self.usage is not None
        values = {**memory_values(self.item), **self.details.as_json(), "successors": list(self.successors)}
        names: dict[str, Any] = {"author": self.authors.wrote, "changed_by": self.authors.changed} if self.authors else {}
        names |= {"shared": self.shared, **self.written}
        return ItemMemory("memory", MemoryDetails(**values, **names, links=links, usage=memory_usage(self.usage)))


def _chunk_details(located: ChunkInFile, links: list[Link]) -> ChunkDetails:
    from memcli.validity import CHUNK_ACTOR, origin_of

    chunk = located.chunk
    return ChunkDetails(
        id=chunk.id,
        path=chunk.path,
        lines=[chunk.first_line, chunk.last_line],
        symbol=chunk.symbol,
        kind=chunk.kind,
        language=located.language,
        state=located.state,
        thread_id=chunk.thread,
        text=chunk.text,
        before=list(located.before),
        after=list(located.after),
        tags=list(labels(chunk.tags)),
        **origin_of(CHUNK_ACTOR).as_json(),
        created_at=dates.iso(chunk.created_at),
        cited_by=[Citation(link.from_id, link.rel) for link in links],
    )


def read(project: Project, request: ShowRequest) -> list[Shown | ShownItem]:
    """Returns everything about the object of each id. Raises NotFound or InvalidInput."""
    return [_shown(project, reference, request.context) for reference in request.id]


def _shown(project: Project, reference: str, context: int) -> Shown | ShownItem:
    if ids.PLACE in reference or ids.canonical(reference)[:2] in _OTHERS:
        from memcli.operations import items

        if (other := items.shown(project, reference)) is not None:
            return other
        reference = ids.canonical(reference)
    item = find_chunk(project, reference) or find_memory(project, reference)
    links = [*graph.links_from(project.db, item.id), *graph.links_to(project.db, item.id)]
    if isinstance(item, Chunk):
        from memcli.validity.chunks import chunk_in_file

        return Shown(item, links, chunk_in_file(project, item, context), project.now)
    from memcli.store import usage
    from memcli.validity import statuses, succession

    used = usage.of_memories(project.db, [item.id])[item.id]
    details, authors = statuses(project, [item])[0], authors_in(project, item.id)
    latest = [memory.id for memory in succession(project, project.db).of(item.id)] if item.superseded_by else []
    holding = tuple([name for name in latest if name != item.id])
    others = holding if holding != (item.superseded_by,) else ()
    return Shown(item, links, details, project.now, used, authors, _written(project, item), others, shared_in(project, item.id))


def _written(project: Project, memory: Memory) -> dict[str, Any]:
    """Returns the fields that say where a memory was written."""
    from memcli.memory.written import written

    where = written(project, memory)
    return {
        "session": _writing_session(project, where.session) if where.session else None,
        "written_commit": anchor_commit(where.anchor),
        "confirmed_at": None if where.confirmed_at is None else dates.iso(where.confirmed_at),
    }


def _writing_session(project: Project, session: Session) -> WritingSession:
    from memcli.operations.sessions import name_of

    return WritingSession(session.id, name_of(project, session).title, dates.iso(session.started_at))


OPERATIONS = {
    "show": Operation(
        "show",
        "Show everything about memories, chunks, passages, prompts, sessions, states or notes.",
        ShowRequest,
        Shown,
        read=read,
    )
}
