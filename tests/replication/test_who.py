"""Who wrote what is shared, who changed it, and what is said of what left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.replication.conftest import Machine, texts_of

pytestmark = pytest.mark.shared_folder

Team = Callable[..., Machine]


def test_a_memory_names_who_wrote_and_who_changed_it_on_both_sides(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ada.shared("Deploys need a tag")
    for member in (ada, ben):
        member.mem("sync")
    ben.mem("update", memory, "--summary", "and a second pair of eyes")
    for member in (ben, ada):
        member.mem("sync")
    at_ada, at_ben = ada.mem("show", memory).out, ben.mem("show", memory).out
    assert " by Ada (cli)\n" in at_ada
    assert " by Ben\n" in at_ada
    assert " by Ada\n" in at_ben
    assert " by Ben (cli)\n" in at_ben
    answer = ben.mem("show", memory, "--json").json["memory"]
    assert (answer["author"], answer["changed_by"]) == ("Ada", "Ben")
    assert "· changed by Ben" in ada.mem("recent").out
    assert "· by Ada" in ben.mem("thread", "general").out
    assert "· Ben (cli)" in ada.mem("log", memory).out
    assert "@" not in ada.mem("log").out


def test_who_changed_it_last_is_who_did_by_the_clock(machine: Team, later: Callable[[str], None]) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ada.shared("Deploys need a tag")
    for member in (ada, ben):
        member.mem("sync")
    ben.mem("update", memory, "--summary", "and a second pair of eyes")
    later("2026-03-01T13:00:00Z")
    ada.mem("update", memory, "--summary", "and a review")
    for member in (ben, ada):
        member.mem("sync")
    assert "and a review" in ada.mem("show", memory).out
    assert ada.mem("show", memory, "--json").json["memory"]["trust"] == "high", "every word is hers"
    assert "another writer" not in ada.mem("get", "what do deploys need").out
    assert "Ben" not in ada.mem("show", memory).out + ada.mem("recent").out
    assert "Ben" in ada.mem("log", memory).out


def test_every_door_names_the_writer_of_what_another_store_wrote(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.shared("Deploys need a tag")
    note = ada.mem("note", "add", "The bearings are late", "--json").json["id"]
    ada.mem("profile", "set", "editor", "vim")
    entry = ada.mem("profile", "list", "--json").json[0]["id"]
    state = ada.mem("checkpoint", "--reason", "r", "--state-json", '{"next": "x"}', "--share", "--json").json["state_id"]
    ada.mem("share", note, entry)
    for member in (ada, ben):
        member.mem("sync")
    for command in (["get", "deploys"], ["search", "deploys"], ["note"], ["profile"], ["state"]):
        assert "by another writer, “Ada”" in ben.mem(*command).out
    for name in (note, entry, state):
        assert "by Ada" in ben.mem("show", name).out
        assert "by Ada (cli)" in ada.mem("show", name).out
    assert " · by another writer, “Ada”\n- next: x\n" in ben.mem("get", "deploys").out
    assert ' by="other" name="Ada">\n' in ben.mem("get", "deploys", "--format", "xml").out
    assert ben.mem("search", "deploys", "--json").json[0]["author"] == "Ada"
    assert ben.mem("get", "deploys", "--json").json["top_memories"][0]["author"] == "Ada"
    for command in ("note", "profile"):
        assert ben.mem(command, "--json").json[0]["author"] == "Ada"
    assert ben.mem("state", "--json").json["author"] == "Ada"


def test_what_was_written_anew_here_is_ones_own_word_until_another_word_of_theirs_stands(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ada.shared("Deploys need a tag", "since March")
    for member in (ada, ben):
        member.mem("sync")
    ben.mem("update", memory, "--title", "Deploys need two tags")
    assert ben.mem("show", memory, "--json").json["memory"]["trust"] == "low", "the summary is Ada's"
    ben.mem("update", memory, "--summary", "since April")
    assert ben.mem("show", memory, "--json").json["memory"]["trust"] == "high"
    for member in (ben, ada):
        member.mem("sync")
    assert ada.mem("show", memory, "--json").json["memory"]["trust"] == "low"


def test_only_what_left_is_said_to_be_with_others(machine: Team) -> None:
    ada = machine("ada")
    left, kept = ada.shared("Deploys need a tag"), ada.add("A draft")
    ada.mem("sync")
    assert ada.mem("unshare", kept).out == f"No longer sharing changes to {kept} A draft\n"
    assert "mem sync purge ID" in ada.mem("unshare", left).out


def test_what_others_have_already_is_not_listed_as_leaving(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.shared("Deploys need a tag")
    for member in (ada, ben):
        member.mem("sync")
    ben.mem("sync", "disable")
    ben.shared("Deploys need a second tag")
    again = ben.mem("sync", "enable", "--remote", "origin").out
    assert "“Deploys need a second tag”" in again
    assert "“Deploys need a tag”" not in again
    assert "as far as the remote does not have it" in again
    assert " by others that you have" in again


def test_a_purge_takes_the_reason_of_a_checkpoint_out_with_its_state(machine: Team, remote: Path) -> None:
    ada, ben = machine("ada"), machine("ben")
    stored = ada.mem("checkpoint", "--reason", "the word is swordfish", "--state-json", '{"next": "x"}', "--share", "--json").json
    for member in (ada, ben):
        member.mem("sync")
    purged = ada.mem("sync", "purge", stored["state_id"]).out
    assert [line.split()[1] for line in purged.splitlines()] == [stored["state_id"], stored["memory_id"]]
    ben.mem("sync")
    for member in (ada, ben):
        assert "swordfish" not in member.mem("recent").out + member.mem("state").out
    ada.git("gc", "-q", "--prune=now", cwd=remote)
    assert "swordfish" not in texts_of(remote, ada.git)
    assert " · cli" in ada.mem("log", "--limit", "1").out, "who purged it"
    assert " · sync" in ben.mem("log", "--limit", "1").out


def test_who_shares_nothing_yet_is_told_how(machine: Team) -> None:
    ada = machine("ada")
    memory = ada.add("A fact")
    assert "nothing is shared yet: mem share ID" in ada.mem("sync").err
    ada.mem("share", memory)
    assert ada.mem("sync").err == ""


def test_who_takes_the_name_back_goes_by_a_number_again(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.shared("The cache is warm", "b")
    ada.mem("sync")
    ben.mem("sync")
    assert "Ada" in ben.mem("recent").out
    ada.mem("config", "unset", "sync.author")
    ada.mem("sync")
    assert "took the name of this store back" in ada.mem("log").out
    ben.mem("sync")
    status = ben.mem("sync", "status", "--json").json
    assert [writer["name"] for writer in status["writers"]] == [None]
    assert ada.mem("sync").out == ben.mem("sync").out == "pulled nothing new\npushed nothing new\n"


def test_a_list_by_writer_has_what_they_wrote_also_where_another_changed_it(machine: Team) -> None:
    ada, ben, cyd = [machine(name) for name in ("ada", "ben", "cyd")]
    memory, own = ada.shared("Deploys need a tag"), ben.shared("The cache is warm")
    for member in (ada, ben):
        member.mem("sync")
    ben.mem("update", memory, "--title", "Deploys need two tags", "--summary", "since April")
    for member in (ben, ada, cyd):
        member.mem("sync")
        by_ada, by_ben = [[row["id"] for row in member.mem("recent", "--by", name, "--json").json] for name in ("Ada", "Ben")]
        assert (by_ada, sorted(by_ben)) == ([memory], sorted([memory, own]))
    assert "· by Ada, changed by Ben" in cyd.mem("recent", "--by", "Ada").out
    assert "· changed by Ben" in ada.mem("recent", "--by", "Ada").out
    assert "· by Ada" in ben.mem("recent", "--by", "Ada").out


def of_one_name(machine: Team, *names: str) -> list[Machine]:
    """Has members with the given names share a memory each, and Ben, who gets them."""
    members = [machine(f"m{at}") for at in range(len(names))]
    for at, (member, name) in enumerate(zip(members, names)):
        member.mem("config", "set", "sync.author", name)
        member.shared(f"Fact {at}")
        member.mem("sync")
    return [*members, machine("ben")]


def numbers(member: Machine) -> list[str]:
    """Returns the ids of the writers whom a member knows."""
    return [row["id"] for row in member.mem("sync", "status", "--json").json["writers"]]


@pytest.mark.parametrize("other", ["Ada", "ada ", "Аda", "A da", "Ada (W-0000)"])
def test_writers_of_one_name_are_told_apart_by_their_ids(machine: Team, other: str) -> None:
    *_, ben = of_one_name(machine, "Ada", other)
    told = " ".join(ben.mem("sync").err.split())
    shorts = [f"W-{number[:4]}" for number in numbers(ben)]
    assert "2 writers call themselves " in told
    assert all(short in told for short in shorts)
    assert "call themselves" not in ben.mem("sync").err, "said once"
    for command in (["recent"], ["search", "fact"], ["get", "fact"], ["log"]):
        assert all(f"({short})" in ben.mem(*command).out for short in shorts)
    error = ben.mem("recent", "--by", "Ada", fails=2).err
    assert all(short in error for short in shorts)
    listed = [ben.mem("recent", "--by", short, "--json").json for short in shorts]
    assert sorted(row["title"] for rows in listed for row in rows) == ["Fact 0", "Fact 1"]
    assert [len(rows) for rows in listed] == [1, 1]
    assert f"({shorts[0]})" in ben.mem("show", listed[0][0]["id"]).out


def test_who_takes_the_name_of_this_store_is_shown_with_their_id_and_this_store_without(machine: Team) -> None:
    ada, mallory, _ = of_one_name(machine, "Ada", "Ada")
    told = " ".join(mallory.mem("sync").err.split())
    ada.mem("sync")
    (number,) = numbers(ada)
    mine, theirs = [ada.mem("recent", "--by", name, "--json").json[0]["id"] for name in (numbers(mallory)[0], number)]
    assert f"by Ada (W-{number[:4]})" in ada.mem("show", theirs).out
    assert "by Ada (cli)" in ada.mem("show", mine).out
    assert "(this store)" in ada.mem("recent", "--by", "Ada", fails=2).err
    assert told == "", "said already, by the sync that brought it"
