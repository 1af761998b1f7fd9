"""Clients that send slowly, in part or too much at once: they are not waited for, and starve nobody."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

import pytest

from memcli.http import gate
from memcli.http.visitors import Visitors
from memcli.serving import bodies
from tests import flood
from tests.conftest import Terminal
from tests.http.served import Served
from tests.http.test_gate import head, problem_of


@pytest.fixture
def served(shared: tuple[Served, Terminal]) -> Served:
    return shared[0]


@pytest.mark.parametrize("kind", flood.KINDS)
def test_connections_without_a_request_starve_no_call(served: Served, kind: str) -> None:
    with flood.flooding(served.port, kind, "/v2/memories", served.token) as renew:
        seconds = []
        for _ in range(20):
            renew()
            begun = time.monotonic()
            assert served.ask("GET", "/v2/recent").status == 200
            seconds.append(time.monotonic() - begun)
        assert median(seconds) < 5, "calls wait until connections without a request are ended"


def test_more_requests_than_it_has_room_for_are_told_so() -> None:
    async def never(*_: Any) -> None:
        raise AssertionError("it was let through")

    answers: list[Any] = []

    async def send(message: Any) -> None:
        answers.append(message)

    full = gate.AccessGate(never, "key", Visitors(), None)
    full.connections = range(gate.MAX_CONNECTIONS + 1)
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/health",
        "query_string": b"",
        "headers": [(b"authorization", b"Bearer key")],
    }
    asyncio.run(full(scope, never, send))
    headers = dict(answers[0]["headers"])
    assert (answers[0]["status"], headers[b"retry-after"]) == (503, b"1")
    assert headers[b"content-type"] == b"application/problem+json"
    assert json.loads(answers[1]["body"])["code"] == "busy"


def test_a_request_whose_body_is_missing_makes_room_for_another(served: Served) -> None:
    own = f"Host: localhost:{served.port}"
    begun = head(served, own, "Content-Type: application/json", "Content-Length: 9", method="POST", path="/v2/memories")
    many = []
    try:
        for _ in range(gate.MAX_CONNECTIONS + 1):
            many.append(socket.create_connection(("127.0.0.1", served.port), timeout=60))
            many[-1].sendall(begun)
        assert served.ask("GET", "/v2/recent").status == 200
    finally:
        for one in many:
            one.close()


def test_a_head_or_a_body_that_does_not_come_is_not_waited_for(served: Served) -> None:
    own = f"Host: localhost:{served.port}"
    begun = head(served, own, "Content-Type: application/json", "Content-Length: 50", method="POST", path="/v2/memories")
    with ThreadPoolExecutor() as clients:  # each is waited for some seconds
        without_head = clients.submit(served.raw, f"GET /health HTTP/1.1\r\n{own}\r\nX-".encode())
        without_body = clients.submit(served.raw, begun + b"{")

    assert problem_of(without_head.result()) == (408, "too_slow")
    assert without_body.result().startswith(b"HTTP/1.1 408 ")


def test_a_body_that_comes_byte_by_byte_is_not_waited_for_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "BODY_TIMEOUT", 0.2)

    async def drip() -> dict[str, Any]:
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def read() -> None:
        limited = bodies.LimitedBody(drip, 1 << 20)
        while True:
            await limited()

    with pytest.raises(bodies.SlowBody):
        asyncio.run(asyncio.wait_for(read(), 30))
