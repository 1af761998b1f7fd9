"""The id of a repository: kept once, however many write it, and found again by worktree, origin or path."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memcli.repo import identity
from memcli.repo.head import Checkout, find, is_id
from memcli.repo.head import recorded_id as recorded
from memcli.repo.identity import lookup, new_id, normalise_origin, origin, record, remember

SETTINGS = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
PERSON = ("-c", "user.name=A", "-c", "user.email=a@example.org")
ONE, TWO = "R-0123456789ABCDEF", "R-ZZZZZZZZZZZZZZZZ"


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *PERSON, *words], cwd=folder, env=os.environ | SETTINGS, capture_output=True, check=True)
    return done.stdout.decode().strip()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main", "repo")
    return tmp_path / "repo"


@pytest.fixture
def checkout(repo: Path) -> Checkout:
    return found(repo)


@pytest.fixture
def no_links(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretends a file system without hard links."""

    def refuse(*words: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)


def found(folder: Path) -> Checkout:
    checkout = find(str(folder))
    assert checkout
    return checkout


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_new_ids_are_well_formed_and_differ() -> None:
    made = {new_id() for _ in range(1000)}
    assert len(made) == 1000
    assert all(is_id(one) for one in made)


@pytest.mark.parametrize(
    "text", ["", "R-", ONE[:-1], ONE + "0", ONE.lower(), "R-012345678 ABCDEF", "R-ILOU456789ABCDEF", "M" + ONE[1:]]
)
def test_what_is_not_spelled_like_an_id_is_none(text: str) -> None:
    assert not is_id(text)


def test_an_id_is_recorded_once_and_privately(checkout: Checkout, repo: Path) -> None:
    assert recorded(checkout) is None
    assert record(checkout, ONE) == ONE
    assert record(checkout, TWO) == ONE
    assert recorded(checkout) == ONE
    folder = repo / ".git/mempack"
    assert (folder / "repo-id").read_text() == f"{ONE} {(folder / 'repo-id').stat().st_ino}\n"
    assert (mode(folder), mode(folder / "repo-id")) == (0o700, 0o600)
    assert os.listdir(folder) == ["repo-id"]
    assert git(repo, "status", "--porcelain") == ""


def test_worktrees_share_the_id_and_clones_do_not(checkout: Checkout, repo: Path, tmp_path: Path) -> None:
    git(repo, "commit", "-q", "--allow-empty", "-m", "one")
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))
    git(tmp_path, "clone", "-q", str(repo), "clone")
    record(found(tmp_path / "tree"), ONE)
    assert recorded(checkout) == ONE
    assert recorded(found(tmp_path / "clone")) is None


def test_a_moved_repository_keeps_its_id(checkout: Checkout, repo: Path, tmp_path: Path) -> None:
    record(checkout, ONE)
    repo.rename(tmp_path / "elsewhere")
    assert recorded(found(tmp_path / "elsewhere")) == ONE


@pytest.mark.parametrize("content", [b"", b"R-0123", b"\xff\0" * 9, ONE.lower().encode(), ONE.encode() + b"\nmore"])
def test_a_damaged_id_is_ignored_and_replaced(checkout: Checkout, repo: Path, content: bytes) -> None:
    (repo / ".git/mempack").mkdir()
    (repo / ".git/mempack/repo-id").write_bytes(content)
    assert recorded(checkout) is None
    assert record(checkout, TWO) == TWO
    assert recorded(checkout) == TWO


def test_an_id_behind_a_symlink_is_not_read(checkout: Checkout, repo: Path, tmp_path: Path) -> None:
    (tmp_path / "foreign").write_text(ONE)
    (repo / ".git/mempack").mkdir()
    (repo / ".git/mempack/repo-id").symlink_to(tmp_path / "foreign")
    assert recorded(checkout) is None
    assert record(checkout, TWO) == TWO
    assert (tmp_path / "foreign").read_text() == ONE


def test_a_git_directory_that_cannot_be_written_raises_oserror(checkout: Checkout, repo: Path) -> None:
    (repo / ".git/mempack").write_text("in the way")
    with pytest.raises(FileExistsError):
        record(checkout, ONE)
    assert recorded(checkout) is None


