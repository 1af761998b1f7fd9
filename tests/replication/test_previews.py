"""A preview changes nothing, and what a rule selects is shared once it was sent."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.replication.conftest import Machine

pytestmark = pytest.mark.shared_folder

Team = Callable[..., Machine]
SHARED_LINE = "shared “Secret plan”"


def dump(member: Machine) -> dict[str, list[tuple[object, ...]]]:
    """Returns every row of a member's store, by table."""
    (store,) = Path(member.env["MEMPACK_DATA_DIR"]).rglob("memory.db")
    with closing(sqlite3.connect(store)) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return {name: sorted(db.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr) for name in tables}


@pytest.mark.parametrize(
    "words", [("sync", "push", "--dry-run"), ("sync", "--dry-run"), ("sync", "enable", "--dry-run"), ("sync", "status")]
)
def test_a_preview_writes_nothing(machine: Team, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    ada = machine("ada")
    ada.add("Secret plan", "x", "--thread", "plans")
    ada.shared("A fact")
    monkeypatch.setenv("MEMPACK_SYNC_KINDS", "*")
    before = dump(ada)
    shown = ada.mem(*words).out
    assert "Secret plan" in shown or words[1] == "status"
    assert dump(ada) == before


def test_what_a_preview_lists_is_not_shared_by_it(machine: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.add("Secret plan", "x")
    monkeypatch.setenv("MEMPACK_SYNC_KINDS", "*")
    for words in (("push", "--dry-run"), ("enable", "--remote", ada.mem("sync", "status", "--json").json["remote"])):
        assert "Secret plan" in ada.mem("sync", *words).out
    monkeypatch.delenv("MEMPACK_SYNC_KINDS")
    assert "Nothing would leave" in ada.mem("sync", "push", "--dry-run").out
    ada.mem("sync")
    ben.mem("sync")
    assert ben.known() == set()
    assert SHARED_LINE not in ada.mem("log").out


def test_the_log_has_a_line_of_what_a_rule_shared(machine: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ada.add("Secret plan", "x")
    monkeypatch.setenv("MEMPACK_SYNC_KINDS", "*")
    for _ in range(2):
        ada.mem("sync")
    monkeypatch.delenv("MEMPACK_SYNC_KINDS")
    assert ada.mem("log").out.count(SHARED_LINE) == 1
    ada.mem("update", memory, "--summary", "y")
    ada.mem("sync")
    ben.mem("sync")
    assert ben.mem("show", memory, "--json").json["memory"]["summary"] == "y"
    ada.mem("undo")
    assert ada.mem("show", memory, "--json").json["memory"]["summary"] == "x", "an exchange is no command to take back"


def test_a_refused_push_shares_nothing_that_a_rule_selects(machine: Team, remote: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = machine("ada", "origin")
    ada.add("Secret plan", "x")
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    ada.mem("sync", "enable", "--remote", str(remote))  # typed, so that the remote's hook runs
    monkeypatch.setenv("MEMPACK_SYNC_KINDS", "*")
    ada.mem("sync", fails=1)
    monkeypatch.delenv("MEMPACK_SYNC_KINDS")
    assert "Secret plan" not in ada.mem("sync", "push", "--dry-run").out


def test_an_export_for_review_shares_nothing_with_a_remote(machine: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = machine("ada")
    memory = ada.add("Secret plan", "x")
    monkeypatch.setenv("MEMPACK_SYNC_KINDS", "*")
    before = dump(ada)
    ada.mem("export", "--shared")
    assert (ada.folder / ".mempack" / "memories" / f"{memory}.md").exists()
    assert dump(ada) == before
