"""A file system that refuses locks is told from one on which a worker holds the lock."""

from __future__ import annotations

import errno
import fcntl
from pathlib import Path

import pytest

from memcli.agents.capture import event_queue
from tests.conftest import Terminal


def refuse(*_: object) -> None:
    raise OSError(errno.ENOLCK, "No locks available")


def test_a_refused_lock_is_no_sign_of_a_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(OSError, match="No locks available"):
        event_queue.spawn_worker(str(tmp_path))


def test_a_held_lock_is(tmp_path: Path) -> None:
    with open(tmp_path / event_queue.LOCK, "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert not event_queue.spawn_worker(str(tmp_path))


def test_the_doctor_says_that_no_worker_can_run(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal.add("A memory")
    (terminal.store.parent / event_queue.LOCK).touch()
    assert "refuses to lock" not in terminal.mem("doctor").out
    monkeypatch.setattr(fcntl, "flock", refuse)
    assert "the file system refuses to lock a file (No locks available): no worker can run" in terminal.mem("doctor").out
