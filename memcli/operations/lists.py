"""recent, threads, thread: lists of what is stored."""

from __future__ import annotations

from memcli import fields
from memcli.errors import Call, InvalidInput, NotFound
from memcli.fields import Filtered, Request, Result
from memcli.operations import Operation
from memcli.operations.results import MemoryRecord, ThreadRecord, authors_of, memory_values, thread_record
from memcli.records import Record, replace
from memcli.repo import head
from memcli.store import graph, listing, memories, oplog
from memcli.store.listing import MemoryFilter
from memcli.text import json
from memcli.text.ids import anchor_branch
from memcli.text.terminal import oneline
from memcli.validity import ORPHAN, UNKNOWN, contests, standing, state_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from memcli.operations.results import Authors
    from memcli.project import Project
    from memcli.store.graph import Thread
    from memcli.store.memories import Memory

    Contests = dict[str, tuple[str, tuple[str, ...]]]

_FIX = "bugfix"
_COUNTS = "threads"  # note in the cache: as seen from which HEAD, at which revision, and how many memories of each do not hold


class RecentRequest(Filtered):
    """Which memories, and how many."""

    limit: int = fields.limit(20)
    shared: bool = fields.flag("Only those that are shared with other stores.", default=False)
    by: str | None = fields.text(
        "Who wrote or changed them: the name or id of a writer.", default=None, max_length=80, metavar="WRITER"
    )


class ThreadsRequest(Request):
    """Nothing: all threads are listed."""


class ThreadRequest(Request):
    """A thread, and how many of its memories."""

    id: str = fields.text("The thread's name.", max_length=80, metavar="NAME")
    limit: int = fields.limit(20)


class MemoryInList(MemoryRecord):
    """A memory, and whether it holds at HEAD."""

    anchor_state: Literal["reachable", "carried", "orphan", "unknown"]
    superseded: bool
    contested_by: list[str] = []  # others that replace the same memory


class ThreadMemories(Result):
    """A thread and its newest memories."""

    thread: ThreadRecord
    memories: list[MemoryInList]


class Memories(Record):
    """Memories, newest first. `standings`: for each, the state of its anchor and whether HEAD can see what replaced it.

    `are_all`: no condition was given; `authors`: of those that another store wrote or changed, by their ids; `contests`: of
    those that others contest, what they replace and these others.
    """

    memories: list[Memory]
    standings: list[tuple[str, bool]]
    now: int
    are_all: bool = True
    authors: dict[str, Authors] = {}
    contests: Contests = {}

    def answer(self) -> list[MemoryInList]:
        """Returns the memories as results."""
        return _listed(self)


class MemoriesOfThread(Record):
    """Memories of a thread, newest first."""

    memories: list[Memory]
    standings: list[tuple[str, bool]]
    now: int
    thread: Thread
    authors: dict[str, Authors] = {}
    contests: Contests = {}

    def answer(self) -> ThreadMemories:
        """Returns the thread with its memories."""
        return ThreadMemories(thread_record(self.thread), _listed(self))


class Threads(Record):
    """All threads."""

    threads: list[Thread]
    now: int

    def answer(self) -> list[ThreadRecord]:
        """Returns the threads as results."""
        return [thread_record(thread) for thread in self.threads]


def recent(project: Project, request: RecentRequest) -> Memories:
    """Returns the newest memories and statements of sessions that match. Raises InvalidInput, NotFound for an unknown writer.

    What hooks noted about single calls is left out, unless its kind (other than fixes), origin or thread is named.
    """
    conditions = _conditions(project, request)
    newest = listing.page(project.db, conditions)
    if _takes_statements(project, request):
        thread = project.config["capture.thread"]
        newest += [passage.as_statement(thread) for passage in listing.statements(project.db, conditions)]
        newest = sorted(newest, key=lambda memory: -memory.created_at)[: request.limit]
    are_all = all(getattr(request, name) is None for name in (*Filtered.FIELDS, "by")) and not request.shared
    standings, authors = standing(project, project.db, newest), authors_of(project, newest, is_every=request.by is not None)
    return Memories(newest, standings, project.now, are_all, authors, _contests(project, newest))


def _contests(project: Project, group: list[Memory]) -> Contests:
    return contests(project, project.db, [memory.id for memory in group])


