"""A file at which git would wait for ever is named, and git is not run."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest

from memcli.repo import blocking, gitrun, worktree
from memcli.repo.head import find
from tests.conftest import Terminal

PLACES = (".gitignore", ".gitattributes", ".mailmap", ".git/config", ".git/index", ".git/packed-refs", ".git/shallow",
          ".git/info/exclude", ".git/info/attributes", ".git/info/grafts", ".git/objects/info/alternates")  # fmt: skip


@pytest.fixture
def committed(terminal: Terminal) -> Terminal:
    """A repository with a memory and a commit."""
    terminal.mem("init", "--no-agents")
    (terminal.folder / "app.py").write_text("x = 1\n")
    terminal.git("add", "app.py")
    terminal.commit("first")
    return terminal


def pipe(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    os.mkfifo(path)


@pytest.mark.parametrize("place", PLACES)
def test_a_pipe_that_git_would_open_is_named_at_once(committed: Terminal, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    pipe(committed.folder / place)
    monkeypatch.setattr(gitrun, "_run_spawned", lambda *_: pytest.fail("git was run"))
    refused = committed.mem("ingest", ".", fails=1).err
    assert refused.startswith("Error: git cannot list the files: ")
    assert f"{place} is no regular file" in refused
    assert "Hint: remove it" in refused
    committed.mem("hook", "user-prompt", "--harness", "claude", stdin='{"session_id": "s", "prompt": "why?"}')


def test_doctor_names_it(committed: Terminal) -> None:
    pipe(committed.folder / ".gitignore")
    assert ".gitignore is no regular file, so git is not run here" in committed.mem("doctor").out


@pytest.mark.parametrize(
    "setting",
    [
        "[core]\n\texcludesFile = {}",
        "[CORE]\n\tAttributesFile={}",
        "[include]\n\tpath = {}",
        "[core] excludesFile = {} # why",
        '[core]\n\texcludesFile = "{}" ; why',
        "[core]\n\texcludesFile = \\\n{}",
        '[includeIf "gitdir:/a]=b"] path = "{}"',
        "[a]\n[a][core]\r\n\texcludesFile = {}\r",
    ],
)
@pytest.mark.parametrize("is_included", [False, True])
def test_a_pipe_that_the_configuration_names_is_named(committed: Terminal, setting: str, is_included: bool) -> None:
    pipe(committed.folder / "sub/pipe")
    text = setting.format(committed.folder / "sub/pipe") + "\n"
    if is_included:
        (committed.folder / "more").write_text(text)
        text = "[include]\n\tpath = ../more\n"
    with (committed.folder / ".git/config").open("a") as file:
        file.write(text)
    assert "sub/pipe is no regular file" in committed.mem("ingest", ".", fails=1).err


def test_a_configuration_is_read_as_git_reads_it(tmp_path: Path) -> None:
    text = '\ufeff[a] k1 = x # no\n; k2 = no\n[s "]\\"="]k3=" a # "b\\\n c\\t\\"; no\n[a]\nk4 = \\\\ ; \\\nk5\nk6 = x  \\\n y  \n'
    (tmp_path / "config").write_text(text, encoding="utf-8")
    listed = subprocess.run(
        ["git", "config", "-f", tmp_path / "config", "-z", "--list"], capture_output=True, text=True, check=True
    )
    pairs = [entry.partition("\n") for entry in listed.stdout.split("\0") if entry]
    assert len(pairs) == 5
    assert [pair for pair in blocking._settings(text) if pair[0]] == [(key.rpartition(".")[2], value) for key, _, value in pairs]


def test_where_a_setting_has_git_read_without_end_it_is_stopped_before_it_fills_the_memory(committed: Terminal) -> None:
    if not hasattr(resource, "prlimit"):
        pytest.skip("the system limits no memory of another process")
    with (committed.folder / ".git/config").open("a") as file:
        file.write("[core]\n\tattributesFile = ~/../../../../../../../../dev/zero\n" + "[x]\n\ty = z\n" * 30_000)
    done = gitrun.run(("check-attr", "-a", "app.py"), str(committed.folder))
    assert (done.code, done.reason) == (gitrun.TIMED_OUT, "it needed too much memory")


def test_a_pipe_in_a_repository_inside_the_tree_is_named(committed: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worktree, "_LIST_SECONDS", 0.2)
    inner = committed.folder / "sub/inner"
    committed.git("init", "-q", "-b", "main", str(inner))
    for place in ("HEAD", "packed-refs", "refs/heads/main", ""):
        if not place:
            shutil.rmtree(inner / ".git")
        pipe(inner / ".git" / place)
        assert blocking.file_below(str(committed.folder)) == str(inner / ".git" / place)
        if place == "HEAD":
            assert "sub/inner/.git/HEAD is no regular file" in committed.mem("ingest", ".", fails=1).err
        (inner / ".git" / place).unlink()


def test_a_pipe_deep_in_the_tree_is_looked_for_when_git_takes_long(committed: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worktree, "_LIST_SECONDS", 0.2)
    pipe(committed.folder / "a/b/.gitignore")
    assert "a/b/.gitignore is no regular file" in committed.mem("ingest", ".", fails=1).err


def test_a_listing_that_takes_long_without_a_pipe_is_waited_for(committed: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worktree, "_LIST_SECONDS", 0.0)
    checkout = find(str(committed.folder))
    assert checkout
    assert worktree.listed(checkout) == (["app.py"], 0)


def test_what_git_does_not_wait_for_is_no_matter(committed: Terminal) -> None:
    pipe(committed.folder / "data/pipe")
    (committed.folder / ".gitignore").symlink_to("data/pipe")  # which git does not follow
    (committed.folder / ".mailmap").mkdir()
    with (committed.folder / ".git/config").open("a") as file:
        file.write(f'[core]\n\texcludesFile = {os.devnull}\n\thooksPath = data\n[remote "origin"]\n\turl = file:///x\n')
    assert blocking.file_for(str(committed.folder)) == ""
    assert "1 new" in committed.mem("ingest", ".").out


@pytest.mark.parametrize("folder", ["", "deep/er/", "large/"])
def test_a_pattern_that_git_matches_for_hours_is_named(
    committed: Terminal, monkeypatch: pytest.MonkeyPatch, folder: str, tmp_path: Path
) -> None:
    monkeypatch.setattr("memcli.repo.worktree._LIST_SECONDS", 0.5)
    programs = tmp_path / "programs"
    programs.mkdir()  # newer versions of git match it in a moment: this one takes as long as older ones do
    (programs / "git").write_text(f'#!/bin/sh\ncase "$*" in *ls-files*) exec sleep 60 ;; esac\nexec {shutil.which("git")} "$@"\n')
    (programs / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    (committed.folder / folder).mkdir(parents=True, exist_ok=True)
    (committed.folder / folder / ".gitignore").write_text(
        "*.pyc\n" + "*a" * 40 + "b\n" + ("# a comment\n" * 100_000 if folder == "large/" else "")
    )
    for number in range(8):
        (committed.folder / folder / f"{'a' * 120}{number}").write_text("text")
    refused = committed.mem("ingest", ".", fails=1).err
    assert f"{folder}.gitignore has a pattern with many stars" in refused
    assert "Traceback" not in refused


def test_where_git_matches_such_a_pattern_at_once_the_tree_is_listed(
    committed: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memcli.repo.worktree._LIST_SECONDS", 0.5)
    (committed.folder / ".gitignore").write_text("*a" * 40 + "b\n")
    (committed.folder / ("a" * 120)).write_text("text")
    done = committed.mem("ingest", ".", fails=None)
    assert "3 new" in done.out if done.code == 0 else "a pattern with many stars" in done.err


def test_a_tree_with_ordinary_patterns_is_listed_however_long_that_takes(
    committed: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memcli.repo.worktree._LIST_SECONDS", 0.0)
    (committed.folder / ".gitignore").write_text("# ******** our rules ********\n**/**/**/*.py[co]\n*.tmp\n")
    (committed.folder / "notes.md").write_text("# Notes\n\nRetries are capped at five.\n")
    committed.mem("ingest", ".")
    assert "capped at five" in committed.mem("get", "retries capped").out
