"""Connections without a request, opened again as soon as a server closes them."""

from __future__ import annotations

import resource
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

WIDTH = 1_200  # connections that are held at once
KINDS = {
    "silent": b"",
    "half a head": b"POST /mcp HTTP/1.1\r\nHost: ",
    "no body": b"GET /health HTTP/1.1\r\nHost: localhost:%d\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n",
    "answered": b"GET /health HTTP/1.1\r\nHost: localhost:%d\r\n\r\n",
    "half a body": b"POST %p HTTP/1.1\r\nHost: localhost:%d\r\nAuthorization: Bearer %t\r\nAccept: application/json\r\n"
    b"Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{",
    "malformed": b"hello\r\n\r\n",
}


@contextmanager
def flooding(port: int, kind: str, path: str, token: str) -> Iterator[Callable[[], None]]:
    """Holds as many connections as a server would have in all, and more. `path`: where it takes a body from who has the token.

    Yields a function that opens some anew; a flood by the clock would grow on a busy machine until nothing else is served.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 2 * WIDTH)), hard))
    head = KINDS[kind].replace(b"%d", b"%d" % port).replace(b"%p", path.encode()).replace(b"%t", token.encode())
    connections: list[socket.socket] = []

    def renew() -> None:
        for _ in range(40):
            connections.append(connection := socket.create_connection(("127.0.0.1", port), timeout=60))
            try:
                connection.sendall(head)
            except OSError:
                pass  # it was closed already
        for connection in connections[:-WIDTH]:
            connection.close()
        del connections[:-WIDTH]

    try:
        while len(connections) < WIDTH:
            renew()
        yield renew
    finally:
        for connection in connections:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
