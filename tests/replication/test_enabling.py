"""Turning sharing on: what is said of another remote, and what is not said of the one before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.replication.conftest import Machine

Team = Callable[..., Machine]


def test_another_remote_is_told_with_what_goes_there_and_what_stays(machine: Team, tmp_path: Path) -> None:
    ada, ben = machine("ada"), machine("ben")
    own = ada.shared("Sessions live in Redis")
    ben.shared("Deploys need a tag")
    for member in (ada, ben, ada):
        member.mem("sync")
    (tmp_path / "share").mkdir()
    enabled = ada.mem("sync", "enable", "--remote", f"dir:{tmp_path}/share").out
    assert "What origin has stays there" in enabled
    assert "No later purge reaches it" in enabled
    assert f"  {own}  Sessions live in Redis\n" in enabled
    assert "Deploys need a tag" not in enabled
    assert "changes by others that you have" in enabled
    status = ada.mem("sync", "status").out
    assert "not synchronized yet" in status
    assert "synchronized just now" not in status


def test_an_attempt_while_sharing_was_off_is_no_failure_of_the_remote(machine: Team) -> None:
    ada = machine("ada", None)
    ada.add("A fact")
    ada.mem("sync", fails=3)
    ada.mem("sync", "enable")
    assert "failed" not in ada.mem("sync", "status").out
    ada.mem("sync")
    ada.mem("sync", "enable")
    assert "synchronized just now" in ada.mem("sync", "status").out
