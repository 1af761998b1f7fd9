"""What is kept of a remote that mem sync enable refuses, and which remotes it refuses."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.replication.transports.git import GitRemote
from tests.conftest import Terminal
from tests.replication.conftest import Machine, bytes_of

Team = Callable[..., Machine]
TITLE = "Sessions live in Redis"


def kept(member: Machine) -> set[str]:
    """Returns the names of what is kept of remotes beside a member's store."""
    data = Path(member.env["MEMPACK_DATA_DIR"])
    return {path.name for path in data.rglob("sync*.git")}


@pytest.fixture
def stranger(machine: Team, remote: Path, tmp_path: Path) -> Machine:
    """The machine of somebody who works on another repository, and names the remote of a team."""
    ada = machine("ada")
    ada.shared(TITLE)
    ada.mem("sync")
    other = machine("stranger", None)
    folder = tmp_path / "other"
    other.git("init", "-q", "-b", "main", str(folder))
    elsewhere = Machine(folder, other.env, other.capture)
    elsewhere.git("commit", "-q", "--allow-empty", "-m", "Another beginning")
    return elsewhere


def test_nothing_is_kept_of_a_remote_that_is_refused(stranger: Machine, remote: Path) -> None:
    stranger.mem("sync", "enable", "--remote", str(remote), fails=2)
    assert kept(stranger) == set()


def test_a_refusal_leaves_what_was_fetched_of_the_remote_before(stranger: Machine, remote: Path, tmp_path: Path) -> None:
    stranger.git("init", "-q", "--bare", str(tmp_path / "own.git"))
    stranger.mem("sync", "enable", "--remote", str(tmp_path / "own.git"))
    stranger.shared("An own fact")
    stranger.mem("sync")
    folder = stranger.store.parent / "sync.git"
    refs = stranger.git("for-each-ref", cwd=folder)
    stranger.mem("sync", "enable", "--remote", str(remote), fails=2)
    assert kept(stranger) == {"sync.git"}
    assert stranger.git("for-each-ref", cwd=folder) == refs
    assert "pushed nothing new" in stranger.mem("sync").out


def test_what_an_interrupted_refusal_fetched_is_removed_by_the_next(
    stranger: Machine, remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(GitRemote, "histories", lambda self: os._exit(9))
        child = os.fork()
        if not child:
            stranger.mem("sync", "enable", "--remote", str(remote))
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert kept(stranger)
    stranger.git("init", "-q", "--bare", str(tmp_path / "own.git"))
    stranger.mem("sync", "enable", "--remote", str(tmp_path / "own.git"))
    assert kept(stranger) == {"sync.git"}
    assert TITLE.encode() not in bytes_of(stranger.store.parent / "sync.git")


def test_the_clone_itself_is_no_remote(machine: Team, tmp_path: Path) -> None:
    ada = machine("ada", None)
    ada.git("worktree", "add", "-q", str(tmp_path / "second"))
    second = Machine(tmp_path / "second", ada.env, ada.capture)
    for member in (ada, second):
        for path in (ada.folder, ada.folder / ".git", second.folder, f"file://{ada.folder}"):
            member.mem("sync", "enable", "--remote", str(path), fails=2)
    ada.git("remote", "set-url", "origin", ".")
    assert "is this clone itself" in ada.mem("sync", "enable", fails=2).err
    assert ada.mem("sync", "status").out.startswith("Not shared")


def test_who_comes_back_is_told_what_would_really_go(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    theirs = ben.shared("Deploys need a tag")
    ada.shared(TITLE)
    for member in (ben, ada, ben):
        member.mem("sync")
    ada.mem("update", theirs, "--summary", "or a branch")
    ada.mem("sync")
    ada.mem("sync", "disable")
    ada.shared("A fact of the time between")
    enabled = ada.mem("sync", "enable").out
    assert "A fact of the time between" in enabled
    assert TITLE not in enabled
    assert "What was shared before" not in enabled


def test_texts_of_others_are_not_listed_among_ones_own(machine: Team, terminal: Terminal, tmp_path: Path) -> None:
    ada, ben = machine("ada"), machine("ben")
    theirs = ben.shared("Deploys need a tag")
    own = ada.shared(TITLE)
    for member in (ben, ada):
        member.mem("sync")
    ada.mem("update", theirs, "--summary", "or a branch")
    ada.mem("sync")
    terminal.git("init", "-q", "--bare", str(tmp_path / "new.git"))
    enabled = ada.mem("sync", "enable", "--remote", str(tmp_path / "new.git")).out
    assert f"{own}  {TITLE}" in enabled
    assert "Deploys need a tag" not in enabled


def test_ask_says_that_a_memory_is_shared_or_that_a_remote_did_not_answer(
    machine: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMPACK_SYNC_ASK_REMOTES", "true")
    ada, ben = machine("ada"), machine("ben", None)
    assert ada.mem("sync", "ask").out.startswith("This memory is shared already, through origin")
    assert "No remote of this clone is known" in ben.mem("sync", "ask").out
    ben.git("remote", "set-url", "origin", str(tmp_path / "gone.git"))
    assert ben.mem("sync", "ask").out.startswith("Could not ask origin")
    assert ben.mem("sync", "ask", "--json").json["unanswered"] == ["origin"]


def test_the_doctor_names_what_an_interrupted_look_at_a_remote_left(machine: Team) -> None:
    ada = machine("ada", None)
    ada.add("A fact")
    left = ada.store.parent / "sync-trial.git"
    left.mkdir()
    found = ada.mem("doctor").out
    assert "an interrupted mem sync enable left what it fetched of a remote" in found
    assert str(left) in found
