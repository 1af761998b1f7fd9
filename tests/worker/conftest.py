"""A repository with a memory, a letterbox in it, and a worker that does not wait."""

from __future__ import annotations

import pytest

from tests.conftest import Terminal
from tests.worker.letters import Letters


@pytest.fixture
def letters(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Letters:
    """The letterbox of a repository in which one memory is written already."""
    monkeypatch.setenv("MEMPACK_WORKER_IDLE_SECONDS", "0")
    terminal.env["MEMPACK_WORKER_IDLE_SECONDS"] = "0"
    (terminal.folder / "auth.py").write_text("def login():\n    pass\n")
    terminal.add("Sessions live in Redis")
    return Letters(terminal)
