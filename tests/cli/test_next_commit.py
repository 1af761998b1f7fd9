"""A memory written on a branch before the branch has a commit of its own belongs to that commit, and goes with the branch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.histories import FACT, anchor, counting, sure, write_something
from tests.conftest import Terminal


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every git command that mem runs."""
    return counting(monkeypatch)


def begun(terminal: Terminal, branch: str = "try") -> str:
    """Begins a branch and adds a memory there before any commit; returns the commit below."""
    terminal.git("switch", "-q", "-c", branch)
    terminal.add(FACT)
    return terminal.git("rev-parse", "HEAD")


def test_an_abandoned_experiment_is_told_nowhere_else(terminal: Terminal) -> None:
    begun(terminal)
    assert sure(terminal) == ""
    terminal.git("switch", "-q", "main")
    assert sure(terminal) == "hidden"
    terminal.git("branch", "-q", "-D", "try")
    assert sure(terminal) == "hidden"
    write_something(terminal)
    terminal.commit("later", b_py="b")
    assert sure(terminal) == "hidden"
    assert terminal.titles("session", "--include-orphans") == [FACT]


def test_reading_before_the_first_commit_starts_no_process(terminal: Terminal, runs: list[Any]) -> None:
    begun(terminal)
    terminal.git("branch", "-q", "idle")
    for branch in ("main", "idle", "try"):
        terminal.git("switch", "-q", branch)
        runs.clear()
        assert sure(terminal) == ("" if branch == "try" else "hidden")
        assert runs == []


def test_it_belongs_to_the_first_commit(terminal: Terminal) -> None:
    begun(terminal)
    first = terminal.commit("first", a_py="a")
    terminal.commit("second", a_py="b")
    assert sure(terminal) == ""
    terminal.git("switch", "-q", "main")
    assert sure(terminal) == "hidden"
    write_something(terminal)
    assert anchor(terminal) == first
    terminal.git("merge", "-q", "--ff-only", "try")
    assert sure(terminal) == ""


@pytest.mark.parametrize("how", [("--ff-only",), ("--no-ff", "-m", "merged")])
def test_it_holds_where_the_branch_was_merged_and_deleted_before_anybody_looked(terminal: Terminal, how: tuple[str, ...]) -> None:
    begun(terminal)
    first = terminal.commit("first", a_py="a")
    terminal.git("switch", "-q", "main")
    terminal.git("merge", "-q", *how, "try")
    terminal.git("branch", "-q", "-d", "try")
    assert sure(terminal) == ""
    write_something(terminal)
    assert anchor(terminal) == first


def test_it_holds_where_the_working_tree_of_the_branch_is_gone_too(terminal: Terminal, tmp_path: Path) -> None:
    terminal.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side/task")
    tree = terminal.at(tmp_path / "tree")
    tree.add(FACT)
    assert (sure(tree), sure(terminal)) == ("", "hidden")
    tree.commit("feature", a_py="a")
    terminal.git("merge", "-q", "--ff-only", "side/task")
    terminal.git("worktree", "remove", str(tmp_path / "tree"))
    terminal.git("branch", "-q", "-d", "side/task")
    assert sure(terminal) == ""


def test_a_deleted_branch_of_a_working_tree_takes_it_along(terminal: Terminal, tmp_path: Path) -> None:
    terminal.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "try")
    terminal.at(tmp_path / "tree").add(FACT)
    terminal.git("worktree", "remove", str(tmp_path / "tree"))
    terminal.git("branch", "-q", "-D", "try")
    assert sure(terminal) == "hidden"


@pytest.mark.parametrize("is_checked_out", [True, False])
def test_a_renamed_branch_has_it_still(terminal: Terminal, is_checked_out: bool) -> None:
    begun(terminal)
    if not is_checked_out:
        terminal.git("switch", "-q", "main")
    terminal.git("branch", "-m", "try", "better/name")
    terminal.git("switch", "-q", "main")
    assert sure(terminal) == "hidden"
    terminal.git("switch", "-q", "better/name")
    assert sure(terminal) == ""
    first = terminal.commit("first", a_py="a")
    write_something(terminal)
    assert anchor(terminal) == first


def test_a_branch_that_follows_main_before_its_first_commit_keeps_waiting(terminal: Terminal) -> None:
    begun(terminal)
    terminal.git("switch", "-q", "main")
    terminal.commit("meanwhile", b_py="b")
    assert sure(terminal) == "hidden"
    terminal.git("switch", "-q", "try")
    terminal.git("merge", "-q", "--ff-only", "main")
    assert sure(terminal) == ""
    terminal.git("switch", "-q", "main")
    terminal.commit("more", b_py="c")
    terminal.git("switch", "-q", "try")
    terminal.git("rebase", "-q", "main")
    assert sure(terminal) == ""
    first = terminal.commit("first", a_py="a")
    write_something(terminal)
    assert anchor(terminal) == first


