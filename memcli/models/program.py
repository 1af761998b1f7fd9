"""A program that reads a prompt on its standard input and prints an answer: in a process group of its own, with a time limit.

It runs under a variable that keeps our hooks quiet, so that a harness which is asked to condense is not observed itself, and the
system ends it when the worker dies.
"""

from __future__ import annotations

import os
import selectors
import shlex
import signal
import subprocess
import time

from memcli.models.compressors import LARGEST, Unanswered, stop_asked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

GUARD = "MEMPACK_GUARD"  # under it hooks do nothing
_LOOK = 0.2  # seconds between two looks at whether to stop
_PR_SET_PDEATHSIG = 1  # of Linux


def said(command: str, prompt: str, seconds: float) -> str:
    """Returns what a program printed. Raises Unanswered where it cannot be started, fails, is late or prints no end."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = []
    if not words:
        raise Unanswered("compressor.command is no command", "such as: mem config set compressor.command 'claude -p'")
    quiet = {**os.environ, GUARD: "1"}
    try:
        child = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=os.path.expanduser("~") if os.path.isdir(os.path.expanduser("~")) else "/",
            env=quiet,
            start_new_session=True,
            preexec_fn=_dies_with_us(),
        )
    except OSError as problem:
        raise Unanswered(f"{words[0]} cannot be run: {(problem.strerror or '').lower()}", "see compressor.command") from None
    try:
        out = _exchange(child, prompt.encode("utf-8", "replace"), time.monotonic() + seconds)
        code = child.wait(timeout=max(0.1, seconds))
    except subprocess.TimeoutExpired:
        raise Unanswered(f"{words[0]} did not end", "see compressor.timeout") from None
    finally:
        _end(child)
    if code:
        raise Unanswered(f"{words[0]} ended with {code}", "see compressor.command")
    return out.decode("utf-8", "replace")


def _dies_with_us() -> Callable[[], None] | None:
    try:
        import ctypes

        control = ctypes.CDLL(None).prctl
    except (ImportError, OSError, AttributeError, TypeError):
        return None  # not Linux

    def die() -> None:
        control(_PR_SET_PDEATHSIG, signal.SIGKILL)

    return die


def _exchange(child: subprocess.Popen[bytes], prompt: bytes, deadline: float) -> bytes:
    """Writes the prompt and reads the answer at the same time, so that neither waits for the other. Raises Unanswered."""
    assert child.stdin is not None
    assert child.stdout is not None
    os.set_blocking(child.stdin.fileno(), False)
    parts: list[bytes] = []
    size, left = 0, memoryview(prompt)
    with selectors.DefaultSelector() as waiting:
        waiting.register(child.stdin, selectors.EVENT_WRITE)
        waiting.register(child.stdout, selectors.EVENT_READ)
        while waiting.get_map():
            if time.monotonic() > deadline or any(asked() for asked in stop_asked):
                raise Unanswered("the program took too long", "see compressor.timeout")
            for key, _ in waiting.select(_LOOK):
                if key.fileobj is child.stdin:
                    left = _written(child.stdin.fileno(), left)
                    if not left:
                        waiting.unregister(child.stdin)
                        child.stdin.close()
                else:
                    part = os.read(child.stdout.fileno(), 1 << 16)
                    size += len(part)
                    parts.append(part)
                    if not part:
                        waiting.unregister(child.stdout)
                    if size > LARGEST:
                        raise Unanswered("the program prints without end", "see compressor.command")
    return b"".join(parts)


def _written(file: int, left: memoryview) -> memoryview:
    """Writes what the program takes. Returns the rest; nothing where it reads no more."""
    try:
        return left[os.write(file, left[: 1 << 16]) :]
    except BlockingIOError:
        return left
    except OSError:
        return left[:0]


def _end(child: subprocess.Popen[bytes]) -> None:
    """Ends a program and whatever it started."""
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
