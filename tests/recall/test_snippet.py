"""What of a text is shown beside a hit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli import store
from memcli.recall.candidates import ParsedQuery
from memcli.recall.snippet import WORDS, snippets
from tests.conftest import Terminal


@pytest.fixture(scope="module")
def db() -> store.Connection:
    return store.apsw.Connection(":memory:")


def snippet(db: store.Connection, text: str, *terms: str, required: str = "") -> str:
    return snippets(db, ParsedQuery(terms, {}, required=required))(text)


def test_it_shows_the_words_that_match_and_those_around_them(db: store.Connection) -> None:
    text = snippet(db, "filler " * 100 + "the zebra sleeps" + " filler" * 100, "zebra")

    assert (text[:7], text[-7:], len(text.split())) == ("…filler", "filler…", WORDS)
    assert text.split().index("zebra") == WORDS // 2 - 1


def test_it_shows_the_place_with_most_of_the_words_not_the_first(db: store.Connection) -> None:
    text = snippet(db, "A queue. " + "filler " * 100 + "Workers empty queues." + " filler" * 100, "queue", "worker")

    assert "Workers empty queues." in text


def test_without_a_match_it_is_the_beginning_and_of_a_short_text_all(db: store.Connection) -> None:
    assert snippet(db, "one two " * 50, "zebra") == " ".join(["one two"] * 12) + "…"
    assert snippet(db, "Short, with a\nsecond line.", "zebra") == "Short, with a second line."
    assert snippet(db, "", "zebra") == ""


@pytest.mark.parametrize("required", ['"red zebra"', '("zeb"*) NOT ("lion")', '"quagga" OR ("zebra")'])
def test_what_the_syntax_demands_is_shown_too(db: store.Connection, required: str) -> None:
    assert "zebra" in snippet(db, "filler " * 100 + "red zebra" + " filler" * 100, required=required)


@given(st.text(st.characters(exclude_categories=["Cs"])), st.lists(st.sampled_from(["zebra", "記憶", "é", '"', "x-y"])))
def test_any_text_gives_one_line_of_its_own_characters(db: store.Connection, text: str, terms: list[str]) -> None:
    shown = snippet(db, text, *terms)

    assert "\n" not in shown


def test_a_hit_of_many_is_shown_by_its_own_text(terminal: Terminal) -> None:
    terminal.add("First of them", "About the zebra in the north")
    terminal.add("Second of them", "About the zebra in the south")

    shown = {hit["title"]: hit["snippet"] for hit in terminal.mem("search", "zebra", "--json").json}

    assert shown == {"First of them": "About the zebra in the north", "Second of them": "About the zebra in the south"}
