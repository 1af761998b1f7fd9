"""A purge that a remote refused: it is not over before the remote has it, and whoever asked for it can see that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.errors import MemError
from tests.replication.conftest import Machine, writes

Team = Callable[..., Machine]
_TOKEN = "zebra-4711-token"


def _refuse(remote: Path, refuses: bool = True) -> None:
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755 if refuses else 0o644)


def _leaked(machine: Team, remote: Path) -> Machine:
    """Ada's machine, whose purge of a token the remote refused."""
    ada = machine("ada", str(remote))
    ada.shared("The deploy token", f"It is {_TOKEN}.")
    ada.mem("sync")
    _refuse(remote)
    assert "it is erased here" in ada.mem("sync", "purge", "--text", _TOKEN, fails=1).err
    return ada


def test_a_purge_that_the_remote_refused_is_shown_until_it_is_there(machine: Team, remote: Path) -> None:
    ada = _leaked(machine, remote)
    ada.mem("sync", "pull")
    status = ada.mem("sync", "status")
    assert "a purge has not reached the remote: what it takes out is still there; mem sync ends it\n" in status.out
    assert ada.mem("sync", "status", "--json").json["is_purge_due"] is True
    assert f"a purge has not reached {remote}: what it takes out is still there" in ada.mem("doctor").out
    _refuse(remote, False)
    assert "took what was purged out of the remote\n" in ada.mem("sync").out
    assert not writes(remote, f"refs/mempack/v1/w/{_writer(remote)}", _TOKEN)
    assert "a purge has not" not in ada.mem("sync", "status").out
    assert "took what was purged" not in ada.mem("sync").out


def _writer(remote: Path) -> str:
    return next((remote / "refs/mempack/v1/w").iterdir()).name


def test_who_stops_sharing_learns_that_a_purge_did_not_reach_the_remote(machine: Team, remote: Path) -> None:
    ada = _leaked(machine, remote)
    stopped = ada.mem("sync", "disable").err
    assert f"what was purged is still in {remote}" in stopped
    _refuse(remote, False)
    ada.mem("sync", "enable", "--remote", str(remote))
    assert "a purge has not reached the remote" in ada.mem("sync", "status").out
    assert "took what was purged out of the remote\n" in ada.mem("sync").out


def test_who_goes_to_another_remote_learns_that_a_purge_did_not_reach_the_old_one(
    machine: Team, remote: Path, tmp_path: Path
) -> None:
    ada = _leaked(machine, remote)
    (tmp_path / "share").mkdir()
    moved = ada.mem("sync", "enable", "--remote", f"dir:{tmp_path}/share").err
    assert f"what was purged is still in {remote}" in moved
    assert "a purge has not" not in ada.mem("sync", "status").out


def test_a_purge_that_failed_here_is_never_said_to_have_reached_the_remote(
    machine: Team, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = machine("ada", str(remote))
    ada.shared("The deploy token", f"It is {_TOKEN}.")
    ada.mem("sync")

    def full(*_: object) -> None:
        raise MemError("no space left on the disk", "free some space", "full")

    with monkeypatch.context() as patch:
        patch.setattr("memcli.replication.take_out", full)
        ada.mem("sync", "purge", "--text", _TOKEN, fails=1)
    assert ada.mem("sync", "status", "--json").json["is_purge_due"] is False
    assert "took what was purged" not in ada.mem("sync").out
    assert ada.mem("sync", "purge", "--text", _TOKEN).code == 0
    assert not writes(remote, f"refs/mempack/v1/w/{_writer(remote)}", _TOKEN)
