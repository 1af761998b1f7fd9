"""An edit that was undone within its turn is not told as done, even where the turn commits something else."""

from __future__ import annotations

import pytest

from tests.agents.weeks.player import Player, Step
from tests.agents.worker.test_telling import section
from tests.conftest import Terminal

NEW = 'a = total(order, currency="EUR")'
SHOP: list[Step] = [["write", "a.py", "a = 1\n"], ["write", "b.py", "b = 1\n"], ["commit", "Begin"]]


@pytest.fixture
def player(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Player:
    """A repository with two files."""
    player = Player(terminal, monkeypatch, "claude")
    player.play(SHOP)
    return player


def edits(player: Player) -> dict[str, bool]:
    """The edits that hooks saw, by title, and whether each holds."""
    seen = player.terminal.mem("recent", "--origin", "hook", "--json").json
    return {it["title"]: not it.get("superseded_by") for it in seen if it["title"].startswith("Edited")}


@pytest.mark.parametrize("undo", ["checkout -q -- a.py", "restore a.py", "stash push -q -- a.py"])
@pytest.mark.parametrize("answer", ["Changed b.", "The export of b has two columns now, as the bank wants them."])
def test_an_edit_that_was_undone_before_the_commit_of_another_is_not_done(player: Player, undo: str, answer: str) -> None:
    other: list[Step] = [["edit", "b.py", "b = 1", "b = 2222"], ["commit", "Other thing"], ["answer", answer], ["end"]]
    player.play([["ask", "Compute the total."], ["edit", "a.py", "a = 1", NEW], ["git", undo], *other])
    standing = edits(player)
    assert standing["Edited b.py: `b = 1` became `b = 2222`"]
    assert ("stash" in undo) == standing[f"Edited a.py: `a = 1` became `{NEW}`"]


def test_what_a_later_edit_of_the_turn_replaced_is_not_told(player: Player) -> None:
    cached = "a = cached(order)"
    player.play([["ask", "Make it fast."], ["edit", "a.py", "a = 1", cached], ["git", "checkout -q -- a.py"]])
    player.play([["edit", "a.py", "a = 1", "a = sorted(order)"], ["commit", "Sort orders"], ["answer", "Done."], ["end"]])
    assert list(edits(player)) == ["Edited a.py: `a = 1` became `a = sorted(order)`"]


def test_an_edit_that_was_committed_stands(player: Player) -> None:
    player.play([["ask", "Compute."], ["edit", "a.py", "a = 1", NEW], ["commit", "Compute"], ["answer", "Done."], ["end"]])
    player.play([["ask", "More."], ["edit", "b.py", "b = 1", "b = 3"], ["commit", "More"], ["answer", "Done."], ["end"]])
    assert edits(player) == {f"Edited a.py: `a = 1` became `{NEW}`": True, "Edited b.py: `b = 1` became `b = 3`": True}


def test_the_line_of_a_session_is_no_event(player: Player) -> None:
    player.play([["ask", "Use lower case for the currency."], ["edit", "a.py", "a = 1", "a = 2"], ["answer", "ok"], ["end"]])
    (line,) = section(player.start(), "Last sessions")
    assert "Edited" not in line
    assert "lower case for the currency" in line
