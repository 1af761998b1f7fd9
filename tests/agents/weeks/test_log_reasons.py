"""`mem log` says of each change that no person made why it was made."""

from __future__ import annotations

import re

import pytest

from tests.agents.weeks.player import Player, Step
from tests.conftest import Terminal

BEGIN: list[Step] = [["write", "pay.py", "a = 1\nb = 2\n"], ["write", "mail.py", "z = 1\n"], ["commit", "Begin"]]
POINT = "The mail sender in `mail.py` has no retry limit yet."
LEFT: list[Step] = [
    ["ask", "Never push to main, and always run just test before you commit."],
    ["edit", "pay.py", "a = 1", "a = 3"],
    ["commit", "Add payments"],
    ["answer", f"Built.\n\nOpen:\n- {POINT}\n\n## Root cause\n\nThe relay dropped mails because `a` was too small."],
    ["end"],
]
DONE: list[Step] = [
    ["ask", "Add a retry limit to the mail sender."],
    ["edit", "mail.py", "z = 1", "z = 5"],
    ["commit", "Limit retries of the mail sender"],
    ["answer", "The sender stops after 5 tries."],
    ["end"],
]


@pytest.fixture
def player(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Player:
    """A repository in which a session left a point open."""
    player = Player(terminal, monkeypatch, "claude")
    player.play([*BEGIN, *LEFT])
    return player


def log(player: Player) -> str:
    return " ".join(player.terminal.mem("log", "--limit", "200").out.split())


def test_what_was_open_is_closed_by_what_did_it(player: Player) -> None:
    player.play(DONE)
    assert f"closed “{POINT}”: done, see “The sender stops after 5 tries.”" in log(player)


def test_a_commit_of_somebody_else_closes_it(player: Player) -> None:
    player.play([["days", "1"], ["other", "mail.py", "z = 9\n", "Add a retry limit to the mail sender"]])
    player.start()
    player.terminal.mem("worker", "run")
    assert f"closed “{POINT}”: done, see “" in log(player)
    assert "committed: Add a retry limit to the mail sender”" in log(player)


def test_of_a_wish_the_clause_that_was_replaced_is_named(player: Player) -> None:
    player.play([["ask", "You may push to main now."], ["answer", "Understood."], ["end"]])
    assert "replaced “Never push to main,” by “You may push to main now.”" in log(player)


def test_work_that_was_taken_back_is_marked_and_what_it_did_is_open_again(player: Player) -> None:
    player.play(DONE)
    player.play([["ask", "Take the limit out."], ["git", "revert --no-edit HEAD"], ["answer", "Reverted."], ["end"]])
    lines = log(player)
    assert 'marked “The sender stops after 5 tries.” as reverted: “Revert "Limit retries of the mail sender"”' in lines
    assert "marked “Edited mail.py: `z = 1` became `z = 5`” as reverted: “Revert" in lines
    assert f"reinstated “{POINT}”" in lines
    player.play([["ask", "Bring it back."], ["git", "revert --no-edit HEAD"], ["answer", "It is back."], ["end"]])
    assert ": the work is back" in log(player)


def test_what_is_forgotten_by_age_says_so(player: Player) -> None:
    player.play([["days", "40"], ["ask", "Hello"], ["answer", "Hello."], ["end"]])
    assert ": nobody pinned, linked, cited or changed it in 30 days" in log(player)


def test_the_machine_readable_log_has_the_statement_what_overtook_it_and_how(player: Player) -> None:
    player.play(DONE)
    records = player.terminal.mem("log", "--limit", "200", "--json").json
    (overtaken,) = [it for record in records for it in record.get("overtaken") or ()]
    assert (overtaken["text"], overtaken["how"]) == (POINT, "done")
    shown = player.terminal.mem("show", overtaken["by"], "--json").json
    assert "stops after 5 tries" in str(shown)


ELSEWHERE: list[Step] = [
    ["ask", "Name the banks."],
    ["edit", "pay.py", "b = 2", "banks = 2"],
    ["commit", "Name the number of banks"],
    ["answer", "The number is called `banks`.\n\nStill open: `test_refund` uses the old clock."],
    ["end"],
]
BACK: list[Step] = [
    ["ask", "Take the limit out."],
    ["git", "revert --no-edit HEAD"],
    ["answer", "Nobody calls the sender now.\n\nI reverted the retry limit.\n\nStill open: `test_refund` uses the old clock."],
    ["end"],
]
BY_COMMIT = 'committed: Revert "Limit retries of the mail sender"'
REVERTED_BY: dict[str, tuple[list[Step], str]] = {
    "a commit right after the session": ([["git", "revert --no-edit HEAD"], ["days", "2"], *ELSEWHERE], BY_COMMIT),
    "a commit between two sessions": ([["days", "1"], ["git", "revert --no-edit HEAD"], ["days", "1"], *ELSEWHERE], BY_COMMIT),
    "a commit of an agent": (BACK, "I reverted the retry limit."),
}


@pytest.mark.parametrize("by", REVERTED_BY)
def test_what_was_reverted_names_what_reverted_it_and_not_what_came_next(player: Player, by: str) -> None:
    steps, words = REVERTED_BY[by]
    player.play([*DONE, *steps])
    successors = re.findall(r"as reverted: “([^”]*)”", log(player))
    assert successors
    assert [it for it in successors if words not in it] == []
    lines = player.terminal.mem("get", "retry limit of the mail sender", "--format", "prompt").out.splitlines()
    assert [line for line in lines if "stops after 5 tries" in line and "reverted since 20" not in line] == []
