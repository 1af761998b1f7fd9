"""A question for all of a kind, which names no subject, is answered with what holds of that kind, the newest first."""

from __future__ import annotations

import pytest

from tests.agents.weeks.player import Player
from tests.agents.weeks.test_log_reasons import POINT
from tests.agents.weeks.test_log_reasons import player as player

RULE = "Never push to main"


def first(player: Player, question: str) -> str:
    memory = player.terminal.mem("get", question, "--json").json["top_memories"][0]
    return f"{memory['title']} {memory['summary']}"


@pytest.mark.parametrize(
    "question", ["which instructions hold?", "what did I ask you always to do", "rules", "list all the rules"]
)
def test_the_instructions_that_hold(player: Player, question: str) -> None:
    assert RULE in first(player, question)


@pytest.mark.parametrize("question", ["what is still open", "open todos", "what is left to do?"])
def test_what_is_open(player: Player, question: str) -> None:
    assert POINT[:20] in first(player, question)


def test_a_question_that_names_a_subject_is_answered_by_what_is_about_it(player: Player) -> None:
    assert RULE not in first(player, "which rules were there about the relay of mails?")
