"""Turning sharing on: what is said of another remote, and what is not said of the one before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.conftest import Terminal
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


def test_what_is_shared_while_sharing_is_off_is_said_to_stay(machine: Team) -> None:
    ada = machine("ada", None)
    checkpoint = ("checkpoint", "--state-json", '{"next": "release"}', "--reason", "Tests are green", "--share")
    for words in (("add", "A fact", "--summary", "s", "--share"), checkpoint):
        assert ada.mem(*words).out.endswith("shared: nothing leaves before mem sync enable\n")
    listed = ada.mem("sync", "push", "--dry-run")
    assert "A fact" in listed.out
    assert "sharing is off: nothing leaves before mem sync enable" in listed.err
    ada.mem("sync", "enable")
    assert ada.mem(*checkpoint).out.endswith("shared: goes with the next mem sync push\n")
    assert "sharing is off" not in ada.mem("sync", "push", "--dry-run").err


def test_who_turns_sharing_on_learns_what_exchanges_changes(machine: Team) -> None:
    ada = machine("ada", None)
    assert "mem setup HARNESS" in ada.mem("sync", "enable").out
    assert "changes are exchanged every 15 minutes" in ada.mem("sync", "status").out
    ada.mem("config", "set", "sync.auto", "false")
    assert "Nothing is exchanged by itself" in ada.mem("sync", "status").out


def test_a_purge_of_what_was_never_shared_is_no_failed_exchange(machine: Team) -> None:
    ada = machine("ada")
    memory, own = ada.shared("A fact"), ada.add("An own fact")
    ada.mem("sync")
    assert f"{own} was never shared" in ada.mem("sync", "purge", own, fails=2).err
    assert "nothing that could be shared" in ada.mem("sync", "purge", "--text", "nowhere", fails=3).err
    assert "failed" not in ada.mem("sync", "status").out
    assert ada.mem("show", memory).code == 0


def test_who_comes_back_shares_through_the_same_remote_as_before(machine: Team, remote: Path, tmp_path: Path) -> None:
    (tmp_path / "share").mkdir()
    ada = machine("ada", f"dir:{tmp_path}/share")
    ada.shared("Kept on the drive")
    ada.mem("sync")
    assert f"Shared through dir:{tmp_path}/share." in ada.mem("sync", "enable").out
    stopped = ada.mem("sync", "disable").out
    assert "mem sync enable brings you back" in stopped
    assert f"Turn it on again, through dir:{tmp_path}/share, with: mem sync enable" in ada.mem("sync", "status").out
    assert f"Shared through dir:{tmp_path}/share." in ada.mem("sync", "enable").out
    ada.mem("sync")
    assert not (remote / "refs/mempack").exists()
    assert "Shared through origin" in ada.mem("sync", "enable", "--remote", "origin").out


def test_who_moves_to_another_namespace_stays_with_the_remote(machine: Team, tmp_path: Path, terminal: Terminal) -> None:
    ada = machine("ada", None)
    terminal.git("clone", "-q", "--bare", str(ada.folder), str(tmp_path / "upstream.git"))
    ada.git("remote", "add", "upstream", str(tmp_path / "upstream.git"))
    ada.mem("sync", "enable", "--remote", "upstream")
    ada.mem("config", "set", "sync.namespace", "refs/heads/mempack")
    assert "Shared through upstream" in ada.mem("sync", "enable").out


def test_who_comes_back_to_a_database_keeps_the_name_there(machine: Team, database: str) -> None:
    ada = machine("ada", None)
    ada.mem("sync", "enable", "--remote", database, "--name", "acme/app")
    ada.mem("sync", "disable")
    assert "acme/app" in ada.mem("sync", "enable").out


def test_what_the_remote_has_is_not_counted_as_to_be_sent_when_somebody_comes_back(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    gone = ben.shared("A token of Ben", "zebra-4711-token")
    ada.shared("Sessions live in Redis")
    ben.shared("Deploys need a tag")
    for member in (ada, ben, ada):
        member.mem("sync")
    ada.mem("sync", "purge", gone)
    ada.mem("sync", "disable")
    enabled = ada.mem("sync", "enable").out
    assert "Nothing would leave" in enabled
    assert "nothing new to push" in ada.mem("sync", "status").out
    assert "Nothing would leave" in ada.mem("sync", "push", "--dry-run").out
    assert ada.mem("sync").out == "pulled nothing new\npushed nothing new\n"


def test_what_waits_is_counted_as_it_leaves(machine: Team) -> None:
    ada = machine("ada")
    memory = ada.shared("Sessions live in Redis")
    ada.mem("sync")
    for summary in ("first words", "better words"):
        ada.mem("update", memory, "--summary", summary)
    assert "Would leave: 1 change\n" in ada.mem("sync", "push", "--dry-run").out
    assert "1 change to push" in ada.mem("sync", "status").out
    ada.mem("sync", "purge", memory)
    assert "nothing new to push" in ada.mem("sync", "status").out


def test_what_goes_to_another_remote_is_listed_in_the_words_that_leave(machine: Team, tmp_path: Path) -> None:
    ada = machine("ada")
    ada.shared(f"Mail ada@example.org about {ada.folder}/src/app.py")
    ada.mem("sync")
    (tmp_path / "share").mkdir()
    enabled = ada.mem("sync", "enable", "--remote", f"dir:{tmp_path}/share").out
    assert "  Mail [e-mail] about src/app.py\n" in enabled


def test_a_remote_that_asks_for_no_login_is_shared_through_only_if_it_is_named(machine: Team) -> None:
    ada = machine("ada", None)
    ada.git("remote", "set-url", "origin", "git://127.0.0.1:9/app.git")
    refused = ada.mem("sync", "enable", fails=2).err
    assert "everybody can read git://127.0.0.1:9/app.git" in refused
    assert "mem sync enable --remote origin" in refused
