"""What a repository makes git say that it says nowhere else: read for what it is worth."""

from __future__ import annotations

import subprocess

import pytest

from memcli.repo import blame, changes, gitrun, head, history, next_commit, past, revisions
from tests.conftest import Terminal

ENDLESS = "9" * 5_000  # more digits than Python makes a number of


def test_a_commit_that_was_written_without_a_date_is_listed(terminal: Terminal) -> None:
    before = terminal.git("rev-parse", "HEAD")
    tree = terminal.git("rev-parse", "HEAD^{tree}")
    raw = f"tree {tree}\nparent {before}\nauthor Mallory <m@x>\ncommitter Mallory <m@x>\n\nundated\n"
    words = ["git", "hash-object", "-t", "commit", "-w", "--literally", "--stdin"]
    done = subprocess.run(words, cwd=terminal.folder, env=terminal.env, input=raw.encode(), capture_output=True, check=True)
    undated = done.stdout.decode().strip()
    (terminal.folder / ".git/refs/heads/main").write_text(f"{undated}\n")
    checkout = head.find(str(terminal.folder))
    assert checkout is not None

    (made,) = changes.made(checkout, before, undated, 5)
    assert (made.subject, made.at) == ("undated", 0)
    assert (history.listed(checkout, ["-1"]) or {})[undated].at == 0
    assert revisions.described(checkout, [undated])[undated].subject == "undated"


def test_a_reflog_with_a_moment_that_is_no_number_is_read(terminal: Terminal) -> None:
    terminal.git("switch", "-q", "-c", "spike")
    commit = terminal.git("rev-parse", "HEAD")
    line = f"{'0' * 40} {commit} Mallory <m@x> {ENDLESS} +0000\tcommit: x\n"
    for name in ("HEAD", "refs/heads/spike"):
        path = terminal.folder / ".git/logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(line)
    checkout = head.find(str(terminal.folder))
    assert checkout is not None

    assert commit in history.past(checkout).visited
    assert next_commit.anchor_at(checkout) == commit
    assert past.Heads().commit_at(checkout, "spike", 1) == commit
    terminal.add("A fact")
    assert terminal.titles("fact") == ["A fact"]


def test_blame_that_is_cut_or_broken_tells_the_lines_that_it_has(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"
    output = (
        f'{commit} 1 1 1\nfilename "a\\303\\251.py"\n\tone\n{commit}  \n{commit} {ENDLESS} 2\nfilename "\\"\n\ttwo\n{commit} 3'
    )
    monkeypatch.setattr(gitrun, "run", lambda *_, **__: gitrun.Finished(0, output.encode(), b""))
    checkout = head.find(str(terminal.folder))
    assert checkout is not None

    lines, _ = blame.lines(checkout, "aé.py", (1, 2), None, 10)
    assert [(line.text, line.path) for line in lines] == [("one", "aé.py"), ("two", '"\\"')]
