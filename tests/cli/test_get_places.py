"""Which memory mem get means: worktrees, clones, moved and nested repositories, workspaces, the person's own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Terminal

FACT = "Session tokens live in Postgres"


def repository(terminal: Terminal, folder: Path, origin: str = "") -> Terminal:
    """A further repository with one commit, and a terminal in it."""
    folder.mkdir(parents=True)
    other = terminal.at(folder)
    other.git("init", "-q", "-b", "main", ".")
    other.commit("first")
    if origin:
        other.git("remote", "add", "origin", origin)
    return other


def logging_git(terminal: Terminal, folder: Path) -> tuple[dict[str, str], Path]:
    """An environment in which every start of git leaves a line in a file, and that file."""
    log = folder / "git.log"
    real = shutil.which("git")
    folder.mkdir()
    (folder / "git").write_text(f'#!/bin/sh\necho "$@" >> {log}\nexec {real} "$@"\n')
    (folder / "git").chmod(0o755)
    return {"PATH": f"{folder}:{terminal.env['PATH']}"}, log


def test_a_worktree_shares_the_memory(terminal: Terminal, tmp_path: Path) -> None:
    terminal.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side")
    tree = terminal.at(tmp_path / "tree")
    terminal.add(FACT)

    assert terminal.titles("session") == [FACT]
    assert tree.titles("session") == [FACT]
    tree.commit("only there")
    tree.add("Session cookies are signed")
    assert sorted(tree.titles("session")) == ["Session cookies are signed", FACT]
    assert terminal.titles("session") == [FACT]
    terminal.git("merge", "-q", "side")
    assert sorted(terminal.titles("session")) == ["Session cookies are signed", FACT]


def test_every_directory_of_a_repository_means_the_repository(terminal: Terminal) -> None:
    terminal.add(FACT)
    (terminal.folder / "src/deep").mkdir(parents=True)

    assert terminal.at(terminal.folder / "src/deep").titles("session") == [FACT]


def test_a_moved_repository_keeps_its_memory(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add(FACT)
    terminal.folder.rename(tmp_path / "elsewhere")
    moved = terminal.at(tmp_path / "elsewhere")

    assert moved.titles("session") == [FACT]
    assert moved.mem("get", "session", "--json").json["repo"]["git_root"] == str(tmp_path / "elsewhere")
    moved.add("Session cookies are signed")
    assert moved.mem("repos", "--json").json[0]["git_root"] == str(tmp_path / "elsewhere")


def test_two_clones_of_one_origin_share_the_memory_however_it_is_spelt(terminal: Terminal, tmp_path: Path) -> None:
    one = repository(terminal, tmp_path / "one/shop", "git@git.example.invalid:acme/shop.git")
    one.git("clone", "-q", str(one.folder), str(tmp_path / "two/shop-again"))
    two = terminal.at(tmp_path / "two/shop-again")
    two.git("remote", "set-url", "origin", "https://user:secret@Git.Example.invalid/acme/shop")
    one.add(FACT)
    shared = [item["title"] for item in two.mem("get", "session", "--include-orphans", "--json").json["top_memories"]]

    assert shared == [FACT]
    two.add("Session cookies are signed")
    assert len(list(terminal.data.glob("repos/*/memory.db"))) == 1
    assert len(one.titles("session", "--include-orphans")) == 2


def test_two_repositories_of_one_name_never_share(terminal: Terminal, tmp_path: Path) -> None:
    one = repository(terminal, tmp_path / "one/shop", "https://git.example.invalid/acme/shop")
    two = repository(terminal, tmp_path / "two/shop", "https://git.example.invalid/other/shop")
    three = repository(terminal, tmp_path / "three/shop")
    four = repository(terminal, tmp_path / "four/shop")
    one.add(FACT)

    for other in (two, three, four):
        assert other.titles("session", "--include-orphans") == []
        other.add("Session fact of another shop")
    assert one.titles("session", "--include-orphans") == [FACT]
    assert len(list(terminal.data.glob("repos/*/memory.db"))) == 4
    assert "'shop' means 2 repositories" in one.mem("get", "session", "--repo", "shop", fails=2).err


def test_a_nested_repository_is_its_own(terminal: Terminal) -> None:
    inner = repository(terminal, terminal.folder / "vendor/inner")
    terminal.add(FACT)
    inner.add("Session fact of the inner one")

    assert terminal.titles("session", "--include-orphans") == [FACT]
    assert inner.titles("session", "--include-orphans") == ["Session fact of the inner one"]


def test_a_submodule_is_its_own(terminal: Terminal, tmp_path: Path) -> None:
    repository(terminal, tmp_path / "library")
    terminal.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "library"), "lib")
    terminal.commit("with library")
    submodule = terminal.at(terminal.folder / "lib")
    terminal.add(FACT)
    submodule.add("Session fact of the library")

    assert terminal.titles("session", "--include-orphans") == [FACT]
    assert submodule.titles("session", "--include-orphans") == ["Session fact of the library"]
    assert submodule.titles("session") == ["Session fact of the library"]


def test_the_repository_can_be_named_from_anywhere(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add(FACT)
    repo_id = terminal.mem("repos", "--json").json[0]["repo_id"]
    (tmp_path / "outside").mkdir()
    outside = terminal.at(tmp_path / "outside")

    for named in (str(terminal.folder), "../work", "work", repo_id, repo_id[:8], repo_id[:8].lower()):
        assert outside.titles("session", "--repo", named) == [FACT], named


def test_outside_any_repository_the_active_one_is_meant(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add(FACT)
    (tmp_path / "outside").mkdir()
    outside = terminal.at(tmp_path / "outside")
    outside.mem("get", "session", fails=3)
    outside.mem("use", str(terminal.folder))

    assert outside.titles("session") == [FACT]
    other = repository(terminal, tmp_path / "other")
    assert other.titles("session") == []


def test_a_deleted_working_directory_is_an_error_and_no_crash(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
    command = ["sh", "-c", script, "sh", str(tmp_path / "gone"), sys.executable, "-m", "memcli", "get", "x"]
    done = subprocess.run(command, env=terminal.env, capture_output=True, text=True, timeout=60)

    assert (done.returncode, done.stdout) == (3, "")
    assert "Traceback" not in done.stderr


def test_a_directory_without_git_has_a_memory_that_holds_everywhere(nowhere: Terminal) -> None:
    nowhere.mem("init", "--no-git", "--no-agents")
    nowhere.add(FACT)
    pack = nowhere.mem("get", "session", "--json").json

    assert [(item["title"], item["anchor_commit"], item["anchor_state"]) for item in pack["top_memories"]] == [
        (FACT, None, "reachable")
    ]
    assert nowhere.mem("get", "session").out.startswith("# Memory of work\n")


def test_workspaces_are_separate(terminal: Terminal) -> None:
    terminal.add(FACT)
    terminal.add("Session fact of the side", "because", "--workspace", "side")

    assert terminal.titles("session") == [FACT]
    assert terminal.titles("session", "--workspace", "side") == ["Session fact of the side"]
    assert terminal.titles("session", "--workspace", "default") == [FACT]
    assert terminal.titles("session", "--workspace", "never-made") == []
    assert "not a name for a workspace: '../up'" in terminal.mem("get", "x", "--workspace", "../up", fails=2).err


def test_the_persons_own_memory_is_merged_and_marked(terminal: Terminal, tmp_path: Path) -> None:
    terminal.add("Session fact of the repository")
    terminal.add("Session fact of mine", "I like it", "--user")
    pack = terminal.mem("get", "session fact", "--json").json

    assert {item["title"]: item["from"] for item in pack["top_memories"]} == {
        "Session fact of the repository": "repository",
        "Session fact of mine": "user",
    }
    assert "- Session fact of mine [" in terminal.mem("get", "session fact").out
    assert terminal.mem("get", "session fact").out.count(" · yours]") == 1
    assert {hit["title"]: hit["from"] for hit in terminal.mem("search", "session fact", "--json").json}[
        "Session fact of mine"
    ] == "user"
    assert repository(terminal, tmp_path / "other").titles("session") == ["Session fact of mine"]
    assert terminal.titles("session", "--user") == ["Session fact of mine"]


def test_the_repository_wins_over_the_persons_own_memory(terminal: Terminal) -> None:
    terminal.add("Tests run with pytest", "I like it. Tests, tests, tests: pytest.", "--user")
    terminal.add("Tests run with PyTest", "Decided in 2024.")
    pack = terminal.mem("get", "how do tests run with pytest", "--json").json

    assert [(item["title"], item["from"]) for item in pack["top_memories"]] == [("Tests run with PyTest", "repository")]
    assert pack["left_out"]["duplicates"] == 1


def test_where_the_clone_is_shallow_a_missing_commit_is_unknown_and_shown(terminal: Terminal, tmp_path: Path) -> None:
    terminal.git("remote", "add", "origin", "https://git.example.invalid/acme/shop")
    terminal.commit("second")
    terminal.add(FACT)
    terminal.commit("third")
    terminal.git("clone", "-q", "--depth", "1", f"file://{terminal.folder}", str(tmp_path / "shallow"))
    shallow = terminal.at(tmp_path / "shallow")
    shallow.git("remote", "set-url", "origin", "https://git.example.invalid/acme/shop")
    (item,) = shallow.mem("get", "session", "--json").json["top_memories"]

    assert (item["title"], item["anchor_state"]) == (FACT, "unknown")
    assert " · commit unknown here]" in shallow.mem("get", "session").out


def test_a_warm_get_starts_no_git(terminal: Terminal, tmp_path: Path) -> None:
    env, log = logging_git(terminal, tmp_path / "bin")
    terminal.add(FACT)
    terminal.commit("second")
    terminal.add("The first write after a commit notes what the earlier one changed")
    terminal.process("get", "session", env=env)
    assert log.exists()
    log.unlink()

    for words in (
        ["get", "session"],
        ["search", "session"],
        ["recent"],
        ["add", "Another", "--summary", "x"],
        ["get", "another"],
    ):
        terminal.process(*words, env=env)
    assert not log.exists()


def test_a_branch_that_was_seen_before_is_still_warm(terminal: Terminal, tmp_path: Path) -> None:
    env, log = logging_git(terminal, tmp_path / "bin")
    terminal.add(FACT)
    terminal.git("switch", "-q", "-c", "side")
    terminal.commit("side")
    terminal.process("get", "session", env=env)
    terminal.git("switch", "-q", "main")
    terminal.process("get", "session", env=env)
    terminal.git("switch", "-q", "side")
    log.unlink(missing_ok=True)

    assert FACT in terminal.process("get", "session", env=env).out
    assert not log.exists()


def test_without_git_on_the_path_everything_is_shown_as_unknown(terminal: Terminal) -> None:
    terminal.add(FACT)
    terminal.commit("second")

    assert " · commit unknown here]" in terminal.process("get", "session", env={"PATH": "/nowhere"}).out


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root may write everywhere, and setpriv is missing")
def test_a_read_only_data_directory_still_reads(terminal: Terminal) -> None:
    terminal.add(FACT)
    terminal.commit("second")
    before = {path: path.read_bytes() for path in terminal.data.rglob("*") if path.is_file()}
    for path in [*before, *terminal.data.rglob("*/"), terminal.data]:
        path.chmod(0o500 if path.is_dir() else 0o400)
    try:
        assert FACT in without_root(terminal, "get", "session").stdout
        assert FACT in without_root(terminal, "recent").stdout
        refused = without_root(terminal, "add", "More", "--summary", "x")
    finally:
        for path in [terminal.data, *terminal.data.rglob("*/")]:
            path.chmod(0o700)

    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("Error: the store is read-only\nHint: ")
    assert {path: path.read_bytes() for path in terminal.data.rglob("*") if path.is_file()} == before


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root may write everywhere, and setpriv is missing")
def test_a_store_that_was_read_only_for_a_while_is_written_as_before(terminal: Terminal) -> None:
    terminal.add(FACT)
    terminal.store.chmod(0o400)
    assert FACT in without_root(terminal, "get", "session").stdout
    checked = without_root(terminal, "doctor").stdout
    assert f"{terminal.store} is not writable now: nothing can be stored, and the index was not checked; let yourself" in checked
    assert "let yourself write its files" in without_root(terminal, "add", "More", "--summary", "x").stderr

    terminal.store.chmod(0o600)
    assert without_root(terminal, "add", "More", "--summary", "x").returncode == 0
    assert "no problems" in without_root(terminal, "doctor").stdout


@pytest.mark.skipif(os.geteuid() == 0 and not shutil.which("setpriv"), reason="root may write everywhere, and setpriv is missing")
@pytest.mark.parametrize("closed", [".", "repos", "repos/*/memory.db"])
def test_what_may_not_be_read_is_named_and_no_empty_memory(terminal: Terminal, closed: str) -> None:
    terminal.add(FACT)
    (path,) = [terminal.data] if closed == "." else terminal.data.glob(closed)
    before = path.stat().st_mode
    path.chmod(0)
    event = json.dumps({"session_id": "s", "cwd": str(terminal.folder), "prompt": "what of the session?"})
    lines = ["get session", "recent", "add More --summary x", "undo", "queue", "worker run", "backup", "mcp"]
    lines += ["repos"] if closed in (".", "repos") else []
    try:
        done = {line: without_root(terminal, *line.split()) for line in lines}
        hook = without_root(terminal, "hook", "user-prompt", "--harness", "claude", stdin=event)
    finally:
        path.chmod(before)
    for line, ended in done.items():
        assert (ended.returncode, ended.stdout) == (1, ""), line
        assert ended.stderr.startswith(f"Error: permission denied: {path}\nHint: let yourself read it"), line
    assert (hook.returncode, hook.stdout) == (0, "")
    event_is = "is lost" if closed == "." else "waits in a file until it can be stored"
    assert hook.stderr == f"mem hook: permission denied: {path}; the event {event_is}\n"
    assert terminal.mem("status", "--json").json["waiting"] == (closed != ".")


def without_root(terminal: Terminal, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Runs mem without root's right to write where the permissions forbid it."""
    drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    command = [*drop, sys.executable, "-m", "memcli", *words]
    return subprocess.run(command, cwd=terminal.folder, env=terminal.env, capture_output=True, text=True, timeout=60, input=stdin)