def test_an_amended_first_commit_has_it(terminal: Terminal) -> None:
    begun(terminal)
    terminal.commit("first", a_py="a")
    terminal.git("commit", "-q", "--amend", "-m", "said otherwise")
    assert sure(terminal).endswith(", amended")
    write_something(terminal)
    write_something(terminal)
    assert sure(terminal) == ""


def test_a_squashed_branch_takes_it_to_main(terminal: Terminal) -> None:
    begun(terminal)
    terminal.commit("first", a_py="a\n")
    write_something(terminal)
    terminal.git("switch", "-q", "main")
    terminal.git("merge", "-q", "--squash", "try")
    terminal.git("commit", "-q", "-m", "squashed", "--date=2026-02-03T04:05:06Z")
    terminal.git("branch", "-q", "-D", "try")
    assert sure(terminal).endswith(", squash-merged")


def test_a_branch_set_back_to_where_it_began_starts_anew(terminal: Terminal) -> None:
    terminal.git("switch", "-q", "-c", "try")
    terminal.commit("first", a_py="a")
    terminal.git("reset", "-q", "--hard", "main")
    terminal.add(FACT)
    terminal.git("switch", "-q", "main")
    assert sure(terminal) == "hidden"


def test_the_default_branch_an_older_branch_and_a_detached_head_wait_for_nothing(terminal: Terminal) -> None:
    terminal.add("Written on the main branch")
    terminal.git("switch", "-q", "--detach")
    terminal.add("Written without any branch")
    terminal.git("switch", "-q", "-c", "old")
    terminal.commit("own", a_py="a")
    terminal.add("Written on a branch with commits")
    rows = terminal.mem("recent", "--json").json
    assert [row["anchor_branch"] for row in rows] == [None, None, None]


def test_a_branch_taken_from_a_remote_waits_for_nothing(terminal: Terminal, tmp_path: Path) -> None:
    terminal.git("branch", "-q", "dev")
    terminal.git("clone", "-q", str(terminal.folder), str(tmp_path / "clone"))
    clone = terminal.at(tmp_path / "clone")
    clone.git("switch", "-q", "dev")
    clone.add(FACT)
    clone.git("switch", "-q", "main")
    assert sure(clone) == ""


def test_what_replaces_a_memory_on_such_a_branch_leaves_the_old_one_elsewhere(terminal: Terminal) -> None:
    old = terminal.add(FACT)
    terminal.git("switch", "-q", "-c", "try")
    terminal.mem("supersede", old, "--title", "Session tokens live in Redis")
    assert terminal.titles("session tokens") == ["Session tokens live in Redis"]
    terminal.git("switch", "-q", "main")
    assert terminal.titles("session tokens") == [FACT]


def test_confirming_it_elsewhere_lets_it_hold_there(terminal: Terminal) -> None:
    begun(terminal)
    (row,) = terminal.mem("recent", "--json").json
    terminal.git("switch", "-q", "main")
    terminal.mem("confirm", row["id"])
    assert sure(terminal) == ""


def test_what_waits_is_said_where_it_is_written_and_shown(terminal: Terminal) -> None:
    terminal.git("switch", "-q", "-c", "try")
    added = terminal.mem("add", FACT, "--summary", "as decided")
    assert ", for the next commit of try" in added.out
    (row,) = terminal.mem("recent", "--json").json
    commit = terminal.git("rev-parse", "HEAD")
    assert (row["anchor_commit"], row["anchor_branch"]) == (commit, "try")
    assert f"{commit} (no commit yet: branch try)" in terminal.mem("show", row["id"]).out
    terminal.git("switch", "-q", "main")
    terminal.git("branch", "-q", "-D", "try")
    write_something(terminal)
    assert f"{commit} (deleted without a commit: branch try)" in terminal.mem("show", row["id"]).out
    assert f"left “{FACT}” with the branch try, which is gone" in terminal.mem("log").out
    assert terminal.mem("doctor").out.endswith("no problems found\n")


def test_it_goes_through_an_export_and_stays_hidden(terminal: Terminal, tmp_path: Path) -> None:
    begun(terminal)
    terminal.mem("export", str(tmp_path / "all.jsonl"))
    terminal.git("clone", "-q", str(terminal.folder), str(tmp_path / "clone"))
    clone = terminal.at(tmp_path / "clone")
    clone.git("switch", "-q", "main")
    clone.mem("import", str(tmp_path / "all.jsonl"))
    assert sure(clone) == "hidden"


@pytest.mark.parametrize("name", ["../../../../etc/passwd", "/etc/passwd", "x" * 200])
def test_an_import_names_no_file_by_a_branch(terminal: Terminal, tmp_path: Path, name: str) -> None:
    import json

    row = {"title": FACT, "summary": "s", "thread": "t", "anchor_commit": f"{'a' * 40} 7 {name}"}
    (tmp_path / "all.jsonl").write_text(json.dumps(row) + "\n")
    terminal.mem("import", str(tmp_path / "all.jsonl"))
    assert sure(terminal) == "hidden"
