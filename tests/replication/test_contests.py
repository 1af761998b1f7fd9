"""Two who replace one memory at once, and the way out of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.mcp import talk
from tests.replication.conftest import Machine

pytestmark = pytest.mark.shared_folder

Team = Callable[..., Machine]


def contest(machine: Team) -> tuple[Machine, Machine, str, str, str]:
    """Has two members replace one memory at once. Returns both, the memory, and what each put in its place."""
    ada, ben = machine("ada"), machine("ben")
    old = ada.shared("We use Redis")
    for member in (ada, ben):
        member.mem("sync")
    titles = ((ada, "We use Valkey"), (ben, "We use memcached"))
    by_ada, by_ben = [who.mem("supersede", old, "--title", title, "--json").json["new_id"] for who, title in titles]
    for member in (ada, ben, ada):
        member.mem("sync")
    return ada, ben, old, by_ada, by_ben


def holding(member: Machine) -> set[str]:
    """Returns the titles of what holds for a member, and is not replaced."""
    return {row["title"] for row in member.mem("recent", "--json").json if not row["superseded"]}


def is_contested(member: Machine, *names: str) -> bool:
    """Tells whether any door of a member calls one of some memories contested."""
    texts = [member.mem("show", *names).out, member.mem("recent").out, member.mem("search", "use").out]
    texts.append(member.mem("get", "what do we use").out)
    answers = [row.get("contested_by") for row in member.mem("recent", "--json").json]
    return any("contested" in text or "that replace" in text for text in texts) or any(answers)


def test_a_contest_is_marked_everywhere_and_settled_by_one_command(machine: Team) -> None:
    ada, ben, old, by_ada, by_ben = contest(machine)
    for command in (["recent"], ["search", "use"], ["get", "what do we use"]):
        assert ben.mem(*command).out.count(f"one of 2 that replace {old}") == 2
    assert [row["contested_by"] for row in ben.mem("search", "memcached", "--json").json if row["id"] == by_ben] == [[by_ada]]
    shown = " ".join(ben.mem("show", old).out.split())
    assert f"by {min(by_ada, by_ben)} and {max(by_ada, by_ben)}" in shown
    assert f"mem supersede {by_ada} --by {by_ben}" in " ".join(ben.mem("show", by_ben).out.split())

    assert f"{by_ben}" in ben.mem("supersede", by_ada, "--by", by_ben).out
    for member in (ben, ada):
        member.mem("sync")
        assert not is_contested(member, old, by_ada, by_ben)
        assert holding(member) == {"We use memcached"}
    assert ben.mem("doctor").code == 0
    assert f"superseded “We use Valkey” by “We use memcached” ({by_ben})" in " ".join(ben.mem("log").out.split())
    ben.mem("undo")
    assert is_contested(ben, by_ben)


def test_a_contest_that_two_settle_the_other_way_round_stays_one_until_somebody_decides(machine: Team) -> None:
    ada, ben, old, by_ada, by_ben = contest(machine)
    ada.mem("supersede", by_ben, "--by", by_ada)
    ben.mem("supersede", by_ada, "--by", by_ben)
    for member in (ada, ben, ada):
        member.mem("sync")
    for member in (ada, ben):
        assert holding(member) == {"We use Valkey", "We use memcached"}, "nothing is lost"
        assert is_contested(member, by_ada, by_ben)
        assert member.mem("doctor").code == 0
    ada.mem("supersede", by_ada, "--by", by_ben)
    for member in (ada, ben):
        member.mem("sync")
        assert holding(member) == {"We use memcached"}
        assert not is_contested(member, old, by_ada, by_ben)


def test_one_memory_takes_the_place_of_another_only_where_that_makes_sense(machine: Team) -> None:
    ada = machine("ada", None)
    old, new, third = [ada.add(title) for title in ("We use Redis", "We use Valkey", "We use memcached")]
    assert "its own place" in ada.mem("supersede", old, "--by", old, fails=2).err
    assert "leave out --summary" in ada.mem("supersede", old, "--by", new, "--summary", "s", fails=2).err
    ada.mem("supersede", old, "--by", new)
    assert ada.mem("supersede", old, "--by", new, "--json").json["status"] == "exists"
    assert f"mem supersede {new} --by {third}" in ada.mem("supersede", old, "--by", third, fails=2).err
    assert f"{old} is superseded by {new}" in ada.mem("supersede", third, "--by", old, fails=2).err
    assert "supersede OLD --by NEW" in ada.mem("link", third, "supersedes", new, fails=2).err
    ada.mem("supersede", new, "--by", old)
    assert holding(ada) == {"We use Redis", "We use memcached"}, "what was replaced took its place again"
    ada.mem("forget", third)
    assert "forgotten" in ada.mem("supersede", old, "--by", third, fails=3).err


def test_an_agent_settles_a_contest_with_its_tool(machine: Team) -> None:
    ada = machine("ada", None)
    old, new = ada.add("We use Redis"), ada.add("We use Valkey")

    async def call(client: Any) -> Any:
        return await client.call_tool("mempack_supersede", {"id": old, "by": new})

    assert not talk.talk(call, ada, "--allow-write", "--write-mode", "auto").is_error
    assert holding(ada) == {"We use Valkey"}


def test_what_holds_is_named_once_a_contest_is_settled(machine: Team) -> None:
    ada, ben, old, by_ada, by_ben = contest(machine)
    loser, winner = (
        [by_ada, by_ben] if ada.mem("show", old, "--json").json["memory"]["superseded_by"] == by_ada else [by_ben, by_ada]
    )
    ada.mem("supersede", loser, "--by", winner)
    for member in (ada, ben):
        member.mem("sync")
        shown = member.mem("show", old)
        assert winner in shown.out
        assert "superseded" not in member.mem("show", winner).out


def test_a_memory_that_is_replaced_by_what_it_replaces_is_never_said_to_replace_itself(machine: Team) -> None:
    ada, ben, old, by_ada, by_ben = contest(machine)
    ada.mem("supersede", by_ben, "--by", by_ada)
    ben.mem("supersede", by_ada, "--by", by_ben)
    for member in (ada, ben, ada):
        member.mem("sync")
    for member in (ada, ben):
        for name, other in ((by_ada, by_ben), (by_ben, by_ada)):
            shown = member.mem("show", name).out
            assert f"superseded by {other}, which it supersedes in turn" in shown
            assert member.mem("show", name, "--json").json["memory"].get("successors", []) == []
            assert f"replaces {old}, as does {other}" in " ".join(shown.split())
        assert member.mem("recent").out.count(f"one of 2 that replace {old}") == 2


def test_two_that_replace_each_other_and_nothing_else_are_said_to(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    one, other = ada.shared("We use Valkey"), ada.shared("We use memcached")
    for member in (ada, ben):
        member.mem("sync")
    ada.mem("supersede", one, "--by", other)
    ben.mem("supersede", other, "--by", one)
    for member in (ada, ben, ada):
        member.mem("sync")
    assert ada.mem("recent").out.count("one of 2 that replace each other") == 2
    assert ada.mem("get", "what do we use").out.count("one of 2 that replace each other") == 2
    assert f"it and {other} replace each other" in " ".join(ada.mem("show", one).out.split())
