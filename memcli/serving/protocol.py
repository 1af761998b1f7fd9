"""HTTP/1.1 at a socket: a head that does not come in time ends its connection, and so does one connection too many."""

from __future__ import annotations

import asyncio
from typing import Any

from h11 import IDLE
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_TIMEOUT = 5.0  # seconds for the head of a request
MAX_CONNECTIONS = 900  # beyond that a connection is closed without an answer


class TimedProtocol(H11Protocol):
    """One connection."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()
        else:
            self._start_timer()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is IDLE and (self.cycle is None or self.cycle.response_complete):
            self._start_timer()
        else:
            self.stop_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_timer()
        super().connection_lost(exc)

    def stop_timer(self) -> None:
        """Waits for a head no longer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def end_slow(self) -> None:
        """Ends a connection whose head did not come."""
        self.transport.close()

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(HEAD_TIMEOUT, self._timed_out)

    def _timed_out(self) -> None:
        self._timer = None
        if not self.transport.is_closing():
            self.end_slow()
