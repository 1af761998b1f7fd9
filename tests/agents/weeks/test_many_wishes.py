"""Many standing instructions: a start tells all that have room before anything repeats them."""

from __future__ import annotations

import pytest

from memcli.recall.render import counted
from tests.agents.weeks.player import Player
from tests.agents.worker.test_telling import STANDING, section
from tests.conftest import Terminal

WISHES = [
    "Never touch tests/golden.",
    "Every new endpoint needs an entry in openapi.yaml.",
    "Do not add dependencies without asking me.",
    "As a rule, tests go beside the module.",
    "Next time ask me before you delete a branch.",
    "Never write German comments.",
    "Always run the linter before you commit.",
    "Never push to main.",
    "From now on put the ticket number into the branch name.",
    "Always name fixtures after what they hold.",
    "Never log the addresses of customers.",
    "Always write amounts in integer cents.",
]
VERBS = "rename delete move cache mock sort translate publish archive encrypt merge resize index copy rotate drop".split() * 2
THINGS = (
    "columns invoices parcels currencies drivers customers emails releases backups passports branches pictures tables contracts "
    "logs queues routes themes fonts clocks sensors menus tickets shelves coupons badges maps seeds beacons ledgers anchors pumps"
).split()
PEOPLE = [f"the {name} people" for name in THINGS[::-1]]
DECISION = "We decided to keep the tokens in Postgres, because Redis evicted them."


def test_those_of_many_sessions_are_told_and_no_line_of_a_session_repeats_them(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Player(terminal, monkeypatch, "claude")
    for wish in WISHES:
        player.play([["ask", wish], ["answer", "Understood."], ["end"], ["days", "1"]])
    start = player.start()
    assert [wish for wish in WISHES if start.count(wish) != 1] == []


def test_so_are_those_of_one_session_beside_what_was_decided(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    player = Player(terminal, monkeypatch, "claude")
    player.play([["ask", "Where do tokens go?"], ["answer", DECISION]])
    for wish in WISHES:
        player.play([["ask", wish], ["answer", "Understood."]])
    player.play([["end"]])
    start = player.start()
    told = " ".join(section(start, STANDING))
    assert [wish for wish in WISHES if wish not in told] == []
    assert DECISION in start


def test_more_than_have_room_leave_some_to_the_rest(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    player = Player(terminal, monkeypatch, "claude")
    open_point = "The export to the archive of the tax office has no test yet."
    player.play([["ask", "Export it."]])
    player.play([["answer", f"{DECISION}\n\n{open_point}"], ["end"]])
    many = [f"Never {verb} {thing} without asking {who}." for verb, thing, who in zip(VERBS, THINGS, PEOPLE, strict=True)]
    for wish in many:
        player.play([["ask", wish], ["answer", "Understood."]])
    start = player.start()
    assert counted([start]) <= 600
    assert open_point in start
    assert DECISION in start
    assert len([wish for wish in many if wish in start]) >= 12


def test_more_than_have_room_leave_some_to_a_decision_and_the_last_session(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Player(terminal, monkeypatch, "claude")
    for verb, thing, who in zip(VERBS, THINGS, PEOPLE, strict=True):
        player.play([["ask", f"Never {verb} {thing} without asking {who}."], ["answer", "Understood."]])
    player.play([["end"], ["days", "1"]])
    for thing, other in zip(THINGS[:6], THINGS[6:]):
        reason = f"We decided to keep the {thing} beside the {other}, because the nightly job reads both of them at once."
        player.play([["ask", f"Where do the {thing} go?"], ["answer", f"{reason}\n\nThe {other} have no test yet."]])
    player.play([["end"], ["days", "1"], ["ask", "Make the limiter safe."], ["write", "limiter.py", "lock = 1\n"]])
    player.play([["commit", "Lock the limiter"], ["answer", "It is safe now."], ["end"]])
    start = player.start()
    assert counted([start]) <= 600
    assert "Lock the limiter" in section(start, "Last sessions")[0]
    assert "We decided to keep" in section(start, "Decisions")[0]


def test_rules_of_one_list_stand_in_its_order_a_line_each(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    player = Player(terminal, monkeypatch, "claude")
    rules = ["always squash", "never push to main", "amounts in integer cents"]
    listed = "".join([f"\n- {rule}" for rule in rules])
    player.play([["ask", f"Port the importer. House rules:{listed}"], ["answer", "The importer is ported."], ["end"]])
    assert section(player.start(), STANDING) == [f"- {rule}" for rule in rules]


def test_a_list_of_more_rules_than_have_room_is_told_from_its_top(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    player = Player(terminal, monkeypatch, "claude")
    rules = [f"never {verb} {thing} without asking {who}" for verb, thing, who in zip(VERBS, THINGS, PEOPLE, strict=True)]
    listed = "".join([f"\n- {rule}" for rule in rules])
    player.play([["ask", f"House rules:{listed}"], ["answer", "I will keep to these."], ["end"]])
    start = player.start()
    told = section(start, STANDING)
    assert counted([start]) <= 600
    assert told == [f"- {rule}" for rule in rules[: len(told)]]
    assert len(told) >= 12


LISTED = """Port the importer. Some conventions:
- ids are UUIDs, numbers are for people
- no default exports
- Always squash
- one parser per file"""


def test_each_rule_of_a_list_stands_by_itself_and_is_lifted_by_itself(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Player(terminal, monkeypatch, "codex")
    player.play([["ask", LISTED], ["answer", "The importer is ported."], ["end"], ["days", "1"]])
    told = " ".join(section(player.start(), STANDING))
    assert [line for line in LISTED.split("\n- ")[1:] if line not in told] == []
    player.play([["ask", "default exports are fine now"], ["answer", "All right."], ["end"], ["days", "1"]])
    told = " ".join(section(player.start(), STANDING))
    assert "no default exports" not in told
    assert "Always squash" in told
    assert "ids are UUIDs" in told
