"""mem status and mem pick: a memory at a glance, in a shell's prompt, and in a picker."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli import screen
from tests.conftest import Terminal


def test_a_prompt_has_what_is_stored_what_waits_and_what_failed(terminal: Terminal, tmp_path: Path) -> None:
    assert terminal.mem("status", "--short").out == "", "nothing is stored yet"
    assert not terminal.data.exists()
    shared = terminal.add("Shared")
    terminal.add("Another")
    assert terminal.mem("status", "--short").out == "mem 2\n"
    (tmp_path / "remote").mkdir()
    terminal.mem("sync", "enable", "--remote", f"dir:{tmp_path}/remote")
    terminal.mem("share", shared)
    assert terminal.mem("status", "--short").out.startswith("mem 2 +")
    terminal.mem("sync")
    assert terminal.mem("status", "--short").out == "mem 2\n"
    assert "through dir:" in terminal.mem("status").out
    assert "synchronized just now" in terminal.mem("status").out


def test_a_prompt_shows_no_error(terminal: Terminal, nowhere: Terminal, tmp_path: Path) -> None:
    terminal.add("Fact")
    terminal.store.write_bytes(b"no database" * 100)
    broken = terminal.mem("status", "--short")
    assert (broken.out, broken.err) == ("mem !\n", "")
    terminal.store.rename(terminal.store.with_name("memory.db.backup-1"))
    assert terminal.mem("status", "--short").out == "mem !\n", "the store is gone"
    outside = nowhere.at(tmp_path).mem("status", "--short")
    assert (outside.out, outside.err) == ("", "")


def test_the_status_of_a_memory(terminal: Terminal) -> None:
    assert "nothing stored yet" in terminal.mem("status").out
    terminal.add("Fact")
    terminal.mem("checkpoint", "--reason", "Halfway there", "--state-json", "{}")
    lines = terminal.mem("status").out.splitlines()
    assert [line.split()[0] for line in lines] == ["memory", "branch", "stored", "state", "queue"]
    assert lines[1].split()[1:3] == ["main", "at"]
    assert lines[3] == "state   Halfway there, just now"
    status = terminal.mem("status", "--json").json
    assert (status["memories"], status["branch"], status["failed"], status["shared"]) == (2, "main", 0, None)


def test_a_picker_gets_an_id_a_tab_and_a_title(terminal: Terminal) -> None:
    assert terminal.mem("pick", "--list").out == ""
    one = terminal.add("Tokens live\tin Postgres", "because", "--kind", "decision")
    two = terminal.add("Cookies are named sid")
    assert terminal.mem("pick", "--list").out == f"{two}\tCookies are named sid\n{one}\tTokens live in Postgres\n"
    assert terminal.mem("pick", "--list", "tokens").out == f"{one}\tTokens live in Postgres\n"
    assert terminal.mem("pick", "--list", "--kind", "decision").out.startswith(one)
    assert terminal.mem("pick", "--json").json[1] == {"id": one, "title": "Tokens live in Postgres"}


def test_without_a_picker_or_a_terminal_it_says_so(terminal: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    terminal.add("Fact")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert terminal.mem("pick", fails=1).err.startswith("Error: neither fzf nor sk is installed\nHint: install fzf, or ")
    (tmp_path / "fzf").write_text("#!/bin/sh\n")
    (tmp_path / "fzf").chmod(0o755)
    assert terminal.mem("pick", fails=1).err.startswith("Error: there is no terminal to choose at\n")


@pytest.mark.parametrize(("script", "code", "chosen"), [("tail -n 1", 0, "ONE\n"), ("cat >/dev/null; exit 130", 130, "")])
def test_what_a_person_chooses_is_printed(terminal: Terminal, tmp_path: Path, script: str, code: int, chosen: str) -> None:
    one, _ = terminal.add("First"), terminal.add("Second")
    (tmp_path / "fzf").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "fzf").chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    written, ended = screen.end(*screen.begin(terminal, "pick", PATH=path, TERM="dumb"))
    assert ended == code
    assert written == chosen.replace("ONE", one)