def test_only_an_id_can_be_recorded_or_remembered(checkout: Checkout, tmp_path: Path) -> None:
    for text in ("", "nonsense", ONE + "\n"):
        with pytest.raises(ValueError, match="not a repository id"):
            record(checkout, text)
        with pytest.raises(ValueError, match="not a repository id"):
            remember(str(tmp_path / "index"), "path:/x", text)


def test_without_hard_links_the_first_id_wins_too(checkout: Checkout, no_links: None) -> None:
    assert (record(checkout, ONE), record(checkout, TWO), recorded(checkout)) == (ONE, ONE, ONE)


@pytest.mark.parametrize("damaged", [False, True])
@pytest.mark.parametrize("links", [True, False])
def test_threads_that_record_at_once_agree(
    checkout: Checkout, repo: Path, damaged: bool, links: bool, request: pytest.FixtureRequest
) -> None:
    if not links:
        request.getfixturevalue("no_links")
    if damaged:
        (repo / ".git/mempack").mkdir()
        (repo / ".git/mempack/repo-id").write_text("R-torn")
    start = threading.Barrier(16)

    def one(_: int) -> str:
        start.wait()
        return record(checkout, new_id())

    with ThreadPoolExecutor(16) as threads:
        answers = set(threads.map(one, range(16)))
    assert answers == {recorded(checkout)}


def test_processes_that_record_and_remember_at_once_agree(checkout: Checkout, repo: Path, tmp_path: Path) -> None:
    program = (
        "import sys; from memcli.repo.head import find; from memcli.repo.identity import new_id, record, remember; "
        "sys.stdin.readline(); mine = new_id(); "
        "print(record(find(sys.argv[1]), mine), remember(sys.argv[2], 'path:/x', mine))"
    )
    index = str(tmp_path / "index")
    command = [sys.executable, "-S", "-c", program, str(repo), index]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    runs = [subprocess.Popen(command, stdin=-1, stdout=-1, env=environment, text=True) for _ in range(16)]
    for run in runs:
        assert run.stdin
        run.stdin.write("go\n")
        run.stdin.flush()
    assert {run.communicate()[0] for run in runs} == {f"{recorded(checkout)} {lookup(index, 'path:/x')}\n"}


SAME = [
    "https://example.org/team/Repo.git",
    "https://example.org/team/Repo",
    "https://example.org/team/Repo/",
    "https://example.org/team/Repo.git/",
    "https://EXAMPLE.org:443/team//Repo.git",
    "https://user:secret@example.org/team/Repo.git",
    "https://token@example.org/team/Repo?key=secret#part",
    "http://example.org:80/team/Repo",
    "ssh://git@example.org/team/Repo.git",
    "ssh://git@example.org:22/team/Repo",
    "SSH://example.org./team/Repo",
    "git+ssh://git@example.org/team/Repo",
    "git://example.org/team/Repo.git",
    "git@example.org:team/Repo.git",
    "git@example.org:/team/Repo.git",
    "example.org:team/Repo",
    "[git@example.org:22]:team/Repo.git",
    "  git@example.org:team/Repo.git\n",
]
OTHER = {
    "ssh://git@example.org:2222/team/repo.git": "example.org:2222/team/repo",
    "[git@example.org:2222]:team/repo.git": "example.org:2222/team/repo",
    "https://[::1]:8443/repo": "::1:8443/repo",
    "https://[::1]:443/repo": "::1/repo",
    "user@[::1]:repo": "::1/repo",
    "https://example.org/team/repo.github": "example.org/team/repo.github",
    "/srv/git/repo.git": "file:/srv/git/repo",
    "/srv/git/../git/repo/": "file:/srv/git/repo",
    "/srv/git/repo/.git": "file:/srv/git/repo",
    "/srv/with:colon/repo": "file:/srv/with:colon/repo",
    "file:///srv/git/repo.git": "file:/srv/git/repo",
    "file://localhost/srv/git/repo": "file:/srv/git/repo",
}
ODD = [
    "",
    " ",
    "/",
    "https://",
    "https://example.org",
    "https://example.org/",
    "https://example.org/.git",
    "git@example.org:",
    "https:///team/repo",
    "https://user:pa/ss@example.org/repo",
    "user:secret@example.org:repo",
    "https://example.org:port/repo",
    "ext::sh -c touch% /tmp/x",
    "ftp://example.org/repo",
    "file://elsewhere/srv/repo",
    "../repo.git",
    "repo",
    "https://example.org/a\nb",
    "a b:c",
]


