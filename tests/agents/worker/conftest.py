"""A repository with a memory, a queue in it, and a worker that does not wait."""

from __future__ import annotations

import pytest

from tests.agents.worker.events import Events
from tests.conftest import Terminal


@pytest.fixture
def events(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Events:
    """The queue of a repository in which one memory is written already."""
    monkeypatch.setenv("MEMPACK_WORKER_IDLE_SECONDS", "0")
    terminal.env["MEMPACK_WORKER_IDLE_SECONDS"] = "0"
    (terminal.folder / "auth.py").write_text("def login():\n    pass\n")
    terminal.add("Sessions live in Redis")
    return Events(terminal)
