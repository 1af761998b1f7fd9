"""What the settings share without its being named: it waits from the moment it is stored, for a person and for the worker."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from tests.replication.conftest import Machine

pytestmark = pytest.mark.shared_folder

Team = Callable[..., Machine]


def test_what_a_rule_selects_waits_as_soon_as_it_is_stored(machine: Team, later: Callable[[str], None]) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.mem("config", "set", "sync.kinds", "decision")
    ada.mem("config", "set", "sync.states", "true")
    ada.mem("sync")
    later("2026-03-02T12:00:00Z")
    ada.add("Sessions live in Redis", "s", "--kind", "decision")
    ada.add("A fact", "s", "--kind", "fact")
    ada.mem("checkpoint", "--state-json", '{"next": "release"}', "--reason", "Tests are green")
    waiting = ada.mem("sync", "status", "--json").json["pending"]
    assert waiting > 0
    assert f"{waiting} changes to push" in ada.mem("sync", "status").out
    assert f"0 shared, {waiting} to push" in ada.mem("doctor").out
    assert f"pushed {waiting} changes" in ada.mem("sync").out
    assert "nothing new to push" in ada.mem("sync", "status").out
    ben.mem("sync")
    assert "Sessions live in Redis" in ben.known()
    assert "A fact" not in ben.known()


def test_the_worker_sends_what_a_rule_selects(machine: Team, later: Callable[[str], None]) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.mem("config", "set", "sync.kinds", "decision")
    ada.mem("sync")
    clock = "2026-03-01T12:05:00Z"  # before the quarter of an hour is over
    later(clock)
    ada.add("Sessions live in Redis", "s", "--kind", "decision")
    event = {"session_id": "s1", "cwd": str(ada.folder), "source": "startup"}
    ada.mem("hook", "session-start", "--harness", "claude", stdin=json.dumps(event))
    settings = {"MEMPACK_WORKER_IDLE_SECONDS": "0", "MEMPACK_SYNC_AUTO": "true", "MEMPACK_CLOCK": clock}
    ada.process("worker", "run", env=settings)
    for _ in range(100):
        ben.mem("sync")
        if ben.known():
            break
        time.sleep(0.2)
    assert ben.known() == {"Sessions live in Redis"}


def test_who_shares_nothing_sends_no_name(machine: Team) -> None:
    ada, ben = machine("ada"), machine("ben")
    ada.shared("A fact")
    ada.mem("sync")
    assert "pushed nothing new" in ben.mem("sync").out
    ben.shared("Another fact")
    ben.mem("sync")
    ada.mem("sync")
    assert "Ben (" in ada.mem("sync", "status").out


def test_a_rule_is_the_persons_in_every_repository(machine: Team) -> None:
    ada = machine("ada")
    refused = ada.mem("config", "set", "sync.kinds", "decision", "--repo", ".", fails=2).err
    assert "your settings count in every repository: sync.kinds cannot be set for one" in refused
    assert ada.mem("config", "get", "sync.kinds").out.strip() == ""
    assert "counts in every repository whose memory you share" in ada.mem("config", "set", "sync.kinds", "decision").err
    assert "every repository" not in ada.mem("config", "set", "budget.total", "900").err
