"""What a pull computes, in as many processes as there are cores where much arrives: reading lines, and making rows of memories.

The processes know no store: what they are given and what they return are plain values.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import Any

from memcli import system
from memcli.memory.projection import MemoryRows, fold, row_of, rows_of_memory
from memcli.records import many, values
from memcli.replication import wire
from memcli.store import vocabulary, word_vectors
from memcli.store.graph import Link
from memcli.store.memories import Memory
from memcli.store.oplog import LoggedOperation
from memcli.store.passages import Passage
from memcli.text.processes import Process, serve

_MOST = 4  # processes
_AHEAD = 2  # jobs a process that are given out before they are needed


class Pool:
    """Does jobs in order: in this process, or from `start` on in others, which end with the `with` block."""

    def __init__(self) -> None:
        self._processes: list[Process] = []
        self._idle = SimpleQueue[Process]()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *error: object) -> None:
        for process in self._processes:
            process.kill()

    def start(self) -> None:
        """Starts the processes, where there are cores for them and none runs yet."""
        if system.cores() == 1:
            vocabulary.whole()
        elif not self._processes:
            self._processes = [Process("memcli.replication.pool:work") for _ in range(min(system.cores(), _MOST))]
            for process in self._processes:
                process.send(0)
                self._idle.put(process)

    def map(self, job: Callable[[Any], Any], values: Iterable[Any]) -> Iterator[Any]:
        """Yields what a job returns for each of the values, in their order."""
        if not self._processes:
            yield from map(job, values)
            return
        results = deque[Future[Any]]()
        with ThreadPoolExecutor(len(self._processes)) as threads:
            for value in values:
                results.append(threads.submit(self._done, job, value))
                if len(results) > len(self._processes) * _AHEAD:
                    yield results.popleft().result()
            while results:
                yield results.popleft().result()

    def _done(self, job: Callable[[Any], Any], value: Any) -> Any:
        """Has a process do a job; where it dies over it, this one does it."""
        process = self._idle.get()
        try:
            process.send((job.__name__, value))
            result = process.receive()
        finally:
            self._idle.put(process)
        return job(value) if result is None or isinstance(result, str) else result


def work() -> None:
    """Runs in a process of the pool: does jobs until there are no more."""
    serve(lambda _: _answer)


def _answer(message: Any) -> Any:
    vocabulary.whole()
    name, value = message
    return {"read_lines": read_lines, "make_rows": make_rows}[name](value)


def read_lines(written: Sequence[tuple[str, str]]) -> tuple[list[Any], list[str]]:
    """Reads lines, given with their writers. Returns of each the values of an operation, or why it is refused; and the rules by
    which secrets were masked."""
    results: list[Any] = []
    masked: list[str] = []
    for writer, line in written:
        try:
            received = wire.read(line, writer)
        except wire.Refused as reason:
            results.append(str(reason))
        else:
            results.append(values(received.operation))
            masked += received.rules
    return results, masked


def make_rows(job: tuple[int, bool, Sequence[tuple[str, Sequence[Any]]]]) -> list[Any]:
    """Returns the plain rows of memories, None for one that this store has to look at: without a row, or seen in a session.

    A job is the tokens of a summary that packs print, whether vectors are made, and the operations on each memory.
    """
    most_tokens, has_vectors, objects = job
    return [_plain_rows(most_tokens, has_vectors, name, many(LoggedOperation, operations)) for name, operations in objects]


def _plain_rows(most_tokens: int, has_vectors: bool, name: str, operations: list[LoggedOperation]) -> Any:
    folded = fold(operations)
    memory = None if "session" in folded.fields else row_of(None, name, folded)  # type: ignore[arg-type]
    if memory is None:
        return None
    rows = rows_of_memory(most_tokens, memory, folded)
    vectors = {it.id: word_vectors.encode(it.meaning) if has_vectors else None for it in (*rows.passages, memory)}
    return values(rows.memory), [values(it) for it in rows.passages], [values(it) for it in rows.links], vectors


def rows_from(plain: Any) -> tuple[MemoryRows, dict[str, bytes | None]]:
    """Returns the rows of a memory, and the vectors by the ids of what they are of, as `make_rows` returned them."""
    memory, passages, links, vectors = plain
    return MemoryRows(Memory(*memory), many(Passage, passages), many(Link, links)), vectors
