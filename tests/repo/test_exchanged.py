"""A path that somebody exchanges after it was looked at leads nowhere else: each test does so at the worst moment."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memcli.agents.turns import context_file
from memcli.repo import worktree
from memcli.text import bounded, files
from tests.conftest import Terminal

SECRET = "the password of production: of somebody else"
Exchange = Callable[[Any, str, Path], None]


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A directory that the tree may not lead to, with files of the names that stand in the tree."""
    folder = tmp_path / "outside"
    folder.mkdir()
    for name in ("notes.md", "MEMORY.md", "MEMORY_CONTEXT.md", "exclude"):
        (folder / name).write_text(SECRET)
    return folder


@pytest.fixture
def exchange(outside: Path, monkeypatch: pytest.MonkeyPatch) -> Exchange:
    """Has a path become a link that leads outside as soon as a function has answered."""

    def arrange(module: Any, name: str, path: Path) -> None:
        look = getattr(module, name)

        def answer(*words: Any, **options: Any) -> Any:
            answer = look(*words, **options)
            if not path.is_symlink():
                path.rename(path.with_name("aside"))
                path.symlink_to(outside if path.with_name("aside").is_dir() else outside / path.name)
            return answer

        monkeypatch.setattr(module, name, answer)

    return arrange


@pytest.mark.parametrize("changed", ["docs/notes.md", "docs"])
def test_a_file_of_the_tree_is_read_from_the_tree(terminal: Terminal, exchange: Exchange, changed: str) -> None:
    folder = terminal.folder / "docs"
    folder.mkdir()
    (folder / "notes.md").write_text("of the tree")
    assert worktree.content(str(terminal.folder), "docs/notes.md") == b"of the tree"
    exchange(worktree, "place", terminal.folder / changed)
    assert worktree.content(str(terminal.folder), "docs/notes.md") is None


def test_instructions_are_read_from_the_tree(terminal: Terminal, exchange: Exchange) -> None:
    terminal.mem("init", "--no-agents")
    path = terminal.folder / ".mempack/MEMORY.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text("Run the linter before each commit.")
    assert "the linter" in terminal.mem("turn", "prepare", "--session", "s1").out
    exchange(worktree, "place", path)
    assert SECRET not in terminal.mem("turn", "prepare", "--session", "s2").out


def test_what_mem_writes_replaces_a_link_and_changes_nothing_behind_it(
    terminal: Terminal, outside: Path, exchange: Exchange
) -> None:
    terminal.mem("init", "--no-agents")
    path = terminal.folder / context_file.FILE
    path.write_text(context_file.MARK)
    context_file.register(str(terminal.folder))
    exchange(context_file, "is_tracked", path)
    terminal.add("Tokens live in Postgres")
    assert (outside / context_file.FILE).read_text() == SECRET
    assert "Postgres" in path.read_text()
    assert not path.is_symlink()


def test_what_git_is_told_to_ignore_is_written_into_its_directory(terminal: Terminal, outside: Path, exchange: Exchange) -> None:
    from memcli.repo import head

    checkout = head.find(str(terminal.folder))
    assert checkout
    path = Path(checkout.common_dir) / "info/exclude"
    path.parent.mkdir(exist_ok=True)
    path.write_text("build\n")
    exchange(bounded, "is_linked", path)
    worktree.exclude(checkout, "MEMORY_CONTEXT.md")
    assert (outside / "exclude").read_text() == SECRET
    assert path.read_text() == "build\n/MEMORY_CONTEXT.md\n"


def test_a_file_below_a_tree_is_regular_and_no_step_to_it_a_link(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/file").write_text("text")
    (tmp_path / "link").symlink_to("a")
    os.mkfifo(tmp_path / "a/pipe")
    assert bounded.read_below(str(tmp_path), "a/b/file", 10) == b"text"
    for path in ("link/b/file", "a/pipe", "a/b", "a/missing", "a/b/file\0", "a/b/file/more"):
        assert bounded.read_below(str(tmp_path), path, 10) is None
    assert bounded.read_below(str(tmp_path), "a/b/file", 3) is None


def test_a_person_s_own_link_is_still_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    files.write(str(tmp_path / "link"), "new")
    assert ((tmp_path / "real").read_text(), (tmp_path / "link").is_symlink()) == ("new", True)
