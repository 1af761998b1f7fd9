"""Standard input and output for the SDK's server, read and written by the event loop itself.

The SDK's own streams use a thread for every line, write and flush, which is a third of the time of a warm call.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable

import anyio

_BLOCK = 1 << 16
MAX_LINE = 4 << 20  # bytes of a line; of a longer one only the beginning is handed on, which is no message any more
_BEGINNING = 1_000
_PIPE_BUFFER = 4_096  # bytes that a ready pipe takes without blocking (PIPE_BUF)


class StandardInput:
    """The lines of standard input. Any other reader of it sees its end."""

    def __init__(self) -> None:
        self._handle = os.dup(0)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)

    async def __aiter__(self) -> AsyncIterator[str]:
        pending, too_long = bytearray(), False
        while True:
            await _wait(self._handle, anyio.wait_readable)
            block = os.read(self._handle, _BLOCK)
            start = len(pending)
            pending += block
            while (end := pending.find(b"\n", start)) >= 0:
                yield pending[: _BEGINNING if too_long else end].decode("utf-8", "replace")
                del pending[: end + 1]
                start, too_long = 0, False
            if len(pending) > MAX_LINE:
                del pending[_BEGINNING:]
                too_long = True
            if not block:
                break
        if pending:
            yield pending.decode("utf-8", "replace")


class StandardOutput:
    """Standard output. Anything else that is printed goes to standard error."""

    def __init__(self) -> None:
        self._handle = os.dup(1)
        os.dup2(2, 1)

    async def write(self, text: str) -> None:
        """Writes the whole text, unless the reader is gone; in that case the server's input ends, too."""
        remaining = memoryview(text.encode())
        try:
            while remaining:
                await _wait(self._handle, anyio.wait_writable)
                remaining = remaining[os.write(self._handle, remaining[:_PIPE_BUFFER]) :]
        except BrokenPipeError:
            return

    async def flush(self) -> None:
        """Does nothing: `write` leaves nothing unwritten."""


async def _wait(handle: int, ready: Callable[[int], Awaitable[None]]) -> None:
    """Waits until a handle is ready; a regular file always is."""
    try:
        await ready(handle)
    except PermissionError:
        return
