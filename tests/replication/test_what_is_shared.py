"""Seeing what is shared."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.replication.conftest import Machine

pytestmark = pytest.mark.shared_folder

Team = Callable[..., Machine]


def test_what_is_shared_is_said_listed_and_counted(machine: Team) -> None:
    ada = machine("ada")
    shared, kept = ada.shared("Deploys need a tag"), ada.add("A draft")
    gone = ada.shared("Yesterday's news")
    ada.mem("sync")
    ada.mem("forget", gone)
    assert "shared     yes\n" in ada.mem("show", shared).out
    assert "shared     no, it is kept here\n" in ada.mem("show", kept).out
    assert [row["id"] for row in ada.mem("recent", "--shared", "--json").json] == [shared]
    assert "1 shared, " in ada.mem("sync", "status").out
    ada.mem("config", "set", "sync.kinds", "note")
    assert ada.mem("show", kept, "--json").json["memory"]["shared"] == "by the rules, from the next mem sync on"
    ada.mem("sync")
    ada.mem("unshare", shared)
    assert [row["id"] for row in ada.mem("recent", "--shared", "--json").json] == [kept]
    assert "kept here" in ada.mem("show", shared).out


def test_who_shares_nothing_is_told_nothing_of_it(machine: Team) -> None:
    ada = machine("ada", None)
    memory = ada.add("A fact")
    assert "shared" not in ada.mem("show", memory).out
    assert "nothing stored matches" in ada.mem("recent", "--shared").out


def test_a_list_has_only_what_one_writer_wrote(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.mem("add", "From the north", "--summary", "s", "--share")
    ada.mem("sync")
    ben.mem("sync")
    own = ben.mem("add", "From the south", "--summary", "s", "--json").json["id"]
    writer = next(it["id"] for it in ben.mem("sync", "status", "--json").json["writers"] if it["name"] == "Ada")
    for by in ("Ada", "ada", writer):
        assert [row["title"] for row in ben.mem("recent", "--by", by, "--json").json] == ["From the north"]
    ben.mem("config", "set", "sync.author", "Ben")
    assert [row["id"] for row in ben.mem("recent", "--by", "Ben", "--json").json] == [own]
    assert "no writer Carol" in ben.mem("recent", "--by", "Carol", fails=3).err


def test_a_state_a_note_and_a_profile_entry_say_whether_others_get_them(machine: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    ada, ben = machine("ada"), machine("ben")
    state = ada.mem("checkpoint", "--reason", "Half way", "--state-json", '{"next": "tests"}', "--json").json["state_id"]
    note = ada.mem("note", "add", "Deployed to staging", "--json").json["id"]
    ada.mem("profile", "set", "style", "short functions")
    entry = ada.mem("log", "--limit", "1", "--json").json[0]["o"]
    for name in (state, note, entry):
        assert "shared     no, it is kept here\n" in ada.mem("show", name).out
        ada.mem("share", name)
        assert "shared     yes\n" in ada.mem("show", name).out
    for member in (ada, ben):
        member.mem("sync")
    for name in (state, note, entry):
        assert ben.mem("show", name, "--json").json["shared"] == "yes"
    own = ada.mem("checkpoint", "--reason", "Done", "--state-json", "{}", "--json").json["state_id"]
    monkeypatch.setenv("MEMPACK_SYNC_STATES", "true")
    assert "shared     by the rules, from the next mem sync on\n" in ada.mem("show", own).out
