"""HTTP/1.1 at a socket, with a timeout for heads; malformed requests are answered with a problem, too."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

import h11
from h11 import IDLE, SEND_RESPONSE
from uvicorn.protocols.http.h11_impl import H11Protocol

from memcli.http import problem
from memcli.http.gate import SECURITY_HEADERS
from memcli.http.problem import Problem
from memcli.text import json

MAX_HEAD = 163_840  # bytes of a head: the longest query and names, each character as nine
HEAD_TIMEOUT = 5.0  # seconds for the head of a request
LINGER = 1.0  # seconds for a rejected client to read why
MAX_CONNECTIONS = 900  # beyond that a connection is closed without an answer


class Protocol(H11Protocol):
    """One connection."""

    _timer: asyncio.TimerHandle | None = None
    _is_rejected = False

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > MAX_CONNECTIONS:
            transport.abort()
        else:
            self._start_timer()

    def data_received(self, data: bytes) -> None:
        if self._is_rejected:
            return
        super().data_received(data)
        if self.conn.their_state is IDLE and (self.cycle is None or self.cycle.response_complete):
            self._start_timer()
        else:
            self._stop_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(HEAD_TIMEOUT, self._timed_out)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _timed_out(self) -> None:
        self._timer = None
        if self.transport.is_closing():
            return
        if self.conn.trailing_data[0]:
            self._reject(Problem(408, "the request head took too long", "send it at once"))
        else:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Rejects what cannot be read as a request."""
        error = sys.exc_info()[1]
        status = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        if status == 431:
            self._reject(Problem(431, f"a request head may have at most {MAX_HEAD:,} bytes", "send less"))
        else:
            self._reject(
                Problem(400, "this is not an HTTP/1.1 request", "send a request line, one Host, and a body as announced")
            )

    def _reject(self, error: Problem) -> None:
        """Answers outside the application, unless it has begun to answer, and closes the connection."""
        if self.conn.our_state not in (IDLE, SEND_RESPONSE):
            self.transport.close()
            return
        self._is_rejected = True
        self._stop_timer()
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True  # the application's answer goes nowhere
            self.cycle.message_event.set()
        request_id = os.urandom(8).hex()
        body = json.dumps(problem.body(error.status, error, request_id)).encode()
        headers = [
            (b"content-type", problem.TYPE.encode()),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
            (b"x-request-id", request_id.encode()),
            *SECURITY_HEADERS,
        ]
        reason = problem.TITLES[error.status].encode()
        for event in (
            h11.Response(status_code=error.status, headers=headers, reason=reason),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        # What is still coming in is read and dropped: closed at once, the system would discard our answer.
        self.transport.write_eof()
        self.loop.call_later(LINGER, self.transport.close)
