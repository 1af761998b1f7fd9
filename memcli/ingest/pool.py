"""A pool of processes that read and cut files, as many as there are cores. They read the files, never the store.

A process that dies over a job (a parser's stack, memory) is replaced, and the job is done file by file, so that only the file
that kills it is not parsed, and is skipped where it kills another one. Its memory is limited where the system can: a parser that
runs out of it cannot be kept from ending its process, so one that may is run nowhere else.
"""

from __future__ import annotations

import os
import selectors
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from memcli import system
from memcli.errors import MemError
from memcli.ingest.read import FileContent, FileToRead, Limits, from_plain, plain, read_all, root_gone
from memcli.records import replace, values
from memcli.text.processes import Process, serve

Job = tuple[int, list[FileToRead]]

MAX_PROCESSES = 3  # each takes 55 to 85 MB; with the one that writes they keep four cores busy in 300 MB
CRASHED = "crashed the parser"
_MEMORY = 400 << 20  # bytes that a process may take for its jobs; 2 MB of code take 90 MB, of numbers one a line 350 MB
_AHEAD = 3  # results a process that may wait for an earlier one


def read_here(limits: Limits, jobs: Iterable[list[FileToRead]]) -> Iterator[list[FileContent]]:
    """Does the jobs in this process."""
    for files in jobs:
        yield read_all(limits, files)


def read_in_processes(limits: Limits, jobs: Sequence[list[FileToRead]], size: int) -> Iterator[list[FileContent]]:
    """Does the jobs in `size` processes. Yields the results in the order of the jobs."""
    pending: list[Job] = list(enumerate(jobs))[::-1]
    results: dict[int, list[FileContent]] = {}
    workers = [_ReaderProcess(limits) for _ in range(min(size, len(jobs)))]
    try:
        with selectors.DefaultSelector() as selector:
            for worker in workers:
                worker.start(pending, selector)
            for number in range(len(jobs)):
                while number not in results:
                    for key, _ in selector.select():
                        finished, contents = key.data.result(selector)
                        results[finished] = contents
                        if not pending or pending[-1][0] - number <= size * _AHEAD:
                            key.data.start(pending, selector)
                yield results.pop(number)
                for worker in workers:  # those that were too far ahead
                    if worker.job is None and pending and pending[-1][0] - number <= size * _AHEAD:
                        worker.start(pending, selector)
    finally:
        for worker in workers:
            worker.kill()


class _ReaderProcess:
    """One process and its job."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.job: Job | None = None
        self._spawn()

    def _spawn(self) -> None:
        self.process = Process("memcli.ingest.pool:work")
        self.process.send(values(self.limits))

    def start(self, pending: list[Job], selector: selectors.BaseSelector) -> None:
        """Starts the next job, if there is one."""
        if pending:
            self.job = pending.pop()
            selector.register(self.process.output, selectors.EVENT_READ, self)
            self._send(self.job[1])

    def _send(self, files: Sequence[FileToRead]) -> None:
        self.process.send([values(file) for file in files])

    def result(self, selector: selectors.BaseSelector) -> tuple[int, list[FileContent]]:
        """Returns the job's number and the contents of its files."""
        assert self.job is not None
        number, files = self.job
        self.job = None
        selector.unregister(self.process.output)
        contents = self._receive()
        return number, from_plain(contents) if contents is not None else self._read_singly(files)

    def _receive(self) -> Any:
        """Returns a result, None from a process that died. Raises MemError for an error there."""
        result = self.process.receive()
        if isinstance(result, str):
            if not os.path.isdir(self.limits.root):
                raise root_gone(self.limits.root)
            raise MemError(f"reading files failed: {result}", "run mem ingest again with MEMPACK_DEBUG=1, or reinstall memcli")
        return result

    def _read_singly(self, files: Sequence[FileToRead]) -> list[FileContent]:
        """Reads files one at a time; one over which the process dies is read again without parsing it."""
        contents: list[FileContent] = []
        self._replace()
        for file in files:
            for attempt in (file, replace(file, parses=False)):
                self._send([attempt])
                result = self._receive()
                if result is not None:
                    break
                self._replace()
            contents += [FileContent(file.path, error=CRASHED)] if result is None else from_plain(result)
        return contents

    def _replace(self) -> None:
        self.kill()
        self._spawn()

    def kill(self) -> None:
        """Ends the process."""
        self.process.kill()


def work() -> None:
    """Runs in a process of the pool: does jobs until there are no more."""
    system.limit_memory(_MEMORY)
    serve(_reader)


def _reader(limits: Any) -> Callable[[Any], Any]:
    return lambda job: plain(read_all(Limits(*limits), [FileToRead(path, tuple(hashes), parses) for path, hashes, parses in job]))
