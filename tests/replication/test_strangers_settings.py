"""An archive's own git configuration says how hosts are reached: a stranger's proxy, certificate, header or program.

A server on this machine stands for the stranger's proxy and for the host, and asks whoever comes for a password.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.replication.conftest import Machine

Team = Callable[..., Machine]


class Asking(BaseHTTPRequestHandler):
    """Notes what each request brought, and asks for a password."""

    def _answer(self) -> None:
        server: Any = self.server
        server.requests.append((self.path, self.headers.get("Authorization", "") + self.headers.get("Cookie", "")))
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="git"')
        self.end_headers()

    do_GET = do_CONNECT = _answer

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def asking_server() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yields the address, and a list of the path and the credentials of each request."""
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), Asking)
    server.requests = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", server.requests
    finally:
        server.shutdown()
        server.server_close()


def with_credentials(member: Machine, host: str) -> None:
    """Gives a member a password, a header and a cookie for a host, in their own configuration."""
    member.git("config", "--global", "credential.helper", "!printf 'username=me\\npassword=mine\\n' #")
    member.git("config", "--global", f"http.http://{host}/.extraheader", "Authorization: Basic bWluZQ==")
    member.git("config", "--global", "user.name", "Ada")


@pytest.mark.parametrize("key", ["http.proxy", "http.http://git.corp.example.proxy", "remote.origin.proxy"])
def test_a_new_clone_asks_its_remotes_without_its_proxy_and_without_credentials(
    machine: Team, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("MEMPACK_SYNC_ASK_REMOTES", "true")
    ada = machine("ada", None)
    with asking_server() as (proxy, at_proxy), asking_server() as (host, at_host):
        with_credentials(ada, "git.corp.example")
        with_credentials(ada, host.removeprefix("http://"))
        ada.git("config", "remote.origin.url", "http://git.corp.example/x.git")
        ada.git("config", "remote.second.url", f"{host}/x.git")
        ada.git("config", key, proxy)
        ada.mem("init", "--no-agents")
    assert at_proxy == []
    assert at_host
    assert [credentials for _, credentials in at_host if credentials] == []


def test_it_asks_through_the_persons_own_proxy(machine: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_SYNC_ASK_REMOTES", "true")
    ada = machine("ada", None)
    with asking_server() as (proxy, at_proxy):
        with_credentials(ada, "git.corp.example")
        ada.git("config", "--global", "http.proxy", proxy)
        ada.git("config", "remote.origin.url", "http://git.corp.example/x.git")
        ada.mem("init", "--no-agents")
    assert at_proxy
    assert {(path.partition("?")[0], credentials) for path, credentials in at_proxy} == {
        ("http://git.corp.example/x.git/info/refs", "")
    }


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("http.proxy", "http://127.0.0.1:9"),
        ("http.https://git.corp.example/.proxy", "http://127.0.0.1:9"),
        ("http.sslCAInfo", "ca.pem"),
        ("http.sslCAPath", "."),
        ("http.extraHeader", "X-Who: else"),
        ("http.proxyAuthMethod", "basic"),
        ("http.sslCert", "cert.pem"),
        ("credential.helper", "store"),
        ("credential.username", "else"),
        ("core.sshCommand", "ssh -F config"),
    ],
)
def test_what_a_clone_says_of_reaching_hosts_is_used_once_the_person_trusts_it(machine: Team, key: str, value: str) -> None:
    ada = machine("ada", None)
    ada.shared("A fact")
    ada.git("config", key, value)
    refused = ada.mem("sync", "enable", "--remote", "origin", fails=2)
    assert f"this clone's own git configuration says how to reach origin: {key.lower()}" in refused.err
    assert ada.mem("sync", fails=3).err.startswith("Error: this memory is not shared")
    ada.mem("sync", "enable", "--remote", "origin", "--trust-clone")
    assert "pushed 3 changes" in ada.mem("sync").out
    ada.mem("sync", "enable", "--remote", "origin")  # as before: not asked again
    ada.git("config", key, f"{value}x")
    assert "reaches hosts in another way" in ada.mem("sync", fails=1).err
    assert ada.mem("sync", "enable", "--remote", "origin", fails=2)


def test_what_weakens_a_connection_is_never_used(machine: Team) -> None:
    ada = machine("ada", None)
    with asking_server() as (proxy, at_proxy), asking_server() as (host, at_host):
        for key, value in {
            "remote.origin.url": f"{host}/x.git",
            "remote.origin.proxy": proxy,
            "remote.origin.proxyAuthMethod": "basic",
            "core.gitProxy": "touch ran",
            "http.sslVerify": "false",
            "http.cookieFile": ".git/config",
            "http.curloptResolve": "127.0.0.1:1:127.0.0.2",
            "protocol.ext.allow": "always",
        }.items():
            ada.git("config", key, value)
        ada.mem("sync", "enable", fails=1)
    assert at_proxy == []
    assert at_host
    assert not (ada.folder / "ran").exists()


