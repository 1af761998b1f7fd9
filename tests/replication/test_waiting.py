"""Why changes of others wait, and whose they are."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.replication.conftest import Machine

pytestmark = pytest.mark.shared_folder

Team = Callable[..., Machine]


def test_what_waits_is_said_by_reason_with_who_wrote_it(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    ben.shared("A fact")
    ben.mem("sync")
    ada.mem("config", "set", "sync.trust", "listed")
    ada.mem("config", "set", "sync.writers", "Ben")
    told = ada.mem("sync").err
    assert "not in sync.writers" in told
    assert "sync.writers has Ben, of whom nothing came: it takes the ids that mem sync status lists" in told
    status = ada.mem("sync", "status", "--json").json
    assert {it["why"] for it in status["held"]} == {"not in sync.writers"}
    assert status["strangers"] == ["Ben"]
    (writer,) = {it["id"] for it in status["held"]}
    assert f"({writer}), not in sync.writers" in ada.mem("sync", "status").out

    ada.mem("config", "set", "sync.writers", writer)
    assert "waiting" not in ada.mem("sync").err
    assert ada.known() == {"A fact"}
    shown = ada.mem("sync", "status").out
    assert ", in sync.writers" in shown
    assert "of whom nothing came" not in shown


def test_a_store_says_by_which_id_others_know_it(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    ben.shared("A fact")
    ben.mem("sync")
    ada.mem("config", "set", "sync.trust", "listed")
    own = ben.mem("sync", "status", "--json").json["own"]
    assert f"  Ben ({own}): this store\n" in ben.mem("sync", "status").out
    ada.mem("config", "set", "sync.writers", own)
    ada.mem("sync")
    assert ada.known() == {"A fact"}


def test_what_waits_for_a_clock_is_not_put_down_to_who_is_listed(machine: Team, later: Callable[[str], None]) -> None:
    ada, ben = machine("ada"), machine("ben")
    later("2026-05-01T12:00:00Z")
    ben.shared("A fact")
    ben.mem("sync")
    later("2026-03-01T12:00:00Z")
    ada.mem("sync")
    found = ada.mem("doctor").out
    assert "they wait because the clock there was ahead" in found
    assert "sync.trust" not in found
