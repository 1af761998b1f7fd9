"""Servers as processes of their own, forked from one that has imported what they need, which takes most of a second."""

from __future__ import annotations

import atexit
import gc
import multiprocessing
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path

FORKS = multiprocessing.get_context("forkserver")
OF_A_START = ("memcli.http.server", "memcli.mcp.serve", "memcli.mcp.server", "memcli.cli.app", __name__, "tests.routes")
OF_A_CALL = ("anyio._backends._asyncio", "uvicorn.lifespan.on", "uvicorn.loops.asyncio", "memcli.screening.orders")
FORKS.set_forkserver_preload([*OF_A_START, *OF_A_CALL])
READ_AT_START = ("PYTHON", "LC_", "LANG")  # variables of the environment that an interpreter looks at once


class Server:
    """A `mem` that serves, to be used like a subprocess.Popen with its output piped."""

    def __init__(self, words: list[str], folder: Path, env: Mapping[str, str]) -> None:
        (out, out_end), (err, err_end) = FORKS.Pipe(duplex=False), FORKS.Pipe(duplex=False)
        self._process = FORKS.Process(target=_run, args=(words, str(folder), dict(env), out_end, err_end), daemon=True)
        self._process.start()
        out_end.close()
        err_end.close()
        self.stdout, self.stderr = (os.fdopen(os.dup(end.fileno()), "rb") for end in (out, err))

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid or 0

    def send_signal(self, number: int) -> None:
        """Sends a signal to the process, unless it has ended."""
        if self._process.is_alive():
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kills the process, unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float) -> int:
        """Waits until the process has ended and returns its exit code."""
        self._process.join(timeout)
        assert self._process.exitcode is not None, "it has not ended"
        return self._process.exitcode

    def communicate(self, timeout: float) -> tuple[bytes, bytes]:
        """Waits until the process has ended and returns what it printed."""
        self.wait(timeout)
        with self.stdout, self.stderr:
            return self.stdout.read(), self.stderr.read()


def command(env: Mapping[str, str]) -> list[str]:
    """Returns the beginning of a command line of `mem` as a process of its own. `env`: what it is run with."""
    if env.get("PYTHONPATH") != os.getcwd() or _read_at_start(env) != _read_at_start(os.environ):
        return [sys.executable, "-m", "memcli"]
    return [sys.executable, "-I", "-S", str(Path(__file__).with_name("forked.py")), _template()]


def _read_at_start(env: Mapping[str, str]) -> dict[str, str]:
    """Returns those variables that an interpreter looks at when it starts: a forked one has them already."""
    return {name: value for name, value in env.items() if name.startswith(READ_AT_START) and name != "PYTHONPATH"}


@cache
def _template() -> str:
    """Starts a process that forks. Returns the path of the socket where it is asked to."""
    folder = tempfile.mkdtemp(prefix="mem-template-")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path := f"{folder}/socket")
    listener.listen()
    process = FORKS.Process(target=_fork_for_each, args=(listener,), daemon=True)
    process.start()
    listener.close()
    atexit.register(shutil.rmtree, folder)
    return path


def _fork_for_each(listener: socket.socket) -> None:
    """Makes a process for each program that connects, which runs `mem` for it."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those
    gc.freeze()  # no child touches, and so copies, what all share
    while True:
        program, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            _run_for(program)
        program.close()


def _run_for(program: socket.socket) -> None:
    """Runs `mem` with the streams of another program, sends it the exit code and ends."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    head, ends, _, _ = socket.recv_fds(program, 4, 3)
    with program.makefile("rb") as request:
        folder, umask, count, *words = request.read(int.from_bytes(head, "big")).decode("utf-8", "surrogateescape").split("\0")
    child = os.fork()
    if child == 0:
        program.close()
        os.umask(int(umask))
        variables = dict(word.split("=", 1) for word in words[int(count) :])
        _become(words[: int(count)], folder, variables, ends)
    for end in ends:
        os.close(end)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    program.sendall(code.to_bytes(4, "big", signed=True))
    os._exit(0)


def _run(words: list[str], folder: str, env: dict[str, str], out: Connection, err: Connection) -> None:
    """Becomes `mem` with these words, which reads nothing."""
    _become(words, folder, env, [os.open(os.devnull, os.O_RDONLY), out.fileno(), err.fileno()])


def _become(words: list[str], folder: str, env: Mapping[str, str], ends: Sequence[int]) -> None:
    """Becomes `mem` with these words. `ends`: what its standard input, output and error are."""
    from memcli.__main__ import main

    for number, end in enumerate(ends):
        os.dup2(end, number)
        os.close(end)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode, closefd=False) for number, mode in enumerate("rww"))
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    sys.argv = ["mem", *words]
    main()
