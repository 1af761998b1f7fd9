"""What a person is told where a pull took the place of their own words, and where both texts are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.replication.conftest import Machine

pytestmark = pytest.mark.shared_folder

Team = Callable[..., Machine]


def two_edits(machine: Team, later: Callable[[str], None]) -> tuple[Machine, Machine, str]:
    """Has Ada, and then Ben, who does not know of it, edit one memory."""
    ada, ben = machine("ada"), machine("ben")
    memory = ada.shared("Prices live in Redis", "since March")
    for member in (ada, ben):
        member.mem("sync")
    ada.mem("update", memory, "--summary", "since April, as Ada has it")
    later("2026-03-01T13:00:00Z")
    ben.mem("update", memory, "--summary", "since May, as Ben has it")
    return ada, ben, memory


def test_an_own_edit_that_another_took_the_place_of_is_said_with_where_both_are(
    machine: Team, later: Callable[[str], None]
) -> None:
    ada, ben, memory = two_edits(machine, later)
    assert "wrote over" not in ben.mem("sync").err
    told = ada.mem("sync").err
    assert f"Ben wrote over your text of {memory}; both texts: mem log -p {memory}" in told
    both = ada.mem("log", "-p", memory).out
    assert "as Ada has it" in both
    assert "as Ben has it" in both
    assert "wrote over" not in ada.mem("sync").err, "said once"


def test_the_log_has_the_text_of_an_edit_that_lost(machine: Team, later: Callable[[str], None]) -> None:
    ada, ben, memory = two_edits(machine, later)
    ada.mem("sync")
    assert "wrote over" not in ben.mem("sync").err, "hers is the older one"
    log = ben.mem("log", "-p", memory).out
    assert "summary lost to a later change" in log
    assert "+ summary: since April, as Ada has it" in log
    assert "lost to a later change" not in ada.mem("log", "-p", memory).out
    assert "since May" in ben.mem("show", memory).out


def test_what_another_forgot_that_was_just_edited_is_said_and_who_did(machine: Team, later: Callable[[str], None]) -> None:
    ada, ben, memory = two_edits(machine, later)
    ada.mem("forget", memory)
    ada.mem("sync")
    told = ben.mem("sync", "--json").json["pulled"]["overwritten"]
    assert told == [{"id": memory, "by": "Ada", "forgotten": True}]
    assert f"{memory} is forgotten: Ada forgot it" in ben.mem("show", memory, fails=3).err
    assert "since May, as Ben has it" in ben.mem("log", "-p", memory).out


def test_whose_purge_erased_something_is_told_from_ones_own(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ada.shared("A fact")
    for member in (ada, ben):
        member.mem("sync")
    ada.mem("sync", "purge", memory)
    ben.mem("sync")
    assert f"erased {memory}, which another member purged" in " ".join(ben.mem("log").out.split())
    assert "another member" not in ada.mem("log").out


def test_what_another_forgot_comes_back_with_the_command_that_is_named(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    memory = ada.shared("Prices live in Redis")
    for member in (ada, ben):
        member.mem("sync")
    ben.mem("forget", memory)
    ben.mem("sync")
    told = ada.mem("sync").err
    assert f"Ben forgot {memory}; bring it back with mem restore {memory}" in " ".join(told.split())
    assert "both texts" not in told
    ada.mem("restore", memory)
    assert "Prices live in Redis" in ada.mem("recent").out
