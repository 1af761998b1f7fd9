"""Which anchors hold on the commit that is checked out."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memcli.records import replace
from memcli.repo import gitrun
from memcli.repo.ancestry import crossed, reachability
from memcli.repo.head import Checkout, find, is_complete, view

SETTINGS = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
PERSON = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always")
GONE = "dead" * 10


def git(folder: Path, *words: str, stdin: str = "") -> str:
    command = ["git", *PERSON, *words]
    done = subprocess.run(command, cwd=folder, env=os.environ | SETTINGS, input=stdin.encode(), capture_output=True, check=True)
    return done.stdout.decode().strip()


def commit(folder: Path, *words: str) -> str:
    git(folder, "commit", "-q", "--allow-empty", "-m", "a commit", *words)
    return git(folder, "rev-parse", "HEAD")


def history(folder: Path, branch: str, dates: list[int], onto: str = "") -> list[str]:
    """Makes one commit a date (seconds) on a branch; returns the hashes, oldest first."""
    lines = []
    for place, date in enumerate(dates):
        start = f"from {onto}\n" if onto and place == 0 else ""
        lines.append(f"commit refs/heads/{branch}\ncommitter A <a@example.org> {date} +0000\ndata 1\nx\n{start}\n")
    git(folder, "fast-import", "--quiet", stdin="".join(lines))
    made = git(folder, "rev-list", "--reverse", branch, *([f"^{onto}"] if onto else [])).split()
    assert len(made) == len(dates)
    return made


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main", "repo")
    commit(tmp_path / "repo")
    return tmp_path / "repo"


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Lists the git commands that are run."""
    made: list[str] = []
    real = gitrun.run

    def counted(arguments, *words, **named):  # type: ignore[no-untyped-def]
        made.append(arguments[0])
        return real(arguments, *words, **named)

    monkeypatch.setattr(gitrun, "run", counted)
    return made


def found(folder: Path) -> Checkout:
    checkout = find(str(folder))
    assert checkout
    return checkout


def test_head_and_what_is_before_it_are_reachable(repo: Path) -> None:
    first, second = git(repo, "rev-parse", "HEAD"), commit(repo)
    assert reachability(found(repo), [first, second, first]) == {first: "reachable", second: "reachable"}


def test_an_anchor_on_head_is_known_without_git(repo: Path, runs: list[str]) -> None:
    tip = git(repo, "rev-parse", "HEAD")
    assert reachability(found(repo), [tip]) == {tip: "reachable"}
    assert reachability(found(repo), []) == {}
    assert runs == []


def test_an_amended_commit_is_an_orphan(repo: Path) -> None:
    old = commit(repo)
    new = commit(repo, "--amend", "-m", "amended")
    assert reachability(found(repo), [old, new]) == {old: "orphan", new: "reachable"}


def test_another_branch_is_an_orphan_until_it_is_merged(repo: Path) -> None:
    git(repo, "switch", "-q", "-c", "side")
    anchor = commit(repo)
    git(repo, "switch", "-q", "main")
    commit(repo, "-m", "on main")
    assert reachability(found(repo), [anchor]) == {anchor: "orphan"}
    git(repo, "merge", "-q", "-m", "merge", "side")
    assert reachability(found(repo), [anchor]) == {anchor: "reachable"}


def test_a_commit_that_a_complete_clone_does_not_have_is_unknown(repo: Path) -> None:
    assert is_complete(found(repo))
    assert reachability(found(repo), [GONE, GONE + "beef" * 6]) == {GONE: "unknown", GONE + "beef" * 6: "unknown"}


def test_a_commit_collected_as_garbage_is_unknown(repo: Path) -> None:
    old = commit(repo)
    git(repo, "reset", "-q", "--hard", "HEAD^")
    assert reachability(found(repo), [old]) == {old: "orphan"}
    git(repo, "reflog", "expire", "--expire=now", "--all")
    git(repo, "gc", "-q", "--prune=now")
    assert reachability(found(repo), [old]) == {old: "unknown"}


