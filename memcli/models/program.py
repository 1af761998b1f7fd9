"""A program that reads a prompt on standard input and prints an answer: in a process group of its own, with a time limit.

A variable in its environment silences our hooks, so that a harness that runs as compressor is not observed itself. The system
kills it when the worker dies.
"""

from __future__ import annotations

import ctypes
import os
import selectors
import shlex
import signal
import subprocess
import time
from collections.abc import Callable

from memcli.models.unavailable import CompressorError

GUARD = "MEMPACK_GUARD"  # under it hooks do nothing
MAX_OUTPUT = 262_144  # bytes that a program may print, characters of an answer that are used
cancel_checks: list[Callable[[], bool]] = []  # called while a program runs: whether the worker was told to stop
_POLL = 0.2  # seconds between two calls of these
_PR_SET_PDEATHSIG = 1  # of Linux


def run(command: str, prompt: str, seconds: float) -> str:
    """Returns what a program printed. Raises CompressorError where it cannot start, fails, is late or prints too much."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    if not words:
        raise CompressorError("compressor.command is not a command", "such as: mem config set compressor.command 'claude -p'")
    try:
        child = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.path.expanduser("~") if os.path.isdir(os.path.expanduser("~")) else "/",
            env={**os.environ, GUARD: "1"},
            start_new_session=True,
            preexec_fn=_die_with_parent(),
        )
    except OSError as problem:
        reason = (problem.strerror or "").lower()
        raise CompressorError(f"{words[0]} cannot be run: {reason}", "check compressor.command") from None
    try:
        output = _exchange(child, prompt.encode("utf-8", "replace"), time.monotonic() + seconds)
        code = child.wait(timeout=max(0.1, seconds))
    except subprocess.TimeoutExpired:
        raise CompressorError(f"{words[0]} did not exit", "see compressor.timeout") from None
    finally:
        _kill(child)
    if code:
        raise CompressorError(f"{words[0]} exited with {code}", "check compressor.command")
    return output.decode("utf-8", "replace")


def _die_with_parent() -> Callable[[], None] | None:
    """Returns what the child calls before it runs the program; None where the system is not Linux."""
    try:
        prctl = ctypes.CDLL(None).prctl
    except (OSError, AttributeError, TypeError):
        return None
    return lambda: prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _exchange(child: subprocess.Popen[bytes], prompt: bytes, deadline: float) -> bytes:
    """Writes the prompt and reads the answer at the same time, so that neither blocks the other. Raises CompressorError."""
    assert child.stdin is not None
    assert child.stdout is not None
    os.set_blocking(child.stdin.fileno(), False)
    blocks: list[bytes] = []
    size, unsent = 0, memoryview(prompt)
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdin, selectors.EVENT_WRITE)
        selector.register(child.stdout, selectors.EVENT_READ)
        while selector.get_map():
            if time.monotonic() > deadline or any(is_canceled() for is_canceled in cancel_checks):
                raise CompressorError("the program took too long", "see compressor.timeout")
            for key, _ in selector.select(_POLL):
                if key.fileobj is child.stdin:
                    unsent = _write(child.stdin.fileno(), unsent)
                    if not unsent:
                        selector.unregister(child.stdin)
                        child.stdin.close()
                else:
                    block = os.read(child.stdout.fileno(), 1 << 16)
                    size += len(block)
                    blocks.append(block)
                    if not block:
                        selector.unregister(child.stdout)
                    if size > MAX_OUTPUT:
                        raise CompressorError("the program prints too much", "check compressor.command")
    return b"".join(blocks)


def _write(file: int, data: memoryview) -> memoryview:
    """Writes as much as the program accepts. Returns what is left; nothing where it stopped reading."""
    try:
        return data[os.write(file, data[: 1 << 16]) :]
    except BlockingIOError:
        return data
    except OSError:
        return data[:0]


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Kills a program and whatever it started."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    for stream in (child.stdin, child.stdout):
        try:
            if stream is not None:
                stream.close()
        except OSError:
            pass
    child.wait()
