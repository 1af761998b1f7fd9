"""Over HTTP: who gets in, from where, and what is answered to what is no message."""

from __future__ import annotations

import socket
import time
from functools import partial

import anyio
import httpx2
import pytest
from starlette.types import Message

from memcli.mcp import http
from memcli.serving import bodies
from tests import flood
from tests.conftest import Terminal
from tests.mcp.talk import WITHOUT_TLS, serving

BODY = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
get, post = (partial(call, verify=WITHOUT_TLS) for call in (httpx2.get, httpx2.post))


def test_http_answers_only_who_shows_the_token_from_here(terminal: Terminal) -> None:
    terminal.add("Kept")
    with serving(terminal) as (url, token):
        key = {"Authorization": f"Bearer {token}"}

        def status(**headers: str) -> int:
            return post(url, json=BODY, headers={**HEADERS, **headers}).status_code

        assert status() == 401
        assert status(Authorization="Bearer wrong") == 401
        assert status(Authorization=token) == 401
        assert status(Authorization=f"Basic {token}") == 401
        assert status(Authorization=f"Bearer{token}") == 401
        assert {status(Authorization=f"{scheme} {token}") for scheme in ("bearer", "BEARER", "Bearer ")} == {status(**key)}
        assert status(Host="evil.invalid") == 401
        assert status(**key, Origin="http://evil.invalid") == 403
        assert status(**key, Host="evil.invalid") == 421
        assert status(**key, Host="evil.invalid", Origin="http://evil.invalid") == 421
        assert status(**key, Origin="null") == 403
        port = url.rpartition(":")[2].partition("/")[0]
        for name in ("127.0.0.1", "localhost", "[::1]"):
            assert status(**key, Host=f"{name}:{port}", Origin=f"http://{name}:{port}") not in (401, 403, 421)
        assert get(url).status_code == 401
        assert get(url.replace("/mcp", "/"), headers=key).status_code == 404
        big = post(url, content=b" " * (5 << 20), headers={**HEADERS, **key})
        assert big.status_code == 413


def test_what_is_no_message_is_answered_as_over_standard_input(terminal: Terminal) -> None:
    terminal.add("Kept")
    with serving(terminal) as (url, token):
        key = {"Authorization": f"Bearer {token}"}
        for sent, request_id, code in (("[]", None, -32600), ("{", None, -32700), ('{"id":7,"method":"ping"}', 7, -32600)):
            answer = post(url, content=sent, headers={**HEADERS, **key})
            said = answer.json()
            assert (answer.status_code, said["id"], said["error"]["code"]) == (400, request_id, code)
            assert "pydantic" not in answer.text
        assert post(url, content="[]", headers=HEADERS).status_code == 401


def test_http_listens_on_this_machine_only(terminal: Terminal) -> None:
    terminal.add("Kept")
    with serving(terminal) as (url, _):
        assert url.startswith("http://127.0.0.1:")
        port = int(url.rpartition(":")[2].partition("/")[0])
        with socket.socket() as other:
            other.settimeout(2)
            assert other.connect_ex(("127.0.0.2", port)) != 0
        assert "cannot listen at port" in terminal.process("mcp", "--http", "--port", str(port), fails=2).err


@pytest.mark.parametrize("kind", flood.KINDS)
def test_connections_without_a_request_starve_no_call(terminal: Terminal, kind: str) -> None:
    terminal.add("Kept")
    with serving(terminal) as (url, token):
        headers = {**HEADERS, "Authorization": f"Bearer {token}"}
        expected = post(url, json=BODY, headers=headers).status_code
        with flood.flooding(int(url.rpartition(":")[2].partition("/")[0]), kind, "/mcp", token) as renew:
            for _ in range(20):
                renew()
                assert post(url, json=BODY, headers=headers, timeout=60).status_code == expected


def test_the_token_is_for_the_person_alone_and_stays_the_same(terminal: Terminal) -> None:
    terminal.add("Kept")
    with serving(terminal) as (_, first):
        pass
    path = terminal.data / "token"
    assert path.stat().st_mode & 0o777 == 0o600
    with serving(terminal) as (_, second):
        assert second == first

    path.chmod(0o644)
    assert "others can read the token's file" in terminal.process("mcp", "--http", "--port", "0", fails=1).err
    path.unlink()
    path.symlink_to(terminal.folder / "elsewhere")
    assert "symbolic link" in terminal.process("mcp", "--http", "--port", "0", fails=1).err


def test_connections_that_send_no_head_are_ended_and_starve_nobody(terminal: Terminal) -> None:
    terminal.add("Kept")
    with serving(terminal) as (url, token):
        address = ("127.0.0.1", int(url.rpartition(":")[2].partition("/")[0]))
        silent = socket.create_connection(address, timeout=20)
        begun = socket.create_connection(address, timeout=20)
        begun.sendall(b"POST /mcp HTTP/1.1\r\nHost: ")
        many = [socket.create_connection(address, timeout=20) for _ in range(200)]

        headers = {**HEADERS, "Authorization": f"Bearer {token}"}
        assert post(url, json=BODY, headers=headers, timeout=20).status_code != 401
        assert [one.recv(1) for one in (silent, begun, *many)] == [b""] * 202
        for one in (silent, begun, *many):
            one.close()


@pytest.mark.parametrize("sent", [b"", b"{"])
def test_a_body_that_does_not_come_is_not_waited_for(terminal: Terminal, sent: bytes) -> None:
    terminal.add("Kept")
    with serving(terminal) as (url, token):
        port = int(url.rpartition(":")[2].partition("/")[0])
        lines = [f"{name}: {value}" for name, value in {**HEADERS, "Authorization": f"Bearer {token}"}.items()]
        head = "\r\n".join(["POST /mcp HTTP/1.1", f"Host: localhost:{port}", *lines, "Content-Length: 50", "", ""])
        begun = time.monotonic()
        with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
            client.sendall(head.encode() + sent)
            answer = b"".join(iter(lambda: client.recv(65_536), b""))
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert time.monotonic() - begun < 2 * bodies.PATIENCE


def test_a_body_that_comes_byte_by_byte_ends_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "BODY_TIMEOUT", 0.2)
    answers: list[Message] = []

    async def receive() -> Message:
        await anyio.sleep(0.01)
        return {"type": "http.request", "body": b" ", "more_body": True}

    async def send(message: Message) -> None:
        answers.append(message)

    async def nobody(*_: object) -> None:
        raise AssertionError("the application was called")

    async def call() -> None:
        guard = http._TokenGuard(nobody, "key")
        headers = [(b"authorization", b"Bearer key")]
        with anyio.fail_after(30):
            await guard({"type": "http", "method": "POST", "path": "/mcp", "headers": headers}, receive, send)

    anyio.run(call)
    assert answers[0]["status"] == 408
