"""Which memories hold on the commit that is checked out, on real histories."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from memcli import validity
from memcli.memory import entries
from memcli.memory.entries import Edit, NewMemory
from memcli.project import Project, Where, open_for_reading, open_for_writing
from memcli.recall.get import Query, get
from memcli.repo import gitrun
from memcli.repo.ancestry import reachability
from tests import writing
from tests.cli.histories import counting
from tests.conftest import Terminal
from tests.recall.stores import here


@pytest.fixture(autouse=True)
def _in_the_repository(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    here(terminal, monkeypatch)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Every git command that is run."""
    return counting(monkeypatch)


def write(work: Callable[[Project], Any]) -> Any:
    project = open_for_writing(Where())
    try:
        return work(project)
    finally:
        project.close()


def add(title: str) -> str:
    return str(write(lambda project: entries.add(project, NewMemory(f"zebra {title}", "because zebra"), "cli")).id)


def supersede(reference: str, title: str) -> str:
    edit = Edit(title=f"zebra {title}")
    return str(write(lambda project: writing.supersede(project, reference, edit, "cli"))[1].id)


def fates(include_orphans: bool = False) -> dict[str, str]:
    """Asks for zebras: the title of each memory that matches, and what became of it."""
    project = open_for_reading(Where())
    try:
        pack = get(project, Query("zebra", include_orphans=include_orphans))
        shown = {item.memory.title: "+".join(["shown", *item.marks]) for item in pack.items}
        return {
            name.removeprefix("zebra "): fate
            for name, fate in (shown | {one.hit.title: why for one, why in pack.left_out}).items()
        }
    finally:
        project.close()


def test_memories_of_head_and_of_its_ancestors_hold(terminal: Terminal) -> None:
    add("one")
    terminal.commit("second")
    add("two")
    assert fates() == {"one": "shown", "two": "shown"}


def test_a_memory_of_a_commit_that_was_left_behind_is_an_orphan_and_can_be_asked_for(terminal: Terminal) -> None:
    terminal.commit("second")
    add("one")
    terminal.git("reset", "-q", "--hard", "HEAD^")
    add("two")
    assert fates() == {"one": "orphan", "two": "shown"}
    assert fates(include_orphans=True) == {"one": "shown+orphan", "two": "shown"}


def test_a_memory_of_a_side_branch_holds_there_and_after_the_merge(terminal: Terminal) -> None:
    terminal.git("switch", "-q", "-c", "side")
    terminal.commit("on the side")
    add("side")
    assert fates() == {"side": "shown"}
    terminal.git("switch", "-q", "main")
    terminal.commit("on main")
    assert fates() == {"side": "orphan"}
    terminal.git("merge", "-q", "-m", "merge", "side")
    assert fates() == {"side": "shown"}


def test_a_memory_without_an_anchor_holds_everywhere(terminal: Terminal) -> None:
    write(lambda project: entries.add(project, NewMemory("zebra free", "zebra"), "cli", anchored=False))
    terminal.git("switch", "-q", "--orphan", "other")
    terminal.commit("a new root")
    assert fates() == {"free": "shown"}


def test_where_the_clone_is_shallow_what_is_not_there_is_unknown_and_marked(terminal: Terminal) -> None:
    for number in range(4):
        terminal.commit(f"number {number}")
        if not number:
            add("old")
    (terminal.folder / ".git" / "shallow").write_text(terminal.git("rev-parse", "HEAD") + "\n")
    assert fates() == {"old": "shown+unknown"}


def test_a_superseded_memory_is_no_fact_even_when_orphans_are_asked_for(terminal: Terminal) -> None:
    supersede(add("old"), "new")
    assert fates() == {"old": "superseded", "new": "shown"}
    assert fates(include_orphans=True) == {"old": "superseded", "new": "shown"}


def test_on_a_branch_that_lacks_the_replacement_the_old_memory_still_holds(terminal: Terminal) -> None:
    old = add("old")
    terminal.git("switch", "-q", "-c", "side")
    terminal.commit("on the side")
    supersede(old, "new")
    assert fates() == {"old": "superseded", "new": "shown"}
    terminal.git("switch", "-q", "main")
    assert fates() == {"old": "shown", "new": "orphan"}


def test_a_forgotten_replacement_does_not_bring_the_old_memory_back(terminal: Terminal) -> None:
    new = supersede(add("old"), "new")
    write(lambda project: writing.forget(project, new, "cli"))
    assert fates() == {"old": "superseded"}


def test_a_chain_holds_at_the_last_link_that_head_can_see(terminal: Terminal) -> None:
    first = add("first")
    terminal.git("switch", "-q", "-c", "side")
    terminal.commit("on the side")
    second = supersede(first, "second")
    terminal.git("switch", "-q", "main")
    terminal.commit("on main")
    supersede(second, "third")
    assert fates() == {"first": "superseded", "second": "superseded", "third": "shown"}
    terminal.git("reset", "-q", "--hard", "HEAD^")
    assert fates() == {"first": "shown", "second": "orphan", "third": "orphan"}
    terminal.git("switch", "-q", "side")
    assert fates() == {"first": "superseded", "second": "shown", "third": "orphan"}


def test_a_long_chain_ends(terminal: Terminal) -> None:
    name = add("0")
    for number in range(1, 60):
        name = supersede(name, str(number))
    found = fates()
    assert found.pop("59") == "shown"
    assert set(found.values()) == {"superseded"}


