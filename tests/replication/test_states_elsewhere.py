"""States of commits that a clone does not have."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.replication.conftest import Machine

pytestmark = pytest.mark.shared_folder

Team = Callable[..., Machine]


def checkpoint(member: Machine, task: str) -> None:
    """Shares a state of a member."""
    member.mem("checkpoint", "--reason", "r", "--state-json", json.dumps({"task": task}), "--share")
    member.mem("sync")


def test_a_state_of_a_commit_that_is_not_here_is_marked_and_leads_nothing(machine: Team, later: Callable[[str], None]) -> None:
    ada, ben = machine("ada"), machine("ben")
    checkpoint(ada, "the login")
    ben.mem("sync")
    later("2026-03-01T13:00:00Z")
    ada.git("switch", "-q", "-c", "parser")
    ada.git("commit", "-q", "--allow-empty", "-m", "not pushed")
    checkpoint(ada, "the parser")
    ben.mem("sync")
    for command in (["state"], ["get", "where does the work stand"]):
        shown = ben.mem(*command).out
        assert shown.index("the login") < shown.index("commit unknown here")
    assert ben.mem("state", "--json").json["state"] == {"task": "the login"}
    assert ben.mem("get", "x", "--json").json["state"] == {"task": "the login"}

    ada.git("push", "-q", "origin", "parser")
    ben.git("fetch", "-q")
    ben.git("switch", "-q", "parser")
    assert ben.mem("state", "--json").json["state"] == {"task": "the parser"}
    assert "commit unknown here" not in ben.mem("state").out
