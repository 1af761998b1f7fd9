"""HTTP/1.1 on a socket: malformed and slow requests are answered with a problem, too."""

from __future__ import annotations

import os
import sys

import h11
from h11 import IDLE, SEND_RESPONSE

from memcli.http import problem
from memcli.http.gate import SECURITY_HEADERS, long_head
from memcli.http.problem import Problem
from memcli.serving.protocol import TimedProtocol
from memcli.text import json

LINGER = 1.0  # seconds for a rejected client to read why


class Protocol(TimedProtocol):
    """One connection."""

    _is_rejected = False

    def data_received(self, data: bytes) -> None:
        if not self._is_rejected:
            super().data_received(data)

    def end_slow(self) -> None:
        if self.conn.trailing_data[0]:
            self._reject(Problem(408, "the request head took too long", "send it at once"))
        else:
            super().end_slow()

    def send_400_response(self, msg: str) -> None:
        """Rejects what cannot be read as a request."""
        error = sys.exc_info()[1]
        status = error.error_status_hint if isinstance(error, h11.RemoteProtocolError) else 400
        if status == 431:
            self._reject(long_head())
        else:
            self._reject(
                Problem(400, "this is not an HTTP/1.1 request", "send a request line, one Host, and a body as announced")
            )

    def _reject(self, error: Problem) -> None:
        """Answers outside the application, unless that has begun to answer, and closes the connection."""
        if self.conn.our_state not in (IDLE, SEND_RESPONSE):
            self.transport.close()
            return
        self._is_rejected = True
        self.stop_waiting()
        self.allow_end()
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
