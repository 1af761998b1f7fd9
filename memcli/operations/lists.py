"""recent, threads, thread: lists of what is stored."""

from __future__ import annotations

from memcli import fields
from memcli.errors import Call, NotFound
from memcli.fields import Request, Result
from memcli.operations import Operation
from memcli.operations.results import MemoryRecord, ThreadRecord, memory_record, thread_record
from memcli.records import Record
from memcli.store import graph, memories
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.project import Project
    from memcli.store.graph import Thread
    from memcli.store.memories import Memory


class RecentRequest(Request):
    """How many memories."""

    limit: int = fields.limit(20)


class ThreadsRequest(Request):
    """Nothing: all threads are listed."""


class ThreadRequest(Request):
    """A thread, and how many of its memories."""

    id: str = fields.text("The thread's name.", max_length=80, metavar="NAME")
    limit: int = fields.limit(20)


class ThreadMemories(Result):
    """A thread and its newest memories."""

    thread: ThreadRecord
    memories: list[MemoryRecord]


class Memories(Record):
    """Memories, newest first."""

    memories: list[Memory]
    now: int

    def answer(self) -> list[MemoryRecord]:
        """Returns the memories as results."""
        return [memory_record(memory) for memory in self.memories]


class MemoriesOfThread(Record):
    """Memories of a thread, newest first."""

    memories: list[Memory]
    now: int
    thread: Thread

    def answer(self) -> ThreadMemories:
        """Returns the thread with its memories."""
        return ThreadMemories(thread_record(self.thread), [memory_record(memory) for memory in self.memories])


class Threads(Record):
    """All threads."""

    threads: list[Thread]
    now: int

    def answer(self) -> list[ThreadRecord]:
        """Returns the threads as results."""
        return [thread_record(thread) for thread in self.threads]


def recent(project: Project, request: RecentRequest) -> Memories:
    """Returns the newest memories. Raises InvalidInput."""
    return Memories(memories.recent(project.db, request.limit), project.now)


def threads(project: Project, request: ThreadsRequest) -> Threads:
    """Returns every thread with the number of its memories."""
    return Threads(graph.threads(project.db), project.now)


def thread(project: Project, request: ThreadRequest) -> MemoriesOfThread:
    """Returns the newest memories of one thread. Raises NotFound or InvalidInput."""
    thread = graph.thread(project.db, request.id)
    if thread is None:
        raise NotFound(f"no thread {oneline(request.id)[:80]}", ("see ", Call("threads")))
    return MemoriesOfThread(memories.recent(project.db, request.limit, thread.id), project.now, thread)


OPERATIONS = {
    "recent": Operation("recent", "List the newest memories.", RecentRequest, Memories, read=recent),
    "threads": Operation("threads", "List the threads.", ThreadsRequest, Threads, read=threads),
    "thread": Operation("thread", "List the newest memories of one thread.", ThreadRequest, MemoriesOfThread, read=thread),
}
