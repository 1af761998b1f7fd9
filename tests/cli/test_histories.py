"""Memories through the histories that people make: the real command on real repositories."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.histories import FACT, anchor, counting, feature, forget_history, on_main, sure, write_something
from tests.conftest import Terminal


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every git command that mem runs."""
    return counting(monkeypatch)


def test_amend(terminal: Terminal, runs: list[Any]) -> None:
    old = feature(terminal)
    (terminal.folder / "a.py").write_text("another content\n")
    terminal.git("commit", "-q", "-a", "--amend", "-m", "said otherwise", "--reset-author")
    runs.clear()

    assert sure(terminal) == f"carried over from {old[:7]}, amended"
    assert len(runs) <= 6
    runs.clear()
    assert sure(terminal) == f"carried over from {old[:7]}, amended"
    assert runs == []
    write_something(terminal)
    assert (sure(terminal), anchor(terminal)) == ("", terminal.git("rev-parse", "HEAD"))


def test_amend_twice_of_a_commit_without_files(terminal: Terminal) -> None:
    terminal.git("commit", "-q", "--allow-empty", "-m", "empty")
    terminal.add(FACT)
    for message in ("once", "twice"):
        terminal.git("commit", "-q", "--allow-empty", "--amend", "-m", message)
    terminal.commit("later", b_py="b")

    assert sure(terminal).endswith(", amended")
    write_something(terminal)
    assert anchor(terminal) == terminal.git("rev-parse", "HEAD^")


def test_amend_seen_long_after_the_old_commit_is_gone(terminal: Terminal) -> None:
    old = feature(terminal)
    terminal.git("commit", "-q", "--amend", "-m", "said otherwise")
    write_something(terminal)
    forget_history(terminal)
    terminal.commit("later", b_py="b")

    assert sure(terminal).startswith(f"carried over from {old[:7]}, ")


def test_reset_is_no_amend(terminal: Terminal) -> None:
    feature(terminal)
    terminal.git("reset", "-q", "--hard", "HEAD^")
    terminal.commit("something else", a_py="x")

    assert sure(terminal) == "hidden"
    assert terminal.titles("session", "--include-orphans") == [FACT]
    write_something(terminal)
    forget_history(terminal)
    terminal.commit("more", a_py="y")
    assert sure(terminal) == "hidden"
    assert terminal.titles("session", "--include-orphans") == [FACT]


def test_rebase(terminal: Terminal, runs: list[Any]) -> None:
    old = feature(terminal)
    on_main(terminal, b_py="b")
    terminal.git("switch", "-q", "side")
    terminal.git("rebase", "-q", "main")
    runs.clear()

    assert sure(terminal) == f"carried over from {old[:7]}, rebased"
    assert len(runs) <= 6
    write_something(terminal)
    assert (sure(terminal), anchor(terminal)) == ("", terminal.git("rev-parse", "HEAD"))
    terminal.git("switch", "-q", "main")
    assert sure(terminal) == "hidden"


def test_rebase_onto_other_changes_of_the_same_file_reworded(terminal: Terminal) -> None:
    lines = [f"line {number}\n" for number in range(30)]
    terminal.commit("base", a_py="".join(lines))
    old = feature(terminal, a_py="".join([*lines, "at the end\n"]))
    on_main(terminal, a_py="".join(["at the top\n", *lines]))
    terminal.git("switch", "-q", "side")
    terminal.git("-c", "sequence.editor=sed -i s/pick/reword/", "-c", "core.editor=echo other >", "rebase", "-q", "-i", "main")

    assert terminal.git("log", "-1", "--format=%s") == "other"
    assert sure(terminal) == f"carried over from {old[:7]}, rebased"


def test_rebase_with_a_conflict_is_known_by_author_moment_and_subject(terminal: Terminal) -> None:
    terminal.commit("base", a_py="one\n")
    old = feature(terminal, a_py="mine\n")
    on_main(terminal, a_py="theirs\n")
    terminal.git("switch", "-q", "side")
    with pytest.raises(Exception, match="rebase"):
        terminal.git("rebase", "-q", "main")
    (terminal.folder / "a.py").write_text("both\n")
    terminal.git("add", "a.py")
    terminal.git("-c", "core.editor=true", "rebase", "--continue")

    assert sure(terminal) == f"carried over from {old[:7]}, rebased"


