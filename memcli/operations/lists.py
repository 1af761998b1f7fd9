"""recent, threads, thread: lists of what is stored."""

from __future__ import annotations

from memcli import fields
from memcli.errors import Call, NotFound
from memcli.fields import Request
from memcli.operations import Operation
from memcli.operations.results import memory_json, thread_json
from memcli.records import Record
from memcli.store import graph, memories
from memcli.text.terminal import oneline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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


class Memories(Record):
    """Memories, newest first; of a thread where one was named."""

    memories: list[Memory]
    now: int
    thread: Thread | None = None

    def to_json(self) -> Any:
        """Returns the memories as data, below their thread where one was named."""
        items = [memory_json(memory) for memory in self.memories]
        return items if self.thread is None else {"thread": thread_json(self.thread), "memories": items}


class Threads(Record):
    """All threads."""

    threads: list[Thread]
    now: int

    def to_json(self) -> list[dict[str, Any]]:
        """Returns the threads as data."""
        return [thread_json(thread) for thread in self.threads]


def recent(project: Project, request: RecentRequest) -> Memories:
    """Returns the newest memories. Raises InvalidInput."""
    return Memories(memories.recent(project.db, request.limit), project.now)


def threads(project: Project, request: ThreadsRequest) -> Threads:
    """Returns every thread with the number of its memories."""
    return Threads(graph.threads(project.db), project.now)


def thread(project: Project, request: ThreadRequest) -> Memories:
    """Returns the newest memories of one thread. Raises NotFound or InvalidInput."""
    thread = graph.thread(project.db, request.id)
    if thread is None:
        raise NotFound(f"no thread {oneline(request.id)[:80]}", ("see ", Call("threads")))
    return Memories(memories.recent(project.db, request.limit, thread.id), project.now, thread)


OPERATIONS = {
    "recent": Operation("recent", "List the newest memories.", RecentRequest, Memories, read=recent),
    "threads": Operation("threads", "List the threads.", ThreadsRequest, Threads, read=threads),
    "thread": Operation("thread", "List the newest memories of one thread.", ThreadRequest, Memories, read=thread),
}
