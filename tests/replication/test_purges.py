"""What a purge takes out, also of what only the remote has; what it would take out; and which copies it does not reach."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.conftest import Terminal
from tests.replication.conftest import Machine, snapshot, texts_of

Team = Callable[..., Machine]


def collected(remote: Path, terminal: Terminal) -> str:
    """Returns every object of a remote after its garbage was collected as the page says."""
    terminal.git("reflog", "expire", "--expire=now", "--all", cwd=remote)
    terminal.git("gc", "-q", "--prune=now", cwd=remote)
    return texts_of(remote, terminal.git)


def test_a_text_that_was_erased_here_is_purged_where_it_was_sent(machine: Team, remote: Path, terminal: Terminal) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ada.shared('The word is "swordfish"', "s", "--thread", "swordfish-plans")
    for member in (ada, ben):
        member.mem("sync")
    ada.mem("forget", "--erase", memory)
    purged = ada.mem("sync", "purge", "--text", "swordfish")
    assert purged.out == f"Purged {memory}\n"
    assert "swordfish" not in collected(remote, terminal)
    ben.mem("sync")
    assert ben.known() == set()
    assert "swordfish" not in ben.mem("threads").out
    assert ada.mem("sync", "purge", "--text", "swordfish", fails=3).err.startswith("Error: nothing that could be shared")


def test_a_text_is_purged_that_a_line_of_the_remote_writes_with_escapes(machine: Team, remote: Path, terminal: Terminal) -> None:
    ada = machine("ada")
    memory = ada.shared("A hint", 'it is "sword" \\ fish')
    ada.mem("sync")
    ada.mem("forget", "--erase", memory)
    ada.mem("sync", "purge", "--text", '"sword" \\ fish')
    assert "sword" not in collected(remote, terminal)


def test_what_a_purge_would_take_out_is_listed_with_the_reason(machine: Team, remote: Path) -> None:
    ada = machine("ada")
    titled, told = ada.shared("The gate opens to swordfish"), ada.shared("A hint", "it is swordfish")
    threaded = ada.shared("A plan", "s", "--thread", "swordfish-plans")
    edited = ada.shared("Another hint", "it was swordfish")
    ada.mem("update", edited, "--summary", "it was changed")
    ada.shared("A fact")
    ada.mem("sync")
    before = snapshot(remote)
    listed = ada.mem("sync", "purge", "--text", "swordfish", "--dry-run")
    reasons = {
        it["id"]: (it["title"], it["reason"])
        for it in ada.mem("sync", "purge", "--text", "swordfish", "--dry-run", "--json").json["items"]
        if it["id"][0] == "M"
    }
    assert reasons == {
        titled: ("The gate opens to swordfish", "in its title"),
        told: ("A hint", "in its text"),
        threaded: ("A plan", "in the name of its thread"),
        edited: ("Another hint", "in its history"),
    }
    assert f"Would purge {edited}" in listed.out
    assert "in its history" in listed.out
    assert snapshot(remote) == before
    assert len(ada.known()) == 5
    assert f"Would purge {told}  A hint" in ada.mem("sync", "purge", told, "--dry-run").out


def test_a_purge_names_the_copies_that_it_does_not_reach(machine: Team) -> None:
    ada = machine("ada")
    memory = ada.shared("The word is swordfish")
    ada.mem("sync")
    ada.mem("export", "--shared")
    ada.git("add", "-f", ".mempack/memories")
    ada.git("commit", "-q", "-m", "Shared memories")
    commit = ada.git("rev-parse", "HEAD")
    own = ada.mem("add", "My word is swordfish", "--summary", "s", "--user", "--json").json["id"]
    entry = ada.mem("profile", "set", "word", "swordfish", "--user", "--json").json["id"]
    told = ada.mem("sync", "purge", "--text", "swordfish", "--dry-run").err
    assert f"mem forget --erase {own} --user" in told
    assert f"mem forget --erase {entry} --user" in told
    assert f".mempack/memories/{memory}.md: delete the file" in told
    assert f"as in commit {commit[:12]}" in told
    assert "what other members have of it and never shared: each erases it" in told
    assert "git gc --prune=now" in told
    assert "exports" in told
    by_id = ada.mem("sync", "purge", memory).err
    assert f".mempack/memories/{memory}.md: delete the file" in by_id
    assert f"as in commit {commit[:12]}" in by_id
    ada.mem("forget", "--erase", own, "--user")
    ada.mem("forget", "--erase", entry, "--user")


def test_an_id_and_a_text_are_not_one_purge(machine: Team) -> None:
    refused = machine("ada").mem("sync", "purge", "M-9MQB26FTWX", "--text", "swordfish", fails=2).err
    assert "an ID and --text are two purges" in refused


def test_a_purge_names_who_of_the_others_wrote_what_it_takes_out(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    told = ada.shared("The gate opens to swordfish")
    ada.mem("sync")
    ben.mem("sync")
    assert "The gate opens to swordfish · by Ada" in ben.mem("sync", "purge", told, "--dry-run").out
    purged = ben.mem("sync", "purge", told, "--json").json
    assert [(it["id"], it["by"]) for it in purged["items"]] == [(told, "Ada")]


def test_who_asks_for_what_was_purged_is_told_that_another_member_did(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory, own = ada.shared("The word is swordfish"), ada.add("A draft")
    for member in (ada, ben):
        member.mem("sync")
    ben.mem("sync", "purge", memory)
    ada.mem("sync")
    for command in ("log", "show"):
        assert f"{memory} was erased, which another member purged" in ada.mem(command, memory, fails=3).err
    ada.mem("forget", "--erase", own)
    assert "another member" not in ada.mem("log", own, fails=3).err
