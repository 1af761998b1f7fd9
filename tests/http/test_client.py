"""memcli.client, and events that harnesses send instead of starting a process."""

from __future__ import annotations

import contextlib
import json
import logging
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from memcli.client import Client, Unanswered, session_key
from tests.conftest import Terminal
from tests.http.served import Served, serving
from tests.http.test_cmem import until
from tests.http.test_modes import HAS_TURNS


def test_it_finds_the_service_and_the_token_by_itself(served: Served) -> None:
    memory = Client()

    assert (memory.health() or {})["status"] == "ok"
    assert memory.put_core("language", "Japanese") == {"language": "Japanese"}
    assert memory.core() == {"language": "Japanese"}
    made = memory.remember("Deploy on Fridays never", "It broke twice.")
    assert memory.remember("Deploy on Fridays never", "Thrice.", made) == made
    assert memory.put_core("language", None) == {}
    assert [entry["id"] for entry in memory.curated() or ()] == [made]
    assert memory.remember("Trains leave at noon", "All of them.", "trains") == "trains"
    assert memory.forget("trains") is True
    assert [entry["id"] for entry in memory.curated(limit=5) or ()] == [made]


def test_it_reads_and_writes_the_archive(served: Served) -> None:
    memory = Client(raises=True)

    cat = memory.archive("The cat sleeps on the router.", {"page": 3})
    assert [(entry["id"], entry["metadata"]) for entry in memory.archived() or ()] == [(cat, {"page": 3})]
    assert [entry["id"] for entry in memory.search_archive("router") or ()] == [cat]
    assert memory.forget_archived(cat or "") is True
    assert memory.archived() == []


def test_a_session_is_told_and_read(served: Served) -> None:
    memory = Client(raises=True)
    begun = memory.begin("s-1", "my-app", "Fix the login", 1)
    assert begun is not None
    assert begun["promptNumber"] == 1
    queued = memory.observe("s-1", "Bash", {"command": "pytest"}, "1 failed", "c-1")
    assert queued is not None
    assert queued["queued"] is True
    assert memory.summarize("s-1", "Fix the login", "Done.")
    assert memory.complete("s-1", "exit")
    served.post("/api/pending-queue/process")
    until(lambda: (memory.status("s-1") or {})["status"] == "completed")
    assert "Fix the login" in (memory.context("my-app") or "")
    found = memory.search("login", "my-app")
    assert found
    assert found[0]["project"] == "my-app"


NO_TEXT: list[Callable[[Client], Any]] = [
    lambda memory: memory.begin("a\ud800", "p"),
    lambda memory: memory.begin(None, "p"),  # type: ignore[arg-type]
    lambda memory: memory.status(5),  # type: ignore[arg-type]
    lambda memory: memory.search("a\ud800"),
    lambda memory: memory.context("a\ud800"),
    lambda memory: Client(mode="x\ud800").core(),
]


@pytest.mark.parametrize("call", NO_TEXT)
def test_what_can_be_in_no_address_is_a_warning(
    call: Callable[[Client], Any], nowhere: Terminal, caplog: pytest.LogCaptureFixture
) -> None:
    assert call(Client("http://127.0.0.1:1")) is None
    (line,) = caplog.messages
    assert line.startswith("the arguments cannot be in an address: ")


