"""Synchronizations that are killed, race, or come over slow and real connections: nothing is lost, nothing doubled."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Terminal
from tests.properties import examples
from tests.replication.conftest import Machine

Team = Callable[..., Machine]


def killed(machine: Machine, seconds: float) -> None:
    """Starts a synchronization and kills it, and what it started, after a while."""
    words = [sys.executable, "-m", "memcli", "sync"]
    process = subprocess.Popen(
        words, cwd=machine.folder, env=machine.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_a_synchronization_that_is_killed_anywhere_loses_and_doubles_nothing(
    machine: Team, remote: Path, terminal: Terminal
) -> None:
    ada, ben = machine("ada"), machine("ben")
    chance, titles = random.Random(1), set()
    for number in range(examples(6)):
        titles.add(f"Fact {number}")
        ada.shared(f"Fact {number}")
        killed(ada, 0.1 + chance.random())
        killed(ben, 0.1 + chance.random())
    for member in (ada, ben, ada):
        member.mem("sync")
    assert ada.known() == ben.known() == titles
    terminal.git("fsck", "--strict", cwd=remote)
    for member in (ada, ben):
        assert member.mem("doctor").code == 0
        member.git("fsck", cwd=member.store.parent / "sync.git")


@pytest.mark.parametrize("where", ["fast-import", "push", "ls-remote", "fetch", "for-each-ref"])
def test_git_that_dies_at_a_step_is_an_error_and_the_next_try_goes_on(machine: Team, tmp_path: Path, where: str) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.shared("A fact")
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "git"
    script.write_text(f'#!/bin/sh\nfor word; do [ "$word" = {where} ] && kill -9 $$; done\nexec /usr/bin/env -S git "$@"\n')
    real = subprocess.run(["sh", "-c", "command -v git"], capture_output=True, text=True, check=True).stdout.strip()
    script.write_text(f'#!/bin/sh\nfor word; do [ "$word" = {where} ] && kill -9 $$; done\nexec {real} "$@"\n')
    script.chmod(0o755)
    env = {"PATH": f"{folder}:{os.environ['PATH']}"}
    assert ada.process("sync", fails=1, env=env).err.startswith("Error: git ")
    ada.mem("sync")
    ben.mem("sync")
    assert ben.known() == {"A fact"}


def test_a_push_whose_answer_was_lost_is_recognised(machine: Team, remote: Path, tmp_path: Path) -> None:
    ada = machine("ada")
    ada.shared("A fact")
    hook = remote / "hooks/post-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nkill -9 $PPID\n")  # the remote took it, and says nothing any more
    hook.chmod(0o755)
    assert "pushed 3 changes" in ada.mem("sync").out
    assert "pushed nothing new" in ada.mem("sync").out


def test_short_lived_machines_that_push_at_once_all_arrive(machine: Team) -> None:
    reader, count = machine("reader"), examples(5)
    jobs = [machine(f"job{number}") for number in range(count)]
    for number, job in enumerate(jobs):
        job.shared(f"Result of job {number}")
    with ThreadPoolExecutor(count) as pool:
        results = list(pool.map(lambda job: job.process("sync", env={"CI": "true"}), jobs))
    assert all("pushed 3 changes" in result.out for result in results)
    reader.mem("sync")
    assert reader.known() == {f"Result of job {number}" for number in range(count)}
    refs = reader.git("ls-remote", "origin", "refs/mempack/*").splitlines()
    assert {line.split("refs/mempack/v1/")[1].split("/")[0] for line in refs} <= {"ci", "w"}


def test_a_week_offline_through_a_compaction_and_a_purge(machine: Team, later: Callable[[str], None]) -> None:
    ada, ben, cleo = machine("ada"), machine("ben"), machine("cleo")
    for number in range(4):
        ada.shared(f"Old {number}")
        ada.mem("sync")
    gone = ben.shared("To be purged")
    for member in (ben, cleo):
        member.mem("sync")
    later("2026-03-20T12:00:00Z")
    cleo.shared("Written offline")
    assert "batches fewer" in ada.mem("sync", "compact").out
    ben.mem("sync")
    ben.mem("sync", "purge", gone)
    ada.shared("Written since")
    for member in (ada, cleo, ben, ada, cleo):
        member.mem("sync")
    expected = {*(f"Old {number}" for number in range(4)), "Written offline", "Written since"}
    assert ada.known() == ben.known() == cleo.known() == expected
    newcomer = machine("newcomer")
    newcomer.mem("sync", "pull", "--shallow")
    assert newcomer.known() == expected


class GitOverHttp(BaseHTTPRequestHandler):
    """Serves git's own http-backend; with a password where the server has one."""

    def _answer(self) -> None:
        server: Any = self.server
        if server.password and self.headers.get("Authorization", "") != server.password:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        env = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(server.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_USER": "someone",
        }
        done = subprocess.run(["git", "http-backend"], input=body, env=env, capture_output=True, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        headers = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((value for name, value in headers if name == "Status"), "200 OK")
        self.send_response(int(status.split()[0]))
        for name, value in headers:
            if name != "Status":
                self.send_header(name, value)
        self.end_headers()
        time.sleep(server.delay)
        self.wfile.write(content)

    do_GET = do_POST = _answer

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def git_server(root: Path, password: str = "", delay: float = 0.0) -> Iterator[str]:
    """Serves the repositories below a directory over HTTP. Yields the address."""
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), GitOverHttp)
    server.root, server.password, server.delay = root, password, delay
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def http_remote(remote: Path, terminal: Terminal) -> Path:
    """The remote, ready to be served over HTTP."""
    if subprocess.run(["git", "http-backend"], capture_output=True, check=False).returncode == 127:
        pytest.skip("git has no http-backend")
    terminal.git("config", "http.receivepack", "true", cwd=remote)
    return remote


