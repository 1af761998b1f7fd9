"""The body of a request as it comes in: so many bytes at most, and within its time."""

from __future__ import annotations

import asyncio
import time

from starlette.types import Message, Receive

PATIENCE = 5.0  # seconds without a byte of a body that was announced
BODY_TIMEOUT = 30.0  # seconds for all of it
SLOW = "the body did not come within its time"


class SlowBody(Exception):
    """A body that did not come within its time."""


class LongBody(Exception):
    """A body of more bytes than are taken."""


class LimitedBody:
    """Receives up to `most` bytes, each piece within PATIENCE, all of it within BODY_TIMEOUT. Raises SlowBody, LongBody."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive = receive
        self._most = most
        self._size = 0
        self._complete = False
        self._deadline = time.monotonic() + BODY_TIMEOUT

    async def __call__(self) -> Message:
        if self._complete:
            return await self._receive()  # whoever waits for the client to leave may wait
        try:
            message = await asyncio.wait_for(self._receive(), min(PATIENCE, self._deadline - time.monotonic()))
        except TimeoutError:
            raise SlowBody from None
        self._size += len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        if self._size > self._most:
            raise LongBody
        return message
