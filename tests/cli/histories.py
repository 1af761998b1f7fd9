"""What the tests of histories share: one memory on one commit, and what becomes of it."""

from __future__ import annotations

from typing import Any

from memcli.repo import gitrun
from tests.conftest import Terminal

FACT = "Session tokens live in Postgres"


def counting(monkeypatch: Any) -> list[Any]:
    """Returns a list to which every git command that mem runs will be added."""
    made: list[Any] = []
    real = gitrun.run

    def counted(*words: Any, **named: Any) -> Any:
        made.append(words[0])
        return real(*words, **named)

    monkeypatch.setattr("memcli.repo.gitrun.run", counted)
    return made


def sure(terminal: Terminal) -> str:
    """What a pack says of the one memory: nothing, where it holds and its commit is there; "hidden"; or its mark."""
    pack = terminal.mem("get", "session").out
    if FACT not in pack:
        assert "1 not on this branch" in pack or "Nothing stored matches" in pack
        return "hidden"
    return pack.partition(FACT)[2].partition("]")[0].partition("2026-03-01")[2].removeprefix(" · ")


def anchor(terminal: Terminal) -> str:
    """The commit that the one memory is anchored at."""
    (found,) = [one["anchor_commit"] for one in terminal.mem("recent", "--json").json if one["title"] == FACT]
    return str(found)


def write_something(terminal: Terminal) -> None:
    terminal.mem("add", "Something else", "--summary", "zebra")


def forget_history(terminal: Terminal) -> None:
    """Makes git lose every commit that no branch can see."""
    terminal.git("reflog", "expire", "--expire=all", "--expire-unreachable=all", "--all")
    terminal.git("gc", "-q", "--prune=now")


def feature(terminal: Terminal, **files: str) -> str:
    """A branch `side` with one commit and a memory of it; returns the commit."""
    terminal.git("switch", "-q", "-c", "side")
    commit = terminal.commit("feature", **(files or {"a_py": "1\n2\n3\n"}))
    terminal.add(FACT)
    return commit


def squashed(terminal: Terminal) -> str:
    """Commits what a squash merge prepared, at a moment of its own; returns the commit."""
    terminal.git("commit", "-q", "-m", "squashed", "--date=2026-02-03T04:05:06Z")
    return terminal.git("rev-parse", "HEAD")


def on_main(terminal: Terminal, *words: str, **files: str) -> None:
    """Goes to main, commits files there if any, and runs git."""
    terminal.git("switch", "-q", "main")
    if files:
        terminal.commit("meanwhile", **files)
    if words:
        terminal.git(*words)
