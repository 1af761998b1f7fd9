"""The protocol's own inspector, where somebody has it: npm install --global @modelcontextprotocol/inspector."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from tests.conftest import Terminal
from tests.mcp.talk import COMMAND


def inspected(terminal: Terminal, *words: str) -> Any:
    program = shutil.which("mcp-inspector")
    if program is None:
        pytest.skip("mcp-inspector is not on PATH")
    command = [program, "--cli", *COMMAND, *words]
    done = subprocess.run(command, cwd=terminal.folder, env=terminal.env, capture_output=True, timeout=60)
    return json.loads(done.stdout)


def test_the_inspector_lists_and_calls_the_tools(terminal: Terminal) -> None:
    terminal.add("Sessions live in Postgres")

    assert len(inspected(terminal, "--method", "tools/list")["tools"]) == 5
    words = ("--method", "tools/call", "--tool-name", "memory_search", "--tool-arg", "query=sessions")
    assert inspected(terminal, *words)["structuredContent"]["total"] == 1