@pytest.mark.parametrize("url", SAME)
def test_all_spellings_of_one_remote_are_equal(url: str) -> None:
    assert normalise_origin(url) == "example.org/team/Repo"


@pytest.mark.parametrize("url", OTHER)
def test_unusual_ports_and_local_paths_are_kept_apart(url: str) -> None:
    assert normalise_origin(url) == OTHER[url]


@pytest.mark.parametrize("url", ODD)
def test_an_odd_origin_is_none(url: str) -> None:
    assert normalise_origin(url) is None


def test_the_origin_is_read_from_the_repository(checkout: Checkout, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert origin(checkout) is None
    git(repo, "remote", "add", "origin", "https://user:secret@example.org/team/repo.git")
    assert origin(checkout) == "example.org/team/repo"
    git(repo, "remote", "set-url", "origin", "../upstream.git")
    assert origin(checkout) == f"file:{repo.parent}/upstream"
    monkeypatch.setenv("PATH", "")
    assert origin(checkout) is None


def test_a_bare_repository_has_an_origin_and_an_id(repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    bare = found(tmp_path / "bare.git")
    assert origin(bare) == f"file:{repo}"
    assert record(bare, ONE) == recorded(bare) == ONE


def test_the_index_keeps_the_first_id_of_a_key(tmp_path: Path) -> None:
    index = str(tmp_path / "index")
    assert lookup(index, "path:/x") is None
    assert remember(index, "path:/x", ONE) == ONE
    assert remember(index, "path:/x", TWO) == ONE
    assert remember(index, "origin:example.org/x", TWO) == TWO
    assert (lookup(index, "path:/x"), lookup(index, "origin:example.org/x")) == (ONE, TWO)
    assert lookup(index, "path:/") is None
    assert mode(tmp_path / "index") == 0o600


@pytest.mark.parametrize("name", ["a\nb", "a\tb", "a\\nb", "a\\", "a\r", "ü 目录", os.fsdecode(b"not \xff utf-8"), ""])
def test_any_path_can_be_a_key(tmp_path: Path, name: str) -> None:
    index = str(tmp_path / "index")
    others = ["path:/a\\\nb", "path:/a\n", "path:/a"]
    for other in others:
        remember(index, other, TWO)
    assert lookup(index, f"path:/{name}") is None
    assert remember(index, f"path:/{name}", ONE) == lookup(index, f"path:/{name}") == ONE
    assert {lookup(index, other) for other in others} == {TWO}


def test_damaged_lines_are_skipped_and_do_not_spoil_the_next(tmp_path: Path) -> None:
    index = tmp_path / "index"
    index.write_bytes(b"\xff\xfe\npath:/x\tR-torn\nno tab\n\n\tR-\npath:/y\t" + ONE.encode() + b"\npath:/x\tR-01")
    assert (lookup(str(index), "path:/x"), lookup(str(index), "path:/y")) == (None, ONE)
    assert remember(str(index), "path:/x", TWO) == lookup(str(index), "path:/x") == TWO
    assert lookup(str(index), "path:/y") == ONE


def test_a_symlink_in_place_of_the_index_is_refused(tmp_path: Path) -> None:
    (tmp_path / "target").write_text(f"path:/x\t{ONE}\n")
    (tmp_path / "index").symlink_to(tmp_path / "target")
    assert lookup(str(tmp_path / "index"), "path:/x") is None
    with pytest.raises(OSError, match="symbolic"):
        remember(str(tmp_path / "index"), "path:/y", TWO)
    assert TWO not in (tmp_path / "target").read_text()


def test_a_lock_that_stays_taken_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    monkeypatch.setattr(identity, "_PATIENCE", 0.05)
    with open(tmp_path / "index.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(TimeoutError):
            remember(str(tmp_path / "index"), "path:/x", ONE)
    assert remember(str(tmp_path / "index"), "path:/x", ONE) == ONE


def test_threads_that_remember_at_once_lose_nothing(tmp_path: Path) -> None:
    index = str(tmp_path / "index")
    with ThreadPoolExecutor(16) as threads:
        answers = list(threads.map(lambda number: remember(index, f"path:/{number % 8}", new_id()), range(64)))
    assert {(number % 8, answer) for number, answer in enumerate(answers)} == {
        (number, lookup(index, f"path:/{number}")) for number in range(8)
    }
