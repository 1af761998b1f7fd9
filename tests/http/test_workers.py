"""The worker inside the service: whose turn it is, and what it survives."""

from __future__ import annotations

import time

import pytest

from memcli.agents.capture import worker_process
from memcli.http import stores, workers
from memcli.project import Where, now, open_for_writing
from memcli.store import queue
from tests.conftest import Terminal
from tests.http.served import tell
from tests.http.test_cmem import until


def looking() -> workers.Workers:
    """Workers that look after no store yet."""
    return workers.Workers()


def test_whatever_a_look_meets_the_next_one_comes(nowhere: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[int] = []

    def broken() -> list[Where]:
        looks.append(1)
        raise ValueError

    monkeypatch.setattr(stores, "all_stores", broken)
    monkeypatch.setattr(workers, "_SCAN_EVERY", 0.0)
    monkeypatch.setattr(workers.compressors, "cancel_checks", [])
    working = looking()
    working.start()
    until(lambda: working.event_stored(Where("R-1")) or len(looks) > 2)
    working.stop()
    log = "".join(path.read_text() for path in (nowhere.data / "logs").glob("serve-*.log"))
    assert "ValueError" in log


def test_a_burst_holds_back_the_jobs_of_its_own_store_only(monkeypatch: pytest.MonkeyPatch) -> None:
    working = looking()
    quiet, busy = workers._StoreRun(working, 0.0), workers._StoreRun(working, time.monotonic() + 60)

    monkeypatch.setattr(workers, "_MAX_HOLD", 60.0)
    began = time.monotonic()
    quiet.wait_before_job()
    assert time.monotonic() - began < workers._MAX_HOLD
    monkeypatch.setattr(workers, "_MAX_HOLD", 0.2)
    began = time.monotonic()
    busy.wait_before_job()
    assert time.monotonic() - began >= workers._MAX_HOLD


def test_what_a_killed_service_had_claimed_is_gone_on_with_at_once(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal.mem("init", "--no-agents")
    tell(terminal, "user-prompt", {"prompt": "fix the login"})
    project = open_for_writing(Where(str(terminal.folder)), create=False)
    assert queue.claim(project.db, now(), worker_process.lease(project))  # as a worker does that dies then
    assert queue.counts(project.db, now(), worker_process.lease(project)).processing == 1
    project.close()

    monkeypatch.setenv("MEMPACK_CAPTURE_WORKER", "auto")
    where = Where(str(terminal.folder))
    summary = workers._queue_of(where)
    assert summary is not None
    assert summary[2]

    file = worker_process.take_lock(project.folder)
    assert file is not None
    summary = workers._queue_of(where)
    assert summary is not None
    assert not summary[2]  # whoever claimed it is at work
    worker_process.release_lock(file)