def _conditions(project: Project, request: RecentRequest) -> MemoryFilter:
    # A single edit is only part of a fix: of this kind, what made the error pass is listed.
    event = None if (request.kind and request.kind != _FIX) or request.origin or request.thread else False
    event = None if request.shared else event
    shared = request.shared or None
    writers = None if request.by is None else json.canonical(_writers(project, request.by))
    if all(getattr(request, name) is None for name in Filtered.FIELDS):
        return MemoryFilter(event=event, shared=shared, writers=writers, limit=request.limit)
    from memcli.memory import filters

    conditions = filters.conditions(project, request)
    return MemoryFilter(**conditions, event=event, shared=shared, writers=writers, limit=request.limit)


def _writers(project: Project, by: str) -> list[str]:
    """Returns the id of the writer of a name or an id; "" for this store; those of all CI jobs of a name.

    Raises NotFound, or InvalidInput for several others.
    """
    from memcli.store import meta
    from memcli.validity import writer_names

    names = writer_names(project)
    writers = names.meant_by(by)
    if not writers:
        raise NotFound(f"no writer {oneline(by)[:80]}", "mem sync status lists the names and ids of those who wrote here")
    if len(writers) > 1 and not names.are_jobs(writers):
        several = f"{oneline(by)[:80]} could be {len(writers)} writers: {', '.join(names.labels(writers))}"
        raise InvalidInput(several, "give one of these ids instead of the name", "ambiguous")
    return ["" if it == meta(project.db, "writer") else it for it in writers]


def _takes_statements(project: Project, request: RecentRequest) -> bool:
    return request.thread in (None, project.config["capture.thread"]) and not (request.shared or request.by)


def count_recent(project: Project, request: RecentRequest, result: Memories) -> int:
    """Returns how many memories match."""
    conditions = _conditions(project, request)
    stated = listing.count_statements(project.db, conditions) if _takes_statements(project, request) else 0
    return listing.count_matching(project.db, conditions) + stated


def threads(project: Project, request: ThreadsRequest) -> Threads:
    """Returns every thread with the number of its memories."""
    return Threads(_counted(project, graph.threads(project.db)), project.now)


def thread(project: Project, request: ThreadRequest) -> MemoriesOfThread:
    """Returns the newest memories of a thread. Raises NotFound or InvalidInput."""
    thread = graph.thread(project.db, request.id)
    if thread is None:
        raise NotFound(f"no thread {oneline(request.id)[:80]}", ("see ", Call("threads")))
    newest = listing.page(project.db, MemoryFilter(thread=thread.id, limit=request.limit))
    (counted,) = _counted(project, [thread])
    standings, authors = standing(project, project.db, newest), authors_of(project, newest)
    return MemoriesOfThread(newest, standings, project.now, counted, authors, _contests(project, newest))


def _counted(project: Project, threads: list[Thread]) -> list[Thread]:
    """Returns threads with the number of their memories that do not hold at HEAD."""
    counts = _invalid(project)
    return [replace(thread, invalid_count=counts.get(thread.id, 0)) for thread in threads]


def _invalid(project: Project) -> dict[str, int]:
    """Returns of each thread how many memories do not hold at HEAD, if any. Each is judged once for a HEAD and a revision.

    Where git cannot tell of an anchor yet, or it is the next commit of a branch, it is asked each time.
    """
    view = f"{head.view(project.checkout)} {oplog.revision(project.db)} " if project.checkout else ""
    kept = project.cache.note(_COUNTS) or ""
    if view and kept.startswith(view):
        return dict(json.loads(kept.removeprefix(view)))
    groups = memories.anchor_groups(project.db)
    counts: dict[str, int] = {}
    is_settled = True
    for group, (state, superseded) in zip(groups, standing(project, project.db, groups)):
        if state == ORPHAN or superseded:
            counts[group.thread] = counts.get(group.thread, 0) + group.count
        is_settled = is_settled and state != UNKNOWN and not anchor_branch(group.anchor)
    if view and is_settled:
        project.cache.keep_note(_COUNTS, view + json.canonical(counts))
    return counts


def _listed(result: Memories | MemoriesOfThread) -> list[MemoryInList]:
    return [
        MemoryInList(
            **memory_values(memory),
            anchor_state=state_name(state),  # type: ignore[arg-type]
            superseded=superseded,
            contested_by=list(result.contests.get(memory.id, ("", ()))[1]),
        )
        for memory, (state, superseded) in zip(result.memories, result.standings)
    ]


OPERATIONS = {
    "recent": Operation("recent", "List the newest memories.", RecentRequest, Memories, read=recent, total=count_recent),
    "threads": Operation("threads", "List the threads.", ThreadsRequest, Threads, read=threads),
    "thread": Operation("thread", "List the newest memories of one thread.", ThreadRequest, MemoriesOfThread, read=thread),
}
