"""A thin client of `mem serve`, with nothing but the standard library."""

from __future__ import annotations

import http.client
import socket
from urllib.parse import urlsplit

from memcli.records import Record


class Target(Record):
    """A service: its address, the path of its socket where it has one, the token, and seconds that a call may take."""

    url: str
    socket: str | None
    token: str
    timeout: float


class _Local(http.client.HTTPConnection):
    """A connection to a socket in the file system."""

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def request(target: Target, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
    """Returns (status, body) of one answer. Raises OSError, or HTTPException for what is no HTTP."""
    where = urlsplit(target.url)
    if target.socket:
        connection: http.client.HTTPConnection = _Local(target.socket, target.timeout)
    else:
        connection = http.client.HTTPConnection(where.hostname or "127.0.0.1", where.port or 80, timeout=target.timeout)
    headers = {"Authorization": f"Bearer {target.token}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    try:
        connection.request(method, where.path.rstrip("/") + path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()
