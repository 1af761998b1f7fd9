"""What a person said on a branch is of that branch, as its answer is; what is wanted from now on holds on every one."""

from __future__ import annotations

import pytest

from tests.agents.worker.events import Events
from tests.conftest import Terminal

RAISED, KEPT = "Raise the rate limit to 300", "The rate limit is 100 for each client"
RULE = "From now on always test the rate limit twice"


@pytest.fixture
def parted(terminal: Terminal, events: Events) -> Terminal:
    """A repository on branch side, on whose main a session raised the rate limit after they parted."""
    terminal.commit("Start", limits_py="RATE = 100\n")
    turn(events, "Say what the rate limit is", f"{KEPT}.")
    terminal.git("branch", "side")
    terminal.commit("Raise the limit", limits_py="RATE = 300\n")
    turn(events, f"{RAISED}, the partner complains.", "The rate limit is 300 now.")
    turn(events, f"{RULE}, please.", "The rate limit is tested twice from now on.")
    terminal.commit("Test twice", limits_py="RATE = 300  # tested\n")
    events.end()
    events.work()
    terminal.git("checkout", "-q", "side")
    return terminal


def turn(events: Events, prompt: str, reply: str) -> None:
    events.prompt(prompt)
    events.stop(reply)
    events.work()


def test_what_was_said_on_another_branch_is_not_told_on_this_one(parted: Terminal) -> None:
    pack = parted.mem("get", "what is the rate limit?", "--no-evidence").out
    assert KEPT in pack
    assert RAISED not in pack
    assert "not on this branch (--include-orphans)" in pack
    parted.git("checkout", "-q", "main")
    assert RAISED in parted.mem("get", "what is the rate limit?", "--no-evidence").out


def test_it_is_told_with_its_mark_where_that_is_asked_for(parted: Terminal) -> None:
    pack = parted.mem("get", "raise the rate limit", "--include-orphans", "--no-evidence").out
    line = next(line for line in pack.splitlines() if RAISED in line)
    assert "not on this branch" in line


def test_what_a_person_wants_from_now_on_holds_on_every_branch(parted: Terminal) -> None:
    assert RULE in parted.mem("get", "always test the rate limit", "--no-evidence").out
