"""Clients of the memories that `mem serve` takes the place of, as they were written: no token, no look at a status."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.conftest import Terminal
from tests.http.served import Served, serving
from tests.http.test_cmem import until


class Plain:
    """Asks as Node's fetch and curl do."""

    def __init__(self, served: Served) -> None:
        self.url = f"http://127.0.0.1:{served.port}"

    def text(self, method: str, path: str, body: Any = None) -> str:
        """Returns what comes back, whatever its status."""
        headers = {
            "User-Agent": "node",
            "Sec-Fetch-Mode": "cors",
            **({} if body is None else {"Content-Type": "application/json"}),
        }
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, content, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return str(answer.read().decode())
        except urllib.error.HTTPError as error:
            return error.read().decode()

    def json(self, method: str, path: str, body: Any = None) -> Any:
        """Returns what comes back as JSON."""
        return json.loads(self.text(method, path, body))


class Bridge(Plain):
    """C-Mem's bridge to OpenClaw: the number of a prompt is always 1."""

    def prompt(self, session: str, project: str, prompt: str) -> None:
        self.text("POST", f"/sessions/{session}/init", {"project": project, "userPrompt": prompt, "promptNumber": 1})

    def tool(self, session: str, tool: str, arguments: Any, result: str) -> None:
        body = {"tool_name": tool, "tool_input": arguments, "tool_result": result}
        self.text("POST", f"/sessions/{session}/observations", body)

    def stop(self, session: str, user: str, assistant: str) -> None:
        self.text("POST", f"/sessions/{session}/summarize", {"last_user_message": user, "last_assistant_message": assistant})

    def end(self, session: str) -> None:
        self.text("POST", f"/sessions/{session}/complete", {"reason": "exit"})

    def inject(self, project: str, file: Path) -> None:
        """Writes the context into a file, whatever it is."""
        file.write_text(self.text("GET", f"/api/context/inject?project={project}"))


@pytest.fixture
def served(terminal: Terminal) -> Iterator[Served]:
    """A service that takes these clients, with its worker."""
    terminal.mem("config", "set", "serve.without_token", "true")
    with serving(terminal, MEMPACK_CAPTURE_WORKER="auto", MEMPACK_SESSION_SUMMARY_SECONDS="1", MEMPACK_CLOCK="") as service:
        yield service


def test_the_bridge_of_c_mem_keeps_sessions_and_injects_their_context(served: Served, tmp_path: Path) -> None:
    bridge = Bridge(served)
    bridge.prompt("s-1", "zoo", "Fix the login")
    bridge.tool("s-1", "Edit", {"file_path": "/app/a.ts", "old_string": "expired", "new_string": "expired || !valid"}, "1 line")
    bridge.stop("s-1", "Fix the login", "The guard checks validity now.")
    for _ in range(2):
        bridge.prompt("s-1", "zoo", "continue")
        bridge.stop("s-1", "continue", "Nothing is left to do.")
    bridge.end("s-1")
    until(lambda: bridge.json("GET", "/sessions/s-1/status")["status"] == "completed")

    prompts = bridge.json("GET", "/api/prompts?project=zoo")["prompts"]
    assert [prompt["prompt_text"] for prompt in prompts] == ["continue", "continue", "Fix the login"]
    bridge.inject("zoo", tmp_path / "MEMORY_CONTEXT.md")
    assert "expired || !valid" in (tmp_path / "MEMORY_CONTEXT.md").read_text()


def test_the_bridge_of_c_mem_writes_no_refusal_into_its_file(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add("Sessions live in Postgres")
    with serving(terminal) as closed:
        Bridge(closed).inject("zoo", tmp_path / "MEMORY_CONTEXT.md")
    assert (tmp_path / "MEMORY_CONTEXT.md").read_text() == ""


def test_the_client_of_mecho_prepares_and_acknowledges_turns(served: Served) -> None:
    mecho = Plain(served)
    turn = {"modeId": "모드 1", "sessionKey": "riko:claude:u:c", "engine": "claude"}

    def prepare(**more: Any) -> Any:
        prepared = mecho.json("POST", "/v1/turn/prepare", {**turn, **more})
        ack = {**turn, "prepareId": prepared["prepareId"], "status": "success"}
        assert mecho.json("POST", "/v1/turn/ack", ack) == {"ok": True}
        return prepared

    assert prepare()["mode"] == "none"
    note = {"modeId": turn["modeId"], "id": "note-1", "title": "Deploy on Fridays never", "content": "It broke twice."}
    for _ in range(2):
        assert mecho.json("PUT", "/v1/memory/curated", note)["id"] == "note-1"
    first = prepare()
    assert (first["mode"], first["xml"].startswith("<memory_context")) == ("full", True)
    assert prepare()["mode"] == "none"
    mecho.json("PUT", "/v1/memory/core", {"modeId": turn["modeId"], "key": "language", "value": "Korean"})
    changed = prepare()
    assert (changed["mode"], "Fridays" in changed["xml"], "Korean" in changed["xml"]) == ("delta", False, True)
    assert prepare(forceFull=True)["mode"] == "full"
    assert mecho.json("DELETE", "/v1/memory/curated", {"modeId": turn["modeId"], "id": "note-1"})["ok"] is True


def test_the_documented_calls_of_the_long_term_memory_are_answered(served: Served, terminal: Terminal) -> None:
    runtime = Plain(served)
    written = runtime.json("POST", "/api/memory", {"content": "我最喜欢的颜色是蓝色", "keywords": ["颜色", "蓝色"]})
    assert (written["ok"], written["content"], written["keywords"]) == (True, "我最喜欢的颜色是蓝色", ["颜色", "蓝色"])

    (entry,) = runtime.json("GET", "/api/memory?limit=20&offset=0")["items"]
    assert (entry["id"], entry["content"]) == (written["id"], "我最喜欢的颜色是蓝色")
    assert [item["id"] for item in runtime.json("GET", f"/api/memory/search?q={quote('蓝色')}&limit=5")["items"]] == [
        written["id"]
    ]
    assert runtime.json("GET", "/api/sessions") == {"sessions": [], "total": 0, "hasMore": False}
    assert "我最喜欢的颜色是蓝色" in terminal.mem("get", "--user", "颜色", "--format", "prompt").out