@pytest.mark.parametrize("name", ["GIT_SSH", "GIT_SSH_COMMAND", "neither"])
def test_a_new_clone_asks_over_ssh_only_hosts_that_the_person_has_met(
    machine: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("MEMPACK_SYNC_ASK_REMOTES", "true")
    programs = tmp_path / "programs"
    programs.mkdir()
    for program in ("ssh", "own-ssh"):
        (programs / program).write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/{program}.log\nexit 1\n')
        (programs / program).chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    monkeypatch.setenv(name, str(programs / "own-ssh"))
    ada = machine("ada", None)
    ada.git("config", "remote.origin.url", "ssh://git@evil.example/x.git")
    ada.mem("init", "--no-agents")
    asked = (tmp_path / "ssh.log").read_text()
    assert "evil.example" in asked
    assert {"-oStrictHostKeyChecking=yes", "-oForwardAgent=no", "-oBatchMode=yes"} <= set(asked.split())
    assert not (tmp_path / "own-ssh.log").exists()


@pytest.mark.parametrize("form", ["{}", "file://{}", "file://localhost{}", "relative", "link"])
def test_a_remote_in_the_working_tree_whose_hooks_would_run_is_refused(machine: Team, tmp_path: Path, form: str) -> None:
    ada = machine("ada", None)
    inside = ada.folder / "r e.git"
    ada.git("init", "-q", "--bare", str(inside))
    for name in ("pre-receive", "post-update"):
        (inside / "hooks" / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
        (inside / "hooks" / name).chmod(0o755)
    (tmp_path / "link").symlink_to(inside)
    escaped = str(inside).replace(" ", "%20") if form.startswith("file") else str(inside)
    address = {"relative": "./r e.git", "link": str(tmp_path / "link")}.get(form, form.format(escaped))
    ada.git("remote", "set-url", "origin", address)
    ada.shared("A fact")
    assert "lies in the working tree: git would run its hooks" in ada.mem("sync", "enable", fails=2).err
    assert ada.mem("sync", fails=3).err.startswith("Error: this memory is not shared")
    assert not (tmp_path / "ran").exists()


SERVER_HOOKS = ("pre-receive", "update", "reference-transaction", "post-receive", "post-update", "pre-auto-gc")


@pytest.mark.parametrize("form", ["{}", "file://{}"])
def test_a_remote_on_this_machine_that_the_clone_names_runs_nothing(machine: Team, tmp_path: Path, form: str) -> None:
    beside, other = tmp_path / "beside.git", tmp_path / "other.git"
    evil = tmp_path / "evil"
    evil.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/ran\nexit 0\n')
    evil.chmod(0o755)
    ada = machine("ada", None)
    ada.git("clone", "-q", "--bare", str(tmp_path / "origin.git"), str(other))
    ada.git("clone", "-q", "--bare", "--shared", str(other), str(beside))  # whose alternate receive-pack asks for its refs
    for name in SERVER_HOOKS:
        (beside / "hooks" / name).symlink_to(evil)
    for key, value in {
        "core.hooksPath": str(beside / "hooks"),
        "core.alternateRefsCommand": str(evil),
        "core.fsmonitor": str(evil),
        "core.sshCommand": str(evil),
        "uploadpack.packObjectsHook": str(evil),
        "gc.auto": "1",
        "gc.recentObjectsHook": str(evil),
        "extensions.partialClone": "promisor",
        "remote.promisor.promisor": "true",
        "remote.promisor.url": f"ext::{evil} %S",
        "protocol.ext.allow": "always",
    }.items():
        ada.git("config", key, value, cwd=beside)
    ada.git("push", "-q", str(beside), "HEAD:refs/heads/other")
    by_git = {Path(line.split()[0]).name for line in (tmp_path / "ran").read_text().splitlines()}
    assert by_git >= {"pre-receive", "update", "post-receive", "post-update", "reference-transaction", "evil"}
    (tmp_path / "ran").unlink()
    ada.git("remote", "set-url", "origin", form.format(beside))
    fact = ada.shared("A fact")
    ada.mem("sync", "enable")
    assert "pushed" in ada.mem("sync").out
    ada.mem("sync", "compact")
    ada.mem("sync", "purge", fact)
    ada.mem("init", "--no-agents")
    assert not (tmp_path / "ran").exists()
