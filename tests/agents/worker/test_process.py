"""The worker as a real process: one a store, detached, gone when nothing is left, bounded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memcli.agents.capture import worker_process
from tests.agents.worker.events import EDIT, START, Events, short_session
from tests.agents.worker.servers import distilling, serving
from tests.conftest import Terminal


def until(done: Callable[[], object]) -> None:
    """Waits until something is so, 20 seconds at most."""
    end = time.monotonic() + 20
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)


def is_alive(pid: int) -> bool:
    """Tells whether a process runs; one that nobody has buried yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture
def long(events: Events) -> Iterator[Events]:
    """A queue whose worker stays for a while, and is gone afterwards."""
    events.terminal.env["MEMPACK_WORKER_IDLE_SECONDS"] = "60"
    yield events
    events.terminal.process("worker", "stop")


def test_it_is_started_told_of_and_stopped(long: Events) -> None:
    run = long.terminal.process
    assert run("worker", "status").out == "the worker is not running\n"
    started = run("worker", "start", "--json").json
    pid = started["pid"]
    assert (started["running"], started["changed"], is_alive(pid)) == (True, True, True)
    assert run("worker", "start").out == f"the worker is already running (process {pid})\n"
    assert run("worker", "--json").json == {"running": True, "pid": pid, "changed": False}
    short_session(long)
    until(lambda: long.sql("SELECT count(*) FROM job WHERE status = 'processed'") == [(11,)])
    assert run("worker", "stop").out == "the worker stopped\n"
    until(lambda: not is_alive(pid))
    assert run("worker", "stop").out == "the worker was not running\n"


def test_it_shares_nothing_with_whoever_started_it(long: Events) -> None:
    read, write = os.pipe()
    os.set_inheritable(write, True)
    command = [sys.executable, "-m", "memcli", "worker", "start", "--json"]
    subprocess.run(
        command,
        cwd=long.terminal.folder,
        env=long.terminal.env,
        pass_fds=(write,),
        stdout=subprocess.DEVNULL,
        timeout=60,
        check=True,
    )
    os.close(write)
    assert os.read(read, 1) == b""  # nobody holds the other end any more
    os.close(read)
    pid = worker_process.worker_pid(str(long.terminal.store.parent)) or 0
    assert os.getsid(pid) == pid
    assert {os.readlink(f"/proc/{pid}/fd/{number}") for number in range(3)} <= {os.devnull, f"/proc/{pid}/fd"}
    assert os.readlink(f"/proc/{pid}/cwd") == os.path.realpath(long.terminal.data)  # the other directory can be removed


def test_a_killed_one_leaves_nothing_that_stops_the_next(long: Events) -> None:
    first = long.terminal.process("worker", "start", "--json").json["pid"]
    os.kill(first, signal.SIGKILL)
    until(lambda: not is_alive(first))
    assert long.terminal.process("worker", "status", "--json").json["running"] is False
    os.utime(long.terminal.store.parent / "worker.lock", (1, 1))  # past the moment in which it counts as just started
    second = long.terminal.process("worker", "restart", "--json").json["pid"]
    assert second != first
    assert is_alive(second)


def test_of_many_that_begin_at_once_one_works(long: Events) -> None:
    short_session(long)
    command = [sys.executable, "-m", "memcli", "worker", "run"]
    env = {**long.terminal.env, "MEMPACK_WORKER_IDLE_SECONDS": "1"}
    several = [subprocess.Popen(command, cwd=long.terminal.folder, env=env, stdout=subprocess.PIPE, text=True) for _ in range(5)]
    said = sorted(one.communicate(timeout=60)[0] for one in several)
    assert said == [*["a worker is already running\n"] * 4, "processed 11 events\n"]
    assert len(long.seen()) == 2


def test_it_leaves_by_itself(events: Events) -> None:
    events.terminal.env["MEMPACK_WORKER_IDLE_SECONDS"] = "0.2"
    pid = events.terminal.process("worker", "start", "--json").json["pid"]
    until(lambda: not is_alive(pid))
    assert (events.terminal.store.parent / "worker.lock").read_bytes() == b""


