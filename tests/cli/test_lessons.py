"""What people who tried it stumbled over."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Terminal


def test_reusing_a_thread_after_undo_leaves_a_healthy_store(terminal: Terminal) -> None:
    terminal.add("a", "b", "--thread", "t")
    terminal.mem("undo")
    terminal.add("a", "b", "--thread", "t")

    assert terminal.mem("doctor", "--json").json["ok"] is True
    terminal.mem("undo")
    assert [one["thread_id"] for one in terminal.mem("threads", "--json").json] == []


def test_a_worktree_neither_renames_nor_moves_the_memory(terminal: Terminal) -> None:
    terminal.add("Tokens live in Postgres")
    terminal.git("worktree", "add", "-q", "-b", "side", "../wt")
    tree = terminal.at(terminal.folder.parent / "wt")
    tree.add("Tokens live in Redis")
    terminal.git("worktree", "remove", "--force", "../wt")

    (known,) = terminal.mem("repos", "--json").json
    assert (known["root_name"], known["git_root"]) == ("work", str(terminal.folder))
    outside = terminal.at(terminal.folder.parent)
    pack = outside.mem("get", "tokens", "--repo", known["repo_id"], "--json").json
    assert pack["repo"]["head"] == terminal.git("rev-parse", "HEAD")


def test_supersession_survives_export_and_import(terminal: Terminal) -> None:
    old = terminal.add("Limit is 1000")
    terminal.mem("supersede", old, "--title", "Limit is 5000", "--summary", "measured")
    lines = terminal.mem("export").out
    other = terminal.at(terminal.folder.parent / "other")
    other.folder.mkdir()
    other.git("init", "-q", ".")
    other.commit("first")
    assert other.mem("import", "-", stdin=lines).out == "2 new, 0 changed, 0 unchanged\n"

    assert other.titles("limit") == ["Limit is 5000"]
    assert other.mem("import", "-", stdin=lines).out == "0 new, 0 changed, 2 unchanged\n"


def test_importing_again_keeps_what_was_changed_here_since(terminal: Terminal) -> None:
    memory_id = terminal.add("Retry three times", "at first")
    lines = terminal.mem("export").out
    terminal.mem("update", memory_id, "--summary", "corrected later")

    assert terminal.mem("import", "-", "--json", stdin=lines).json["unchanged"] == 1
    assert terminal.mem("show", memory_id, "--json").json["memory"]["summary"] == "corrected later"


@pytest.mark.parametrize(
    "words",
    [
        ("forget", "M-ABC"),
        ("undo",),
        ("pin", "M-AB"),
        ("add", "", "--summary", "x"),
        ("add", "a", "--summary", "b", "--workspace", "a b"),
    ],
)
def test_what_is_refused_creates_nothing(terminal: Terminal, words: tuple[str, ...]) -> None:
    assert terminal.process(*words, fails=None).code in (2, 3)
    assert not (terminal.folder / ".git/mempack").exists()
    assert not terminal.data.exists()


def test_a_store_of_a_workspace_alone_is_listed_and_found(terminal: Terminal) -> None:
    terminal.add("a", "b", "--workspace", "w")
    (known,) = terminal.mem("repos", "--json").json

    assert terminal.at(terminal.folder.parent).mem("recent", "--repo", known["repo_id"], "--workspace", "w", "--json").json


def test_a_hostile_repository_config_stops_nothing(terminal: Terminal) -> None:
    terminal.add("Tokens live in Postgres")
    (terminal.folder / ".mempack").mkdir()
    config = terminal.folder / ".mempack/config.toml"
    for content in ("a = " + "[" * 50_000, "[budget]\ntotal = 0\n", "budget = 3\n"):
        config.write_text(content)
        assert terminal.titles("tokens") == ["Tokens live in Postgres"]
    config.unlink()
    config.symlink_to("/dev/zero")
    assert terminal.titles("tokens") == ["Tokens live in Postgres"]


def test_a_cache_that_lies_in_the_working_directory_is_not_ours(terminal: Terminal) -> None:
    (terminal.folder / "cache.db").write_bytes(b"SQLite format 3\0 planted")

    assert terminal.mem("get", "anything").code == 0
    assert (terminal.folder / "cache.db").read_bytes() == b"SQLite format 3\0 planted"


def test_control_characters_do_not_reach_the_terminal_by_any_writing_verb(terminal: Terminal) -> None:
    memory_id = terminal.add("a")
    said = terminal.mem("checkpoint", "--reason", "\x1b[31mred", "--state-json", "1").out
    said += terminal.mem("link", memory_id, "see", "http://x/\x1b[2J").out
    assert "\x1b" not in said


def test_a_directory_inside_git_gets_no_memory_of_its_own(terminal: Terminal) -> None:
    (terminal.folder / "sub").mkdir()
    refused = terminal.mem("init", "--no-git", "sub", fails=2)
    assert "inside a git repository" in refused.err


def test_memories_survive_git_init_in_a_directory_without_git(nowhere: Terminal) -> None:
    nowhere.mem("init", "--no-git")
    nowhere.add("Tokens live in Postgres")
    nowhere.git("init", "-q", ".")

    assert nowhere.titles("tokens") == ["Tokens live in Postgres"]


def test_a_hook_tells_what_it_does_not_know_and_still_ends_well(terminal: Terminal) -> None:
    terminal.add("Tokens live in Postgres")
    payload = json.dumps({"prompt": "where do tokens live", "cwd": str(terminal.folder)})

    assert "Tokens live in Postgres" in terminal.mem("hook", "--harness", "claude", "user-prompt", stdin=payload).out
    assert "no event 'nosuch'" in terminal.mem("hook", "nosuch", stdin="{}").err
    assert terminal.mem("hook", "--help").out.startswith("Usage: mem hook EVENT")
    assert terminal.mem("hook", "stop", stdin="{}").out == ""


def test_a_setting_can_be_taken_back(terminal: Terminal) -> None:
    terminal.mem("config", "set", "budget.total", "900")
    terminal.mem("config", "unset", "budget.total")

    assert terminal.mem("config", "get", "budget.total").out == "2500\n"


def test_undo_says_what_it_took_back(terminal: Terminal) -> None:
    terminal.add("Tokens live in Postgres")
    assert "Tokens live in Postgres" in terminal.mem("undo").out
