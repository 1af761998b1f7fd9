"""A line of shell: which commands are in it, and what each is about."""

from __future__ import annotations

import pytest

from memcli.text import shell


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("nice -n 10 pytest -q", "pytest -q"),
        ("nice pytest", "pytest"),
        ("nice -10 pytest", "pytest"),
        ("nice --adjustment 5 pytest", "pytest"),
        ("timeout -k 5 10 pytest", "pytest"),
        ("timeout --signal=KILL 10m pytest", "pytest"),
        ("timeout 60 nice -n 19 pytest", "pytest"),
        ("sudo -u bob rm -rf /srv", "rm -rf /srv"),
        ("sudo -E -u bob env -u HOME A=b make", "make"),
        ("sudo -- rm x", "rm x"),
        ("/usr/bin/time -f %e make all", "make all"),
        ("stdbuf -o L make", "make"),
        ("exec -a web gunicorn", "gunicorn"),
        ("command ls", "ls"),
        ("command -v git", "which git"),
        ("./nice -n pytest", "nice -n pytest"),
        ("if A=1 make; then", "make"),
    ],
)
def test_what_only_runs_a_command_is_no_part_of_it(line: str, command: str) -> None:
    assert [" ".join(words) for words in shell.simple_commands(line)] == [command]


@pytest.mark.parametrize(
    ("line", "told", "program", "is_read_only"),
    [
        ("git -C sub clone URL", ["clone", "URL"], "git clone", False),
        ("git -c a=b pull", ["pull"], "git pull", False),
        ("git -C x status", ["status"], "git status", True),
        ("git --git-dir x status", ["status"], "git status", True),
        ("git --git-dir=x --work-tree y diff --stat", ["diff", "--stat"], "git diff", True),
        ("git --no-pager log -3", ["log", "-3"], "git log", True),
        ("git -C x branch -D old", ["branch", "-D", "old"], "git branch", False),
        ("git -C x config user.name Bob", ["config", "user.name", "Bob"], "git config", False),
        ("git -c core.pager=./run log", ["log"], "git log", False),
        ("git --version", [], "git", True),
        ("git -C", [], "git", True),
        ("hub clone x", [], "hub", False),
    ],
)
def test_what_git_is_told_stands_behind_its_own_options(line: str, told: list[str], program: str, is_read_only: bool) -> None:
    (words,) = shell.simple_commands(line)
    assert (shell.git_subcommand(words), shell.program(words), shell.is_read_only(words)) == (told, program, is_read_only)
