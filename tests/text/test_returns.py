"""Prompts that ask to take work back, and prompts that only speak of it."""

from __future__ import annotations

import pytest

from memcli.text import returns


@pytest.mark.parametrize(
    "text",
    [
        "No, we go back to SQLite.",
        "revert that",
        "Undo the change to auth.py",
        "Let's go back to polling",
        "that broke the build, revert it",
        "Can you roll it back?",
        "ok, back to Redis then",
        "take that out again",
        "Add a login, then take it back",
        "restore the old parser",
        "Nein, zurück zu SQLite",
        "Mach das bitte rückgängig",
    ],
)
def test_a_prompt_asks_to_go_back(text: str) -> None:
    assert returns.request(f"The tests are red.\n\n{text}") == text


@pytest.mark.parametrize(
    "text",
    [
        "Do not revert that",
        "Should we go back to SQLite?",
        "Why did you revert the commit?",
        "If the tests fail, revert it",
        "Get back to work",
        "Add a back button",
        "Read it, then write it back to the file",
        "Explain the flow: request, back to the client",
        "Undo support is missing",
        "How do I roll back a migration?",
        "Which commit reverted this?",
        "We never go back to Redis",
    ],
)
def test_a_prompt_that_only_speaks_of_going_back_asks_for_nothing(text: str) -> None:
    assert returns.request(text) == ""
