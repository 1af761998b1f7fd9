"""Clients of the memories that `mem serve` takes the place of, as they were written: no token, no look at a status."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
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

BRIDGE = """
import { writeFileSync } from 'fs';
import { join } from 'path';

const WORKSPACE = process.env.OPENCLAW_WORKSPACE || '~/.openclaw/workspace-*/';
const PORT = process.env.C_MEM_WORKER_PORT;

async function injectContext(project) {
  const workerUrl = `http://127.0.0.1:${PORT}/api/context/inject?project=${project}`;
  const response = await fetch(workerUrl);
  const context = await response.text();

  const contextFile = join(WORKSPACE, 'MEMORY_CONTEXT.md');
  writeFileSync(contextFile, context, 'utf-8');
}

class OpenClawBridge {
  constructor(port = 37888) {
    this.workerUrl = `http://127.0.0.1:${port}`;
  }

  async onSessionStart(sessionId, project) {
    const res = await fetch(`${this.workerUrl}/api/context/inject?project=${project}`);
    return res.text();
  }

  async onUserPrompt(sessionId, project, prompt) {
    await fetch(`${this.workerUrl}/sessions/${sessionId}/init`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ project, userPrompt: prompt, promptNumber: 1 }),
    });
  }

  async onToolUse(sessionId, toolName, input, result) {
    await fetch(`${this.workerUrl}/sessions/${sessionId}/observations`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ tool_name: toolName, tool_input: input, tool_result: result }),
    });
  }

  async onStop(sessionId, lastUser, lastAssistant) {
    await fetch(`${this.workerUrl}/sessions/${sessionId}/summarize`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ last_user_message: lastUser, last_assistant_message: lastAssistant }),
    });
  }

  async onSessionEnd(sessionId, reason) {
    await fetch(`${this.workerUrl}/sessions/${sessionId}/complete`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ reason }),
    });
  }
}
"""  # as C-Mem's plan has it, without its types
DAY = """
const bridge = new OpenClawBridge(Number(PORT));
console.log(JSON.stringify(await bridge.onSessionStart('s-1', 'zoo')));
await bridge.onUserPrompt('s-1', 'zoo', 'Fix the login');
await bridge.onToolUse('s-1', 'Edit', { file_path: 'a.ts', old_string: 'expired', new_string: 'expired || !valid' }, '1 line');
await bridge.onStop('s-1', 'Fix the login', 'The guard checks validity now.');
for (const answer of ['Nothing is left to do.', 'Still nothing.']) {
  await bridge.onUserPrompt('s-1', 'zoo', 'continue');
  await bridge.onStop('s-1', 'continue', answer);
}
await bridge.onSessionEnd('s-1', 'exit');
"""


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


def in_node(script: str, served: Served, workspace: Path) -> str:
    """Runs a script with the bridge in it, and returns what it prints."""
    places = {"C_MEM_WORKER_PORT": str(served.port), "OPENCLAW_WORKSPACE": str(workspace), "PATH": os.environ["PATH"]}
    words = [str(shutil.which("node")), "--input-type=module", "-e", BRIDGE + script]
    return subprocess.run(words, env=places, capture_output=True, check=True, timeout=60, text=True).stdout


needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


@pytest.fixture
def served(terminal: Terminal) -> Iterator[Served]:
    """A service that takes these clients, with its worker."""
    terminal.mem("config", "set", "serve.without_token", "true")
    with serving(terminal, MEMPACK_CAPTURE_WORKER="auto", MEMPACK_SESSION_SUMMARY_SECONDS="1", MEMPACK_CLOCK="") as service:
        yield service


@needs_node
def test_the_bridge_of_c_mem_keeps_sessions_and_injects_their_context(served: Served, tmp_path: Path) -> None:
    assert in_node(DAY, served, tmp_path) == '""\n'
    client = Plain(served)
    until(lambda: client.json("GET", "/sessions/s-1/status")["status"] == "completed")

    prompts = client.json("GET", "/api/prompts?project=zoo")["prompts"]
    assert [prompt["prompt_text"] for prompt in prompts] == ["continue", "continue", "Fix the login"]
    in_node("await injectContext('zoo');", served, tmp_path)
    assert "expired || !valid" in (tmp_path / "MEMORY_CONTEXT.md").read_text()


@needs_node
def test_the_bridge_of_c_mem_writes_no_refusal_into_its_file(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add("Sessions live in Postgres")
    with serving(terminal) as closed:
        in_node("await injectContext('zoo');", closed, tmp_path)
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
