"""Servers as processes of their own, forked from one that has imported what they need, which takes most of a second."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["memcli.http.server", "memcli.mcp.serve", "memcli.mcp.server", __name__])


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


def _run(words: list[str], folder: str, env: dict[str, str], out: Connection, err: Connection) -> None:
    """Becomes `mem` with these words."""
    from memcli.__main__ import main

    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    for end, number in ((out, 1), (err, 2)):
        os.dup2(end.fileno(), number)
        end.close()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["mem", *words]
    main()
