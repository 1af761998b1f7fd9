"""A pool of processes that read and cut files, as many as there are cores. They read the files, never the store.

Each is an interpreter of its own that reads jobs from standard input, writes results to standard output, and exits when its input
ends: so none outlives the command, however that ends. A process that dies over a job (a parser's stack, memory) is replaced, and
the job is done file by file, so that only the file that kills it is skipped.
"""

from __future__ import annotations

import marshal
import os
import selectors
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any

from memcli.errors import MemError
from memcli.ingest.read import FileContent, FileToRead, Limits, from_plain, plain, read_all, root_gone, values

Job = tuple[int, list[FileToRead]]

MAX_PROCESSES = 3  # each takes 55 to 85 MB; with the one that writes they keep four cores busy in 300 MB
CRASHED = "crashed the parser"
_AHEAD = 3  # results a process that may wait for an earlier one


def cores() -> int:
    """Returns how many processes can run at once."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


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
        # -P: the working directory is somebody's repository, and nothing is to be imported from it.
        command = [sys.executable, "-P", "-c", "from memcli.ingest.pool import work; work()"]
        stderr = None if os.environ.get("MEMPACK_DEBUG") else subprocess.DEVNULL
        # A session of its own, so that Ctrl-C reaches only us: closing its input ends it.
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, start_new_session=True
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.output, self.input = self.process.stdout, self.process.stdin
        _send(self.input, values(self.limits))

    def start(self, pending: list[Job], selector: selectors.BaseSelector) -> None:
        """Starts the next job, if there is one."""
        if pending:
            self.job = pending.pop()
            selector.register(self.output, selectors.EVENT_READ, self)
            self._send(self.job[1])

    def _send(self, files: Sequence[FileToRead]) -> None:
        try:
            _send(self.input, [values(file) for file in files])
        except OSError:
            pass  # it died: its output has ended, too

    def result(self, selector: selectors.BaseSelector) -> tuple[int, list[FileContent]]:
        """Returns the job's number and the contents of its files."""
        assert self.job is not None
        number, files = self.job
        self.job = None
        selector.unregister(self.output)
        contents = self._receive()
        return number, from_plain(contents) if contents is not None else self._one_by_one(files)

    def _receive(self) -> Any:
        """Returns a result, None from a process that died. Raises MemError for an error there."""
        result = _receive(self.output)
        if isinstance(result, str):
            if not os.path.isdir(self.limits.root):
                raise root_gone(self.limits.root)
            raise MemError(f"reading files failed: {result}", "run mem ingest again with MEMPACK_DEBUG=1, or reinstall memcli")
        return result

    def _one_by_one(self, files: Sequence[FileToRead]) -> list[FileContent]:
        contents: list[FileContent] = []
        for file in files:
            if self.process.poll() is not None or not contents:
                self.kill()
                self._spawn()
            self._send([file])
            result = self._receive()
            contents += from_plain(result) if result is not None else [FileContent(file.path, error=CRASHED)]
            if result is None:
                self.process.wait()
        if self.process.poll() is not None:
            self._spawn()
        return contents

    def kill(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.wait()
        for stream in (self.input, self.output):
            try:
                stream.close()
            except OSError:
                pass


def work() -> None:
    """Runs in a process of the pool: does jobs until there are no more."""
    source, target = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get among the results
    limits = Limits(*_receive(source))
    while (job := _receive(source)) is not None:
        try:
            _send(target, plain(read_all(limits, [FileToRead(path, tuple(hashes)) for path, hashes in job])))
        except Exception as error:
            _send(target, f"{type(error).__name__}: {error}")
            return


def _send(stream: IO[bytes], message: Any) -> None:
    data = marshal.dumps(message)
    stream.write(len(data).to_bytes(8, "big") + data)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    """Returns a message, None where the other end is closed."""
    try:
        size = stream.read(8)
        data = stream.read(int.from_bytes(size, "big")) if len(size) == 8 else b""
        return marshal.loads(data) if data and len(data) == int.from_bytes(size, "big") else None
    except OSError:
        return None
