"""A remote is for one repository: two whose histories share no commit are not mixed in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Terminal
from tests.replication.conftest import Machine

Team = Callable[..., Machine]
REFUSED = "has the memory of another repository"


@pytest.fixture
def stranger(machine: Team, tmp_path: Path) -> Machine:
    """The machine of somebody who works on another repository."""
    other = machine("stranger", None)
    folder = tmp_path / "other"
    other.git("init", "-q", "-b", "main", str(folder))
    elsewhere = Machine(folder, other.env, other.capture)
    elsewhere.git("commit", "-q", "--allow-empty", "-m", "Another beginning")
    return elsewhere


@pytest.fixture(params=["dir", "git", "database"])
def place(request: pytest.FixtureRequest, tmp_path: Path, terminal: Terminal) -> tuple[str, ...]:
    """The words that enable a remote which no origin names: a directory, a git repository, a name in a database."""
    path = tmp_path / "shared"
    if request.param == "database":
        return request.getfixturevalue("database"), "--name", "acme/app"
    path.mkdir() if request.param == "dir" else terminal.git("init", "-q", "--bare", str(path))
    return (f"dir:{path}" if request.param == "dir" else str(path),)


def enable(member: Machine, place: tuple[str, ...], *more: str, fails: int = 0) -> str:
    """Has a member share through a place. Returns what that prints as an error."""
    return member.mem("sync", "enable", "--remote", *place, *more, fails=fails).err


def test_another_repository_is_refused_and_the_same_one_is_taken(
    machine: Team, stranger: Machine, place: tuple[str, ...]
) -> None:
    ada, ben = machine("ada", None), machine("ben", None)
    enable(ada, place)
    ada.shared("Of the app")
    ada.mem("sync")
    refused = enable(stranger, place, fails=2)
    assert REFUSED in refused
    assert f"mem sync enable --remote {' '.join(place)} --allow-unrelated-histories" in " ".join(refused.split())
    assert ("give it another name there: --name NAME" in refused) == ("--name" in place)
    assert stranger.mem("sync", "status").out.startswith("Not shared")

    ben.git("checkout", "-q", "--orphan", "pages")  # nothing of the history is checked out
    ben.git("commit", "-q", "--allow-empty", "-m", "Pages")
    enable(ben, place)
    ben.mem("sync")
    assert ben.known() == {"Of the app"}


def test_two_that_begin_at_once_are_not_mixed(machine: Team, stranger: Machine, place: tuple[str, ...]) -> None:
    ada = machine("ada", None)
    for member, title in ((ada, "Of the app"), (stranger, "Of another")):
        enable(member, place)
        member.shared(title)
    ada.mem("sync")
    assert REFUSED in stranger.mem("sync", fails=2).err
    assert REFUSED in stranger.mem("sync", "status").out
    ada.mem("sync")
    assert (ada.known(), stranger.known()) == ({"Of the app"}, {"Of another"})


def test_a_history_that_was_rewritten_is_joined_once_for_everybody(
    machine: Team, stranger: Machine, place: tuple[str, ...]
) -> None:
    ada, ben = machine("ada", None), machine("ben", None)
    enable(ada, place)
    ada.shared("Of the old history")
    ada.mem("sync")
    enable(stranger, place, "--allow-unrelated-histories")
    stranger.shared("Of the new history")
    stranger.mem("sync")
    enable(ben, place)
    for member in (ada, ben):
        member.mem("sync")
    assert ada.known() == ben.known() == stranger.known() == {"Of the old history", "Of the new history"}


def test_what_has_no_commit_does_not_join_a_history(machine: Team, tmp_path: Path) -> None:
    ada, ben = machine("ada", None), machine("ben", None)
    place = tmp_path / "shared"
    place.mkdir()
    enable(ada, (f"dir:{place}",))
    ada.shared("A fact")
    ada.mem("sync")
    folder = tmp_path / "plain"
    folder.mkdir()
    plain = Machine(folder, ben.env, ben.capture)
    plain.mem("init", "--no-git", "--no-agents")
    assert REFUSED in enable(plain, (f"dir:{place}",), fails=2)


def test_a_shallow_clone_is_taken_which_cannot_tell(machine: Team, tmp_path: Path, remote: Path) -> None:
    ada, ben = machine("ada"), machine("ben", None)
    ada.git("commit", "-q", "--allow-empty", "-m", "Second")
    ada.git("push", "-q", "origin", "main")
    ada.shared("A fact")
    ada.mem("sync")
    folder = tmp_path / "shallow"
    ben.git("clone", "-q", "--depth=1", f"file://{remote}", str(folder))
    shallow = Machine(folder, ben.env, ben.capture)
    enable(shallow, ("origin",))
    shallow.mem("sync")
    assert shallow.known() == {"A fact"}


def test_a_compaction_and_a_purge_leave_the_note_of_the_history(
    machine: Team, stranger: Machine, place: tuple[str, ...], later: Callable[[str], None]
) -> None:
    ada = machine("ada", None)
    enable(ada, place)
    for title in ("A fact", "Another"):
        memory = ada.shared(title)
        ada.mem("sync")
    later("2026-04-09T12:00:00Z")
    ada.mem("sync", "compact")
    ada.mem("sync", "purge", memory)
    assert REFUSED in enable(stranger, place, fails=2)


@pytest.mark.parametrize("text", ["", "{", "[1, null]", '["' + "a" * 40 + '"', "[" * 5_000, '{"roots": 1}'])
def test_a_note_of_a_history_that_is_none_stops_nobody(machine: Team, tmp_path: Path, text: str) -> None:
    place = tmp_path / "shared"
    (place / "history").mkdir(parents=True)
    (place / "history/x.json").write_text(text)
    ada = machine("ada", f"dir:{place}")
    ada.shared("A fact")
    ada.mem("sync")
    assert len(list((place / "history").iterdir())) == 2
