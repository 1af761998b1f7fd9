"""HTTP/1.1 at a socket: whoever sends no head or reads no answer in time, or holds one up while many others wait, makes room."""

from __future__ import annotations

import asyncio
import logging
import socket
from typing import Any

import uvicorn
from h11 import IDLE, SEND_BODY
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_TIMEOUT = 5.0  # seconds for the head of a request
READ_TIMEOUT = 30.0  # seconds in which a client takes at least so much of an answer that waits for it:
LEAST_READ = 1 << 16  # bytes
MAX_WAITING = 400  # connections without a request; beyond that the one that waits longest is closed
MAX_CONNECTIONS = 900  # beyond that one that makes others wait for its client is ended; if there is none, the new one
# Connections that are accepted before any of them is read from: fewer than may wait, so that a request that is there already is
# read before others take its place.
_BURST = 100

_waiting: dict[TimedProtocol, None] = {}  # in the order in which they began; a process has one server
_unfinished: dict[TimedProtocol, None] = {}  # those of which a part of the body is still to come, in the same order
_unread: dict[TimedProtocol, None] = {}  # those with a part of an answer that the client did not take yet, likewise


def waiting() -> int:
    """Returns how many connections are open without a request."""
    return len(_waiting)


def make_room() -> bool:
    """Ends the connection that waits longest for the rest of its body, else for its client to read; False if there is none."""
    for waiting_for_client in (_unfinished, _unread):
        if waiting_for_client:
            next(iter(waiting_for_client)).end_at_once()
            return True
    return False


class PatientServer(uvicorn.Server):
    """A server that accepts connections in small bursts, while many more may queue in the kernel."""

    def __init__(self, config: uvicorn.Config) -> None:
        config.backlog = _BURST
        super().__init__(config)
        # Without a handler each malformed request is a line on stderr, which may be a pipe that nobody reads.
        logging.getLogger("uvicorn").addHandler(logging.NullHandler())

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listener in sockets or ():
            listener.listen(socket.SOMAXCONN)


class TimedProtocol(H11Protocol):
    """One connection."""

    _timer: asyncio.TimerHandle | None = None
    _reader_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # writing pauses as soon as the system takes no more
        if len(_waiting) >= MAX_WAITING:
            next(iter(_waiting)).end_at_once()
        if len(self.connections) > MAX_CONNECTIONS and not make_room():
            transport.abort()
        else:
            self._wait()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self.stop_waiting()
        elif self.conn.their_state is IDLE:
            self._wait()
        if self.conn.their_state is not SEND_BODY:
            _unfinished.pop(self, None)
        elif self in self.connections:
            _unfinished.setdefault(self)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self.transport.is_closing() and (self.cycle is None or self.cycle.response_complete):
            self.allow_end()

    def pause_writing(self) -> None:
        super().pause_writing()
        _unread[self] = None
        self._await_reader()

    def resume_writing(self) -> None:
        self._stop_awaiting_reader()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_waiting()
        self._stop_awaiting_reader()
        _unfinished.pop(self, None)
        super().connection_lost(exc)

    def stop_waiting(self) -> None:
        """Waits for a head no longer."""
        _waiting.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def allow_end(self) -> None:
        """Lets this connection be ended where another needs room."""
        _waiting[self] = None

    def end_at_once(self) -> None:
        """Ends a connection, so that another has room."""
        self.stop_waiting()
        self._stop_awaiting_reader()
        _unfinished.pop(self, None)
        self.transport.abort()

    def end_slow(self) -> None:
        """Ends a connection whose head did not come."""
        self.transport.close()

    def _wait(self) -> None:
        self.allow_end()
        if self._timer is None:
            self._timer = self.loop.call_later(HEAD_TIMEOUT, self._timed_out)

    def _timed_out(self) -> None:
        self.stop_waiting()
        if not self.transport.is_closing():
            self.end_slow()

    def _await_reader(self) -> None:
        unread = self.transport.get_write_buffer_size()
        self._reader_timer = self.loop.call_later(READ_TIMEOUT, self._end_if_unread, unread)

    def _end_if_unread(self, before: int) -> None:
        if self.transport.get_write_buffer_size() > before - LEAST_READ:
            self.end_at_once()
        else:
            self._await_reader()

    def _stop_awaiting_reader(self) -> None:
        _unread.pop(self, None)
        if self._reader_timer is not None:
            self._reader_timer.cancel()
            self._reader_timer = None