def test_a_commit_that_a_rebase_dropped_is_an_orphan(terminal: Terminal) -> None:
    feature(terminal)
    terminal.commit("kept", c_py="c")
    terminal.git("-c", "sequence.editor=sed -i 1s/pick/drop/", "rebase", "-q", "-i", "main")

    assert terminal.git("log", "--format=%s", "main..side") == "kept"
    assert sure(terminal) == "hidden"


def test_rebase_seen_when_the_old_commit_is_gone(terminal: Terminal) -> None:
    feature(terminal)
    terminal.commit("more on the side", c_py="c")
    write_something(terminal)
    on_main(terminal, b_py="b")
    terminal.git("switch", "-q", "side")
    terminal.git("rebase", "-q", "main")
    forget_history(terminal)

    assert sure(terminal).endswith(", rebased")


def test_cherry_pick_holds_on_both_branches_and_stays_anchored(terminal: Terminal, runs: list[Any]) -> None:
    old = feature(terminal)
    on_main(terminal, "cherry-pick", "side", b_py="b")
    runs.clear()

    assert sure(terminal) == f"carried over from {old[:7]}, cherry-picked"
    assert len(runs) <= 6
    write_something(terminal)
    assert anchor(terminal) == old
    terminal.git("switch", "-q", "side")
    assert sure(terminal) == ""


def test_revert_keeps_the_anchor_reachable(terminal: Terminal) -> None:
    terminal.commit("feature", a_py="a")
    terminal.add(FACT)
    terminal.git("revert", "--no-edit", "HEAD")

    assert sure(terminal) == ""


def test_a_worktree_sees_what_is_reachable_or_carried_over_there(terminal: Terminal, tmp_path: Path) -> None:
    terminal.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side")
    tree = terminal.at(tmp_path / "tree")
    old = tree.commit("feature", a_py="a")
    tree.add(FACT)
    assert (sure(tree), sure(terminal)) == ("", "hidden")
    terminal.commit("meanwhile", b_py="b")
    terminal.git("cherry-pick", "side")
    assert (sure(tree), sure(terminal)) == ("", f"carried over from {old[:7]}, cherry-picked")
    tree.git("commit", "-q", "--amend", "-m", "amended there")
    assert sure(tree) == f"carried over from {old[:7]}, amended"
    assert sure(terminal).startswith(f"carried over from {old[:7]}, ")


def test_a_detached_head_sees_what_it_was_built_on(terminal: Terminal) -> None:
    terminal.commit("feature", a_py="a")
    terminal.add(FACT)
    terminal.git("switch", "-q", "--detach")
    assert sure(terminal) == ""
    terminal.git("commit", "-q", "--amend", "-m", "amended without a branch")
    assert sure(terminal).endswith(", amended")
    terminal.git("switch", "-q", "--detach", "main~1")
    assert sure(terminal) == "hidden"


def test_an_orphan_branch_sees_nothing_unless_it_repeats_the_change(terminal: Terminal) -> None:
    terminal.commit("feature", a_py="a")
    terminal.add(FACT)
    terminal.git("switch", "-q", "--orphan", "fresh")
    assert sure(terminal) == "hidden"
    terminal.commit("a new root", b_py="b")
    assert sure(terminal) == "hidden"
    terminal.commit("the same change", a_py="a")
    assert sure(terminal) != "hidden"


def test_an_unborn_head_hides_and_counts(terminal: Terminal, runs: list[Any]) -> None:
    terminal.add(FACT)
    terminal.git("switch", "-q", "--orphan", "fresh")

    assert sure(terminal) == "hidden"
    assert len(runs) <= 6


def test_switching_back_and_forth_costs_git_nothing_the_second_time(terminal: Terminal, runs: list[Any]) -> None:
    feature(terminal)
    on_main(terminal, "cherry-pick", "side", b_py="b")
    seen = {}
    for branch in ("side", "main"):
        terminal.git("switch", "-q", branch)
        seen[branch] = sure(terminal)
    runs.clear()
    for branch in ("side", "main", "side"):
        terminal.git("switch", "-q", branch)
        assert sure(terminal) == seen[branch]
    assert runs == []


