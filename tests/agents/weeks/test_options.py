"""A decision for one of several options is kept with what that option was."""

from __future__ import annotations

import pytest

from tests.agents.weeks.player import Player
from tests.agents.worker.test_telling import section
from tests.conftest import Terminal

NUMBERED = (
    "Both would do:\n\n1. A lock in Redis: fast, but one more service.\n2. Advisory locks of Postgres.\n\nWhich one do you want?"
)
TABLE = "Which one?\n\n| Option | How |\n|---|---|\n| A | poll the inbox every minute |\n| B | let the server push |"


@pytest.fixture
def player(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Player:
    """A repository with one file."""
    player = Player(terminal, monkeypatch, "claude")
    player.play([["write", "src/lock.py", "a = 1\n"], ["commit", "Begin"]])
    return player


def decisions(player: Player, answer: str, word: str) -> str:
    """What a later session is told as decided after an answer and a word on it."""
    player.play([["ask", "How could we keep two workers apart?"], ["answer", answer]])
    player.play([["ask", word], ["edit", "src/lock.py", "a = 1", "a = 2"], ["answer", "That is in."], ["end"]])
    return "\n".join(section(player.start(), "Decisions"))


@pytest.mark.parametrize(
    ("answer", "word", "told"),
    [
        (NUMBERED, "Go with option 2.", "Go with option 2 (2: Advisory locks of Postgres)"),
        (NUMBERED, "do the second one", "do the second one (2: Advisory locks of Postgres)"),
        (TABLE, "yes, B", "yes, B (B: let the server push)"),
    ],
)
def test_the_option_stands_beside_the_word(player: Player, answer: str, word: str, told: str) -> None:
    assert told in decisions(player, answer, word)
    assert (
        told.partition("(")[2][3:-1] in player.terminal.mem("get", "how do we keep two workers apart?", "--format", "prompt").out
    )


def test_a_word_whose_option_is_unknown_is_no_decision(player: Player) -> None:
    assert decisions(player, "I could cache it, or lock it.", "Go with option 2.") == ""


def test_an_agent_names_the_option_that_it_would_take(player: Player) -> None:
    answer = f"{NUMBERED.partition(chr(10) * 2 + 'Which')[0]}\n\nI'd go with option 2, because it needs no new service."
    player.play([["ask", "How could we keep two workers apart?"], ["answer", answer], ["end"]])
    assert "(2: Advisory locks of Postgres)" in "\n".join(section(player.start(), "Decisions"))


def test_an_option_that_was_advised_and_chosen_is_one_decision_with_its_reason(player: Player) -> None:
    advice = "I'd go with option 2, because it needs no new service"
    answer = f"{NUMBERED.partition(chr(10) * 2 + 'Which')[0]}\n\n{advice}."
    (line,) = decisions(player, answer, "Yes, option 2. Put the name of the lock into the log.").splitlines()
    assert line.endswith(
        f"{advice} (2: Advisory locks of Postgres). The person: Yes, option 2. Put the name of the lock into the log."
    )


def test_an_option_that_was_advised_and_not_chosen_is_no_decision(player: Player) -> None:
    answer = f"{NUMBERED.partition(chr(10) * 2 + 'Which')[0]}\n\nI'd go with option 2, because it needs no new service."
    (line,) = decisions(player, answer, "No, option 1.").splitlines()
    assert "A lock in Redis" in line
    assert "Postgres" not in line
