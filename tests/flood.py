"""Connections without a request, opened again as soon as a server closes them."""

from __future__ import annotations

import resource
import socket
import threading
from collections.abc import Iterator
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
def flooding(port: int, kind: str, path: str, token: str) -> Iterator[None]:
    """Holds as many connections as a server would have in all, and more. `path`: where it takes a body from who has the token."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, 2 * WIDTH)), hard))
    head = KINDS[kind].replace(b"%d", b"%d" % port).replace(b"%p", path.encode()).replace(b"%t", token.encode())
    is_full, is_over = threading.Event(), threading.Event()
    thread = threading.Thread(target=_hold, args=(port, head, is_full, is_over), daemon=True)
    thread.start()
    try:
        assert is_full.wait(60)
        yield
    finally:
        is_over.set()
        thread.join(60)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _hold(port: int, head: bytes, is_full: threading.Event, is_over: threading.Event) -> None:
    held: list[socket.socket] = []
    while not is_over.is_set():
        for _ in range(40):
            connection = socket.create_connection(("127.0.0.1", port), timeout=60)
            try:
                connection.sendall(head)
            except OSError:
                pass  # it was closed already
            held.append(connection)
        if len(held) >= WIDTH:
            is_full.set()
            for connection in held[:-WIDTH]:
                connection.close()
            del held[:-WIDTH]
            is_over.wait(0.2)
    for connection in held:
        connection.close()
