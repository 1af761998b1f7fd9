"""The protocol's own inspector, on the command line: scripts/test -m conformance."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Terminal
from tests.mcp.talk import COMMAND, serving

pytestmark = pytest.mark.conformance

HANDED_ON = ("PYTHONPATH", "MEMPACK_DATA_DIR", "MEMPACK_CONFIG_DIR", "MEMPACK_CLOCK")  # it gives a server little of its own
REFUSED = 5  # what it ends with where a tool's answer is an error


class Inspector:
    """The inspector, told where a server is."""

    def __init__(self, terminal: Terminal, programs: Path, era: str, server: list[str]) -> None:
        path = os.pathsep.join([str(programs), terminal.env["PATH"]])
        self.env = {**terminal.env, "PATH": path}
        self.folder = terminal.folder
        self.words = [programs / "mcp-inspector", "--cli", *server, "--protocol-era", era, "--quiet", "--format", "json"]

    def ask(self, method: str, *words: str, fails: int = 0) -> Any:
        """Asks the server something and returns the result."""
        command = [*self.words, "--method", method, *words]
        done = subprocess.run(command, cwd=self.folder, env=self.env, capture_output=True, timeout=120)
        assert done.returncode == fails, done.stdout + done.stderr
        return json.loads(done.stdout)["result"]


@contextmanager
def server(terminal: Terminal, way: str, *words: str) -> Iterator[list[str]]:
    """What the inspector is told of a server: the command, or the address and the token."""
    if way == "stdio":
        own = [word for name in HANDED_ON for word in ("-e", f"{name}={terminal.env[name]}")]
        yield [*COMMAND, *words, *own]
    else:
        with serving(terminal, *words) as (url, token):
            yield [url, "--transport", "http", "--header", f"Authorization: Bearer {token}"]


@pytest.mark.parametrize("era", ["modern", "legacy"])
@pytest.mark.parametrize("way", ["stdio", "http"])
def test_the_inspector_sees_all_of_the_server(terminal: Terminal, programs: Path, way: str, era: str) -> None:
    memory_id = terminal.add("Sessions live in Postgres")
    with server(terminal, way, "--allow-write") as told:
        inspector = Inspector(terminal, programs, era, told)

        listed = inspector.ask("tools/list", "--strict")["tools"]  # which fails for schemas that some model does not take
        assert len(listed) == 14
        found = inspector.ask("tools/call", "--tool-name", "memory_search", "--tool-arg", "query=sessions")
        assert found["structuredContent"]["items"][0]["id"] == memory_id
        words = ("--tool-name", "memory_write", "--tool-arg", "content=Tabs, not spaces.")
        assert inspector.ask("tools/call", *words, fails=REFUSED)["structuredContent"]["error"]["code"] == "confirmation_required"
        (page,) = inspector.ask("resources/read", "--uri", f"mem://memory/{memory_id}")["contents"]
        assert json.loads(page["text"])["title"] == "Sessions live in Postgres"
        asked = ("--prompt-name", "recall", "--prompt-args", "task=mend the sessions")
        (message,) = inspector.ask("prompts/get", *asked)["messages"]
        assert "Sessions live in Postgres" in message["content"]["text"]
    assert [one["id"] for one in terminal.mem("recent", "--json").json] == [memory_id]
