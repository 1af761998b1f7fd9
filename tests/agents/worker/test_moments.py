"""What holds beyond the moment is told to later sessions; how things were just then, and moods, are not."""

from __future__ import annotations

import pytest

from tests.agents.worker.events import Events
from tests.agents.worker.test_telling import STANDING, section, session, start


@pytest.mark.parametrize(
    "answer",
    [
        "Nothing is left changed in the working tree.",
        "No, the working tree is clean.",
        "You are on branch feature/tokens.",
        "The dev server is running on port 3000.",
        "All 12 tests are green now.",
    ],
)
def test_how_things_were_at_a_moment_is_told_to_no_later_session(events: Events, answer: str) -> None:
    question = "Is anything uncommitted, which branch is it, does the server run, are the tests green?"
    session(events, "one", question, answer)
    assert answer not in events.terminal.mem("get", question, "--format", "prompt").out
    assert answer not in start(events)


@pytest.mark.parametrize(
    "answer",
    [
        "Everything stays uncommitted in `auth.py`.",
        "Tests pass only with TZ=UTC.",
        "The server is down whenever its disk is full.",
    ],
)
def test_what_holds_beyond_the_moment_is_told(events: Events, answer: str) -> None:
    session(events, "one", "How does it stand with auth.py, the tests and the server?", answer)
    assert answer.split("`")[0].strip() in events.terminal.mem("get", answer, "--format", "prompt").out


@pytest.mark.parametrize(
    "mood",
    [
        "Let's not rush into coding here.",
        "I hate wasting time on this every time.",
        "This redundancy bothers me.",
        "Let's keep calm and think.",
    ],
)
def test_a_mood_is_no_rule(events: Events, mood: str) -> None:
    session(events, "one", mood, "Understood.")
    text = start(events)
    assert mood not in "\n".join([*section(text, STANDING), *section(text, "Preferences"), *section(text, "Decisions")])
