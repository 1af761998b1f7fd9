"""The shortest way through: keep a fact, ask in other words, get it back."""

from __future__ import annotations

from tests.conftest import Terminal


def test_a_fact_that_was_added_answers_a_question_in_plain_words(terminal: Terminal) -> None:
    terminal.add("Session tokens live in Postgres", "Redis evicted them under load.")

    assert terminal.titles("why are the sessions in postgres?") == ["Session tokens live in Postgres"]
