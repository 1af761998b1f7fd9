"""Memories that a rewritten history left behind: it is said that they are lost, and one answer confirms or hides them all."""

from __future__ import annotations

import pytest

from tests.cli.histories import forget_history
from tests.conftest import Terminal

SAID = "on commits that no branch has any more"


@pytest.fixture
def rewritten(terminal: Terminal) -> Terminal:
    """Memories on commits of a history that was made anew, without a map, and that git has lost."""
    for number in range(6):
        terminal.commit(f"step {number}", **{f"n{number}_py": f"{number}\n"})
        terminal.add(f"Session fact {number}")
    terminal.git("switch", "-q", "-c", "side")
    terminal.commit("on a branch", b_py="b")
    terminal.add("Session fact of a branch")
    terminal.git("switch", "-q", "--orphan", "fresh")
    terminal.commit("all anew", all_py="x")
    terminal.git("branch", "-q", "-D", "main")
    terminal.git("branch", "-q", "-m", "fresh", "main")
    side = terminal.git("commit-tree", "HEAD^{tree}", "-m", "another root")
    terminal.git("branch", "-q", "-f", "side", side)
    terminal.git("switch", "-q", "side")
    terminal.add("Session fact of the new side")
    terminal.git("switch", "-q", "main")
    forget_history(terminal)
    return terminal


def test_get_and_doctor_say_that_memories_are_lost(rewritten: Terminal) -> None:
    warned = rewritten.mem("get", "session fact").err
    assert f"7 memories are {SAID}" in warned
    assert "mem confirm --lost" in warned
    assert "mem forget --lost" in warned
    doctor = rewritten.mem("doctor").out
    assert f"7 memories are {SAID}" in doctor
    assert doctor.endswith("1 warning\n")


def test_one_answer_confirms_them_all_and_one_undo_takes_it_back(rewritten: Terminal) -> None:
    confirmed = rewritten.mem("confirm", "--lost", "--json").json
    assert len(confirmed) == 7
    assert len(rewritten.titles("session fact")) == 7  # not the one of a branch that is there
    assert SAID not in rewritten.mem("get", "session fact").err
    assert rewritten.mem("doctor").out.endswith("no problems found\n")
    assert rewritten.mem("confirm", "--lost", fails=3).err.startswith("Error: no memory belongs to a lost commit")
    rewritten.mem("undo")
    assert rewritten.titles("session fact") == []


def test_one_answer_retires_them_all(rewritten: Terminal) -> None:
    assert len(rewritten.mem("forget", "--lost", "--dry-run", "--json").json) == 7
    assert len(rewritten.mem("forget", "--lost", "--json").json) == 7
    assert rewritten.titles("session fact", "--include-orphans") == ["Session fact of the new side"]
    assert rewritten.mem("doctor").out.endswith("no problems found\n")


def test_other_branches_are_not_lost(terminal: Terminal) -> None:
    for number in range(6):
        terminal.git("switch", "-q", "-c", f"side{number}", "main")
        terminal.commit(f"step {number}", **{f"n{number}_py": f"{number}\n"})
        terminal.add(f"Session fact {number}")
    terminal.git("switch", "-q", "main")
    assert SAID not in terminal.mem("get", "session fact").err
    assert SAID not in terminal.mem("doctor").out
    assert terminal.mem("confirm", "--lost", fails=3).err.startswith("Error: no memory")


@pytest.mark.parametrize(
    "words", [("confirm",), ("confirm", "--lost", "M-0123456789"), ("forget",), ("forget", "--lost", "--kind", "note")]
)
def test_ids_and_all_of_them_exclude_each_other(terminal: Terminal, words: tuple[str, ...]) -> None:
    terminal.add("Session fact")
    assert terminal.mem(*words, fails=2).err.startswith("Error: ")


def test_a_clone_without_all_commits_says_nothing(rewritten: Terminal) -> None:
    (rewritten.folder / ".git" / "shallow").write_text(rewritten.git("rev-parse", "HEAD") + "\n")
    assert SAID not in rewritten.mem("get", "session fact").err
    assert SAID not in rewritten.mem("doctor").out


def test_a_request_that_names_nothing_is_wrong_before_anything_is_stored(terminal: Terminal) -> None:
    assert terminal.mem("forget", fails=2).err.startswith("Error: no id is given")
    assert terminal.mem("confirm", fails=2).err.startswith("Error: no id is given")
    assert terminal.mem("forget", "M-0123456789", fails=3).err.startswith("Error: nothing is stored here yet")