def test_a_real_git_server_over_http_with_the_headers_of_a_ci_job(machine: Team, http_remote: Path) -> None:
    with git_server(http_remote.parent, "Basic c2VjcmV0OnRva2Vu") as address:
        ada = machine("ada", None)
        ada.git("remote", "set-url", "origin", f"{address}/origin.git")
        ada.mem("sync", "enable")
        ada.shared("Over HTTP")
        assert "git fetch: " in ada.mem("sync", fails=1).err
        ada.git("config", f"http.{address}/.extraheader", "Authorization: Basic c2VjcmV0OnRva2Vu")
        assert "pushed 3 changes" in ada.mem("sync").out
        assert b"c2VjcmV0" not in b"".join([path.read_bytes() for path in ada.data.rglob("*") if path.is_file()])


def test_a_remote_that_everybody_can_read_has_to_be_named(machine: Team, http_remote: Path) -> None:
    with git_server(http_remote.parent) as address:
        ada = machine("ada", None)
        ada.git("remote", "set-url", "origin", f"{address}/origin.git")
        refused = ada.mem("sync", "enable", fails=2)
        assert f"everybody can read {address}/origin.git" in refused.err
        assert ada.mem("sync", fails=3)
        ada.mem("sync", "enable", "--remote", "origin")
        ada.shared("Meant for everybody")
        assert "pushed 3 changes" in ada.mem("sync").out


def test_a_slow_server_ends_with_the_time_that_it_was_given(machine: Team, http_remote: Path) -> None:
    with git_server(http_remote.parent, delay=5.0) as address:
        ada = machine("ada", None)
        ada.git("remote", "set-url", "origin", f"{address}/origin.git")
        ada.mem("sync", "enable", "--remote", "origin")
        ada.shared("A fact")
        started = time.monotonic()
        failed = ada.mem("sync", "--timeout", "1", fails=1)
        assert "did not answer within 1 seconds" in failed.err
        assert time.monotonic() - started < 4
