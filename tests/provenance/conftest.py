"""A repository in which agents work under the eyes of hooks, and people without."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agents.worker.events import Events
from tests.conftest import Terminal

CODE = "def login(user):\n    token = fetch(user)\n    return token.valid\n"


class Desk(Events):
    """The queue of a repository, with edits that really change files and commits that are really made."""

    def write(self, path: str, text: str, old: str = "") -> None:
        """The agent changes a file: what it becomes."""
        full = self.terminal.folder / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(full.read_text().replace(old, text) if old else text)
        change = {"file_path": path, "old_string": old, "new_string": text}
        self.tool("Edit", change, commit=self.head())

    def commit(self, message: str) -> str:
        """The agent commits everything."""
        self.terminal.git("add", "-A")
        self.terminal.git("commit", "-q", "-m", message)
        self.shell(f"git commit -m '{message}'", "ok", commit=self.head())
        return self.head()

    def head(self) -> str:
        """The commit that is checked out, "" for none."""
        return self.terminal.git("rev-parse", "--verify", "-q", "HEAD") if self.has_head() else ""

    def has_head(self) -> bool:
        """Whether there is a commit."""
        return bool(self.terminal.git("for-each-ref", "--count=1"))

    def why(self, target: str) -> Any:
        """The answer as JSON."""
        return self.terminal.mem("why", target, "--json").json


@pytest.fixture
def desk(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A repository with a store, and a session in it that nothing happened in yet."""
    monkeypatch.setenv("MEMPACK_WORKER_IDLE_SECONDS", "0")
    monkeypatch.setenv("MEMPACK_RANK_MEANING", "0")
    terminal.env["MEMPACK_WORKER_IDLE_SECONDS"] = "0"
    terminal.add("Sessions live in Redis")
    return Desk(terminal)


def prompts(change: Any) -> list[str]:
    """What was asked for, of the sessions of a change."""
    return [prompt["text"] for session in change["sessions"] for prompt in session["prompts"]]


def reasons(change: Any) -> list[str]:
    """The decisions of a change."""
    return [reason["text"] for reason in change["decisions"]]
