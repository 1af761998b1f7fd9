"""Standard input and output for the SDK's server, read and written by the event loop itself.

The SDK's own go through a thread at every line, write and flush, which is a third of what a warm call takes.
"""

from __future__ import annotations

import os
import sys

import anyio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

POSSIBLE = sys.platform != "win32"  # there, pipes cannot be waited for
_BLOCK = 1 << 16
_AT_ONCE = 4_096  # bytes: as many as a pipe that is ready takes without blocking (PIPE_BUF)


class Incoming:
    """The lines of standard input. Whatever else reads it meets its end."""

    def __init__(self) -> None:
        self._handle = os.dup(0)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)

    async def __aiter__(self) -> AsyncIterator[str]:
        pending = bytearray()
        while True:
            await _ready(self._handle, anyio.wait_readable)
            block = os.read(self._handle, _BLOCK)
            start = len(pending)
            pending += block
            while (end := pending.find(b"\n", start)) >= 0:
                yield pending[:end].decode("utf-8", "replace")
                del pending[: end + 1]
                start = 0
            if not block:
                break
        if pending:
            yield pending.decode("utf-8", "replace")


class Outgoing:
    """Standard output. Whatever else is printed goes to standard error."""

    def __init__(self) -> None:
        self._handle = os.dup(1)
        os.dup2(2, 1)

    async def write(self, text: str) -> None:
        """Writes all of a text; nothing once the reader has left, whose input ends then, too."""
        left = memoryview(text.encode())
        try:
            while left:
                await _ready(self._handle, anyio.wait_writable)
                left = left[os.write(self._handle, left[:_AT_ONCE]) :]
        except BrokenPipeError:
            return

    async def flush(self) -> None:
        """Does nothing: all is written."""


async def _ready(handle: int, wait: Callable[[int], Awaitable[None]]) -> None:
    """Waits until a handle can be used; a file always can."""
    try:
        await wait(handle)
    except PermissionError:
        return
