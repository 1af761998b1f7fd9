"""Uncommitted work that the person discards between two sessions is told neither as done nor as decided or left to do."""

from __future__ import annotations

import pytest

from tests.agents.weeks.player import Player, Step
from tests.conftest import Terminal

SHOP: list[Step] = [["write", "a.py", "x = 1\n"], ["write", "b.py", "y = 1\n"], ["commit", "Start the shop"]]
POINT = "The mail sender in `b.py` has no retry limit yet."
BEFORE: list[Step] = [
    ["ask", "Look at b.py."],
    ["edit", "b.py", "y = 1", "y = 2"],
    ["commit", "Tidy"],
    ["answer", POINT],
    ["end"],
]
DONE = "The export computes the total from the order."
DECIDED = "We decided to compute it from the order because the cart is stale."
LEFT = "The fonts of the export are not embedded."
WORK: list[Step] = [
    ["ask", "Write the pdf export."],
    ["edit", "a.py", "x = 1", 'x = compute_total(order, currency="EUR")'],
    ["answer", f"{DONE} {DECIDED}\n\nStill open: {LEFT}"],
    ["end"],
    ["days", "1"],
]
CLOSING: list[Step] = [
    ["ask", "Add a retry limit to the mail sender."],
    ["edit", "b.py", "y = 2", "y = 5"],
    ["answer", "The mail sender in b.py has a retry limit now, of five tries."],
    ["end"],
]
DISCARDED = {
    "git checkout": ["checkout -q ."],
    "git restore": ["restore a.py b.py"],
    "git reset": ["reset -q --hard"],
    "git stash drop": ["stash -q", "stash drop -q"],
    "another commit": ["checkout -q a.py b.py", "commit -q --allow-empty -m Other"],
}
KEPT = {
    "nothing": [],
    "git stash": ["stash -q"],
    "a commit": ["commit -q -a -m Export"],
    "a commit on a branch": ["checkout -q -b export", "commit -q -a -m Export", "checkout -q main"],
}


@pytest.fixture
def player(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Player:
    """A repository with two files, and work in one of them that is not committed."""
    player = Player(terminal, monkeypatch, "claude")
    player.play([*SHOP, *BEFORE, *WORK])
    return player


def told(start: str) -> list[str]:
    """What of the work a start tells as if it held."""
    lines = [line for line in start.splitlines() if "taken back since" not in line]
    return [text for text in (DONE, DECIDED, LEFT) if any(text in line for line in lines)]


def second_start(player: Player) -> str:
    """What is told once the worker has seen that a session began."""
    player.start()
    player.terminal.mem("worker", "run")
    return player.start()


@pytest.mark.parametrize("how", DISCARDED)
def test_what_was_done_decided_and_left_is_told_no_more(player: Player, how: str) -> None:
    player.play([["git", command] for command in DISCARDED[how]])
    start = second_start(player)
    assert POINT in start
    assert told(start) == []
    asked = [line for line in player.asked("How does the export compute the total?").splitlines() if DONE in line]
    assert all("reverted since" in line for line in asked)
    assert "is gone: a.py" in player.terminal.mem("log", "--limit", "40").out
    assert [row for row in player.terminal.mem("recent", "--kind", "decision", "--json").json if not row["superseded"]] == []
    assert second_start(player) == start


@pytest.mark.parametrize("how", KEPT)
def test_what_is_kept_somewhere_is_told(player: Player, how: str) -> None:
    player.play([["git", command] for command in KEPT[how]])
    assert told(second_start(player)) == [DONE, DECIDED, LEFT]
    assert "reverted since" not in player.asked("How does the export compute the total?")


def test_what_it_had_closed_is_open_again(player: Player) -> None:
    player.play([["git", "checkout -q ."], *CLOSING])
    assert POINT not in second_start(player)
    player.play([["git", "checkout -q ."]])
    assert POINT in second_start(player)


def test_a_new_file_that_was_cleaned_away_is_gone_too(player: Player) -> None:
    player.play([["git", "checkout -q ."], ["ask", "Add a page for refunds."], ["write", "refund.py", "z = refund(order)\n"]])
    answer = "The page for refunds lists the orders of a month."
    player.play([["answer", answer], ["end"]])
    assert answer in second_start(player)
    player.terminal.folder.joinpath("refund.py").rename(player.terminal.folder / "refunds.py")
    assert f"Work taken back since: {answer}" not in second_start(player)
    player.play([["git", "clean -q -f refunds.py"]])
    assert f"Work taken back since: {answer}" in second_start(player)


def test_the_first_start_tells_it_already(player: Player, monkeypatch: pytest.MonkeyPatch) -> None:
    player.play([["git", "checkout -q ."]])
    monkeypatch.setenv("MEMPACK_CAPTURE_WORKER", "auto")
    monkeypatch.setenv("MEMPACK_WORKER_IDLE_SECONDS", "0.1")
    monkeypatch.setattr("memcli.hook._CATCH_UP", 20.0)  # on a busy machine a worker takes longer to begin
    start = player.start()
    assert told(start) == []
