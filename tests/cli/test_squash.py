"""Memories of a branch that was merged as one commit."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.histories import FACT, anchor, counting, feature, forget_history, on_main, squashed, sure, write_something
from tests.conftest import Terminal


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every git command that mem runs."""
    return counting(monkeypatch)


def test_squash_merge_of_one_commit(terminal: Terminal) -> None:
    old = feature(terminal)
    on_main(terminal, "merge", "-q", "--squash", "side", b_py="b")
    assert sure(terminal) == "hidden"
    squash = squashed(terminal)

    assert sure(terminal) == f"carried over from {old[:7]}, squash-merged"
    write_something(terminal)
    assert (sure(terminal), anchor(terminal)) == ("", squash)


def test_squash_merge_of_several_commits_and_edits_after_it(terminal: Terminal, runs: list[Any]) -> None:
    old = feature(terminal, a_py="first\n", x_py="to be removed again\n")
    terminal.commit("second", a_py="second\n", c_py="c")
    terminal.git("rm", "-q", "x.py")
    terminal.commit("third")
    terminal.commit("fourth", d_py="d")
    on_main(terminal, "merge", "-q", "--squash", "side", b_py="b")
    squash = squashed(terminal)
    terminal.commit("edited after it", a_py="edited\n")
    runs.clear()

    assert sure(terminal) == f"carried over from {old[:7]}, squash-merged"
    assert len(runs) <= 6
    write_something(terminal)
    assert anchor(terminal) == squash
    for name in ("a_py", "c_py", "d_py"):
        terminal.commit("later", **{name: "all different now\n"})
    assert sure(terminal) == ""


def test_squash_merge_into_files_that_changed_on_main_meanwhile(terminal: Terminal) -> None:
    lines = [f"line {number}\n" for number in range(30)]
    terminal.commit("base", a_py="".join(lines))
    old = feature(terminal, a_py="".join([*lines, "one\n"]))
    terminal.commit("more", a_py="".join([*lines, "one\n", "two\n"]), c_py="c")
    on_main(terminal, "merge", "-q", "--squash", "side", a_py="".join(["top\n", *lines]))
    squashed(terminal)

    assert sure(terminal) == f"carried over from {old[:7]}, squash-merged"


def test_squash_merge_takes_a_commit_without_files_along(terminal: Terminal) -> None:
    terminal.git("switch", "-q", "-c", "side")
    terminal.commit("only thoughts")
    terminal.add(FACT)
    terminal.commit("work", a_py="a")
    on_main(terminal, "merge", "-q", "--squash", "side", b_py="b")
    squashed(terminal)

    assert sure(terminal).endswith(", squash-merged")


def test_squash_merge_of_a_part_leaves_the_rest_hidden(terminal: Terminal) -> None:
    terminal.git("switch", "-q", "-c", "side")
    terminal.commit("one", a_py="a")
    terminal.git("branch", "part")
    terminal.commit("two", c_py="c")
    terminal.add(FACT)
    on_main(terminal, "merge", "-q", "--squash", "part", b_py="b")
    squashed(terminal)

    assert sure(terminal) == "hidden"


@pytest.mark.parametrize("noted", [True, False])
def test_squash_merge_seen_when_branch_and_commits_are_gone_if_it_was_noted(terminal: Terminal, noted: bool) -> None:
    feature(terminal)
    terminal.commit("second", c_py="c")
    if noted:
        write_something(terminal)
    on_main(terminal, "merge", "-q", "--squash", "side", b_py="b")
    squashed(terminal)
    terminal.git("branch", "-q", "-D", "side")
    forget_history(terminal)

    assert sure(terminal).endswith("squash-merged" if noted else "commit unknown here")


def test_a_change_that_the_branch_itself_took_back_is_not_found_in_older_history(terminal: Terminal) -> None:
    terminal.commit("old", a_py="old\n")
    terminal.git("switch", "-q", "-c", "side")
    terminal.commit("new", a_py="new\n")
    terminal.commit("back", a_py="old\n")
    terminal.add(FACT)
    on_main(terminal, b_py="b")

    assert sure(terminal) == "hidden"
