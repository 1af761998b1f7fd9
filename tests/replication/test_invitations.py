"""A new clone of a remote that has a shared memory says so once, wherever mem is first met there, and waits for no network."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.replication.conftest import Machine

Team = Callable[..., Machine]
TOLD = "origin has a shared memory: get it with mem sync enable --remote origin, then mem sync"


@pytest.fixture
def asking(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_SYNC_ASK_REMOTES", "true")


@pytest.fixture
def newcomer(machine: Team, asking: None) -> Machine:
    """The machine of somebody who has just cloned what others share."""
    ada = machine("ada")
    ada.shared("A fact")
    ada.mem("sync")
    return machine("ben", None)


def start(member: Machine) -> str:
    """Starts a session of an agent. Returns what it is told."""
    event = {"session_id": "s1", "cwd": str(member.folder), "source": "startup", "hook_event_name": "SessionStart"}
    return member.mem("hook", "session-start", "--harness", "claude", stdin=json.dumps(event)).out


def ask(member: Machine) -> str:
    """Waits until the process that a first command started has asked. Returns what is noted."""
    path = Path(member.env["MEMPACK_DATA_DIR"]) / "invitations"
    for _ in range(200):
        if path.exists() and len(noted := path.read_text().splitlines()) > 1:
            return noted[-1].partition("\t")[2]
        time.sleep(0.05)
    raise AssertionError("nobody asked")


@pytest.mark.parametrize("first", [["get", "a fact"], ["status"]])
def test_the_command_after_the_first_one_tells_it_and_none_after_that(newcomer: Machine, first: list[str]) -> None:
    assert TOLD not in newcomer.mem(*first).err
    assert ask(newcomer) == "origin"
    assert not list(Path(newcomer.env["MEMPACK_DATA_DIR"]).rglob("memory.db"))
    assert TOLD in newcomer.mem(*first).err
    for words in (["get", "a fact"], ["status"]):
        assert TOLD not in newcomer.mem(*words).err
    assert TOLD not in start(newcomer)


def test_neither_a_hook_nor_the_command_of_an_agent_asks_a_remote(newcomer: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert start(newcomer) == ""
    monkeypatch.setenv("CLAUDECODE", "1")
    newcomer.mem("get", "a fact")
    newcomer.mem("status")
    assert not (Path(newcomer.env["MEMPACK_DATA_DIR"]) / "invitations").exists()


def test_a_pack_as_data_leaves_it_to_the_next_command(newcomer: Machine) -> None:
    newcomer.mem("sync", "ask")
    assert TOLD not in newcomer.mem("get", "a fact", "--format", "json").out
    assert TOLD in newcomer.mem("get", "a fact").err


def test_who_shares_already_is_not_told(newcomer: Machine) -> None:
    assert TOLD in newcomer.mem("sync", "ask").out
    newcomer.mem("sync", "enable")
    assert TOLD not in newcomer.mem("status").err
    asked = newcomer.mem("sync", "ask").out
    assert TOLD not in asked
    assert asked.startswith("This memory is shared already, through origin")


def test_a_clone_of_a_clone_on_this_machine_is_told_of_the_remote_behind_it(newcomer: Machine, tmp_path: Path) -> None:
    folder = tmp_path / "second"
    newcomer.git("clone", "-q", str(newcomer.folder), str(folder))
    second = Machine(folder, newcomer.env, newcomer.capture)
    second.mem("sync", "ask")
    assert f"{tmp_path}/origin.git has a shared memory" in second.mem("status").err


def test_nobody_is_asked_where_the_person_does_not_want_it_or_there_is_no_remote(
    newcomer: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMPACK_SYNC_ASK_REMOTES", "false")
    newcomer.mem("status")
    monkeypatch.setenv("MEMPACK_SYNC_ASK_REMOTES", "true")
    newcomer.git("remote", "remove", "origin")
    newcomer.mem("status")
    assert not (Path(newcomer.env["MEMPACK_DATA_DIR"]) / "invitations").exists()


def test_a_data_directory_that_cannot_be_written_stops_no_command(newcomer: Machine) -> None:
    (Path(newcomer.env["MEMPACK_DATA_DIR"]) / "invitations").mkdir(parents=True)
    assert newcomer.mem("status").code == 0
    assert newcomer.mem("get", "a fact").code == 0
