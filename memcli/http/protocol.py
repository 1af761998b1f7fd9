"""HTTP/1.1 at a socket: no head is waited for for ever, and what is no HTTP is refused as a problem, too."""

from __future__ import annotations

import os
import sys

import h11
from h11 import IDLE, SEND_RESPONSE
from uvicorn.protocols.http.h11_impl import H11Protocol

from memcli.http import problem
from memcli.http.gate import GUARDS
from memcli.http.problem import Problem
from memcli.text import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from typing import Any

HEAD = 163_840  # bytes of a head: the longest question and names, each character as nine
PATIENCE = 5.0  # seconds for the head of a request
LINGER = 1.0  # seconds for a client that was refused to read why
MOST = 900  # connections; whoever comes then is not even told why


class Protocol(H11Protocol):
    """One connection."""

    _waiting: asyncio.TimerHandle | None = None
    _is_refused = False

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > MOST:
            transport.abort()
        else:
            self._wait()

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        super().data_received(data)
        if self.conn.their_state is IDLE and (self.cycle is None or self.cycle.response_complete):
            self._wait()
        else:
            self._done()

    def connection_lost(self, exc: Exception | None) -> None:
        self._done()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._waiting is None:
            self._waiting = self.loop.call_later(PATIENCE, self._give_up)

    def _done(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if self.transport.is_closing():
            return
        if self.conn.trailing_data[0]:
            self._refuse(Problem(408, "the head did not come within its time", "send it at once"))
        else:
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Refuses what cannot be read as a request."""
        error = sys.exc_info()[1]
        status = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        if status == 431:
            self._refuse(Problem(431, f"a head may have {HEAD:,} bytes", "send less"))
        else:
            self._refuse(Problem(400, "this is no request of HTTP/1.1", "send a request line, one Host, and a body as announced"))

    def _refuse(self, told: Problem) -> None:
        """Answers outside the application, unless it has begun to answer, and closes the connection."""
        if self.conn.our_state not in (IDLE, SEND_RESPONSE):
            self.transport.close()
            return
        self._is_refused = True
        self._done()
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True  # what the application says now is said to nobody
            self.cycle.message_event.set()
        request_id = os.urandom(8).hex()
        body = json.dumps(problem.body(told.status, told, request_id)).encode()
        headers = [
            (b"content-type", problem.TYPE.encode()),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
            (b"x-request-id", request_id.encode()),
            *GUARDS,
        ]
        reason = problem.TITLES[told.status].encode()
        for event in (
            h11.Response(status_code=told.status, headers=headers, reason=reason),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        # What is still under way is let in and dropped: closed at once, the system would take our answer back.
        self.transport.write_eof()
        self.loop.call_later(LINGER, self.transport.close)
