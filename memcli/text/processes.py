"""Processes that work for a command, so that all cores do.

Each is an interpreter of its own that reads jobs from standard input, writes results to standard output, and exits when its input
ends: so none outlives the command, however that ends. Messages are plain values, as `marshal` writes them.
"""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from collections.abc import Callable
from typing import IO, Any

from memcli import system


class Process:
    """One process, which calls a function of a module, such as `memcli.ingest.pool:work`, that calls `serve`."""

    def __init__(self, function: str) -> None:
        module, _, name = function.partition(":")
        # -P: the working directory is somebody's repository, and nothing is to be imported from it.
        command = [sys.executable, "-P", "-c", f"from {module} import {name}; {name}()"]
        stderr = None if os.environ.get("MEMPACK_DEBUG") else subprocess.DEVNULL
        # A session of its own, so that Ctrl-C reaches only us: closing its input ends it.
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=stderr, **system.own_group())
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.output, self._input = self._process.stdout, self._process.stdin

    def send(self, message: Any) -> None:
        """Sends a message; where the process died, its output has ended, too."""
        try:
            _send(self._input, message)
        except OSError:
            pass

    def receive(self) -> Any:
        """Returns a message, None from a process that died."""
        return _receive(self.output)

    def kill(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._input, self.output):
            try:
                stream.close()
            except OSError:
                pass


def serve(begin: Callable[[Any], Callable[[Any], Any]]) -> None:
    """Runs in the process: answers each message until there are no more. An error is told as a text, and ends it.

    `begin` is given the first message, and returns what answers the others.
    """
    source, target = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get among the results
    answer = begin(_receive(source))
    while (message := _receive(source)) is not None:
        try:
            result = answer(message)
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
        _send(target, result)
        if isinstance(result, str):
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
