"""Clients that do not read their answers, or hardly: no connection is held for them for ever."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from memcli.serving import protocol
from memcli.serving.protocol import PatientServer, TimedProtocol

LONG = b"x" * (8 << 20)  # more than the system takes from a server for a client that reads nothing
SIZES = {"/short": 0, "/small": 48_000, "/small-close": 48_000}  # the latter a little more


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answers with the long text: in pieces, at once, and before the end of the connection."""
    headers = [(b"connection", b"close")] if scope["path"].endswith("close") else []
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    whole = LONG[: SIZES.get(scope["path"], len(LONG))]
    size = 1 << 16 if scope["path"] == "/pieces" else len(LONG)
    for start in range(0, len(whole), size):
        await send({"type": "http.response.body", "body": whole[start : start + size], "more_body": True})
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[PatientServer, int]]:
    """A server that waits half a second for readers, and its port."""
    monkeypatch.setattr(protocol, "READ_TIMEOUT", 0.5)
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
    server = PatientServer(uvicorn.Config(app, http=TimedProtocol, log_config=None, lifespan="off", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield server, listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(30)
        listener.close()


def client(port: int, path: str) -> socket.socket:
    """A connection on which a request was sent."""
    connection = socket.socket()
    connection.settimeout(30)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    connection.connect(("127.0.0.1", port))
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    return connection


@pytest.mark.parametrize("path", ["/pieces", "/whole", "/close", "/small", "/small-close"])
def test_an_answer_that_nobody_reads_ends_its_connection(server: tuple[PatientServer, int], path: str) -> None:
    with client(server[1], path) as connection:
        until = time.monotonic() + 20
        assert connection.recv(1) == b"H"
        while server[0].server_state.connections:
            assert time.monotonic() < until
            time.sleep(0.05)


def test_so_does_one_that_is_read_too_slowly(server: tuple[PatientServer, int]) -> None:
    with client(server[1], "/whole") as connection:
        until = time.monotonic() + 20
        assert connection.recv(1) == b"H"
        while server[0].server_state.connections:
            assert time.monotonic() < until
            assert connection.recv(2_048)
            time.sleep(0.05)


@pytest.mark.parametrize("path", ["/pieces", "/whole", "/close"])
def test_a_client_that_takes_its_time_gets_the_whole_answer(server: tuple[PatientServer, int], path: str) -> None:
    size = 0
    with client(server[1], path) as connection:
        while size < len(LONG):
            time.sleep(0.05)
            taken = 0
            while taken < (1 << 18) and size + taken < len(LONG):
                part = connection.recv(1 << 16)
                assert part, "the connection was ended"
                taken += len(part)
            size += taken


def test_answers_that_nobody_reads_make_room_for_others(
    server: tuple[PatientServer, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol, "READ_TIMEOUT", 60)
    monkeypatch.setattr(protocol, "MAX_CONNECTIONS", 8)
    many = [client(server[1], "/whole") for _ in range(8)]
    for connection in many:
        assert connection.recv(1) == b"H"
    with client(server[1], "/short") as another:
        assert another.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
    assert len(server[0].server_state.connections) >= 7
    for connection in many:
        connection.close()
