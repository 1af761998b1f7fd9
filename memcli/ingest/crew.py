"""Processes that read and cut files, as many as there are cores. They know the files, never the store.

Each is an interpreter of its own that takes jobs on standard input and answers on standard output, and ends when its input does:
so none outlives the command, however that ends. One that dies over a job (a parser's stack, memory) is replaced, and the job is
done file by file, so that only the file to blame is left out.
"""

from __future__ import annotations

import marshal
import os
import selectors
import subprocess
import sys

from memcli.errors import MemError
from memcli.ingest.read import Content, Limits, Wanted, flat, from_plain, gone, plain, read_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import IO, Any

    Job = tuple[int, list[Wanted]]

MOST = 3  # processes: each holds its parsers and words, 55 to 85 MB; with the one that writes they keep four cores busy in 300 MB
_AHEAD = 3  # answers a process that wait for one that takes longer
DIED = "crashed the parser"


def cores() -> int:
    """Returns how many processes can run at once."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def alone(limits: Limits, jobs: Iterable[list[Wanted]]) -> Iterator[list[Content]]:
    """Does the jobs in this process."""
    for job in jobs:
        yield read_all(limits, job)


def together(limits: Limits, jobs: Sequence[list[Wanted]], size: int) -> Iterator[list[Content]]:
    """Does the jobs in `size` processes. Yields the answers in the order of the jobs."""
    waiting: list[Job] = list(enumerate(jobs))[::-1]
    done: dict[int, list[Content]] = {}
    crew = [_Worker(limits) for _ in range(min(size, len(jobs)))]
    try:
        with selectors.DefaultSelector() as ready:
            for worker in crew:
                worker.take(waiting, ready)
            for number in range(len(jobs)):
                while number not in done:
                    for key, _ in ready.select():
                        answered, contents = key.data.answer(ready)
                        done[answered] = contents
                        if not waiting or waiting[-1][0] - number <= size * _AHEAD:
                            key.data.take(waiting, ready)
                yield done.pop(number)
                for worker in crew:
                    if worker.job is None and waiting and waiting[-1][0] - number <= size * _AHEAD:
                        worker.take(waiting, ready)
    finally:
        for worker in crew:
            worker.stop()


class _Worker:
    """One process and the job it has."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.job: Job | None = None
        self._start()

    def _start(self) -> None:
        # -P: the working directory is somebody's repository, no place to import from.
        words = [sys.executable, "-P", "-c", "from memcli.ingest.crew import work; work()"]
        # A session of its own, so that Ctrl-C reaches only us: closing its input ends it.
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=_errors(), start_new_session=True
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.source, self.target = self.process.stdout, self.process.stdin
        _send(self.target, flat(self.limits))

    def take(self, waiting: list[Job], ready: selectors.BaseSelector) -> None:
        """Starts on the next job, if there is one."""
        if waiting:
            self.job = waiting.pop()
            ready.register(self.source, selectors.EVENT_READ, self)
            self._ask(self.job[1])

    def _ask(self, wanted: Sequence[Wanted]) -> None:
        try:
            _send(self.target, [flat(one) for one in wanted])
        except OSError:
            pass  # it died: its output has ended, too

    def answer(self, ready: selectors.BaseSelector) -> tuple[int, list[Content]]:
        """Returns the job's number and what was read."""
        assert self.job is not None
        number, wanted = self.job
        self.job = None
        ready.unregister(self.source)
        said = self._said()
        return number, from_plain(said) if said is not None else self._one_by_one(wanted)

    def _said(self) -> Any:
        """Returns an answer, None from a process that died. Raises MemError for what went wrong there."""
        said = _receive(self.source)
        if isinstance(said, str):
            if not os.path.isdir(self.limits.root):
                raise gone(self.limits.root)
            raise MemError(f"reading files failed: {said}", "run mem ingest again with MEMPACK_DEBUG=1, or reinstall memcli")
        return said

    def _one_by_one(self, wanted: Sequence[Wanted]) -> list[Content]:
        found: list[Content] = []
        for one in wanted:
            if self.process.poll() is not None or not found:
                self.stop()
                self._start()
            self._ask([one])
            said = self._said()
            found += from_plain(said) if said is not None else [Content(one.path, why_not=DIED)]
            if said is None:
                self.process.wait()
        if self.process.poll() is not None:
            self._start()
        return found

    def stop(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.wait()
        for stream in (self.target, self.source):
            try:
                stream.close()
            except OSError:
                pass


def _errors() -> int | None:
    return None if os.environ.get("MEMPACK_DEBUG") else subprocess.DEVNULL


def work() -> None:
    """Is what such a process does: takes jobs until there are no more."""
    source, target = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get among the answers
    limits = Limits(*_receive(source))
    while (job := _receive(source)) is not None:
        try:
            _send(target, plain(read_all(limits, [Wanted(path, tuple(known)) for path, known in job])))
        except Exception as error:
            _send(target, f"{type(error).__name__}: {error}")
            return


def _send(stream: IO[bytes], value: Any) -> None:
    data = marshal.dumps(value)
    stream.write(len(data).to_bytes(8, "big") + data)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    """Returns what was sent, None where the other end is gone."""
    try:
        size = stream.read(8)
        data = stream.read(int.from_bytes(size, "big")) if len(size) == 8 else b""
        return marshal.loads(data) if data and len(data) == int.from_bytes(size, "big") else None
    except OSError:
        return None
