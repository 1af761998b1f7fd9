"""What a person took out of a memory before sharing it, or keeps here, never reaches others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.errors import MemError
from memcli.replication import tree
from tests.conftest import Terminal
from tests.replication.conftest import Machine, texts_of

Team = Callable[..., Machine]


def test_a_text_that_was_replaced_before_sharing_stays_here(machine: Team, remote: Path, terminal: Terminal) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ada.add("Draft of Acme", "Acme pays late", "--thread", "client-acme")
    ada.mem("update", memory, "--title", "Late payments", "--summary", "A client pays late", "--thread", "payments")
    ada.mem("share", memory)
    dry = ada.mem("sync", "push", "--dry-run", "--json").out
    assert "acme" not in dry.lower()
    for member in (ada, ben, ada):
        member.mem("sync")
    assert "acme" not in texts_of(remote, terminal.git).lower()
    for member in (ada, ben):
        shown = member.mem("show", memory, "--json").json["memory"]
        assert (shown["title"], shown["summary"]) == ("Late payments", "A client pays late")
        assert "payments" in member.mem("threads").out
    assert "Acme pays late" in ada.mem("log", memory, "-p").out, "here its history is kept"


def test_what_was_changed_while_it_was_kept_here_stays_here(machine: Team, remote: Path, terminal: Terminal) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ada.shared("The plan", "first")
    ada.mem("sync")
    ada.mem("unshare", memory)
    ada.mem("update", memory, "--summary", "the word is swordfish")
    ada.mem("update", memory, "--summary", "second")
    ada.mem("share", memory)
    for member in (ada, ben):
        member.mem("sync")
    assert "swordfish" not in texts_of(remote, terminal.git)
    assert ben.mem("show", memory, "--json").json["memory"]["summary"] == "second"


@pytest.mark.parametrize(("kind", "words"), [("profile", ("profile", "set", "db")), ("note", ("note", "add"))])
def test_an_earlier_value_of_an_entry_stays_here(
    machine: Team, remote: Path, terminal: Terminal, kind: str, words: tuple[str, ...]
) -> None:
    ada, ben = machine("ada"), machine("ben")
    if kind == "profile":
        ada.mem(*words, "swordfish host")
        ada.mem(*words, "plain host")
        entry = ada.mem("profile", "--json").json[0]["id"]
    else:
        entry = ada.mem(*words, "the word is swordfish", "--json").json["id"]
        ada.mem("note", "edit", entry, "plain text")
    ada.mem("share", entry)
    for member in (ada, ben):
        member.mem("sync")
    assert "swordfish" not in texts_of(remote, terminal.git)
    assert "plain" in ben.mem("profile" if kind == "profile" else "note").out


def test_an_undone_change_after_a_push_brings_the_old_text_back_everywhere(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ada.add("The plan", "first")
    ada.mem("update", memory, "--summary", "second")
    ada.mem("share", memory)
    ada.mem("sync")
    ada.mem("update", memory, "--summary", "third")
    ada.mem("undo")
    for member in (ada, ben, ada):
        member.mem("sync")
    assert [member.mem("show", memory, "--json").json["memory"]["summary"] for member in (ada, ben)] == ["second", "second"]


def test_a_push_that_was_killed_between_its_parts_lacks_no_value(machine: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ada.add("The plan", "first")
    ada.mem("update", memory, "--summary", "second")
    ada.mem("share", memory)
    sync_killed_behind_the_newest(ada, monkeypatch)
    ada.mem("undo")  # of sharing
    ada.mem("undo")  # of the change that left
    ada.mem("share", memory)
    for member in (ada, ben):
        member.mem("sync")
    assert ben.mem("show", memory, "--json").json["memory"]["summary"] == "first"


def test_what_was_replaced_stays_here_after_a_push_that_was_killed_behind_what_replaced_it(
    machine: Team, remote: Path, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = machine("ada")
    memory = ada.add("The plan", "the word is swordfish")
    ada.mem("update", memory, "--summary", "second")
    ada.mem("share", memory)
    sync_killed_behind_the_newest(ada, monkeypatch)
    ada.mem("sync")
    assert "swordfish" not in texts_of(remote, terminal.git)


def sync_killed_behind_the_newest(member: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ends a push when its newest change is at the remote, before that is noted."""
    with monkeypatch.context() as one_change_a_push:
        one_change_a_push.setattr("memcli.replication._PUSHED_AT_ONCE", 1)
        one_change_a_push.setattr("memcli.store.replication.note_pushed", _killed)
        member.mem("sync", fails=1)


def _killed(*_: object) -> None:
    raise MemError("killed")


def test_a_file_does_not_share_again_what_is_kept_here(machine: Team, remote: Path, terminal: Terminal) -> None:
    ada = machine("ada")
    memory = ada.shared("The plan", "first")
    ada.mem("sync")
    ada.mem("export", "--shared")
    ada.mem("unshare", memory)
    ada.mem("update", memory, "--summary", "the word is swordfish")
    imported = ada.mem("import", str(ada.folder / tree.FOLDER))
    assert f"mem share {memory} first" in imported.err
    assert ada.mem("sync", "push", "--dry-run").out.startswith("Nothing would leave.")
    ada.mem("sync")
    assert "swordfish" not in texts_of(remote, terminal.git)
    assert ada.mem("show", memory, "--json").json["memory"]["summary"] == "the word is swordfish"


def test_a_file_with_one_new_field_takes_back_no_newer_text(machine: Team) -> None:
    ada = machine("ada")
    memory = ada.shared("The plan", "first")
    ada.mem("export", "--shared")
    file = ada.folder / tree.FOLDER / f"{memory}.md"
    ada.mem("update", memory, "--summary", "second, written after the file")
    file.write_text(file.read_text().replace(json.dumps("The plan"), json.dumps("The plan of a colleague")))
    ada.mem("import", str(file.parent))
    shown = ada.mem("show", memory, "--json").json["memory"]
    assert (shown["title"], shown["summary"]) == ("The plan of a colleague", "second, written after the file")
