"""The last word of a search may be half typed: where nothing has it, it stands for the words that begin with it."""

from __future__ import annotations

import pytest

from tests.conftest import Terminal


@pytest.fixture
def herd(terminal: Terminal) -> Terminal:
    """A memory of three animals, and of how to tell who somebody is."""
    terminal.mem("init", "--no-agents")
    for title in ("Zebras graze by the river", "Horses graze on the hill", "Authentication happens at the gate"):
        terminal.add(title, "s")
    return terminal


def titles(terminal: Terminal, *words: str) -> list[str]:
    """The titles that a search finds, best first."""
    return [hit["title"] for hit in terminal.mem("search", *words, "--json").json]


@pytest.mark.parametrize("typed", ["zebras"[:length] for length in range(1, 7)])
def test_each_letter_of_a_word_finds_what_the_word_finds(herd: Terminal, typed: str) -> None:
    assert titles(herd, typed) == ["Zebras graze by the river"]


@pytest.mark.parametrize("typed", ["auth", "authentic", "authenticat", "authenticatio"])
def test_a_word_is_completed_beyond_the_stem_that_the_index_holds(herd: Terminal, typed: str) -> None:
    assert titles(herd, typed) == ["Authentication happens at the gate"]


@pytest.mark.parametrize(("typed", "title"), [("sess", "Sessions live in Postgres"), ("evic", "Redis evicted them")])
def test_the_beginning_of_a_stored_word_is_no_slip_for_another_word(herd: Terminal, typed: str, title: str) -> None:
    herd.add(title, "s")
    assert titles(herd, typed) == [title]


def test_only_the_last_word_is_half_typed(herd: Terminal) -> None:
    assert titles(herd, "graze", "ho")[0] == "Horses graze on the hill"
    assert titles(herd, "ho", "gate") == ["Authentication happens at the gate"]


def test_a_word_that_is_stored_stands_for_itself(herd: Terminal) -> None:
    herd.add("A gat is a gap in a shoal", "s")
    assert titles(herd, "gat") == ["A gat is a gap in a shoal"]


def test_what_begins_no_word_finds_nothing(herd: Terminal) -> None:
    assert titles(herd, "zebrafish") == []
    assert titles(herd, "q") == []


def test_a_question_of_an_agent_is_never_completed(herd: Terminal) -> None:
    assert "Zebras" not in herd.mem("get", "zeb").out
