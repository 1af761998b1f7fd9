"""What was chosen, or set to a value, is told as holding until somebody chooses otherwise, in whatever words."""

from __future__ import annotations

import pytest

from tests.agents.weeks.player import Player, Step
from tests.agents.worker.test_telling import section
from tests.conftest import Terminal


@pytest.fixture
def player(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Player:
    """A repository with a file."""
    player = Player(terminal, monkeypatch, "codex")
    player.play([["write", "conf.py", "a = 0\n"], ["commit", "Begin"]])
    return player


def turn(number: int, prompt: str, commit: str, answer: str) -> list[Step]:
    """Steps of a session of one prompt that edits, and commits where there is a message."""
    steps: list[Step] = [["ask", prompt], ["edit", "conf.py", f"a = {number}", f"a = {number + 1}"]]
    return [*steps, *([["commit", commit]] if commit else []), ["answer", answer], ["end"]]


@pytest.mark.parametrize(
    ("before", "then", "holds"),
    [
        ("Let's use Kafka for the events.", "Use Pulsar instead of Kafka for the topics.", False),
        ("Let's use Memcached for the sessions.", "Forget Memcached, put the sessions into Postgres.", False),
        ("Let's use Travis for the builds.", "Switch from Travis to Buildkite.", False),
        ("Let's use Foundation for the styles.", "Replace Foundation with Bulma.", False),
        ("Let's use Travis for the builds.", "Travis is gone, we build with Buildkite now.", False),
        ("Let's use Oracle for the orders.", "Oracle was a mistake. Go back to MariaDB.", False),
        ("Let's use Oracle for the orders.", "Move the orders to MariaDB instead.", False),
        ("Let's use websockets for updates instead of polling every 5 seconds.", "no, we go back to polling, revert it", False),
        ("Let's use Oracle instead of MariaDB.", "Go back to MariaDB.", False),
        ("Let's use websockets for updates instead of polling.", "Go back to the list view.", True),
        ("Let us use Oracle for the orders.", "What did the orders cost?", True),
        ("Let's use Kafka for the events.", "Should we use Pulsar instead of Kafka?", True),
        ("Let's use Kafka for the events.", "Use Valkey instead of Memcached for the cache.", True),
        ("Let's use Oracle for the orders.", "Move the sessions to MariaDB instead.", True),
        ("Let's use Kafka for the events.", "Drop the Kafka warm-up script.", True),
        ("Let's use Kafka for the events.", "What was the reason for Kafka instead of Pulsar?", True),
    ],
)
def test_a_choice_holds_until_somebody_chooses_otherwise(player: Player, before: str, then: str, holds: bool) -> None:
    player.play([*turn(0, before, "", "It is set up."), *turn(1, then, "", "Done.")])
    assert (before in "\n".join(section(player.start(), "Decisions"))) == holds


def test_what_takes_the_place_of_a_choice_is_told_as_decided(player: Player) -> None:
    player.play(
        [*turn(0, "Let's use Travis for the builds.", "", "Set up."), *turn(1, "Switch from Travis to Buildkite.", "", "Done.")]
    )
    (decision,) = section(player.start(), "Decisions")
    assert "Switch from Travis to Buildkite." in decision


def test_a_thing_that_is_used_for_two_purposes_is_replaced_for_the_one_that_is_named(player: Player) -> None:
    player.play(
        [
            *turn(0, "Let's use Memcached for the cache.", "", "Set up."),
            *turn(1, "Let's use Memcached for the sessions.", "", "Set up."),
            *turn(2, "Use Postgres instead of Memcached for the sessions.", "", "Done."),
        ]
    )
    decisions = "\n".join(section(player.start(), "Decisions"))
    assert "Memcached for the cache" in decisions
    assert "Let's use Memcached for the sessions" not in decisions


def test_a_commit_puts_out_of_use_what_its_message_names(player: Player) -> None:
    decided = "We decided on Kafka because the team knows it."
    player.play(
        [*turn(0, "Add a queue.", "Use Kafka", decided), *turn(1, "It eats memory.", "Replace Kafka with Pulsar", "Done.")]
    )
    assert not section(player.start(), "Decisions")
    assert "replaced" in next(line for line in player.terminal.mem("get", "Kafka").out.splitlines() if decided in line)


@pytest.mark.parametrize(
    ("then", "commit", "answer", "holds"),
    [
        ("That is too long for the gateway.", "Lower the timeout to 15 seconds", "The timeout is 15 seconds now.", False),
        ("The page is too long.", "Set the page size to 50", "The page size is 50 now.", True),
        ("Would 15 be better?", "", "If we set the timeout to 15 seconds, the gateway would be content.", True),
    ],
)
def test_a_value_holds_until_it_is_set_to_another(player: Player, then: str, commit: str, answer: str, holds: bool) -> None:
    value = "The timeout of requests is 30 seconds now."
    player.play([*turn(0, "It is too short.", "Raise the timeout to 30 seconds", value), *turn(1, then, commit, answer)])
    line = next(line for line in player.terminal.mem("get", "timeout of requests").out.splitlines() if value in line)
    assert ("replaced" not in line) == holds


def test_the_value_of_one_thing_says_nothing_of_another(player: Player) -> None:
    value = "The timeout of uploads is 30 seconds now."
    player.play(
        [
            *turn(0, "Uploads stop.", "Raise the timeout of uploads to 30 seconds", value),
            *turn(1, "Reads hang.", "Set the timeout of reads to 5 seconds", "The timeout of reads is 5 seconds now."),
        ]
    )
    line = next(line for line in player.terminal.mem("get", "timeout of uploads").out.splitlines() if value in line)
    assert "replaced" not in line


def test_a_proposal_that_was_refused_is_not_left_to_do(player: Player) -> None:
    proposal = "I recommend to leave it for now and to raise the pool from 20 to 40 later."
    steps: list[Step] = [["ask", "Why do connections wait?"], ["answer", f"The pool is too small. {proposal}"]]
    player.play([*steps, ["ask", "No, leave the pool alone."], ["answer", "The pool stays as it is."], ["end"]])
    assert proposal not in player.start()


def test_what_was_replaced_is_told_behind_what_replaced_it(player: Player) -> None:
    old, new = "Let's use Kafka for the events.", "Use Pulsar instead of Kafka for the topics."
    player.play([*turn(0, old, "", "Set up."), *turn(1, new, "", "Pulsar has the events now.")])
    told = player.terminal.mem("get", "what do we use for the events").out
    assert 0 < told.index("Pulsar") < told.index(old)
