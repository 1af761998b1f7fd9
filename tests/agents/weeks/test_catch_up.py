"""The first start after something happened outside of sessions tells what holds now: it waits for the worker to read it."""

from __future__ import annotations

import pytest

from tests.agents.weeks.player import Player
from tests.agents.weeks.test_taken_back import DONE, SHOP
from tests.conftest import Terminal

CHOSEN = "We decided to give up after 5 tries of the mail sender, because the provider bans us otherwise."


def test_a_start_after_the_person_reverted_a_commit_tells_it_no_more(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    player = Player(terminal, monkeypatch, "claude")
    player.play(SHOP)
    player.play([["answer", f"Done.\n\n{CHOSEN}"] if step[0] == "answer" else step for step in DONE])
    player.play([["days", "1"], ["git", "revert --no-edit HEAD"], ["days", "1"]])
    monkeypatch.setenv("MEMPACK_CAPTURE_WORKER", "auto")
    monkeypatch.setenv("MEMPACK_WORKER_IDLE_SECONDS", "0.1")
    monkeypatch.setattr("memcli.hook._CATCH_UP", 20.0)  # on a busy machine a worker takes longer to begin

    assert "give up after 5 tries" not in player.start().partition("## Decisions")[2].partition("##")[0]
