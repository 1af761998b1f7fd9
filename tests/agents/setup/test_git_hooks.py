"""`mem setup git`: hooks on request, beside nobody's toes."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.conftest import Terminal

NAMES = ("post-commit", "post-rewrite")


def hooks(terminal: Terminal) -> Path:
    return terminal.folder / ".git" / "hooks"


def notes(terminal: Terminal, name: str) -> list[str]:
    path = terminal.folder / ".git" / "mempack" / name
    return path.read_text().splitlines() if path.exists() else []


@pytest.fixture
def repo(terminal: Terminal) -> Terminal:
    """A repository with a memory."""
    terminal.add("Session tokens live in Postgres")
    return terminal


def test_it_installs_once_and_removes_again(repo: Terminal) -> None:
    assert (created := repo.mem("setup", "git").out).count("created") == 3
    assert f"changed   {repo.folder}/.git/config\n" in created
    assert all(os.access(hooks(repo) / name, os.X_OK) for name in NAMES)
    assert "already set up" in repo.mem("setup", "git").out
    assert (removed := repo.mem("setup", "git", "--remove").out).count("removed") == 3
    assert f"changed   {repo.folder}/.git/config\n" in removed
    assert not any((hooks(repo) / name).exists() for name in NAMES)
    assert "nothing to remove" in repo.mem("setup", "git", "--remove").out


def test_printing_writes_nothing(repo: Terminal) -> None:
    assert repo.mem("setup", "git", "--print").out.count("#!/bin/sh") == 2
    assert not hooks(repo).exists()


@pytest.mark.parametrize("name", NAMES)
def test_a_foreign_hook_stays_and_nothing_is_half_done(repo: Terminal, name: str) -> None:
    hooks(repo).mkdir()
    (hooks(repo) / name).write_text("#!/bin/sh\necho mine\n")
    error = repo.mem("setup", "git", fails=2).err

    assert "is not a hook of mem's" in error
    assert os.listdir(hooks(repo)) == [name]
    repo.mem("setup", "git", "--remove")
    assert (hooks(repo) / name).read_text() == "#!/bin/sh\necho mine\n"


def test_a_hook_of_ours_that_was_changed_is_foreign(repo: Terminal) -> None:
    repo.mem("setup", "git")
    path = hooks(repo) / "post-commit"
    path.write_text(path.read_text() + "echo mine\n")

    repo.mem("setup", "git", fails=2)
    repo.mem("setup", "git", "--remove")
    assert path.exists()
    assert not (hooks(repo) / "post-rewrite").exists()


def test_a_link_is_left_alone(repo: Terminal, tmp_path: Path) -> None:
    hooks(repo).mkdir()
    (hooks(repo) / "post-commit").symlink_to(tmp_path / "elsewhere")

    assert "is a link" in repo.mem("setup", "git", fails=2).err
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("way", ["link", "setting", "linked setting", "included setting"])
def test_a_directory_of_hooks_outside_of_the_repository_is_left_alone(repo: Terminal, tmp_path: Path, way: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    if way == "link":
        hooks(repo).symlink_to(outside)
    elif way == "setting":
        repo.git("config", "core.hooksPath", str(outside))
    elif way == "linked setting":
        (repo.folder / ".githooks").symlink_to(outside)
        repo.git("config", "core.hooksPath", ".githooks")
    else:
        (repo.folder / "more").write_text(f"[core]\n\thooksPath = {outside}\n")
        repo.git("config", "include.path", "../more")

    assert "leads out of this repository" in repo.mem("setup", "git", fails=2).err
    assert os.listdir(outside) == []


@pytest.mark.parametrize("path", ["info", "info/attributes", "config"])
@pytest.mark.parametrize("words", [(), ("--remove",)], ids=["setup", "remove"])
def test_attributes_and_settings_of_somewhere_else_are_left_alone(
    repo: Terminal, tmp_path: Path, path: str, words: tuple[str, ...]
) -> None:
    outside, own = tmp_path / "outside", repo.folder / ".git" / path
    own.parent.mkdir(exist_ok=True)
    if own.exists():
        own.rename(outside)
    elif path == "info":
        outside.mkdir()
    else:
        outside.write_text("/.mempack/memories/*.md merge=mem\n*.bin binary\n" if words else "*.bin binary\n")
    own.symlink_to(outside)
    before = outside.read_text() if outside.is_file() else os.listdir(outside)

    assert "leads out of this repository" in repo.mem("setup", "git", *words, fails=2).err
    assert before == (outside.read_text() if outside.is_file() else os.listdir(outside))
    assert not hooks(repo).is_dir() or not set(NAMES) & set(os.listdir(hooks(repo)))


def test_a_directory_of_hooks_that_the_person_set_for_all_is_theirs(repo: Terminal, tmp_path: Path) -> None:
    repo.git("config", "--global", "core.hooksPath", str(tmp_path / "mine"))
    repo.mem("setup", "git")
    assert sorted(os.listdir(tmp_path / "mine")) == sorted(NAMES)


def test_they_go_where_git_looks_for_hooks(repo: Terminal) -> None:
    repo.git("config", "core.hooksPath", ".githooks")
    repo.mem("setup", "git")

    assert sorted(os.listdir(repo.folder / ".githooks")) == sorted(NAMES)
    assert not hooks(repo).exists()
    repo.git("commit", "-q", "--allow-empty", "--amend", "-m", "again")
    assert len(notes(repo, "rewritten")) == 1


def test_a_worktree_has_the_hooks_of_its_repository(repo: Terminal, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = repo.at(tmp_path / "side")
    side.mem("setup", "git")
    assert sorted(os.listdir(hooks(repo))) == sorted(NAMES)
    side.git("commit", "-q", "--allow-empty", "-m", "one")
    side.git("commit", "-q", "--allow-empty", "--amend", "-m", "two")
    assert len(notes(repo, "rewritten")) == 1


def test_a_rebase_is_noted_and_memories_follow_it_when_git_has_forgotten(repo: Terminal) -> None:
    repo.mem("setup", "git")
    repo.git("switch", "-q", "-c", "side")
    repo.commit("feature", a_py="x = 1\n")
    name = repo.add("The feature is switched off", "until Monday")
    repo.git("switch", "-q", "main")
    repo.commit("meanwhile", a_py="y = 1\n")
    repo.git("switch", "-q", "side")
    repo.git("rebase", "-q", "-X", "theirs", "main")
    repo.git("commit", "-q", "--amend", "-m", "said otherwise", "--reset-author")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")

    assert len(notes(repo, "rewritten")) == 2
    (memory,) = [item for item in repo.mem("recent", "--json").json if item["id"] == name]
    assert repo.mem("show", memory["id"], "--json").json["memory"]["carried_over"]["commit"] == repo.git("rev-parse", "HEAD")


def test_a_commit_in_a_session_is_noted_and_one_without_is_not(repo: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.mem("setup", "git")
    repo.commit("by hand")
    assert notes(repo, "commits") == []
    repo.env["CLAUDE_CODE_SESSION_ID"] = "s1"
    commit = repo.commit("by an agent")
    assert [line.split() for line in notes(repo, "commits")] == [[commit, "s1"]]


def test_why_knows_the_session_that_only_the_hook_saw(repo: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.agents.worker.events import Events

    monkeypatch.setenv("MEMPACK_WORKER_IDLE_SECONDS", "0")
    repo.mem("setup", "git")
    events = Events(repo)
    events.prompt("Release it")
    events.work()
    repo.env["CLAUDE_CODE_SESSION_ID"] = "s1"
    repo.commit("Release 1.0", version_txt="1.0\n")
    (session,) = repo.mem("why", "HEAD", "--json").json["changes"][0]["sessions"]

    assert (session["harness"], session["how"]) == ("claude", "committed")


def test_a_hook_never_fails_a_commit(repo: Terminal) -> None:
    repo.mem("setup", "git")
    for name in ("commits", "rewritten"):
        (repo.folder / ".git" / "mempack" / name).mkdir()
    repo.env["CODEX_SESSION_ID"] = "s1"
    repo.commit("one")
    repo.git("commit", "-q", "--allow-empty", "--amend", "-m", "two")

    repo.mem("why", "HEAD")


def test_a_repository_without_a_memory_gets_no_notes(terminal: Terminal) -> None:
    terminal.mem("setup", "git")
    terminal.env["CLAUDE_CODE_SESSION_ID"] = "s1"
    terminal.commit("one")

    assert not (terminal.folder / ".git" / "mempack" / "commits").exists()


@pytest.mark.parametrize("options", [("--mcp",), ("--project",), ("--user",), ("--print", "--remove"), ("--workspace", "x")])
def test_options_that_mean_nothing_here_are_refused(repo: Terminal, options: tuple[str, ...]) -> None:
    repo.mem("setup", "git", *options, fails=2)
    assert not hooks(repo).exists()


def test_outside_of_a_repository(nowhere: Terminal) -> None:
    nowhere.mem("setup", "git", fails=3)


def test_as_json(repo: Terminal) -> None:
    files = json.loads(repo.mem("setup", "git", "--json").out)["files"]
    assert [(Path(file["path"]).name, file["action"]) for file in files] == [
        *[(name, "created") for name in (*NAMES, "attributes")],
        ("config", "changed"),
    ]


def both_sides_changed(repo: Terminal, *, merged: str, theirs: str) -> str:
    """What a merge makes of a memory's file, of which two branches change a line: the same one, or one far from it."""
    name, lines = ".mempack/memories/M-0000000000.md", [f"line {number}\n" for number in range(9)]
    (repo.folder / name).parent.mkdir(parents=True)
    repo.commit("both", **{name: "".join(lines)})
    repo.git("switch", "-q", "-c", "side")
    repo.commit("theirs", **{name: "".join(lines).replace(theirs, "theirs")})
    repo.git("switch", "-q", "main")
    repo.commit("ours", **{name: "".join(lines).replace("line 1\n", "ours\n")})
    ended = subprocess.run(["git", "merge", "-q", "side"], cwd=repo.folder, env=repo.env, capture_output=True, check=False)
    assert ("clean" if ended.returncode == 0 else "conflict") == merged
    return (repo.folder / name).read_text()


@pytest.mark.parametrize(("merged", "theirs"), [("conflict", "line 1"), ("clean", "line 8")])
def test_without_mem_a_merge_of_memory_files_is_that_of_git_itself(repo: Terminal, merged: str, theirs: str) -> None:
    repo.mem("setup", "git")
    driver = repo.git("config", "merge.mem.driver")
    program = driver[: driver.index(" merge-memory ")]
    repo.git("config", "merge.mem.driver", driver.replace(program, "/nonexistent/mem"))
    text = both_sides_changed(repo, merged=merged, theirs=theirs)
    assert "ours" in text
    assert "theirs" in text
    assert text.count("<<<<<<< ours\n") == (merged == "conflict")


def test_doctor_names_a_driver_that_needs_mem_and_setup_replaces_it(repo: Terminal) -> None:
    repo.git("config", "merge.mem.driver", "/usr/bin/mem merge-memory %O %A %B")
    assert "merge driver for memory files is an older one" in repo.mem("doctor", fails=None).out
    repo.mem("setup", "git")
    assert "merge driver" not in repo.mem("doctor", fails=None).out
