"""What was undone before it left stays here, with its undo; what left already is taken back elsewhere, too."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest

from memcli import replication
from memcli.project import Where, open_for_reading
from tests.replication.conftest import Machine, texts_of
from tests.replication.test_lost_remotes import wipe

pytestmark = pytest.mark.shared_folder

Team = Callable[..., Machine]
Pair = tuple[Machine, Machine]
EDITS = {
    "update": ["update", "M", "--summary", "the word is swordfish"],
    "thread": ["update", "M", "--thread", "swordfish"],
    "link": ["link", "M", "relates", "https://swordfish.example"],
}


@pytest.fixture
def team(machine: Team) -> Pair:
    """Two members without names for each other: a name is shared once for each machine."""
    members = machine("ada"), machine("ben")
    for member in members:
        member.mem("config", "unset", "sync.author")
    return members


def edited_by_both(ada: Machine, ben: Machine) -> str:
    """Returns a memory that both have, and that each edited before the other heard of it."""
    memory = ada.shared("The gate has a word", "nobody knows it")
    for member in (ada, ben):
        member.mem("sync")
    ben.mem("update", memory, "--summary", "everybody knows it")
    ada.mem("update", memory, "--summary", "the word is swordfish")
    return memory


def digest(member: Machine, monkeypatch: pytest.MonkeyPatch) -> str:
    """Returns the digest of what a member shares."""
    with monkeypatch.context() as patch:
        for name in ("HOME", "MEMPACK_DATA_DIR", "MEMPACK_CONFIG_DIR"):
            patch.setenv(name, member.env[name])
        patch.chdir(member.folder)
        project = open_for_reading(Where())
        try:
            return replication.digest(project)
        finally:
            project.close()


@pytest.mark.parametrize("edit", list(EDITS))
def test_neither_an_edit_nor_its_undo_leaves(team: Pair, remote: Path, monkeypatch: pytest.MonkeyPatch, edit: str) -> None:
    ada, ben = team
    memory = ada.shared("The gate has a word")
    for member in (ada, ben):
        member.mem("sync")
    ada.mem(*[memory if word == "M" else word for word in EDITS[edit]])
    assert "swordfish" in ada.mem("sync", "push", "--dry-run", "--json").out
    ada.mem("undo")
    assert "pushed nothing new" in ada.mem("sync").out
    assert "swordfish" not in texts_of(remote, ada.git)

    ben.mem("update", memory, "--title", "The gate has two words")
    for member in (ben, ada):
        member.mem("sync")
    assert ada.known() == {"The gate has two words"}
    assert digest(ada, monkeypatch) == digest(ben, monkeypatch)
    assert ada.mem("doctor").code == 0


def test_an_undone_edit_of_a_profile_entry_that_was_deleted_stays_here(
    team: Pair, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben = team
    ada.mem("profile", "set", "editor", "vim")
    (entry,) = [row["o"] for row in ada.mem("log", "--json").json if row["o"].startswith("K-")]
    ada.mem("share", entry)
    ada.mem("sync")
    ada.mem("profile", "delete", "editor")
    for member in (ada, ben):
        member.mem("sync")
    ada.mem("profile", "set", "editor", "swordfish")
    ada.mem("undo")
    for member in (ada, ben):
        member.mem("sync")
        assert "swordfish" not in member.mem("profile").out
    assert "swordfish" not in texts_of(remote, ada.git)
    assert digest(ada, monkeypatch) == digest(ben, monkeypatch)


def test_what_was_undone_before_a_memory_was_shared_stays_here(team: Pair, remote: Path) -> None:
    ada, ben = team
    memory = ada.add("The gate has a word", "nobody knows it")
    ada.mem("update", memory, "--summary", "the word is swordfish")
    ada.mem("update", memory, "--summary", "the word is swordfish2")
    ada.mem("undo")
    ada.mem("undo")
    ada.mem("share", memory)
    for member in (ada, ben):
        member.mem("sync")
    assert "swordfish" not in texts_of(remote, ada.git)
    assert "nobody knows it" in ben.mem("show", memory).out
    assert "swordfish2" in ada.mem("log", memory, "--patch").out, "here it is still told"


def test_the_undo_of_an_edit_that_left_leaves(team: Pair) -> None:
    ada, ben = team
    memory = ada.shared("The gate has a word", "nobody knows it")
    ada.mem("update", memory, "--summary", "the word is swordfish")
    ada.mem("sync")
    ada.mem("undo")
    for member in (ada, ben):
        member.mem("sync")
    assert "nobody knows it" in ben.mem("show", memory).out


@pytest.mark.parametrize("is_wiped", [False, True])
def test_the_undo_of_an_edit_leaves_whose_push_was_killed_before_it_was_noted(
    team: Pair, remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_wiped: bool
) -> None:
    ada, ben = team
    memory = ada.shared("The gate has a word", "nobody knows it")
    ada.mem("sync")
    ada.mem("update", memory, "--summary", "the word is swordfish")
    store = ada.store.parent
    shutil.copytree(store, tmp_path / "before")
    ada.mem("sync")
    shutil.rmtree(store)
    shutil.copytree(tmp_path / "before", store)
    if is_wiped:  # what left reaches ada again by ben alone
        ben.mem("sync")
        wipe(remote, ada)

    ada.mem("undo")
    for member in (ada, ben, ada, ben)[0 if is_wiped else 2 :]:
        member.mem("sync")
    for member in (ada, ben):
        assert "nobody knows it" in member.mem("show", memory).out
    assert digest(ada, monkeypatch) == digest(ben, monkeypatch)


def test_all_agree_where_another_edit_came_between_an_edit_and_its_undo(
    team: Pair, remote: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben = team
    edited_by_both(ada, ben)
    ben.mem("sync")
    ada.mem("sync", "pull")
    ada.mem("undo")
    for member in (ada, ben):
        member.mem("sync")
    assert "swordfish" not in texts_of(remote, ada.git)
    assert digest(ada, monkeypatch) == digest(ben, monkeypatch)


def test_an_edit_of_another_store_that_came_late_holds_after_the_undo_of_ours(
    team: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben = team
    memory = edited_by_both(ada, ben)
    ada.mem("undo")
    for member in (ben, ada, ben):
        member.mem("sync")
        assert "everybody knows it" in member.mem("show", memory).out
    assert digest(ada, monkeypatch) == digest(ben, monkeypatch)


@pytest.mark.parametrize("left", [False, True])
def test_undoing_what_named_a_thread_takes_it_from_nobody_who_uses_it(
    team: Pair, monkeypatch: pytest.MonkeyPatch, left: bool, later: Callable[[str], None]
) -> None:
    ada, ben = team
    ada.shared("By Ada", "because", "--thread", "gate")
    ada.mem("sync")
    later("2026-03-02T12:00:00Z")
    ben.mem("add", "By Ben", "--summary", "because", "--thread", "gate", "--share")
    if left:
        ben.mem("sync", "push")
    ben.mem("undo")
    for member in (ben, ada, ben):
        member.mem("sync")
    assert ben.known() == {"By Ada"}
    assert [thread["thread_id"] for thread in ben.mem("threads", "--json").json] == ["gate"]
    assert digest(ada, monkeypatch) == digest(ben, monkeypatch)


def test_what_was_shared_and_is_not_any_more_counts_as_others_have_it(team: Pair, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, ben = team
    ada.mem("profile", "set", "editor", "vim")
    ada.mem("share", ada.mem("profile", "get", "editor", "--json").json["id"])
    ada.mem("undo")
    memory = ada.shared("A fact")
    ada.mem("sync")
    ada.mem("unshare", memory)
    ada.mem("update", memory, "--title", "A fact of mine")
    for member in (ada, ben):
        member.mem("sync")
    assert (ada.known(), ben.known()) == ({"A fact of mine"}, {"A fact"})
    assert digest(ada, monkeypatch) == digest(ben, monkeypatch)


@pytest.mark.parametrize("has_ben", [False, True])
def test_what_is_not_shared_any_more_when_the_remote_is_wiped_counts_as_others_have_it(
    team: Pair, remote: Path, monkeypatch: pytest.MonkeyPatch, has_ben: bool
) -> None:
    ada, ben = team
    ada.shared("A fact")
    ada.mem("profile", "set", "editor", "vim")
    ada.mem("share", ada.mem("profile", "get", "editor", "--json").json["id"])
    ada.mem("sync")
    if has_ben:
        ben.mem("sync")
    wipe(remote, ada)
    ada.mem("undo")
    for member in (ada, ben, ada, ben):
        member.mem("sync")
    assert (ben.known(), "vim" in ben.mem("profile").out) == ({"A fact"}, has_ben)
    assert "vim" in ada.mem("profile").out
    assert digest(ada, monkeypatch) == digest(ben, monkeypatch)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_three_agree_in_three_rounds_where_an_undone_change_comes_back_through_another(
    team: Pair, machine: Team, remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: tuple[int, ...]
) -> None:
    ada, ben = team
    cleo = machine("cleo")
    cleo.mem("config", "unset", "sync.author")
    memory = ada.shared("The gate has a word", "nobody knows it")
    for member in (ada, ben, cleo):
        member.mem("sync")
    ada.mem("update", memory, "--summary", "the word is swordfish")
    store = ada.store.parent
    shutil.copytree(store, tmp_path / "before")
    ada.mem("sync")  # which is killed before it notes what it pushed
    shutil.rmtree(store)
    shutil.copytree(tmp_path / "before", store)
    ben.mem("sync")
    wipe(remote, ada)
    ada.mem("undo")

    for _ in range(3):
        for number in order:
            (ada, ben, cleo)[number].mem("sync")
    assert len({digest(member, monkeypatch) for member in (ada, ben, cleo)}) == 1
    for member in (ada, ben, cleo):
        assert "nobody knows it" in member.mem("show", memory).out
        assert member.mem("sync").out == "pulled nothing new\npushed nothing new\n"