def test_told_to_end_it_ends_the_job_at_hand_and_loses_nothing(long: Events) -> None:
    for number in range(200):
        long.tool("Edit", EDIT | {"file_path": f"f{number}.py"})
    pid = long.terminal.process("worker", "start", "--json").json["pid"]
    until(lambda: long.sql("SELECT count(*) FROM job WHERE status = 'processed'")[0][0] > 3)
    os.kill(pid, signal.SIGTERM)
    until(lambda: not is_alive(pid))
    assert long.sql("SELECT count(*) FROM job WHERE status = 'processing'") == [(0,)]


def test_without_a_memory_there_is_nothing_to_work_on(terminal: Terminal) -> None:
    for action in ("run", "start", "stop", "status"):
        assert "nothing is stored here yet" in terminal.mem("worker", action, fails=3).err


def test_hundreds_of_events_take_bounded_memory(events: Events) -> None:
    grown = """
import sys
from memcli.agents.capture import worker, worker_process
from memcli.project import Where
def peak():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
done, seen = [0], []
real = worker.attempt
def attempt(*about):
    done[0] += 1
    if done[0] in (100, 500):
        seen.append(peak())
    return real(*about)
worker.attempt = attempt
worker.run(Where())
print(done[0], seen[1] - seen[0])
"""
    for number in range(500):
        if number % 20 == 0:
            events.prompt(f"Fix number {number}")
        else:
            events.tool("Edit", EDIT | {"file_path": f"f{number % 7}.py", "new_string": f"{number} " * 500}, "x" * 4_000)
    done = subprocess.run(
        [sys.executable, "-c", grown],
        cwd=events.terminal.folder,
        env=events.terminal.env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    count, kilobytes = map(int, done.stdout.split())
    assert count == 500
    assert kilobytes < 7_000
    assert events.sql("SELECT status, count(*) FROM job GROUP BY 1") == [("processed", 500)]


def test_events_that_waited_in_files_are_worked_up_once(events: Events) -> None:
    import json

    folder = events.terminal.store.parent / "spool"
    folder.mkdir()
    line = {"dedupe": "d1", "harness": "claude", "session": "s1", "event": "user-prompt"}
    text = json.dumps({**line, "payload": '{"prompt":"from a file"}', "created_at": START}) + "\n"
    (folder / "1.jsonl").write_text(text)
    (folder / "2.jsonl").write_text(text)
    (folder / "3.jsonl").write_text("{broken\n")
    assert events.work() == 1
    assert [one["text"] for one in events.whole()["prompt_list"]] == ["from a file"]
    assert sorted(path.name for path in folder.iterdir()) == ["3.jsonl.bad"]


def test_what_carried_over_is_anchored_anew_by_the_worker(events: Events) -> None:
    terminal = events.terminal
    terminal.commit("work", a_py="1")
    name = terminal.add("Holds from here")
    terminal.commit("next", b_py="1")
    terminal.add("Notes the anchor of the one before")
    terminal.git("reset", "-q", "--hard", "HEAD~1")
    terminal.git("commit", "-q", "--amend", "-m", "reworded")
    terminal.mem("get", "holds from here")
    events.work()
    memory = terminal.mem("show", name, "--json").json["memory"]
    assert memory["anchor_commit"] == terminal.git("rev-parse", "HEAD")


def test_it_follows_a_change_of_settings(long: Events) -> None:
    run = long.terminal.process
    run("worker", "start")
    short_session(long)
    until(lambda: long.sql("SELECT count(*) FROM job WHERE status = 'processed'") == [(11,)])
    with serving(distilling) as (url, asked):
        for name, value in (("url", url), ("provider", "anthropic")):
            run("config", "set", f"compressor.{name}", value)
        short_session(long)
        until(lambda: long.sql("SELECT count(*) FROM job WHERE status = 'processed'") == [(22,)])
    assert len(asked) == 1
