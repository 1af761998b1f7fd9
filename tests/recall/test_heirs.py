"""What was superseded gives way to what replaced it, found or not, one or several."""

from __future__ import annotations

from typing import Any

import pytest

from memcli.memory import commit
from memcli.project import Where, open_for_writing
from memcli.store.oplog import Change
from tests.conftest import Terminal


@pytest.fixture
def old(terminal: Terminal) -> str:
    """A memory about zebras."""
    return terminal.add("The zebra store is Redis", "because it was there")


def supersede(terminal: Terminal, reference: str, title: str) -> str:
    found: str = terminal.mem("supersede", reference, "--title", title, "--summary", title, "--json").json["new_id"]
    return found


def contest(terminal: Terminal, old: str, new: str) -> None:
    """Makes `new` replace `old`, too, as another machine's log may say."""
    project = open_for_writing(Where(str(terminal.folder)))
    edge = {"rel": "supersedes", "to": old, "on": True}
    commit.commit(project, lambda: [Change("link", new, edge), Change("supersede", old, {"by": new, "on": True})], "cli")
    project.close()


def pack(terminal: Terminal, *more: str) -> dict[str, Any]:
    found: dict[str, Any] = terminal.mem("get", "zebra", "--json", *more).json
    return found


def test_what_replaced_a_match_takes_its_place_though_it_does_not_match(terminal: Terminal, old: str) -> None:
    terminal.add("The zebra has stripes", "zebra zebra zebra zebra, and zebra")
    score = pack(terminal)["top_memories"][1]["score"]
    new = supersede(terminal, supersede(terminal, old, "The horse store is SQLite"), "Horses are in Postgres")
    found = pack(terminal)

    assert [item["title"] for item in found["top_memories"]] == ["The zebra has stripes", "Horses are in Postgres"]
    assert (found["top_memories"][1]["id"], found["top_memories"][1]["score"]) == (new, pytest.approx(score, abs=0.01))
    assert found["top_memories"][1]["contested_by"] == []
    assert found["left_out"]["superseded"] == 1
    verdicts = {one["id"]: one["verdict"] for one in terminal.mem("explain", "zebra", "--json").json["memories"]}
    assert (verdicts[old], verdicts[new]) == ("superseded", "included")


def test_it_comes_once_however_many_of_its_chain_match(terminal: Terminal, old: str) -> None:
    new = supersede(terminal, supersede(terminal, old, "The zebra store is SQLite"), "Horses are in Postgres")
    assert [item["id"] for item in pack(terminal)["top_memories"]] == [new]


def test_it_does_not_come_where_head_cannot_see_it_or_it_was_forgotten(terminal: Terminal, old: str) -> None:
    terminal.git("switch", "-q", "-c", "side")
    terminal.commit("on the side", a_py="a")
    new = supersede(terminal, old, "Horses are in Postgres")
    assert [item["id"] for item in pack(terminal)["top_memories"]] == [new]
    terminal.git("switch", "-q", "main")
    assert [item["id"] for item in pack(terminal)["top_memories"]] == [old]
    terminal.git("switch", "-q", "side")
    terminal.mem("forget", new)
    assert pack(terminal)["top_memories"] == []


def test_two_that_replace_one_are_both_shown_and_flagged(terminal: Terminal, old: str) -> None:
    first, second = supersede(terminal, old, "Horses are in Postgres"), terminal.add("Ponies are in MySQL", "ponies")
    contest(terminal, old, second)
    found = pack(terminal)["top_memories"]

    assert {item["id"]: item["contested_by"] for item in found} == {first: [second], second: [first]}
    assert terminal.mem("get", "zebra").out.count(f" · one of 2 that replace {old}]") == 2
    assert terminal.mem("get", "zebra", "--format", "xml").out.count(f' one_of="2" replacing="{old}"') == 2
    own_words = terminal.mem("get", "ponies", "--json").json["top_memories"]
    assert {item["id"]: item["contested_by"] for item in own_words}[second] == [first]
    third = supersede(terminal, second, "Ponies are in Postgres")
    assert {item["id"]: item["contested_by"] for item in pack(terminal)["top_memories"]} == {first: [third], third: [first]}


def test_of_two_that_replace_one_both_are_told_where_only_one_matches(terminal: Terminal, old: str) -> None:
    matching = supersede(terminal, old, "The zebra store is SQLite")
    other = terminal.add("Horses are in Postgres", "as the office has it")
    contest(terminal, old, other)
    memories = terminal.mem("get", "SQLite", "--json").json["top_memories"]

    assert [item["id"] for item in memories] == [matching, other]
    assert [item["contested_by"] for item in memories] == [[other], [matching]]
    assert memories[1]["origin"] == "cli"


def test_two_that_replace_each_other_are_both_shown_and_flagged(terminal: Terminal, old: str) -> None:
    new = supersede(terminal, old, "The zebra store is Postgres")
    contest(terminal, new, old)
    found = pack(terminal)["top_memories"]
    assert {item["id"]: item["contested_by"] for item in found} == {old: [new], new: [old]}