def test_an_object_that_is_no_commit_is_unknown(repo: Path) -> None:
    git(repo, "tag", "-a", "v1", "-m", "tag")
    (repo / "file").write_text("text")
    for name in (git(repo, "rev-parse", "v1"), git(repo, "rev-parse", "HEAD^{tree}"), git(repo, "hash-object", "-w", "file")):
        assert reachability(found(repo), [name]) == {name: "unknown"}


def test_what_is_no_hash_is_unknown_and_never_reaches_git(repo: Path, runs: list[str]) -> None:
    odd = ["", "HEAD", "--all", "main", "A" * 40, "a" * 39, "a" * 40 + "\n", "^" + "a" * 39]
    assert reachability(found(repo), odd) == dict.fromkeys(odd, "unknown")
    assert runs == []


def test_in_a_shallow_clone_what_is_not_seen_is_unknown(repo: Path, tmp_path: Path) -> None:
    old, *_, middle, _ = [commit(repo, "-m", str(number)) for number in range(8)]
    git(repo, "switch", "-q", "-c", "side")
    side = commit(repo, "-m", "side")
    git(repo, "switch", "-q", "main")
    git(tmp_path, "clone", "-q", "--no-single-branch", "--depth", "3", repo.as_uri(), "clone")
    checkout = found(tmp_path / "clone")
    before = view(checkout)
    assert not is_complete(checkout)
    assert reachability(checkout, [old, middle, side, GONE]) == {
        old: "unknown",
        middle: "reachable",
        side: "unknown",
        GONE: "unknown",
    }
    git(tmp_path / "clone", "fetch", "-q", "--unshallow")
    assert is_complete(found(tmp_path / "clone"))
    assert view(checkout) != before
    assert reachability(found(tmp_path / "clone"), [old, side, GONE]) == {old: "reachable", side: "orphan", GONE: "unknown"}


def test_in_a_partial_clone_what_is_missing_is_unknown_and_not_fetched(repo: Path, tmp_path: Path) -> None:
    first = git(repo, "rev-parse", "HEAD")
    git(repo, "switch", "-q", "-c", "side")
    side = commit(repo, "-m", "side")
    git(repo, "switch", "-q", "main")
    commit(repo, "-m", "two")
    git(repo, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--filter=blob:none", repo.as_uri(), "clone")
    late = commit(repo, "-m", "after the clone")
    missing = [f"{number:040x}" for number in range(1, 1000)]  # an attempt to fetch each would take seconds
    answer = reachability(found(tmp_path / "clone"), [first, side, late, *missing])
    assert (answer.pop(first), answer.pop(side)) == ("reachable", "orphan")
    assert set(answer.values()) == {"unknown"}
    assert not is_complete(found(tmp_path / "clone"))


def test_three_thousand_anchors_take_two_processes(repo: Path, runs: list[str]) -> None:
    main = history(repo, "long", [1_600_000_000 + 10 * n for n in range(2000)])
    side = history(repo, "side", [1_600_005_000 + 10 * n for n in range(2000)], onto=main[500])
    git(repo, "symbolic-ref", "HEAD", "refs/heads/long")
    missing = [f"{number:040x}" for number in range(1, 1001)]
    answer = reachability(found(repo), [*main[::2], *side[::2], *missing])
    assert len(answer) == 3000
    assert {answer[anchor] for anchor in main[::2]} == {"reachable"}
    assert {answer[anchor] for anchor in side[::2]} == {"orphan"}
    assert {answer[anchor] for anchor in missing} == {"unknown"}
    assert len(runs) == 2


@pytest.mark.parametrize("graph", [False, True])
def test_a_clock_that_went_back_does_not_make_orphans(repo: Path, graph: bool) -> None:
    before = [1_600_000_000 + n for n in range(20)]
    wrong = [100_000_000 + n for n in range(12)]
    after = [1_700_000_000 + n for n in range(5)]
    made = history(repo, "skewed", before + wrong + after)
    other = history(repo, "unrelated", [1_600_000_500, 1_600_000_501])
    git(repo, "symbolic-ref", "HEAD", "refs/heads/skewed")
    if graph:
        git(repo, "commit-graph", "write", "--reachable")
    assert reachability(found(repo), [made[5]]) == {made[5]: "reachable"}
    answer = reachability(found(repo), [*made, *other])
    assert {answer[anchor] for anchor in made} == {"reachable"}
    assert {answer[anchor] for anchor in other} == {"orphan"}


@pytest.mark.parametrize("skew", [0, 1_500_000_000])
def test_what_head_lost_and_gained_is_what_lies_between(repo: Path, skew: int, runs: list[str]) -> None:
    main = history(repo, "long", [1_600_000_000 - skew * (5 < n < 20) + n for n in range(40)])
    side = history(repo, "side", [1_600_000_100 + n for n in range(10)], onto=main[25])
    git(repo, "symbolic-ref", "HEAD", "refs/heads/side")
    everything = {*main, *side}
    assert crossed(found(repo), main[-1], everything) == (set(main[26:]), set(side))
    assert crossed(found(repo), main[22], everything) == (set(), {*main[23:26], *side})
    assert crossed(found(repo), main[-1], {main[0], GONE}) == (set(), set())
    assert len(runs) == 3


def test_git_that_may_have_walked_too_far_or_cannot_walk_tells_nothing_of_what_lies_between(repo: Path) -> None:
    tip = git(repo, "rev-parse", "HEAD")
    other = history(repo, "unrelated", [1_600_000_000, 1_600_000_001])
    assert crossed(found(repo), other[-1], {tip, *other}) is None  # down to a root, as where clocks went back
    assert crossed(found(repo), GONE, {tip}) is None


def test_on_an_unborn_branch_every_commit_that_there_is_is_an_orphan(repo: Path) -> None:
    tip = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "-q", "--orphan", "fresh")
    assert reachability(found(repo), [tip, GONE]) == {tip: "orphan", GONE: "unknown"}


