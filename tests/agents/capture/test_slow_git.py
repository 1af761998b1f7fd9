"""A git that is slow holds up one hook for a moment, not every prompt; the worker gets the answer later."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from memcli import hook
from memcli.agents.capture import upkeep
from memcli.project import Where, open_for_writing
from tests.agents.capture.conftest import Agent


@pytest.fixture
def slow(agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with a memory of another commit, a git that sleeps, and a hook that waits half a second for it. Returns its log."""
    agent.terminal.commit("later", a_py="a")
    log = tmp_path / "calls"
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "git"
    real = f"PATH={os.environ['PATH']} exec git"
    program.write_text(f'#!/bin/sh\necho >> {log}\n[ -e {tmp_path}/fast ] || sleep 20\n{real} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setattr(hook, "GIT_PATIENCE", 0.5)
    return log


def test_it_is_waited_for_once_on_a_commit_and_the_worker_asks_again(agent: Agent, slow: Path, tmp_path: Path) -> None:
    began = time.monotonic()
    first = agent.hook("user-prompt", {"prompt": "where do session tokens live?"}).out
    assert time.monotonic() - began < 15  # one run of git takes 20
    assert "commit unknown here" in first
    calls = slow.read_text()
    assert "commit unknown here" in agent.hook("user-prompt", {"session_id": "s2", "prompt": "where do session tokens live?"}).out
    assert slow.read_text() == calls
    (tmp_path / "fast").touch()
    project = open_for_writing(Where(repo=str(agent.terminal.folder)))
    upkeep.run(project, None)
    project.close()
    told = agent.hook("user-prompt", {"session_id": "s3", "prompt": "where do session tokens live?"}).out
    assert "Session tokens live in Postgres" in told
    assert "commit unknown here" not in told
    assert "git took too long" not in agent.terminal.mem("doctor").out


def test_a_hook_that_has_no_time_for_git_starts_none(agent: Agent, slow: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook, "GIT_PATIENCE", 0.0)
    assert "commit unknown here" in agent.hook("user-prompt", {"prompt": "where do session tokens live?"}).out
    assert not slow.exists()


def test_the_doctor_says_so(agent: Agent, slow: Path, tmp_path: Path) -> None:
    agent.hook("user-prompt", {"prompt": "where do session tokens live?"})
    (tmp_path / "fast").touch()
    assert "git took too long in a hook on this commit" in agent.terminal.mem("doctor").out
    assert slow.read_text()
