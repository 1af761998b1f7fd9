"""Real git servers on this machine, over HTTP and ssh: with passwords, slow ones, and ones that everybody can read."""

from __future__ import annotations

import base64
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.errors import MemError
from memcli.replication.transports.git import _raise_refusal
from memcli.repo import remotes
from tests.conftest import Terminal
from tests.replication.conftest import Machine
from tests.replication.git_servers import git_server

Team = Callable[..., Machine]


def test_a_real_git_server_over_http_with_the_headers_of_a_ci_job(machine: Team, http_remote: Path) -> None:
    with git_server(http_remote.parent, "Basic c2VjcmV0OnRva2Vu") as address:
        ada = machine("ada", None)
        ada.git("remote", "set-url", "origin", f"{address}/origin.git")
        ada.shared("Over HTTP")
        assert "git fetch: " in ada.mem("sync", "enable", fails=1).err
        ada.git("config", f"http.{address}/.extraheader", "Authorization: Basic c2VjcmV0OnRva2Vu")
        refused = ada.mem("sync", "enable", fails=2).err
        assert f"says how to reach origin: http.{address}/.extraheader" in refused
        assert "c2VjcmV0" not in refused
        ada.mem("sync", "enable", "--trust-clone")
        assert "pushed 3 changes" in ada.mem("sync").out
        assert b"c2VjcmV0" not in b"".join([path.read_bytes() for path in ada.data.rglob("*") if path.is_file()])


def test_a_token_in_the_address_of_a_clone_is_used_and_neither_stored_nor_printed(
    machine: Team, http_remote: Path, tmp_path: Path
) -> None:
    with git_server(http_remote.parent, "Basic " + base64.b64encode(b"gitlab-ci-token:to@ken").decode()) as address:
        host = address.removeprefix("http://")
        ada, ben = machine("ada", None), machine("ben", None)
        for member in (ada, ben):
            member.git("remote", "set-url", "origin", f"http://gitlab-ci-token:to%40ken@{host}/origin.git")
            enabled = member.mem("sync", "enable")
            member.shared(f"By {member.folder.name}")
            printed = [enabled, member.mem("sync"), member.mem("sync", "status"), member.mem("doctor")]
            assert not [it for it in printed if "ken" in it.out.replace("token", "") + it.err.replace("token", "")]
            assert f"{address}/origin.git" in member.mem("sync", "status", "--json").json["address"]
            assert not [path for path in member.data.rglob("*") if path.is_file() and b"to%40ken" in path.read_bytes()]
        ada.git("remote", "set-url", "origin", f"http://gitlab-ci-token:old@{host}/origin.git")
        assert "log in to the remote" in ada.mem("sync", fails=1).err, "a job's token ends with it"
        ada.git("remote", "set-url", "origin", f"http://gitlab-ci-token:to%40ken@{host}/origin.git")
        ada.mem("sync")
        assert ada.known() == {"By ada", "By ben"}


def test_a_token_that_is_the_name_in_an_address_is_treated_like_one_behind_a_name(machine: Team, http_remote: Path) -> None:
    token = "tok" + "3n" * 12
    with git_server(http_remote.parent, "Basic " + base64.b64encode(f"{token}:".encode()).decode()) as address:
        ada = machine("ada", None)
        with_token = f"http://{token}@{address.removeprefix('http://')}/origin.git"
        assert "a token in an address would be stored" in ada.mem("sync", "enable", "--remote", with_token, fails=2).err
        ada.git("remote", "set-url", "origin", with_token)
        printed = [ada.mem("sync", "enable"), ada.mem("sync"), ada.mem("sync", "status"), ada.mem("doctor")]
        assert ada.mem("sync", "status", "--json").json["address"] == f"{address}/origin.git"
        assert not [it for it in printed if token in it.out + it.err]
        assert not [path for path in ada.data.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]