def test_many_memories_on_many_lost_commits_cost_few_processes(terminal: Terminal, runs: list[Any]) -> None:
    for number in range(12):
        terminal.git("switch", "-q", "-c", f"side{number}", "main")
        terminal.commit(f"number {number}", **{f"n{number}_py": f"{number}\n"})
        terminal.add(f"Session fact {number}")
    terminal.git("switch", "-q", "main")
    terminal.commit("meanwhile", b_py="b")
    for number in range(0, 12, 2):
        terminal.git("cherry-pick", f"side{number}")
    runs.clear()

    assert len(terminal.titles("session")) == 6
    assert 1 <= len(runs) <= 6
    runs.clear()
    assert len(terminal.titles("session")) == 6
    assert runs == []


def test_a_shallow_clone_cannot_tell_and_shows(terminal: Terminal, tmp_path: Path) -> None:
    terminal.git("remote", "add", "origin", "https://git.example.invalid/acme/shop")
    terminal.commit("feature", a_py="a")
    terminal.add(FACT)
    terminal.commit("later", b_py="b")
    terminal.git("clone", "-q", "--depth", "1", f"file://{terminal.folder}", str(tmp_path / "shallow"))
    shallow = terminal.at(tmp_path / "shallow")
    shallow.git("remote", "set-url", "origin", "https://git.example.invalid/acme/shop")

    assert sure(shallow) == "commit unknown here"
    write_something(shallow)
    assert sure(shallow) == "commit unknown here"


def test_a_submodule_has_its_own_history(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "library").mkdir()
    library = terminal.at(tmp_path / "library")
    library.git("init", "-q", "-b", "main", ".")
    library.commit("first")
    terminal.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "library"), "lib")
    terminal.commit("with library")
    inside = terminal.at(terminal.folder / "lib")
    inside.commit("feature", a_py="a")
    inside.add(FACT)
    inside.git("commit", "-q", "--amend", "-m", "amended")

    assert sure(inside).endswith(", amended")
    assert terminal.titles("session", "--include-orphans") == []


def test_undo_takes_back_what_was_done_and_not_that_an_anchor_moved(terminal: Terminal) -> None:
    feature(terminal)
    terminal.git("commit", "-q", "--amend", "-m", "amended")
    sure(terminal)
    other = terminal.add("Something else", "zebra")
    moved = terminal.git("rev-parse", "HEAD")
    assert anchor(terminal) == moved

    assert [op["o"] for op in terminal.mem("undo", "--json").json["undone"]] == [other]
    assert anchor(terminal) == moved
    terminal.mem("undo")
    assert terminal.mem("undo", fails=3).err.startswith("Error: nothing to undo")
    assert terminal.mem("doctor").out.endswith("no problems found\n")


def test_the_log_says_that_an_anchor_moved(terminal: Terminal) -> None:
    feature(terminal)
    terminal.git("commit", "-q", "--amend", "-m", "amended")
    sure(terminal)
    write_something(terminal)
    (moved,) = [op for op in terminal.mem("log", "--json").json if op["actor"] == "anchor"]

    assert (moved["k"], moved["b"], moved["command"]) == ("put", {"anchor": terminal.git("rev-parse", "HEAD")}, 0)


def test_hostile_settings_of_the_repository_start_nothing_and_change_nothing(terminal: Terminal) -> None:
    trap = terminal.folder.parent / "sprung"
    script = terminal.folder.parent / "trap.sh"
    script.write_text(f"#!/bin/sh\ntouch {trap}\n")
    script.chmod(0o755)
    lines = [f"line {number}\n" for number in range(30)]
    terminal.commit("base", a_py="".join(lines))
    old = feature(terminal, a_py="".join([*lines, "end\n"]))
    on_main(terminal, "cherry-pick", "side", a_py="".join(["top\n", *lines]))
    terminal.commit("attributes", _gitattributes="* diff=trap filter=trap\n")
    for name in ("diff.external", "diff.trap.command", "diff.trap.textconv", "filter.trap.clean", "core.pager", "core.fsmonitor"):
        terminal.git("config", name, str(script))
    plain = {
        "color.ui": "always",
        "diff.noprefix": "true",
        "log.showRoot": "false",
        "diff.renames": "copies",
        "diff.orderFile": "o",
    }
    for name, value in plain.items():
        terminal.git("config", name, value)

    assert sure(terminal) == f"carried over from {old[:7]}, cherry-picked"
    assert not os.path.exists(trap)
