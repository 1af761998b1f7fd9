"""Hooks as harnesses call them, and what they leave in the queue."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from memcli.store import inbox
from tests.conftest import Result, Terminal

FACT = "Session tokens live in Postgres"
Job = dict[str, Any]


class Agent:
    """A terminal whose repository has a store with one memory, and a harness that fires hooks at it."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.calls = 0

    def hook(self, event: str, payload: object, harness: str = "claude") -> Result:
        """Fires a hook; a payload that is no dict is sent as it is. Always ends with 0."""
        sent = payload
        if isinstance(payload, dict):
            sent = json.dumps({"session_id": "s1", "cwd": str(self.terminal.folder), **payload})
        flag = ["--harness", harness] if harness else []
        return self.terminal.mem("hook", event, *flag, stdin=sent)  # type: ignore[arg-type]

    def tool(self, **payload: object) -> Result:
        """Fires the hook of a tool call with an id of its own."""
        self.calls += 1
        known = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": f"call-{self.calls}"}
        return self.hook("post-tool-use", {**known, **payload})

    @property
    def folder(self) -> Path:
        """The directory of the store."""
        return self.terminal.store.parent

    def jobs(self) -> list[Job]:
        """What is in the queue, in order, with the payload read."""
        db = apsw.Connection(str(self.terminal.store))
        try:
            found = db.execute("SELECT n, dedupe, harness, session, event, payload, status FROM job ORDER BY n").fetchall()
        finally:
            db.close()
        names = ("n", "dedupe", "harness", "session", "event", "payload", "status")
        jobs = [dict(zip(names, row)) for row in found]
        return [{**job, "body": json.loads(job["payload"])} for job in jobs]

    def bodies(self) -> list[dict[str, Any]]:
        """What the events in the queue say."""
        return [job["body"] for job in self.jobs()]

    def files(self) -> list[Path]:
        """The events that wait in files."""
        return sorted(self.terminal.data.rglob("*.jsonl"))

    def log(self) -> str:
        """What the hooks' log says."""
        path = self.terminal.data / "logs" / "hook.log"
        return path.read_text() if path.exists() else ""

    def whole_disk(self) -> bytes:
        """Every byte of every file in the data directory."""
        return b"".join(path.read_bytes() for path in self.terminal.data.rglob("*") if path.is_file())


@pytest.fixture
def agent(terminal: Terminal) -> Agent:
    """A repository that remembers one thing, and an agent that works in it."""
    terminal.add(FACT, "Redis evicted them under load.")
    return Agent(terminal)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hooks that give up waiting for a lock at once."""
    monkeypatch.setattr(inbox, "PATIENCE_MS", 10)


@pytest.fixture
def locked(agent: Agent, impatient: None) -> Iterator[apsw.Connection]:
    """A store that another process keeps locked."""
    with closing(apsw.Connection(str(agent.terminal.store))) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other
