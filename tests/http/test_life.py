"""The service as a process: one at a time, started and stopped, killed and started again, with many at its door."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from memcli.client import Target, request
from memcli.http import login_file
from tests.conftest import Terminal
from tests.http.served import Served, Stream, serving, tell
from tests.http.test_cmem import done, until

WRITERS, EACH, READERS = 10, 5, 100
WRITER = """
import sys
from memcli.__main__ import run
for number in range(int(sys.argv[2])):
    assert run(["add", f"fact {number} of {sys.argv[1]}", "--summary", "because", "--json"]) == 0
"""


def test_ten_processes_write_while_a_hundred_clients_read_and_write(served: Served, terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    stream = Stream(served)
    command = [sys.executable, "-c", WRITER]
    writers = [
        subprocess.Popen([*command, str(number), str(EACH)], cwd=terminal.folder, env=terminal.env, stdout=subprocess.PIPE)
        for number in range(WRITERS)
    ]
    paths = ["/v2/recent", "/v2/search?query=fact", "/v2/get?query=fact", "/api/observations", "/v2/stats", "/health"]

    def read(number: int) -> list[int]:
        made = served.ask("POST", "/v2/memories", {"title": f"of client {number}", "summary": "because"}).status
        return [made, *[served.ask("GET", paths[(number + step) % len(paths)]).status for step in range(3)]]

    with ThreadPoolExecutor(READERS) as clients:
        statuses = [status for some in clients.map(read, range(READERS)) for status in some]
    printed = [json.loads(line)["id"] for writer in writers for line in writer.communicate(timeout=120)[0].splitlines()]

    assert {writer.returncode for writer in writers} == {0}
    assert set(statuses) == {200, 201}
    assert len(set(printed)) == WRITERS * EACH
    stored = {one["id"] for one in terminal.mem("recent", "--limit", "1000", "--json").json}
    assert stored >= set(printed)
    assert len(stored) == WRITERS * EACH + READERS + 1
    heard = {stream.until("memory-created")["data"]["id"] for _ in range(WRITERS * EACH + READERS)}
    stream.close()
    assert heard | {"welcome"} >= set(printed)
    assert terminal.mem("doctor", "--json").json["ok"]


def test_killed_and_started_again_it_goes_on_with_the_queue_and_the_stream(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    with serving(terminal) as first:
        port = first.port
        stream = Stream(first)
        terminal.add("before")
        seen = int(stream.until("memory-created")["id"])
        first.post("/sessions/s-1/init", {"project": str(terminal.folder), "userPrompt": "Fix the login"})
        call = {
            "tool_name": "Edit",
            "tool_input": {"file_path": "a.py", "old_string": "a", "new_string": "b"},
            "tool_result": "ok",
        }
        first.post("/sessions/s-1/observations", call)
        first.post("/sessions/s-1/summarize", {"last_assistant_message": "Fixed."})
        first.process.send_signal(signal.SIGKILL)
        first.process.wait(60)
    between = terminal.add("while it was away")
    with serving(terminal, "--port", str(port), MEMPACK_CAPTURE_WORKER="auto") as second:
        back = Stream(second, last=seen)
        assert back.until("memory-created")["data"]["id"] == between
        second.post("/sessions/s-1/complete", {"reason": "exit"})
        assert done(second)["observation_count"] == 1
        assert back.until("session-summary-created")["data"]["session"]["session_id"] == "s-1"
        back.close()


def test_there_is_one_service_for_a_data_directory(served: Served, terminal: Terminal) -> None:
    again = terminal.process("serve", "--port", "0", fails=1)

    assert f"mem serve is already running at http://127.0.0.1:{served.port}" in again.err
    assert terminal.process("serve", "start", fails=1).err.startswith("Error: mem serve is already running")
    status = terminal.process("serve", "status", "--json").json
    assert (status["pid"], status["port"], status["running"]) == (served.process.pid, served.port, True)
    assert (terminal.data / "serve.port").read_text() == f"{served.port}\n"
    assert stat.S_IMODE(os.stat(terminal.data / "serve.json").st_mode) == 0o600


def test_it_is_started_stopped_and_started_anew(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    assert "is not running" in terminal.process("serve", "status").out
    assert "was not running" in terminal.process("serve", "stop").out
    started = terminal.process("serve", "start", "--port", "0", "--json").json
    try:
        again = terminal.process("serve", "restart", "--json").json
        assert again["pid"] != started["pid"]
        assert again["port"] == started["port"]
        assert again["repo"] == str(terminal.folder)
        for words in (["--port", "99999"], ["--host", "0.0.0.0"], ["--workspace", "../x"]):
            terminal.process("serve", "restart", *words, fails=2)
        terminal.process("serve", "restart", "--repo", "nope", fails=3)
        assert terminal.process("serve", "status", "--json").json["pid"] == again["pid"]
        link = terminal.process("serve", "open", "--json").json
        assert link["url"].startswith(f"http://127.0.0.1:{again['port']}/#login=")
    finally:
        stopped = terminal.process("serve", "stop", "--json").json
    assert stopped == {"running": False, "changed": True}
    assert not [name for name in os.listdir(terminal.data) if name in ("serve.json", "serve.port")]
    log = "".join(path.read_text() for path in (terminal.data / "logs").glob("serve-*.log"))
    assert log.count("begins at") == log.count("ends") == 2


def test_told_to_stop_it_lets_open_answers_finish(served: Served, terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    statuses: list[int] = []
    threads = [
        threading.Thread(target=lambda: statuses.append(served.ask("GET", "/v2/search?query=mem").status)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    until(lambda: statuses)
    assert served.stop() == 0
    for thread in threads:
        thread.join(60)
    assert set(statuses) == {200}
    assert not (terminal.data / "serve.json").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop_as_soon_as_it_says_where_it_is_it_ends_in_order(terminal: Terminal, number: int) -> None:
    with serving(terminal) as served:
        served.process.send_signal(number)
        assert served.process.wait(60) == 0
    assert not [name for name in os.listdir(terminal.data) if name in ("serve.json", "serve.port")]
    assert "info ends" in "".join(path.read_text() for path in (terminal.data / "logs").glob("serve-*.log"))


def test_it_listens_at_a_socket_that_only_one_person_reaches(terminal: Terminal) -> None:
    terminal.add("Sessions live in Postgres")
    place = terminal.data / "s"
    with serving(terminal, "--socket", str(place)) as served:
        assert stat.S_IMODE(os.stat(place).st_mode) == 0o600
        target = Target("http://localhost", str(place), served.token, 30.0)
        status, said = request(target, "GET", "/v2/recent")
        assert (status, len(json.loads(said)["items"])) == (200, 1)
        for host in ("localhost", "unix", "x", "127.0.0.1:37888"):
            assert request(Target(f"http://{host}", str(place), "", 30.0), "GET", "/v2/recent")[0] == 200
        report = terminal.mem("serve", "status").out
        assert str(place) in report
        assert "mem serve open" not in report
        assert served.stop() == 0
    assert not place.exists()


def test_what_it_cannot_listen_at_is_told(terminal: Terminal) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "address already in use" in terminal.process("serve", "--port", str(port), fails=2).err
    for words in (
        ["--port", "70000"],
        ["--host", "0.0.0.0"],
        ["--host", "evil.example"],
        ["--socket", "/nowhere/s"],
        ["dance"],
        ["--workspace", "../x"],
    ):
        refused = terminal.process("serve", *words, fails=2)
        assert refused.err.startswith("Error: ")
        assert "Hint: " in refused.err
    assert "no repository" in terminal.process("serve", "--repo", "/nowhere", fails=3).err


def test_it_takes_the_path_of_a_socket_only_where_nobody_listens(terminal: Terminal) -> None:
    place = str(terminal.data.parent / "s")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
        other.bind(place)
        other.listen()
        assert "another process listens" in terminal.process("serve", "--socket", place, fails=2).err
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
            client.connect(place)
    with serving(terminal, "--socket", place) as served:
        assert request(Target("http://localhost", place, served.token, 30.0), "GET", "/health")[0] == 200


def test_a_restart_goes_by_settings_that_changed(terminal: Terminal) -> None:
    with socket.create_server(("127.0.0.1", 0)) as first, socket.create_server(("127.0.0.1", 0)) as second:
        ports = [one.getsockname()[1] for one in (first, second)]
    terminal.mem("config", "set", "serve.port", str(ports[0]))
    assert terminal.process("serve", "start", "--json").json["port"] == ports[0]
    try:
        terminal.mem("config", "set", "serve.port", str(ports[1]))
        assert terminal.process("serve", "restart", "--json").json["port"] == ports[1]
    finally:
        terminal.process("serve", "stop")


def test_a_start_that_fails_tells_why_at_once(terminal: Terminal) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        began = time.monotonic()
        told = terminal.process("serve", "start", "--port", str(taken.getsockname()[1]), fails=2).err
    assert time.monotonic() - began < 12
    assert "address already in use" in told
    assert "Hint: give --port 0" in told
    assert not list(terminal.data.glob("serve.errors*"))


def test_it_gives_way_to_a_worker_that_runs_and_is_not_ended_for_one(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    quick = {"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "20"}
    with serving(terminal, **quick) as served:
        tell(terminal, "user-prompt", {"prompt": "hello"})
        served.post("/api/pending-queue/process")
        pid = until(lambda: terminal.mem("worker", "status", "--json").json["pid"])  # noted once the lock is held
        assert pid == served.process.pid
        refused = terminal.process("worker", "stop", fails=1)
        assert "mem serve runs the worker of this memory" in refused.err
        until(lambda: served.get("/v2/queue")["processed"] == 1)
        assert served.stop() == 0
    assert terminal.mem("worker", "status", "--json").json["running"] is False


def test_while_a_worker_holds_the_store_the_service_leaves_the_queue_to_it(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    env: dict[str, Any] = {**terminal.env, "MEMPACK_WORKER_IDLE_SECONDS": "30"}
    worker = subprocess.Popen([sys.executable, "-m", "memcli", "worker", "run"], cwd=terminal.folder, env=env)
    try:
        until(lambda: terminal.mem("worker", "status", "--json").json["pid"] == worker.pid)
        with serving(terminal, MEMPACK_CAPTURE_WORKER="auto") as served:
            served.post("/sessions/s-1/init", {"project": str(terminal.folder), "userPrompt": "hello"})
            until(lambda: served.get("/v2/queue")["processed"] == 1)
            assert served.get("/v2/queue")["worker"]["pid"] == worker.pid
    finally:
        worker.terminate()
        worker.wait(60)


def test_the_link_to_the_page_is_in_no_command_line(served: Served, terminal: Terminal) -> None:
    folder = terminal.data.parent
    (folder / "browser").write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{folder}/called"\n')
    (folder / "browser").chmod(0o755)
    command = [sys.executable, "-c", "from memcli import http; print(http.open_page(http.link()))"]
    env = {**terminal.env, "BROWSER": f"{folder}/browser %s"}
    shown = subprocess.run(command, env=env, cwd=terminal.folder, capture_output=True, text=True, timeout=60, check=True)

    assert shown.stdout == "True\n", shown.stderr
    (called,) = (folder / "called").read_text().splitlines()
    assert called.startswith(f"file://{terminal.data}/open.")
    path = terminal.data / called.rpartition("/")[2]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (url,) = set(re.findall(r"http://[^\"]+", path.read_text()))
    assert url.rpartition("=")[2] not in called
    assert served.ask("POST", "/login", headers={"Authorization": ""}, code=url.rpartition("=")[2]).status == 200
    assert not path.exists(), "what leads nowhere any more is taken away"


def test_a_page_whose_link_nobody_used_is_taken_away_by_the_next(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_DATA_DIR", str(terminal.data))
    terminal.data.mkdir(exist_ok=True)
    old = login_file.write("http://127.0.0.1:1/#login=a")
    os.utime(old, (0, 0))
    new = login_file.write("http://127.0.0.1:1/#login=b")
    assert [one.name for one in terminal.data.glob("open.*")] == [os.path.basename(new)]


def test_a_memory_that_is_gone_is_no_empty_one(served: Served, terminal: Terminal) -> None:
    served.post("/v2/memories", {"title": "Zebras have stripes", "summary": "They do."})
    terminal.mem("backup")
    (store,) = terminal.data.glob("repos/*/memory.db")
    for name in ("memory.db", "memory.db-wal", "memory.db-shm"):
        store.with_name(name).unlink(missing_ok=True)
    for method, path, body in (
        ("GET", "/v2/search?query=zebra", None),
        ("GET", "/v2/recent", None),
        ("POST", "/v2/memories", {"title": "Lions have manes", "summary": "Most."}),
        ("POST", "/v2/notes", {"text": "a note"}),
    ):
        assert served.refused(method, path, body) == (410, "gone"), path
    assert not store.exists()
    assert "is gone" in str(served.get("/v2/doctor")["findings"])
    terminal.mem("backup", "--restore", str(next(store.parent.glob("memory.db.backup-*"))))
    assert served.get("/v2/search", query="zebra")
