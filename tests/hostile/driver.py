"""Runs mem again and again, each time as a process of its own that is forked from one which has imported everything."""

from __future__ import annotations

import gc
import importlib
import multiprocessing
import os
import resource
import select
import signal
import sys
import traceback
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple

SPAWN = multiprocessing.get_context("spawn")
PRELOADED = (
    "memcli.hook",
    "memcli.agents.turns.contents",
    "memcli.agents.turns.sections",
    "memcli.cli.app",
    "memcli.cli.table",
    "memcli.agents.capture.worker",
    "memcli.agents.setup.checks",
    "memcli.ingest.run",
    "memcli.maintenance.doctor",
    "memcli.provenance",
    "memcli.recall.evidence",
    "memcli.recall.get",
    "memcli.recall.search",
    "memcli.screening.assigned",
    "memcli.screening.orders",
    "memcli.screening.values",
)


class Run(NamedTuple):
    """A command line of mem, where it runs, and the limits of it: bytes of memory, seconds, and seconds for git."""

    words: tuple[str, ...]
    folder: str
    env: Mapping[str, str]
    payload: bytes
    memory: int
    seconds: float
    git_seconds: float


class Driver:
    """The process that is forked from."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._ours, theirs = SPAWN.Pipe()
        self._process = SPAWN.Process(target=_serve, args=(theirs, str(scratch)), daemon=True)
        self._process.start()
        theirs.close()

    def run(self, order: Run) -> tuple[int, str]:
        """Returns exit code (negative: the signal that killed it) and output of a run."""
        (self._scratch / "stdin").write_bytes(order.payload)
        self._ours.send(order)
        assert self._ours.poll(order.seconds + 10), "the driver does not answer"
        code = self._ours.recv()
        return code, (self._scratch / "printed").read_text("utf-8", "replace")

    def end(self) -> None:
        """Ends the process."""
        self._ours.close()
        self._process.join(5)


def _serve(orders: Connection, scratch: str) -> None:
    for name in PRELOADED:
        importlib.import_module(name)
    gc.freeze()  # no child touches, and so copies, what all share
    while True:
        try:
            order = orders.recv()
        except EOFError:
            return
        child = os.fork()
        if not child:
            _become(order, scratch)
        orders.send(_wait(child, order.seconds))


def _become(order: Run, scratch: str) -> None:
    """Becomes `mem` with what an order says."""
    from memcli import repo
    from memcli.__main__ import main

    code: object = 99
    try:
        os.setpgid(0, 0)
        files = [os.open(f"{scratch}/stdin", os.O_RDONLY), os.open(f"{scratch}/printed", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)]
        for file, number in ((files[0], 0), (files[1], 1), (files[1], 2)):
            os.dup2(file, number)
        sys.stdin = os.fdopen(0, closefd=False)
        sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
        os.chdir(order.folder)
        os.environ.clear()
        os.environ.update(order.env)
        resource.setrlimit(resource.RLIMIT_AS, (order.memory, order.memory))
        repo.limit(order.git_seconds)
        sys.argv = ["mem", *order.words]
        main()
        code = 0
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def _wait(child: int, seconds: float) -> int:
    """Returns how a child ended; it and what it started are killed when it does not in time."""
    handle = os.pidfd_open(child)
    try:
        if not select.select([handle], [], [], seconds)[0]:
            os.killpg(child, signal.SIGKILL)
    finally:
        os.close(handle)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