@pytest.mark.parametrize("answer", [{}, {"core": 1, "id": 2, "results": None}])
def test_an_answer_without_what_was_asked_is_a_warning(
    answer: dict[str, Any], monkeypatch: pytest.MonkeyPatch, nowhere: Terminal, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("memcli.client.request", lambda *asked: (200, json.dumps(answer).encode()))
    memory = Client("http://127.0.0.1:1")
    assert [memory.core(), memory.put_core("a", "b"), memory.remember("a", "b"), memory.search("a")] == [None] * 4
    assert caplog.messages == [f"the answer has no {name}" for name in ("core", "core", "id", "results")]


def test_what_is_too_large_is_a_warning_that_says_so(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    assert Client().observe("s-1", "Bash", {"command": "x" * 3_000_000}, "") is None
    (line,) = caplog.messages
    assert line.startswith("mem serve answered 413: ")


@pytest.mark.parametrize("result", [float("nan"), {1, 2}, object()])
def test_what_is_no_json_is_a_warning_and_not_blamed_on_the_service(
    served: Served, caplog: pytest.LogCaptureFixture, result: Any
) -> None:
    memory = Client()
    memory.begin("s-1", "my-app", "Fix the login")
    assert memory.observe("s-1", "Bash", {"command": "ls"}, result) is None
    (line,) = caplog.messages
    assert line.startswith("the arguments are not JSON: ")


def test_turns_are_prepared_and_acknowledged(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_MODE", "riko")
    memory = Client(raises=HAS_TURNS)
    memory.put_core("language", "Japanese")
    turn = memory.prepare_turn("s", "claude")
    if HAS_TURNS:
        assert turn is not None
        assert "Japanese" in turn["xml"]
        assert memory.ack_turn(turn["prepareId"], "s") is True
        assert (memory.prepare_turn("s", "claude") or {})["mode"] == "none"
        assert (memory.prepare_turn("s", "claude", full=True) or {})["mode"] == "full"
    assert served.get("/v1/memory/core", modeId="riko")["core"] == {"language": "Japanese"}


AWAY = ("nobody", "silent", "foreign", "no socket")


@pytest.mark.parametrize("away", AWAY)
def test_when_the_service_is_away_it_gives_nothing_and_one_warning(
    away: str, nowhere: Terminal, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        monkeypatch.setenv("MEMPACK_TIMEOUT_MS", "200")
        addresses = ("http://127.0.0.1:9", f"http://127.0.0.1:{port}", "no address", "unix:/nowhere")
        monkeypatch.setenv("MEMPACK_API_URL", dict(zip(AWAY, addresses))[away])
        memory = Client()
        with caplog.at_level(logging.WARNING):
            assert memory.prepare_turn("s") is None
            assert memory.context("p") is None
        assert len(caplog.records) == 2
        with pytest.raises(Unanswered):
            Client(raises=True).ack_turn("x", "s")


def test_a_service_that_was_killed_leaves_nobody_who_is_shown_the_token(terminal: Terminal) -> None:
    with serving(terminal) as first:
        port = first.port
        first.process.kill()
        first.process.wait(60)
    assert (terminal.data / "serve.json").exists()
    with socket.create_server(("127.0.0.1", port)) as thief:
        thief.settimeout(0)
        with pytest.raises(Unanswered, match="is not running"):
            Client(raises=True).health()
        with pytest.raises(BlockingIOError):
            thief.accept()


@pytest.mark.parametrize("words", [["--socket", "{data}/s"], ["--host", "::1"]])
def test_it_finds_a_service_at_a_socket_and_at_another_address(terminal: Terminal, words: list[str]) -> None:
    with serving(terminal, *[word.format(data=terminal.data) for word in words]):
        assert Client(raises=True).core() == {}
        if "--socket" in words:
            assert Client(f"unix:{terminal.data}/s", raises=True).core() == {}
            assert Client(f"unix://{terminal.data}/s", raises=True).core() == {}


def test_nothing_is_said_in_clear_to_an_address_that_asks_for_encryption(nowhere: Terminal) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        with pytest.raises(Unanswered, match="http://"):
            Client(f"https://127.0.0.1:{server.getsockname()[1]}", "secret", raises=True).health()
        with pytest.raises(BlockingIOError):
            server.accept()


def test_a_call_ends_in_time_though_bytes_go_on_dripping(nowhere: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_TIMEOUT_MS", "400")
    ended = threading.Event()

    def drip(server: socket.socket) -> None:
        with server.accept()[0] as connection, contextlib.suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
            while not ended.wait(0.05):
                connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=drip, args=(server,))
        thread.start()
        try:
            with pytest.raises(Unanswered, match="Timeout"):
                Client(f"http://127.0.0.1:{server.getsockname()[1]}", raises=True).health()
        finally:
            ended.set()
            thread.join(60)


def test_a_refusal_is_a_warning_too(served: Served, caplog: pytest.LogCaptureFixture) -> None:
    assert Client(token="wrong").core() is None
    assert Client().status("none") is None
    assert ["401" in one.message or "404" in one.message for one in caplog.records] == [True, True]
    with pytest.raises(Unanswered) as told:
        Client(raises=True).status("none")
    assert (told.value.status, told.value.code) == (404, "no_session")


def test_it_can_be_switched_off(served: Served, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv("MEMPACK_ENABLED", "0")

    assert Client(raises=True).health() is None
    assert not caplog.records


def test_the_key_of_a_session_is_stable_and_keeps_its_parts_apart() -> None:
    assert session_key("riko", "claude", "u", "c") == session_key("riko", "claude", "u", "c") == "riko:claude:u:c"
    assert session_key("a:b", "c", "d", "e") != session_key("a", "b:c", "d", "e")
    long = session_key("m", "e", "u" * 500, "c")
    assert len(long) == 200
    assert long != session_key("m", "e", "u" * 500, "d")
    assert session_key("m", "e", 5, "a\ud800") == session_key("m", "e", "5", "a\ud800") == "m:e:5:a%ED%A0%80"  # type: ignore[arg-type]


def test_the_client_needs_nothing_that_serves(nowhere: Terminal) -> None:
    heavy = "('fastapi', 'pydantic', 'apsw', 'uvicorn')"
    probe = f"import sys, memcli.client; print([name for name in sys.modules if name.split('.')[0] in {heavy}])"
    done = subprocess.run([sys.executable, "-c", probe], env=nowhere.env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def event(served: Served, name: str, payload: dict[str, Any], **query: str) -> Any:
    return served.post(f"/v2/events/{name}", payload, **query)


def test_openclaw_sends_its_events_and_gets_its_context(served: Served, terminal: Terminal) -> None:
    given = {"sessionKey": "oc-1", "cwd": str(terminal.folder)}
    assert event(served, "session_start", given, harness="openclaw")["status"] == "no_store"
    terminal.add("Sessions live in Postgres", "Redis lost them.")

    begun = event(served, "session_start", given, harness="openclaw")
    asked = event(served, "message_received", {**given, "prompt": "where do sessions live?"}, harness="openclaw")
    assert (begun["queued"], asked["queued"]) == (True, True)
    if HAS_TURNS:
        assert begun["prependContext"] == begun["context"]
        assert begun["context"].startswith("<mem-context>\n")
        assert "Sessions live in Postgres" in begun["context"]
    tool = {**given, "toolName": "exec", "params": {"command": "psql"}, "result": "ok", "toolCallId": "1"}
    assert event(served, "after_tool_call", tool, harness="openclaw")["queued"] is True
    assert event(served, "agent_end", {**given, "text": "In Postgres."}, harness="openclaw")["context"] == ""
    assert event(served, "session:end", {**given, "reason": "exit"}, harness="openclaw")["queued"] is True
    served.post("/api/pending-queue/process")
    until(lambda: served.get("/sessions/oc-1/status")["status"] == "completed")
    assert served.get("/api/sessions/oc-1")["messages"][1] == {
        "role": "assistant",
        "content": "In Postgres.",
        "created_at": "2026-03-01T12:00:00.000Z",
    }


def test_a_directory_that_is_not_absolute_is_no_name_of_a_project(served: Served) -> None:
    served.post("/sessions/s-1/init", {"project": "shop", "userPrompt": "hello"})

    given = {"session_id": "s-2", "cwd": "shop", "prompt": "hello"}
    assert event(served, "user-prompt", given)["status"] == "no_store"


def test_events_of_no_name_or_no_harness_are_refused(served: Served) -> None:
    assert served.refused("POST", "/v2/events/party", {}) == (422, "invalid_input")
    assert served.refused("POST", "/v2/events/stop?harness=none", {}) == (422, "invalid_input")
    assert served.refused("POST", "/v2/events/stop", [1]) == (422, "invalid_input")
