"""Finding the repository around a directory, and what it has checked out, from files alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from memcli.repo import gitrun
from memcli.repo.head import Checkout, find, is_bare, is_hash

SETTINGS = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
PERSON = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always")


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *PERSON, *words], cwd=folder, env=os.environ | SETTINGS, capture_output=True, check=True)
    return done.stdout.decode().strip()


def commit(folder: Path, message: str = "one") -> str:
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    git(tmp_path, "init", "-q", "-b", "main", str(folder))
    commit(folder)
    return folder


@pytest.fixture
def no_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes any question to git a failure."""

    def refuse(*words: object, **named: object) -> None:
        raise AssertionError(f"git was asked {words}")

    monkeypatch.setattr(gitrun, "run", refuse)


def found(start: Path) -> Checkout:
    checkout = find(str(start))
    assert checkout
    return checkout


def test_a_plain_repository_is_read_without_git(repo: Path, no_git: None) -> None:
    dot_git = str(repo / ".git")
    assert found(repo) == Checkout(str(repo), dot_git, dot_git, git(repo, "rev-parse", "HEAD"), "main", ref="main")


def test_a_subdirectory_belongs_to_the_repository_above(repo: Path, no_git: None) -> None:
    below = repo / "a" / "odd name\nof two lines"
    below.mkdir(parents=True)
    assert found(below) == found(repo)


def test_a_symlinked_path_leads_to_the_real_root(repo: Path, tmp_path: Path, no_git: None) -> None:
    (repo / "a").mkdir()
    (tmp_path / "link").symlink_to(repo / "a")
    assert found(tmp_path / "link") == found(repo)


def test_a_branch_with_slashes_keeps_its_whole_name(repo: Path, no_git: None) -> None:
    git(repo, "switch", "-q", "-c", "feature/deep/name")
    assert found(repo).branch == "feature/deep/name"


def test_packed_refs_are_read(repo: Path, no_git: None) -> None:
    git(repo, "branch", "other-main")
    git(repo, "tag", "-a", "v1", "-m", "tag")
    tip = commit(repo, "two")
    git(repo, "pack-refs", "--all")
    assert not (repo / ".git/refs/heads/main").exists()
    assert found(repo).commit == tip


def test_a_loose_ref_wins_over_a_packed_one(repo: Path, no_git: None) -> None:
    git(repo, "pack-refs", "--all")
    tip = commit(repo, "two")
    assert found(repo).commit == tip


def test_a_detached_head_has_a_commit_and_no_branch(repo: Path, no_git: None) -> None:
    git(repo, "checkout", "-q", "--detach")
    assert (found(repo).commit, found(repo).branch) == (git(repo, "rev-parse", "HEAD"), None)


def test_an_unborn_branch_has_a_name_and_no_commit(tmp_path: Path, no_git: None) -> None:
    git(tmp_path, "init", "-q", "-b", "trunk")
    assert (found(tmp_path).commit, found(tmp_path).branch) == (None, "trunk")


