"""A question for all of a kind, which names no subject, is told what holds of that kind, the newest first, and nothing else."""

from __future__ import annotations

import pytest

from tests.agents.weeks.player import Player
from tests.agents.weeks.test_log_reasons import DONE, POINT
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


def told(player: Player, question: str) -> list[str]:
    memories = player.terminal.mem("get", question, "--json").json["top_memories"]
    return [f"{memory['title']} {memory['summary']}" for memory in memories]


OPEN = [
    "what is still to do",
    "what's open?",
    "where were we",
    "what's left to be done?",
    "open tasks",
    "good morning, what is next?",
]


@pytest.mark.parametrize("question", OPEN)
def test_open_work_alone_is_told_without_prompts(player: Player, question: str) -> None:
    player.terminal.add("We work in small steps", "what is left open is done in the next step, still", "--kind", "note")
    texts = told(player, question)
    assert len(texts) == 1
    assert POINT in texts[0]


def test_what_was_finished_is_not_open(player: Player) -> None:
    player.play(DONE)
    for question in OPEN:
        assert not [text for text in told(player, question) if "retry limit" in text]


def test_a_memory_that_somebody_wrote_of_that_kind_stands_beside_what_was_said(player: Player) -> None:
    player.terminal.add("Payments are settled at night", "banks are idle then", "--kind", "decision")
    player.terminal.add("We decide by majority", "such is the rule of decisions", "--kind", "note")
    player.terminal.add("Refund by cheque", "as banks ask", "--kind", "todo")
    for question in ("decisions", "what did we decide?", "which decisions hold"):
        assert [text.partition(" banks")[0] for text in told(player, question)] == ["Payments are settled at night"]
    assert len(told(player, "what is open?")) == 2
    assert RULE in " ".join(told(player, "what did I ask you to always do"))
    assert "settled" not in " ".join(told(player, "what did I ask you to always do"))


def test_of_a_kind_of_which_nothing_is_kept_what_was_written_may_answer(player: Player) -> None:
    player.terminal.add("Our decisions are in the wiki", "each with its reasons", "--kind", "note")
    assert [text[:13] for text in told(player, "decisions")] == ["Our decisions"]


def test_decisions_of_a_time(player: Player) -> None:
    player.terminal.add("Payments are settled at night", "banks are idle then", "--kind", "decision")
    player.play([["days", "10"]])
    player.terminal.add("Mails are sent by a relay", "the sender is blocked", "--kind", "decision")
    for question in ("decisions since yesterday", "what did we decide today?"):
        assert [text[:10] for text in told(player, question)] == ["Mails are "]
    assert [text[:10] for text in told(player, "what did we decide ten days ago?")] == ["Payments a"]
    assert len(told(player, "decisions")) == 2
    assert "Nothing of that time" in player.terminal.mem("get", "decisions in 2019").out


def test_a_prompt_that_asks_for_open_work_is_told_it_and_one_about_what_is_at_hand_is_not(player: Player) -> None:
    player.play([["ask", "Hello"], ["answer", "Hello."]])
    assert POINT in player.asked("what is still to do?")
    for prompt in ("why?", "does it work now?", "what next?", "is it finished?", "go on"):
        assert POINT not in player.asked(prompt)


@pytest.mark.parametrize(
    "question",
    [
        "what did not work",
        "What didn't work so far?",
        "what hasn’t worked?",
        "which approaches did not work",
        "which attempts failed?",
        "what was tried in vain?",
    ],
)
def test_what_did_not_work_was_tried_in_vain_and_is_not_open(player: Player, question: str) -> None:
    player.terminal.add("A queue in Redis", "it lost mails at a restart", "--kind", "dropped")
    assert [text.partition(" it")[0] for text in told(player, question)] == ["A queue in Redis"]


@pytest.mark.parametrize("question", ["what does not work?", "what is not working", "what did not work with the relay?"])
def test_what_does_not_work_now_or_what_names_a_subject_asks_for_no_kind(player: Player, question: str) -> None:
    player.terminal.add("A queue in Redis", "it lost mails at a restart", "--kind", "dropped")
    assert "Redis" not in " ".join(told(player, question))


def test_a_passage_that_says_no_more_than_its_statement_at_the_start_is_not_told_again(player: Player) -> None:
    player.play(
        [
            ["ask", "Log the lockout."],
            ["write", "lockout.py", "print(15)\n"],
            ["answer", "The lockout is logged.\n\n- test_clock still fails on CI; I have not fixed it."],
            ["end"],
        ]
    )
    assert "test_clock still fails on CI" in player.start()
    assert "I have not fixed it" not in player.asked("Why does test_clock fail on CI?")
