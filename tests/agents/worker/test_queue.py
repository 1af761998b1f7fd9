"""The queue from the worker's side: claims, leases, attempts, order, what is parked and how it gets out."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memcli.agents.capture import handlers, worker, worker_process
from memcli.project import Project, Where, open_for_writing
from memcli.store import queue, rows, transaction
from memcli.store.queue import ATTEMPTS, BACKOFF_MS, LeaseLost
from tests.agents.worker.events import EDIT, START, Events, short_session

LEASE = 300_000
NOW = START + 3_600_000


@pytest.fixture
def project(events: Events, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """The store, opened for writing."""
    monkeypatch.chdir(events.terminal.folder)
    opened = open_for_writing(Where())
    rows(opened.db, "PRAGMA synchronous = OFF")
    yield opened
    opened.close()


def finished(project: Project, job: queue.Job) -> None:
    with transaction(project.db):
        queue.finish(project.db, job, "x")


def test_jobs_of_a_session_are_claimed_in_order_one_at_a_time(project: Project, events: Events) -> None:
    for _ in range(3):
        events.put("stop")
    Events(events.terminal, "s2").put("stop")
    first = queue.claim(project.db, NOW, LEASE)
    second = queue.claim(project.db, NOW, LEASE)
    assert first
    assert second
    assert [(first.session, first.n), (second.session, second.n)] == [("s1", 1), ("s2", 4)]
    assert queue.claim(project.db, NOW, LEASE) is None
    finished(project, first)
    third = queue.claim(project.db, NOW, LEASE)
    assert third
    assert (third.session, third.n) == ("s1", 2)


def test_a_lease_that_ran_out_is_claimed_again_and_the_late_worker_is_refused(project: Project, events: Events) -> None:
    events.put("stop")
    late = queue.claim(project.db, NOW, LEASE)
    assert queue.claim(project.db, NOW + LEASE, LEASE) is None
    again = queue.claim(project.db, NOW + LEASE + 1, LEASE)
    assert late
    assert again
    assert (again.n, again.attempts) == (late.n, 2)
    with pytest.raises(LeaseLost):
        finished(project, late)
    finished(project, again)
    with pytest.raises(LeaseLost):
        finished(project, again)


def test_what_a_late_worker_did_is_not_stored(project: Project, events: Events) -> None:
    events.prompt("Fix it")
    late = queue.claim(project.db, NOW, LEASE)
    again = queue.claim(project.db, NOW + LEASE + 1, LEASE)
    assert late
    assert again
    home = worker.Location(project.repo_id, project.checkout, project.name, project.root)
    before = events.sql("SELECT count(*) FROM op")
    assert worker.attempt(project, late, home)[0] == 0
    assert events.sql("SELECT count(*) FROM op") == before
    assert worker.attempt(project, again, home)[0] == 1
    assert events.sql("SELECT number FROM prompt") == [(1,)]


@pytest.mark.parametrize("jump", [-400 * 86_400_000, -86_400_000, -2 * LEASE - 1])
def test_leases_and_waits_end_though_the_clock_was_put_back(project: Project, events: Events, jump: int) -> None:
    events.put("stop")
    job = queue.claim(project.db, NOW, LEASE)
    assert job
    assert queue.claim(project.db, NOW + jump, LEASE) is not None
    queue.fail(project.db, job, "x", NOW)
    events.put("stop")
    other = queue.claim(project.db, NOW + jump + LEASE + 1, LEASE)
    assert other


def test_failures_wait_longer_each_time_and_are_parked_after_the_third(project: Project, events: Events) -> None:
    events.put("stop")
    events.put("session-end")
    at, waits = NOW, []
    for attempt in range(1, ATTEMPTS + 1):
        job = queue.claim(project.db, at, LEASE)
        assert job
        assert (job.n, job.attempts) == (1, attempt)
        parked = queue.fail(project.db, job, f"broken {attempt}", at)
        assert parked == (attempt == ATTEMPTS)
        if not parked:
            wait = events.sql("SELECT not_before FROM job WHERE n = 1")[0][0] - at
            assert queue.claim(project.db, at + wait - 1, LEASE) is None
            waits.append(wait)
            at += wait
    assert waits == [BACKOFF_MS, 4 * BACKOFF_MS]
    next_job = queue.claim(project.db, at, LEASE)
    assert next_job
    assert next_job.n == 2


def test_a_job_that_kills_its_worker_is_given_up_and_the_rest_goes_on(project: Project, events: Events) -> None:
    events.put("stop")
    events.put("session-end")
    at = NOW
    for _ in range(ATTEMPTS):
        job = queue.claim(project.db, at, LEASE)
        assert job
        assert job.n == 1
        at += LEASE + 1
    job = queue.claim(project.db, at, LEASE)
    assert job
    assert job.n == 2
    assert events.sql("SELECT status, error FROM job WHERE n = 1") == [("failed", "the worker died of it")]


def test_what_a_killed_worker_had_claimed_goes_on_at_once(project: Project, events: Events) -> None:
    events.prompt("Fix it")
    events.stop()
    assert queue.claim(project.db, START + 10_000, LEASE)
    assert events.work() == 2
    assert events.sql("SELECT status, attempts FROM job ORDER BY n") == [("processed", 2), ("processed", 1)]


def test_what_killed_its_worker_for_the_last_time_is_parked_by_the_next(project: Project, events: Events) -> None:
    events.prompt("Fix it")
    events.stop()
    with transaction(project.db):
        rows(project.db, f"UPDATE job SET status = 'processing', attempts = {ATTEMPTS}, lease_until = {NOW} WHERE n = 1")
    assert events.work() == 1
    assert events.sql("SELECT status, error FROM job WHERE n = 1") == [("failed", "the worker died of it")]


def test_a_worker_without_the_lock_leaves_the_claims_of_the_other_alone(project: Project, events: Events) -> None:
    events.prompt("Fix it")
    queue.claim(project.db, START + 10_000, LEASE)
    held = worker_process.take_lock(project.folder)
    assert held is not None
    try:
        assert events.work() == 0
    finally:
        worker_process.release_lock(held)
    assert events.sql("SELECT status FROM job") == [("processing",)]


@pytest.mark.parametrize("payload", ["", "{", "[]", "3", "null", '{"a":1}x', "\u2028", "[" * 20_000, '"text"'])
def test_a_malformed_payload_is_parked_with_its_error_and_stops_nobody(events: Events, payload: str) -> None:
    events.put("post-tool-use", raw=payload)
    events.prompt("Go on")
    assert events.work() == 1
    ((status, error, kept),) = events.sql("SELECT status, error, payload FROM job WHERE n = 1")
    assert (status, kept) == ("failed", payload)
    assert "payload is not" in error
    assert events.whole()["prompts"] == 1


@pytest.mark.parametrize("event", ["session-start", "user-prompt", "post-tool-use", "stop", "pre-compact", "session-end", "Odd"])
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"tool": 3, "input": 4, "result": {}, "prompt": [], "reply": None, "reason": 1, "cwd": [], "commit": {}, "failed": "x"},
        {"cwd": "/nowhere\u0000", "root": "relative", "commit": "xyz", "tool": "Edit", "input": {"file_path": "\ud800"}},
        {"prompt": "\ud800 half", "reply": "a\x00b", "reason": "\ud800\x1b", "tool": "\ud800", "input": {"command": "\ud800"}},
        {"prompt": "x" * 100_000, "reply": "\x01" * 100_000, "tool": "x" * 10_000, "input": {"command": "y" * 100_000}},
    ],
)
def test_no_payload_is_odd_enough_to_fail(events: Events, event: str, body: dict[str, Any]) -> None:
    events.prompt("hello")
    events.put(event, raw=json.dumps(body))
    assert events.work() == 2
    assert events.sql("SELECT error FROM job WHERE status = 'failed'") == []
    assert events.terminal.mem("doctor").code == 0
    events.whole()


def test_a_poison_job_is_tried_three_times_while_other_sessions_go_on(
    events: Events, monkeypatch: pytest.MonkeyPatch, later: Callable[[str], None]
) -> None:
    real, tried = handlers.payloads.read, []

    def read(job: queue.Job) -> Any:
        if job.n == 1:
            tried.append(job.attempts)
            raise KeyError("poison")
        return real(job)

    monkeypatch.setattr(handlers.payloads, "read", read)
    events.prompt("poison")
    events.prompt("after it")
    Events(events.terminal, "s2").prompt("beside it")
    for moment in ("12:01:00", "12:02:00", "12:03:00", "12:04:00"):
        later(f"2026-03-01T{moment}Z")
        events.work()
    assert tried == [1, 2, 3]
    assert events.sql("SELECT n, status, error FROM job ORDER BY n") == [
        (1, "failed", "KeyError: 'poison'"),
        (2, "processed", ""),
        (3, "processed", ""),
    ]
    assert [one["text"] for one in events.whole()["prompt_list"]] == ["after it"]


def test_parked_jobs_are_shown_retried_and_purged(events: Events) -> None:
    mem = events.terminal.mem
    events.put("post-tool-use", raw="{")
    events.put("post-tool-use", raw="}")
    events.work()
    status = mem("queue", "--json").json
    assert (status["failed"], [one["job"] for one in status["parked"]], status["worker"]) == (
        2,
        [2, 1],
        {"running": False, "pid": None},
    )
    assert "1 attempt: the payload is not JSON" in mem("queue").out
    assert mem("queue", "retry", "1").out == "1 event put back into the queue\n"
    assert mem("queue", "--json").json["pending"] == 1
    events.work()
    assert mem("queue", "purge", "2").out == "1 event removed\n"
    assert mem("queue", "purge", "--json").json == {"purge": 1}
    assert mem("queue", "--json").json["failed"] == 0


def test_stuck_jobs_are_counted_and_put_back(project: Project, events: Events) -> None:
    events.put("stop")
    queue.claim(project.db, START - 10 * LEASE, LEASE)
    status = events.terminal.mem("queue", "--json").json
    assert (status["stuck"], status["processing"], status["pending"]) == (1, 0, 0)
    events.terminal.mem("queue", "retry")
    assert events.sql("SELECT status, attempts FROM job") == [("pending", 0)]


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("queue", "burn"), "use status, retry, purge"),
        (("queue", "retry", "x"), "see mem queue"),
        (("queue", "purge", "99999999999999999999"), "see mem queue"),
        (("worker", "dance"), "use run, start"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(events: Events, words: tuple[str, ...], hint: str) -> None:
    assert hint in events.terminal.mem(*words, fails=2).err


def test_a_job_that_is_not_parked_cannot_be_purged(events: Events) -> None:
    events.put("stop")
    assert "no parked event 1" in events.terminal.mem("queue", "purge", "1", fails=3).err
    assert events.sql("SELECT count(*) FROM job") == [(1,)]


def test_jobs_that_are_done_go_after_a_week(events: Events, later: Callable[[str], None]) -> None:
    short_session(events)
    events.work()
    assert events.sql("SELECT count(*) FROM job")[0][0] == 11
    later("2026-03-09T12:00:00Z")
    events.work()
    assert events.sql("SELECT count(*) FROM job") == [(0,)]


def test_two_workers_share_what_waits_without_losing_or_doubling(project: Project, events: Events) -> None:
    """Claims by turns, at random, as two processes would; the lock that keeps them apart is not there."""
    for name in ("a", "b", "c"):
        one = Events(events.terminal, name)
        one.prompt("Fix it")
        for number in range(4):
            one.tool("Edit", EDIT | {"new_string": f"return {number}"})
    other = open_for_writing(Where())
    home = worker.Location(project.repo_id, project.checkout, project.name, project.root)
    chance, held = random.Random(7), []  # type: ignore[var-annotated]
    try:
        for _ in range(200):
            opened = chance.choice((project, other))
            if job := queue.claim(opened.db, NOW, LEASE):
                held.append((opened, job))
            if held and chance.random() < 0.7:
                worker.attempt(*held.pop(chance.randrange(len(held))), home)
        for opened, job in held:
            worker.attempt(opened, job, home)
        while job := queue.claim(project.db, NOW, LEASE):
            worker.attempt(project, job, home)
    finally:
        other.close()
    assert events.sql("SELECT status, count(*) FROM job GROUP BY 1") == [("processed", 15)]
    for name in ("a", "b", "c"):
        (seen,) = Events(events.terminal, name).seen()
        assert [line for line in seen["summary"].splitlines() if "became" in line] == [
            f"- `pass` became `return {number}`" for number in range(4)
        ]