def test_a_branch_that_is_a_symbolic_ref_is_followed(repo: Path, no_git: None) -> None:
    git(repo, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    git(repo, "symbolic-ref", "HEAD", "refs/heads/alias")
    assert (found(repo).commit, found(repo).branch) == (git(repo, "rev-parse", "HEAD"), "main")


def test_symbolic_refs_in_a_circle_end(repo: Path) -> None:
    (repo / ".git/refs/heads/main").write_text("ref: refs/heads/main\n")
    assert found(repo).commit is None


def test_worktrees_share_the_common_directory_and_have_their_own_head(repo: Path, tmp_path: Path, no_git: None) -> None:
    git(repo, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    tip = commit(tmp_path / "side", "two")
    checkout = found(tmp_path / "side")
    assert (checkout.root, checkout.commit, checkout.branch) == (str(tmp_path / "side"), tip, "side")
    assert checkout.common_dir == found(repo).common_dir != checkout.git_dir
    assert found(repo).commit != tip


def test_a_submodule_is_its_own_repository(repo: Path, tmp_path: Path, no_git: None) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "library")
    tip = commit(tmp_path / "library", "of the library")
    git(repo, "submodule", "--quiet", "add", str(tmp_path / "library"), "lib")
    checkout = found(repo / "lib")
    assert (checkout.root, checkout.commit) == (str(repo / "lib"), tip)
    assert checkout.git_dir == checkout.common_dir == str(repo / ".git/modules/lib")


def test_the_innermost_of_nested_repositories_wins(repo: Path, no_git: None) -> None:
    git(repo, "init", "-q", "-b", "inner", "nested")
    assert found(repo / "nested").branch == "inner"


def test_a_dot_git_that_is_no_repository_is_passed_over(repo: Path, no_git: None) -> None:
    for name, make in (("a", Path.mkdir), ("b", lambda path: path.write_text("gitdir: /nowhere")), ("c", Path.touch)):
        (repo / name).mkdir()
        make(repo / name / ".git")
        assert found(repo / name).root == str(repo)
    (repo / "a/.git/HEAD").write_text("")
    assert found(repo / "a").root == str(repo)


def test_a_bare_repository_is_its_own_root(repo: Path, tmp_path: Path, no_git: None) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    bare = tmp_path / "bare.git"
    assert (
        found(bare)
        == found(bare / "objects")
        == Checkout(str(bare), str(bare), str(bare), git(repo, "rev-parse", "HEAD"), "main", ref="main")
    )
    assert is_bare(found(bare))
    assert not is_bare(found(repo))


def test_a_bare_repository_inside_a_working_tree_is_not_entered(repo: Path, no_git: None) -> None:
    git(repo, "init", "-q", "--bare", "trap")
    assert found(repo / "trap").root == str(repo)


def test_inside_the_git_directory_the_working_tree_is_found(repo: Path, no_git: None) -> None:
    assert found(repo / ".git" / "refs") == found(repo)


def test_a_sha256_repository_has_a_commit_of_64_digits(tmp_path: Path, no_git: None) -> None:
    git(tmp_path, "init", "-q", "--object-format=sha256")
    tip = commit(tmp_path)
    assert len(tip) == 64
    assert found(tmp_path).commit == tip


def test_git_variables_of_a_hook_are_ignored(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(tmp_path, "init", "-q", "-b", "other", "other")
    expected = found(repo)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other/.git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    assert found(repo) == expected


def test_a_damaged_ref_has_a_branch_and_no_commit(repo: Path) -> None:
    (repo / ".git/refs/heads/main").write_bytes(b"\0" * 41)
    assert (found(repo).commit, found(repo).branch) == (None, "main")


@pytest.mark.parametrize("content", [b"gitdir: /a\0b", b"gitdir: \0", b"\0", b"gitdir: " + b"x/" * 1_000])
def test_a_dot_git_file_that_is_no_path_is_passed_over(repo: Path, no_git: None, content: bytes) -> None:
    inner = repo / "vendor"
    inner.mkdir()
    (inner / ".git").write_bytes(content)
    assert find(str(inner)) == find(str(repo))


def test_a_common_directory_that_is_no_path_is_passed_over(repo: Path, no_git: None) -> None:
    before = find(str(repo))
    (repo / ".git" / "commondir").write_bytes(b"../a\0b\n")
    assert find(str(repo)) == before


def test_what_files_do_not_tell_is_asked_of_git_once(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tip, asked = "a" * 40, []

    def answer(words: tuple[str, ...], cwd: str, bare: bool) -> gitrun.Finished:
        asked.append((words[0], cwd, bare))
        return gitrun.Finished(0, (tip if words[0] == "rev-parse" else "refs/heads/main").encode() + b"\n", b"")

    monkeypatch.setattr(gitrun, "run", answer)
    (repo / ".git/HEAD").write_text("ref: refs/heads/.invalid\n")
    (repo / ".git/reftable").mkdir()
    assert (found(repo).commit, found(repo).branch) == (tip, "main")
    assert asked == [("rev-parse", str(repo), False), ("symbolic-ref", str(repo), False)] * 2


def test_a_pipe_in_place_of_a_file_does_not_block(repo: Path) -> None:
    (repo / ".git/HEAD").unlink()
    os.mkfifo(repo / ".git/HEAD")
    assert find(str(repo)) is None


def test_no_repository_no_directory_and_no_path_give_none(tmp_path: Path) -> None:
    for start in (str(tmp_path), str(tmp_path / "missing"), "nul\0byte"):
        assert find(start) is None


def test_a_deleted_working_directory_gives_none(repo: Path) -> None:
    program = "import os; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone'); from memcli.repo.head import find; "
    program += "print(find('.'), find(os.curdir + '/x'))"
    done = subprocess.run([sys.executable, "-c", program], cwd=repo, env=os.environ | PROJECT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("None None\n", "")


def test_only_light_modules_are_imported() -> None:
    program = (
        "import os, sys; old = set(sys.modules); import memcli.repo.head, memcli.repo.worktree; print(*set(sys.modules) - old)"
    )
    done = subprocess.run([sys.executable, "-S", "-c", program], env=os.environ | PROJECT, capture_output=True, text=True)
    strangers = {name for name in done.stdout.split() if not name.startswith("memcli")}
    assert strangers <= {"__future__", "errno", "time", "posix", "select", "fcntl", "_collections"}
    assert done.stdout


@pytest.mark.parametrize("text", ["", "a" * 39, "a" * 41, "A" * 40, "g" + "a" * 39, " " + "a" * 39, "HEAD"])
def test_only_a_full_lower_case_hash_is_one(text: str) -> None:
    assert not is_hash(text)
    assert is_hash("0f" * 20)
    assert is_hash("0f" * 32)


PROJECT = {"PYTHONPATH": str(Path(__file__).parents[2])}