def test_a_damaged_head_makes_nothing_an_orphan(repo: Path) -> None:
    tip = git(repo, "rev-parse", "HEAD")
    (repo / ".git/refs/heads/main").write_bytes(b"")
    assert reachability(found(repo), [tip, GONE]) is None


def test_a_head_commit_that_is_gone_makes_nothing_an_orphan(repo: Path) -> None:
    first = git(repo, "rev-parse", "HEAD")
    tip = commit(repo)
    (repo / ".git/objects" / tip[:2] / tip[2:]).unlink()
    assert reachability(found(repo), [first]) is None


def test_a_git_that_is_missing_or_fails_leaves_all_unknown(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, _ = git(repo, "rev-parse", "HEAD"), commit(repo)
    checkout = found(repo)
    assert reachability(replace(checkout, root=str(repo.parent)), [first]) is None
    monkeypatch.setenv("PATH", "")
    assert reachability(checkout, [first, GONE]) is None


def test_bare_repositories_worktrees_and_sha256_are_served(repo: Path, tmp_path: Path) -> None:
    first, _ = git(repo, "rev-parse", "HEAD"), commit(repo)
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare.git")
    git(repo, "worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    for folder in (tmp_path / "bare.git", tmp_path / "tree"):
        assert reachability(found(folder), [first, GONE]) == {first: "reachable", GONE: "unknown"}
    git(tmp_path, "init", "-q", "--object-format=sha256", "long")
    anchor, _ = commit(tmp_path / "long"), commit(tmp_path / "long", "-m", "two")
    assert reachability(found(tmp_path / "long"), [anchor, anchor[:40]]) == {anchor: "reachable", anchor[:40]: "unknown"}


def test_the_view_changes_with_head_and_the_clone(repo: Path, tmp_path: Path, runs: list[str]) -> None:
    git(tmp_path, "clone", "-q", str(repo), "clone")
    first = view(found(repo))
    assert first == view(found(repo)) != view(found(tmp_path / "clone"))
    commit(repo)
    assert first != view(found(repo))
    assert runs == []
