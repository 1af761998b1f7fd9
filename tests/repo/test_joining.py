"""Which directory gets which memory: what anybody's files can say of themselves opens nothing, a commit that they hold does."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from memcli.http import stores
from memcli.memory import contents
from memcli.repo import gitrun, identity
from tests.conftest import Terminal

ORIGIN = "git@example.invalid:acme/private.git"
SECRET = "The failover password procedure is in vault path kv"


@pytest.fixture
def victim(terminal: Terminal) -> Terminal:
    terminal.git("remote", "add", "origin", ORIGIN)
    terminal.commit("first", a_py="a")
    terminal.add(SECRET)
    terminal.mem("profile", "set", "deploy", "from the laptop only")
    return terminal


@pytest.fixture
def archive(victim: Terminal, tmp_path: Path) -> Terminal:
    """An unpacked archive with a `.git` of its own, which names the same origin."""
    folder = tmp_path / "archive"
    folder.mkdir()
    other = victim.at(folder)
    other.git("init", "-q", "-b", "main", ".")
    other.git("remote", "add", "origin", "https://example.invalid/acme/private")
    other.commit("another history")
    return other


def known(terminal: Terminal) -> str:
    """Returns all that a prompt and the profile tell in a directory."""
    return terminal.mem("get", "failover password deploy", "--include-orphans").out + terminal.mem("profile", "list").out


def is_apart(other: Terminal, victim: Terminal) -> bool:
    """Tells whether a directory reads nothing of a memory and writes nothing into it."""
    before = known(other)
    other.add("Build needs a script of theirs")
    other.mem("profile", "set", "build", "run theirs first")
    after = known(victim)
    return SECRET not in before and "laptop" not in before and "theirs" not in after and SECRET in after


def test_an_archive_that_names_an_origin_gets_and_changes_nothing(victim: Terminal, archive: Terminal) -> None:
    assert is_apart(archive, victim)


def test_a_shallow_file_buys_nothing(victim: Terminal, archive: Terminal) -> None:
    (archive.folder / ".git/shallow").write_text(archive.git("rev-parse", "HEAD") + "\n")
    assert is_apart(archive, victim)


def test_a_head_that_names_a_commit_buys_nothing(victim: Terminal, archive: Terminal) -> None:
    (archive.folder / ".git/HEAD").write_text(victim.git("rev-parse", "HEAD") + "\n")
    assert is_apart(archive, victim)


def test_an_object_that_only_has_the_name_of_a_commit_buys_nothing(victim: Terminal, archive: Terminal) -> None:
    commit, own = victim.git("rev-parse", "HEAD"), archive.git("rev-parse", "HEAD")
    objects = archive.folder / ".git/objects"
    (objects / commit[:2]).mkdir(exist_ok=True)
    shutil.copy(objects / own[:2] / own[2:], objects / commit[:2] / commit[2:])
    (archive.folder / ".git/HEAD").write_text(commit + "\n")
    assert is_apart(archive, victim)


@pytest.mark.parametrize("way", ["alternates", "link", "linked directory", "linked pack", "linked object"])
def test_objects_borrowed_from_the_repository_beside_it_buy_nothing(victim: Terminal, archive: Terminal, way: str) -> None:
    theirs, objects = victim.folder / ".git/objects", archive.folder / ".git/objects"
    if way == "alternates":
        (objects / "info/alternates").write_text(f"{theirs}\n")
    elif way == "link":
        shutil.rmtree(objects)
        objects.symlink_to(theirs)
    elif way == "linked pack":
        victim.git("repack", "-adq")
        for pack in (theirs / "pack").iterdir():
            (objects / "pack" / pack.name).symlink_to(pack)
    else:
        for path in (path for path in theirs.glob("??/*") if not (objects / path.parent.name / path.name).exists()):
            folder = objects / path.parent.name
            if way == "linked directory" and not folder.exists():
                folder.symlink_to(path.parent)
            elif not folder.is_symlink():
                folder.mkdir(exist_ok=True)
                (folder / path.name).symlink_to(path)
    assert victim.git("rev-parse", "HEAD") in archive.git("rev-list", "--no-walk", victim.git("rev-parse", "HEAD"))
    (archive.folder / ".git/HEAD").write_text(victim.git("rev-parse", "HEAD") + "\n")
    assert SECRET not in archive.mem("get", "failover password", "--include-orphans").out


def test_a_commit_beside_the_history_of_head_buys_nothing(victim: Terminal, archive: Terminal) -> None:
    commit = victim.git("rev-parse", "HEAD")
    victim.git("bundle", "create", "-q", str(archive.folder / "all"), "main")
    archive.git("fetch", "-q", "all", "main")
    assert archive.git("cat-file", "-t", commit) == "commit"
    assert is_apart(archive, victim)


@pytest.mark.parametrize("way", ["file", "link", "commondir", "bare"])
def test_a_git_directory_that_only_points_to_another_repository_is_not_it(victim: Terminal, tmp_path: Path, way: str) -> None:
    theirs = victim.folder / ".git"
    folder = tmp_path / "evil"
    folder.mkdir()
    if way == "file":
        (folder / ".git").write_text(f"gitdir: {theirs}\n")
    elif way == "link":
        (folder / ".git").symlink_to(theirs)
    else:
        git_dir = folder if way == "bare" else folder / ".git"
        git_dir.mkdir(exist_ok=True)
        (git_dir / "HEAD").write_text("ref: refs/heads/main\n")
        (git_dir / "commondir").write_text(f"{theirs}\n")
    evil = victim.at(folder)
    assert "not inside a repository" in evil.mem("get", "failover password", fails=3).err
    assert "not inside a repository" in evil.mem("add", "theirs", "--summary", "theirs", fails=3).err


def test_an_id_behind_a_linked_directory_is_not_read(victim: Terminal, archive: Terminal) -> None:
    (archive.folder / ".git/mempack").symlink_to(victim.folder / ".git/mempack")
    assert is_apart(archive, victim)


def test_a_copied_id_buys_nothing(victim: Terminal, archive: Terminal) -> None:
    shutil.copytree(victim.folder / ".git/mempack", archive.folder / ".git/mempack")
    assert "mem use --join" in archive.mem("get", "failover").err
    assert is_apart(archive, victim)
    assert "laptop" not in known(archive)


def test_a_copied_id_without_its_inode_buys_nothing(victim: Terminal, archive: Terminal) -> None:
    (archive.folder / ".git/mempack").mkdir()
    repo_id = (victim.folder / ".git/mempack/repo-id").read_text().split()[0]
    (archive.folder / ".git/mempack/repo-id").write_text(repo_id + "\n")
    assert is_apart(archive, victim)


def test_a_copy_or_a_restored_backup_of_a_repository_keeps_its_memory(victim: Terminal, tmp_path: Path) -> None:
    shutil.copytree(victim.folder, tmp_path / "copy")
    assert SECRET in known(victim.at(tmp_path / "copy"))
    path = victim.folder / ".git/mempack/repo-id"
    old = path.read_text().split()[0]
    path.unlink()
    path.write_text(old + "\n")  # as an older version wrote it
    assert SECRET in known(victim)
    victim.add("Still the same memory")
    assert path.read_text() == f"{old} {path.stat().st_ino}\n"
    assert SECRET in known(victim)


def test_a_worktree_a_submodule_and_a_separate_git_directory_are_known_by_their_repository(
    victim: Terminal, tmp_path: Path
) -> None:
    victim.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side")
    assert SECRET in known(victim.at(tmp_path / "tree"))
    victim.git("init", "-q", f"--separate-git-dir={tmp_path / 'private.git'}", ".")
    assert SECRET in known(victim)


def test_a_fresh_clone_shares_the_memory_and_a_shallow_one_that_has_the_commit(victim: Terminal, tmp_path: Path) -> None:
    for name, depth in (("clone", ()), ("shallow", ("--depth", "1"))):
        victim.git("clone", "-q", *depth, f"file://{victim.folder}", str(tmp_path / name))
        clone = victim.at(tmp_path / name)
        clone.git("remote", "set-url", "origin", ORIGIN)
        assert SECRET in known(clone)
        assert "laptop" in known(clone)


def test_a_clone_proves_its_history_once_and_a_copy_too(
    victim: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim.git("clone", "-q", f"file://{victim.folder}", str(tmp_path / "clone"))
    clone = victim.at(tmp_path / "clone")
    clone.git("remote", "set-url", "origin", ORIGIN)
    shutil.copytree(victim.folder, tmp_path / "copy")
    event = {"session_id": "s", "cwd": str(clone.folder), "tool_name": "Bash", "tool_input": {"command": "ls"}}
    for other in (clone, victim.at(tmp_path / "copy")):
        assert SECRET in known(other)
    monkeypatch.setattr(gitrun, "run", None)
    for other in (clone, victim.at(tmp_path / "copy")):
        assert SECRET in known(other)
    clone.mem("hook", "post-tool-use", "--harness", "claude", stdin=json.dumps(event))
    assert "1 pending" in clone.mem("queue").out


def test_a_clone_that_cannot_be_written_to_is_known_all_the_same(
    victim: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(victim.folder, tmp_path / "copy")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(identity, "record", refuse)
    assert SECRET in known(victim.at(tmp_path / "copy"))


def test_a_clone_shares_a_memory_that_has_no_anchor(terminal: Terminal, tmp_path: Path) -> None:
    terminal.git("remote", "add", "origin", ORIGIN)
    terminal.mem("profile", "set", "deploy", "from the laptop only")
    terminal.git("clone", "-q", ".", str(tmp_path / "clone"))
    clone = terminal.at(tmp_path / "clone")
    clone.git("remote", "set-url", "origin", ORIGIN)
    assert "laptop" in clone.mem("profile", "list").out


def test_what_was_not_joined_is_named_with_the_way_to_join_it(victim: Terminal, archive: Terminal) -> None:
    line = " has the origin or directory of this clone, but shares no commit with it; to use it here: mem use --join "
    assert line in archive.mem("get", "failover").err
    assert "belongs to the same origin" in archive.mem("doctor").out
    assert "mem use --join" in archive.mem("add", "Ours", "--summary", "ours").err


def test_a_person_joins_a_memory_at_a_terminal_only(victim: Terminal, archive: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "needs a terminal" in archive.mem("use", "--join", fails=2, stdin="yes\n").err
    assert SECRET not in known(archive)
    monkeypatch.setattr("memcli.cli.verbs.repositories.at_terminal", lambda: True)
    archive.mem("use", "--join", fails=1, stdin="no\n")
    assert SECRET not in known(archive)
    archive.mem("use", "--join", stdin="yes\n")
    assert "laptop" in known(archive)


def test_a_memory_that_was_joined_is_listed_once_with_all_its_places(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal.add("Ours")
    folder = tmp_path / "an\\other\tplace"
    folder.mkdir()
    other = terminal.at(folder)
    other.git("init", "-q", "-b", "main", ".")
    other.commit("first")
    other.add("Theirs")
    listed = {row["root_name"]: row for row in terminal.mem("repos", "--json").json}
    joined, left = listed["work"]["repo_id"], listed[folder.name]["repo_id"]
    monkeypatch.setattr("memcli.cli.verbs.repositories.at_terminal", lambda: True)
    other.mem("use", "--join", joined, stdin="yes\n")

    def places() -> dict[str, tuple[str, set[str]]]:
        return {row["repo_id"]: (row["root_name"], set(row["git_roots"])) for row in terminal.mem("repos", "--json").json}

    both = {str(terminal.folder), str(folder)}
    assert places() == {joined: ("work", both), left: (folder.name, set())}
    for clone in (other, terminal):
        clone.add(f"Of {clone.folder.name}")
        assert places() == {joined: ("work", both), left: (folder.name, set())}, "whoever wrote last"
    lines = terminal.mem("repos").out.splitlines()
    assert [line.split()[-1] for line in lines].count(str(terminal.folder)) == 1
    assert len([line for line in lines if joined in line]) == 1

    shutil.rmtree(terminal.folder / ".git")
    other.add("From the clone that is left")
    assert places()[joined] == (folder.name, {str(folder)}), "it is called as the clone that has it"


def test_a_git_directory_made_anew_tells_of_the_memory_that_was_here(terminal: Terminal) -> None:
    terminal.add(SECRET)
    shutil.rmtree(os.path.join(terminal.folder, ".git"))
    terminal.git("init", "-q", "-b", "main", ".")
    terminal.commit("made anew")
    done = terminal.mem("get", "failover password")
    assert SECRET not in done.out
    assert "mem use --join" in done.err


def test_without_another_memory_of_its_kind_there_is_nothing_to_join(terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    assert terminal.mem("use", "--join", fails=3).err == (
        "Error: no other memory has this name, origin or directory\nHint: see mem repos, and name one: mem use --join ID\n"
    )


@pytest.fixture
def zoo(terminal: Terminal, tmp_path: Path) -> Terminal:
    """A repository whose name a program used before, which knew no more of it."""
    project = stores.Stores()
    with project.open("zoo") as opened:
        contents.store(opened, contents.draft(opened, "The login checks validity.", ()), "http")
    folder = tmp_path / "zoo"
    folder.mkdir()
    repository = terminal.at(folder)
    repository.git("init", "-q", "-b", "main", ".")
    repository.commit("first")
    return repository


@pytest.mark.parametrize("name", ["zoo", ""])
def test_init_names_the_memory_of_its_name_and_a_person_can_join_it(
    zoo: Terminal, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    told = zoo.mem("init", "--no-agents").out
    assert "is a memory of this name without a directory" in told
    assert "login" not in zoo.mem("recent").out

    monkeypatch.setattr("memcli.cli.verbs.repositories.at_terminal", lambda: True)
    zoo.mem("use", "--join", *name.split(), stdin="yes\n")
    assert "The login checks validity." in zoo.mem("recent").out
    assert "without a directory" not in zoo.mem("init", "--no-agents").out
    with stores.Stores().open("zoo") as opened:
        assert os.path.realpath(opened.root) == os.path.realpath(zoo.folder)


@pytest.mark.parametrize(("answer", "is_joined"), [("yes\n", True), ("no\n", False)])
def test_init_at_a_terminal_asks_before_it_takes_the_memory_of_its_name(
    zoo: Terminal, monkeypatch: pytest.MonkeyPatch, answer: str, is_joined: bool
) -> None:
    monkeypatch.setattr("memcli.cli.verbs.repositories.at_terminal", lambda: True)
    assert "Type yes to join" in zoo.mem("init", "--no-agents", stdin=answer).err
    assert ("The login checks validity." in zoo.mem("recent").out) is is_joined


def test_a_program_that_knows_a_repository_by_its_directory_reaches_its_memory(terminal: Terminal, tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    shop = terminal.at(folder)
    shop.git("init", "-q", "-b", "main", ".")
    shop.git("remote", "add", "origin", "git@example.invalid:acme/store.git")
    shop.mem("init", "--no-agents")
    for name in ("shop", "store", "acme/store"):
        with stores.Stores().open(name) as opened:
            assert os.path.realpath(opened.root) == os.path.realpath(folder)