def test_the_name_of_a_person_stays_in_an_address() -> None:
    for name in ("ada", "ada.lovelace%40corp.example", "some-person-with-a-long-name", "x1"):
        address = f"https://{name}@git.example/x.git"
        assert remotes.without_login(address) == address
    for login in ("ada:swordfish", ":swordfish", "ghp_" + "aB3" * 12, "tok3n" * 5):
        assert remotes.without_login(f"https://{login}@git.example/x.git") == "https://git.example/x.git"


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


def test_who_may_only_read_is_told_to_pull(machine: Team, http_remote: Path, terminal: Terminal) -> None:
    with git_server(http_remote.parent) as address:
        ada, ben = machine("ada"), machine("ben", None)
        ada.shared("A fact")
        ada.mem("sync")
        terminal.git("config", "http.receivepack", "false", cwd=http_remote)
        ben.git("remote", "set-url", "origin", f"{address}/origin.git")
        ben.mem("sync", "enable", "--remote", "origin")
        ben.shared("Of a reader")
        assert "who may only read uses mem sync pull" in ben.mem("sync", fails=1).err
        ben.mem("sync", "pull")
        assert ben.known() == {"A fact", "Of a reader"}


@pytest.mark.parametrize("reason", ["unpacker error", "[remote rejected] (unpacker error)"])
def test_a_remote_without_room_is_told_as_one(reason: str) -> None:
    err = "error: remote unpack failed: unable to create temporary object directory\nerror: No space left on device\n"
    with pytest.raises(MemError) as failure:
        _raise_refusal(f"!\trefs/a:refs/b\t{reason}", err)
    assert "no room" in str(failure.value.hint)


def test_the_question_whether_a_remote_is_public_ends_with_the_time_that_was_given(machine: Team) -> None:
    ada = machine("ada", None)
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(5)
        ada.git("remote", "set-url", "origin", f"http://127.0.0.1:{deaf.getsockname()[1]}/x.git")
        started = time.monotonic()
        ada.mem("sync", "enable", "--timeout", "2", fails=1)
        assert time.monotonic() - started < 6


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


def test_a_remote_over_ssh_with_the_persons_own_ssh_command(
    machine: Team, remote: Path, ssh_server: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    address, ssh = ssh_server
    ada, ben = machine("ada", None), machine("ben", None)
    for member in (ada, ben):
        member.git("remote", "set-url", "origin", f"{address}{remote}")
        refused = member.mem("sync", "enable", "--timeout", "20", fails=1).err
        assert "git fetch: " in refused, "without a key nobody gets in, and nothing asks"
    ada.shared("Over ssh")
    monkeypatch.setenv("GIT_SSH_COMMAND", ssh)
    for member in (ada, ben):
        member.mem("sync", "enable")
    assert "pushed 3 changes" in ada.mem("sync").out
    ben.mem("sync")
    assert ben.known() == {"Over ssh"}


def test_an_ssh_command_of_the_persons_own_settings_is_used(
    machine: Team, remote: Path, ssh_server: tuple[str, str], terminal: Terminal
) -> None:
    address, ssh = ssh_server
    ada = machine("ada", None)
    ada.git("remote", "set-url", "origin", f"{address}{remote}")
    ada.git("config", "--global", "core.sshCommand", ssh)
    ada.mem("sync", "enable")
    ada.shared("Over ssh")
    assert "pushed 3 changes" in ada.mem("sync").out


def test_what_ssh_says_is_told(machine: Team) -> None:
    ada = machine("ada", None)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        ada.git("remote", "set-url", "origin", f"ssh://x@127.0.0.1:{closed.getsockname()[1]}/x.git")
        assert "Connection refused" in ada.mem("sync", "enable", fails=1).err


def test_a_dead_ssh_host_ends_with_the_time_that_it_was_given(machine: Team) -> None:
    ada = machine("ada", None)
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(5)
        ada.git("remote", "set-url", "origin", f"ssh://x@127.0.0.1:{deaf.getsockname()[1]}/x.git")
        started = time.monotonic()
        ada.mem("sync", "enable", "--timeout", "2", fails=1)
        assert time.monotonic() - started < 6
