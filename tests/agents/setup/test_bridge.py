"""MEMORY_CONTEXT.md is kept current: by whom, after what, and whatever happens at the same time."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.agents.turns import context_file
from memcli.agents.turns.turn import TurnPlan
from memcli.http.workers import Workers
from memcli.project import Project, Where
from memcli.serving import projects
from memcli.text import files
from tests.agents.setup.conftest import Person, at, context, workspace
from tests.conftest import Terminal

FACT = "Tokens live in Postgres"


@pytest.fixture
def folder(person: Person) -> Path:
    """A workspace with a memory, told of it."""
    folder = workspace(person)
    at(person, folder).mem("init", "--no-agents")
    person.setup("openclaw")
    return folder


@pytest.fixture
def inside(person: Person, folder: Path) -> Terminal:
    """A terminal in it."""
    return at(person, folder)


def test_the_next_command_sees_that_another_branch_is_checked_out(inside: Terminal, folder: Path) -> None:
    inside.git("switch", "-q", "-c", "other")
    inside.commit("second")
    inside.add(FACT)
    assert FACT in context(folder)
    inside.git("switch", "-q", "main")
    inside.mem("state")
    assert FACT not in context(folder)
    inside.git("switch", "-q", "other")
    inside.mem("search", "nothing of it")
    assert FACT in context(folder)


def test_a_hook_of_git_may_be_what_runs_the_next_command(inside: Terminal, folder: Path) -> None:
    hook = folder / ".git/hooks/post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec {sys.executable} -m memcli state >/dev/null\n")
    hook.chmod(0o755)
    inside.git("switch", "-q", "-c", "other")
    inside.commit("second")
    inside.add(FACT)
    inside.git("switch", "-q", "main")
    assert FACT not in context(folder)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("profile", "set", "tone", "dry"), "**tone**: dry"),
        (("note", "add", "Bring the cake"), "Bring the cake"),
    ],
)
def test_what_a_person_keeps_for_every_repository_reaches_every_workspace(
    person: Person, inside: Terminal, folder: Path, words: tuple[str, ...], said: str
) -> None:
    other = workspace(person, ".openclaw/workspace-two")
    at(person, other).mem("init", "--no-agents")
    person.setup("openclaw")
    person.terminal.mem(*words, "--user")
    assert said in context(folder)
    assert said in context(other)


def test_so_does_what_they_remember_there_until_it_is_forgotten(person: Person, inside: Terminal, folder: Path) -> None:
    name = person.terminal.mem("add", "Mornings are quiet", "--summary", "s", "--user").id
    assert "Mornings are quiet" in context(folder)
    person.terminal.mem("pin", name, "--user")
    assert context(folder).count("Mornings are quiet") == 1
    person.terminal.mem("undo", "--user")
    assert "Mornings are quiet" in context(folder)
    person.terminal.mem("forget", name, "--user")
    assert "Mornings are quiet" not in context(folder)


def test_a_new_day_and_a_changed_file_are_seen_by_the_next_command(
    inside: Terminal, folder: Path, later: Callable[[str], None]
) -> None:
    (folder / "a.py").write_text("one")
    inside.mem("add", FACT, "--summary", "s", "--file", "a.py")
    inside.mem("note", "add", "Bring the cake")
    assert "changed" not in context(folder)
    (folder / "a.py").write_text("two")
    inside.mem("recent")
    assert "changed" in context(folder)
    assert "Bring the cake" in context(folder)
    later("2030-01-01T10:00:00Z")
    inside.mem("recent")
    assert "Bring the cake" not in context(folder)


def test_nothing_is_written_where_nothing_is_new(inside: Terminal, folder: Path) -> None:
    inside.add(FACT)
    before = (folder / context_file.FILE).stat()
    inside.mem("get", "tokens")
    inside.mem("sessions")
    assert not context_file.refresh(str(folder))
    assert (folder / context_file.FILE).stat().st_mtime_ns == before.st_mtime_ns


def test_a_file_that_git_tracks_is_left_alone(inside: Terminal, folder: Path) -> None:
    inside.git("add", "-f", context_file.FILE)
    inside.git("commit", "-q", "-m", "keep it")
    inside.add(FACT)
    assert FACT not in context(folder)
    assert "git tracks MEMORY_CONTEXT.md" in inside.mem("doctor").out
    assert "git tracks" in inside.mem("setup", "openclaw", fails=2).err
    inside.git("rm", "-q", "--cached", context_file.FILE)
    inside.mem("state")
    assert FACT in context(folder)


def test_git_ignores_the_file_in_this_clone(inside: Terminal, folder: Path) -> None:
    inside.git("add", "AGENTS.md")
    inside.git("commit", "-q", "-m", "agents")
    inside.add(FACT)
    assert FACT in context(folder)
    assert inside.git("status", "--short") == ""


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_file_that_came_with_a_clone_is_never_written(terminal: Terminal, is_committed: bool) -> None:
    file = terminal.folder / context_file.FILE
    file.write_text(before := context_file.MARK + "Nothing is known yet.\n")
    if is_committed:
        terminal.git("add", context_file.FILE)
        terminal.git("commit", "-q", "-m", "theirs")
    terminal.mem("init", "--no-agents")
    terminal.mem("profile", "set", "salary", "secret plan: leave in May", "--user")
    terminal.add(FACT)
    terminal.mem("get", "tokens")
    terminal.mem("state")
    assert file.read_text() == before


def test_a_file_that_came_with_a_clone_is_not_followed_where_setup_made_another(
    person: Person, inside: Terminal, folder: Path
) -> None:
    stranger = workspace(person, ".openclaw/workspace-clone")
    file = stranger / context_file.FILE
    file.write_text(before := context_file.MARK + "Nothing is known yet.\n")
    clone = at(person, stranger)
    clone.mem("init", "--no-agents")
    inside.mem("profile", "set", "salary", "secret plan: leave in May", "--user")
    clone.add(FACT)
    clone.mem("state")
    assert "secret plan" in context(folder)
    assert file.read_text() == before
    assert context_file.followed() == [str(folder)]
    assert len(list((inside.data / "bridges").iterdir())) == 1
    assert "was not made by setup on this machine" in clone.mem("doctor").out
    found = clone.mem("doctor", "--security", fails=1).out
    assert f"{file} looks like a file of mem, and setup on this machine did not make it" in found


def test_a_link_in_place_of_the_file_is_not_written_through(inside: Terminal, folder: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text(before := context(folder))
    (folder / context_file.FILE).unlink()
    (folder / context_file.FILE).symlink_to(outside)
    inside.add(FACT)
    inside.mem("state")
    assert outside.read_text() == before
    assert (folder / context_file.FILE).is_symlink()


def test_of_many_writers_at_once_the_last_text_is_the_whole_one(inside: Terminal, folder: Path) -> None:
    titles = [f"Fact number {n}" for n in range(8)]
    words = [sys.executable, "-m", "memcli", "add"]
    running = [subprocess.Popen([*words, title, "--summary", "s"], cwd=folder, env=inside.env) for title in titles]
    assert [one.wait(60) for one in running] == [0] * 8
    assert all(title in context(folder) for title in titles)
    assert not list(folder.glob("*.tmp"))


def test_what_a_writer_could_not_wait_for_is_caught_up(inside: Terminal, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = context_file._plan

    def slow(project: Project) -> TurnPlan:
        patch.setattr(context_file, "_plan", plan)
        patch.setattr(context_file, "_TRIES", 1)
        made = plan(project)
        inside.add(FACT)  # whose own refresh finds the lock taken
        return made

    with monkeypatch.context() as patch:
        patch.setattr(context_file, "_plan", slow)
        inside.mem("profile", "set", "tone", "dry")
    assert "dry" in context(folder)
    assert FACT not in context(folder)
    inside.mem("state")
    assert FACT in context(folder)


def test_who_only_reads_waits_for_no_writer(inside: Terminal, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside.git("switch", "-q", "-c", "other")
    inside.commit("second")
    inside.add(FACT)
    inside.git("switch", "-q", "main")
    (note,) = (inside.data / "bridges").iterdir()
    monkeypatch.setattr(context_file, "_NAP", "none")  # whoever waits fails
    with open(note) as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        inside.mem("state")
        with projects.reading(Where(str(folder))) as project:
            assert project.root == str(folder)
        assert FACT in context(folder)
    inside.mem("state")
    assert FACT not in context(folder)


def test_what_a_killed_writer_left_is_taken_away(inside: Terminal, folder: Path) -> None:
    aside = f"{context_file.FILE}.{os.getpid()}."
    left, young = folder / f"{aside}0123abcd.tmp", folder / f"{aside}0123abce.tmp"
    others = [folder / name for name in (f"{aside}zzzzzzzz.tmp", f"{context_file.FILE}.mine.tmp", "other.1.0123abcd.tmp")]
    kept = [young, *others]
    for path in (left, *kept):
        path.write_text("half")
    for path in (left, *others):
        os.utime(path, (time.time() - 3600,) * 2)
    inside.add(FACT)
    assert not left.exists()
    assert all(path.exists() for path in kept)


def test_a_note_that_was_cut_short_is_made_anew(inside: Terminal, folder: Path) -> None:
    (note,) = (inside.store.parents[2] / "bridges").iterdir()
    whole = json.loads(note.read_text())
    for number, said in enumerate(
        (
            '{"root": "/',
            "[]",
            json.dumps(whole | {"stamp": "x"}),
            json.dumps(whole | {"stamp": "[1]"}),
            json.dumps(whole | {"root": 3}),
            json.dumps(whole | {"store": None}),
        )
    ):
        note.write_text(said)
        inside.add(f"{FACT} {number}")
        assert f"{FACT} {number}" in context(folder)
        assert note.read_text().endswith("}\n")


def test_a_workspace_that_is_gone_is_forgotten(person: Person, inside: Terminal, folder: Path) -> None:
    notes = inside.store.parents[2] / "bridges"
    assert len(list(notes.iterdir())) == 1
    person.setup("openclaw", "--remove")
    inside.add(FACT)
    assert not list(notes.iterdir())
    assert not (folder / context_file.FILE).exists()


def test_a_text_replaces_a_file_at_once_and_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text("one")
    path.chmod(0o640)
    link = tmp_path / "b.md"
    link.symlink_to("a.md")
    files.write(str(link), "two\r\n")
    assert path.read_bytes() == b"two\r\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert link.is_symlink()
    with pytest.raises(FileNotFoundError):
        files.write(str(tmp_path / "none" / "x"), "y")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.md", "b.md"]


def test_a_directory_that_may_not_be_listed_can_be_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(folder: str) -> list[str]:
        raise PermissionError(13, "Permission denied", folder)

    monkeypatch.setattr(os, "listdir", refuse)
    files.write(str(tmp_path / "x"), "y")
    assert (tmp_path / "x").read_text() == "y"


def test_the_service_looks_for_itself(inside: Terminal, folder: Path) -> None:
    inside.git("switch", "-q", "-c", "other")
    inside.commit("second")
    inside.add(FACT)
    inside.git("switch", "-q", "main")
    Workers()._scan()
    assert FACT not in context(folder)


def test_the_worker_sees_it_after_any_hook(inside: Terminal, folder: Path) -> None:
    inside.git("switch", "-q", "-c", "other")
    inside.commit("second")
    inside.add(FACT)
    inside.git("switch", "-q", "main")
    inside.process("worker", "run", env={"MEMPACK_WORKER_IDLE_SECONDS": "0.01"})
    assert FACT not in context(folder)
