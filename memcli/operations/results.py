"""What several operations answer: a memory in one line, an operation of the log."""

from __future__ import annotations

from memcli.fields import Result
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from memcli.store.memories import Memory
    from memcli.store.oplog import Operation


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


def operation_json(operation: Operation) -> dict[str, Any]:
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