def history(terminal: Terminal) -> None:
    """Three memories on three commits, one of which is left behind."""
    for name in ("a", "b", "c"):
        terminal.commit(name)
        add(name)
    terminal.git("reset", "-q", "--hard", "HEAD^")
    terminal.commit("d")


def test_the_second_question_at_a_commit_runs_no_git(terminal: Terminal, runs: list[Any]) -> None:
    history(terminal)
    runs.clear()
    first = fates()
    assert first == {"a": "shown", "b": "shown", "c": "orphan"}
    assert 1 <= len(runs) <= 6
    runs.clear()
    assert fates() == first
    assert runs == []


def test_a_question_about_some_anchors_answers_for_all(terminal: Terminal, runs: list[Any]) -> None:
    history(terminal)
    project = open_for_reading(Where())
    anchor = project.db.execute("SELECT anchor FROM memory ORDER BY n LIMIT 1").get
    asked = [anchor, None, project.commit]
    answers = validity.anchor_states(project, asked)
    assert [answers[name] for name in asked] == ["reachable"] * 3
    project.close()
    runs.clear()
    assert fates() == {"a": "shown", "b": "shown", "c": "orphan"}
    assert runs == []


def test_going_back_to_a_commit_that_was_asked_about_runs_no_git(terminal: Terminal, runs: list[Any]) -> None:
    history(terminal)
    fates()
    terminal.commit("e")
    runs.clear()
    fates()
    assert runs
    terminal.git("reset", "-q", "--hard", "HEAD^")
    runs.clear()
    fates()
    assert runs == []


def test_wherever_head_moves_the_answers_are_those_of_git_which_is_asked_what_lies_between(
    terminal: Terminal, runs: list[Any]
) -> None:
    """Sixty commits on lines that part and join, clocks that go back, and a commit that is gone."""
    chance = random.Random(20)
    lines = []
    for mark in range(1, 61):
        date = 1_600_000_000 + 60 * mark - chance.choice((0, 0, 0, 900_000_000))
        parents = [f"from :{max(1, mark - chance.choice((1, 4)))}\n"] if mark > 1 else []
        parents += [f"merge :{chance.randrange(1, mark - 4)}\n"] if mark > 9 and chance.random() < 0.2 else []
        lines.append(f"commit refs/heads/w{mark}\nmark :{mark}\ncommitter A <a@b> {date} +0000\ndata 1\nx\n{''.join(parents)}\n")
    command = ["git", "fast-import", "--quiet", "--export-marks=marks"]
    subprocess.run(command, cwd=terminal.folder, env=terminal.env, input="".join(lines).encode(), check=True)
    commits = [line.split()[1] for line in (terminal.folder / "marks").read_text().splitlines()]
    anchors = [*commits, "dead" * 10]
    add("somewhere")
    whole = 0
    for place in chance.sample(commits, 12):
        terminal.git("update-ref", "--no-deref", "HEAD", place)
        project = open_for_reading(Where())
        assert project.checkout
        runs.clear()
        states = validity.anchor_states(project, anchors)
        whole += any(words[:4] == ("rev-list", "--topo-order", "--parents", "--stdin") for words in runs)
        assert {anchor: states[anchor] for anchor in anchors} == reachability(project.checkout, anchors), place
        project.close()
    assert whole < 6  # the first time, and where clocks that went back may have led git too far


def test_without_a_cache_the_answers_are_the_same(terminal: Terminal) -> None:
    history(terminal)
    first = fates()
    cache = terminal.store.parent / "cache.db"
    cache.unlink()
    cache.mkdir()
    assert fates() == first


def test_anchors_at_head_and_none_need_no_git(terminal: Terminal, runs: list[Any]) -> None:
    add("here")
    write(lambda project: entries.add(project, NewMemory("zebra free", "zebra"), "cli", anchored=False))
    runs.clear()
    assert fates() == {"here": "shown", "free": "shown"}
    assert runs == []


def test_an_answer_that_git_did_not_give_is_unknown_and_not_kept(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    history(terminal)
    real = gitrun.run
    monkeypatch.setattr("memcli.repo.gitrun.run", lambda *words, **named: gitrun.Finished(124, b"", b"too slow"))
    assert fates() == {"a": "shown+unknown", "b": "shown+unknown", "c": "shown+unknown"}
    monkeypatch.setattr("memcli.repo.gitrun.run", real)
    assert fates() == {"a": "shown", "b": "shown", "c": "orphan"}


def test_one_question_answers_for_the_thousands_of_anchors_of_a_year(terminal: Terminal, runs: list[Any]) -> None:
    history(terminal)
    terminal.commit("the next work")
    commits = [f"{number:040x}" for number in range(1, 6_001)]

    def fill(project: Project) -> None:
        columns = "thread, kind, title, summary, tags, entities, words, created_at, updated_at, revision, forgotten, pinned,"
        values = "'general', 'note', 'old', 'old', '', '', '', 0, 0, 1, 0, 0, 0, 'hook', 1, 1"
        sql = f"INSERT INTO memory(id, anchor, {columns} suspicious, origin, prompt_tokens, xml_tokens) VALUES (?, ?, {values})"
        project.db.executemany(sql, [(f"M-{number}", commit) for number, commit in enumerate(commits)])

    write(fill)
    fates()
    runs.clear()
    project = open_for_reading(Where())
    states = validity.anchor_states(project, commits)
    assert {states[commit] for commit in commits} == {"unknown"}
    project.close()
    assert runs == []
