"""Tab offers commands, options, ids with titles, threads, harnesses, settings; a mistyped command names the right one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Terminal


def offered(terminal: Terminal, *words: str) -> list[str]:
    """Returns the words that Tab offers for the last of these."""
    return [line.split("\t")[0] for line in terminal.mem("complete", "--", *words).out.splitlines()]


def test_commands_and_their_options(terminal: Terminal) -> None:
    assert offered(terminal, "rec") == ["recent"]
    assert {"get", "add", "help", "completion"} <= set(every := offered(terminal, ""))
    assert len(every) == len(set(every))
    assert "merge-memory" not in every, "git calls it"
    assert offered(terminal, "recent", "--ki") == ["--kind"]
    assert offered(terminal, "help", "ver") == ["version"]
    assert offered(terminal, "completion", "") == ["bash", "zsh", "fish"]
    assert offered(terminal, "nothing", "") == []


def test_ids_come_with_their_titles(terminal: Terminal) -> None:
    memory = terminal.add("Use PostgreSQL", "s", "--thread", "database")
    assert terminal.mem("complete", "--", "show", "").out == f"{memory}\tUse PostgreSQL\n"
    assert offered(terminal, "forget", memory, "") == [memory]
    assert offered(terminal, "link", memory, "depends_on", memory[:3]) == [memory]
    assert offered(terminal, "recent", "--thread", "data") == ["database"]
    assert offered(terminal, "thread", "") == ["database"]


def test_what_has_choices_offers_them(terminal: Terminal) -> None:
    assert {"claude", "git"} <= set(offered(terminal, "setup", ""))
    assert "generic" not in offered(terminal, "setup", ""), "setup refuses it"
    assert offered(terminal, "config", "set", "budget.to") == ["budget.total"]
    assert "diff" in offered(terminal, "state", "")
    assert "decision" in offered(terminal, "add", "x", "--kind", "")
    assert offered(terminal, "ingest", "") == [], "the shell offers files"


def test_outside_of_a_repository_tab_offers_nothing_and_says_nothing(nowhere: Terminal) -> None:
    result = nowhere.mem("complete", "--", "show", "")
    assert (result.out, result.err) == ("", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_is_one_that_its_shell_reads(terminal: Terminal, shell: str) -> None:
    script = terminal.mem("completion", shell).out
    assert "mem complete -- " in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)
    terminal.mem("completion", "tcsh", fails=2)


def test_bash_completes_a_line(terminal: Terminal, tmp_path: Path) -> None:
    memory = terminal.add("Use PostgreSQL")
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "mem").write_text(f'#!/bin/sh\nexec {sys.executable} -m memcli "$@"\n')
    (programs / "mem").chmod(0o755)
    script = terminal.mem("completion", "bash").out
    ask = f'{script}\nCOMP_WORDS=(mem show "")\nCOMP_CWORD=2\n_mem\nprintf "%s\\n" "${{COMPREPLY[@]}}"\n'
    env = {**terminal.env, "PATH": f"{programs}:/usr/bin:/bin"}
    done = subprocess.run(["bash", "-c", ask], cwd=terminal.folder, env=env, capture_output=True, text=True, check=True)
    assert done.stdout == f"{memory}\n"


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("list", "recent"),
        ("remember", "add x"),
        ("delete", "forget ID"),
        ("recnt", "recent"),
        ("serch", "search x"),
        ("RM", "forget ID"),
    ],
)
def test_a_mistyped_command_names_the_right_one(terminal: Terminal, typed: str, line: str) -> None:
    refused = terminal.mem(typed, "x", fails=2).err
    assert refused == f"Error: no such command '{typed}'\nHint: did you mean: mem {line}\n"


def test_help_takes_a_command(terminal: Terminal) -> None:
    assert "The maximum number of results" in terminal.mem("help", "recent").out
    assert terminal.mem("help").out == terminal.mem("--help").out
    assert terminal.mem("help", "xyzzy", fails=2).err.endswith("Hint: see mem --help\n")
    assert "merge-memory" not in terminal.mem("help").out
    assert terminal.mem("help", "hook").out.startswith("Usage: mem hook EVENT")
    assert terminal.mem("help", "help").out == terminal.mem("help").out
