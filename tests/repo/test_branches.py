"""Which branch has a commit that HEAD has not: asked once for as long as no branch moves, and anew when one did."""

from __future__ import annotations

import pytest

from memcli.repo import branches, gitrun, head
from tests.conftest import Terminal


def beside(terminal: Terminal) -> dict[str, str]:
    checkout = head.find(str(terminal.folder))
    assert checkout is not None
    return branches.beside_head(checkout)


def aside(terminal: Terminal, name: str) -> str:
    """A commit on a new branch; main is checked out again."""
    terminal.git("checkout", "-q", "-b", name)
    commit = terminal.commit(name)
    terminal.git("checkout", "-q", "main")
    return commit


def test_every_change_of_a_branch_is_noticed(terminal: Terminal) -> None:
    assert beside(terminal) == {}
    first = aside(terminal, "side")
    assert beside(terminal) == {first: "side"}
    second = aside(terminal, "deep/er")
    assert beside(terminal) == {first: "side", second: "deep/er"}
    terminal.git("branch", "-m", "side", "renamed")
    assert beside(terminal) == {first: "renamed", second: "deep/er"}
    terminal.git("pack-refs", "--all")
    assert beside(terminal) == {first: "renamed", second: "deep/er"}
    terminal.git("branch", "-q", "-D", "renamed")
    assert beside(terminal) == {second: "deep/er"}
    terminal.git("merge", "-q", "--no-edit", "deep/er")
    assert beside(terminal) == {}


def test_git_is_asked_once_while_no_branch_moves(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = aside(terminal, "side")
    expected = beside(terminal)
    runs = []
    run = gitrun.run
    monkeypatch.setattr(gitrun, "run", lambda *words, **more: runs.append(words) or run(*words, **more))
    assert beside(terminal) == expected == {commit: "side"}
    assert runs == []
    terminal.git("branch", "-f", "side", "main")
    assert beside(terminal) == {}
    assert len(runs) == 1


def test_what_git_did_not_tell_is_asked_again(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = aside(terminal, "side")
    with monkeypatch.context() as broken:
        broken.setattr(gitrun, "run", lambda *words, **more: gitrun.Finished(gitrun.TIMED_OUT, b"", b""))
        assert beside(terminal) == {}
    assert beside(terminal) == {commit: "side"}
