"""Words of nearly the same spelling: how far apart they are, and which are nearest."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.recall.spelling import MOST, closest, distance, edits

ANY = settings(max_examples=400, deadline=None, derandomize=True)
words = st.text("abc", max_size=7)
FAR = 99


@cache
def reference(first: str, second: str) -> int:
    """Optimal string alignment by its definition, on the ends of the words."""
    if not first or not second:
        return len(first) + len(second)
    ways = [
        reference(first[1:], second) + 1,
        reference(first, second[1:]) + 1,
        reference(first[1:], second[1:]) + (first[0] != second[0]),
    ]
    if first[:2] == second[1::-1] and len(first) > 1 < len(second):
        ways.append(reference(first[2:], second[2:]) + 1)
    return min(ways)


@pytest.mark.parametrize(
    ("typed", "meant", "edits_needed"),
    [
        ("budget", "budget", 0),
        ("budgeet", "budget", 1),
        ("buget", "budget", 1),
        ("bodget", "budget", 1),
        ("bugdet", "budget", 1),
        ("ubdget", "budget", 1),
        ("budgte", "budget", 1),
        ("bugdte", "budget", 2),
        ("ca", "abc", 3),  # no letter is edited twice: 2 where that is allowed
        ("", "abc", 3),
        ("abc", "", 3),
        ("", "", 0),
    ],
)
def test_a_letter_put_in_left_out_changed_or_swapped_is_one_edit(typed: str, meant: str, edits_needed: int) -> None:
    assert distance(typed, meant, FAR) == edits_needed


@ANY
@given(words, words)
@example("aab", "baa")
@example("abab", "baba")
def test_the_distance_is_that_of_its_definition_either_way(first: str, second: str) -> None:
    assert distance(first, second, FAR) == distance(second, first, FAR) == reference(first, second)


@ANY
@given(words, words, st.integers(0, 4))
def test_what_is_too_far_is_one_more_than_the_most(first: str, second: str, most: int) -> None:
    assert distance(first, second, most) == min(reference(first, second), most + 1)


def test_the_nearest_words_come_by_the_number_of_rows_that_hold_them() -> None:
    known = [("bidget", 1), ("gadget", 90), ("budgets", 2), ("budge", 2), ("fudgets", 80)]
    assert closest("budget", known, 2) == ("budge", "budgets", "bidget")


def test_a_word_with_the_same_first_letter_is_nearer_than_any_with_another() -> None:
    assert closest("cache", [("mache", 50), ("cachet", 1)], 1) == ("cachet",)
    assert closest("cache", [("mache", 50)], 1) == ("mache",)
    assert closest("cachet", [("machet", 1), ("cackle", 50)], 2) == ("machet",)  # but one edit is less than two


def test_there_are_four_at_most() -> None:
    known = [(f"budge{letter}", 9 - place) for place, letter in enumerate("abcdef")]
    assert closest("budget", known, 1) == ("budgea", "budgeb", "budgec", "budged")
    assert MOST == 4


def test_a_known_word_is_its_own_only_answer() -> None:
    assert closest("budget", [("budgets", 50), ("budget", 1), ("fudget", 50)], 2) == ("budget",)


@pytest.mark.parametrize(("typed", "most"), [("budget", 1), ("budget", 2)])
def test_what_is_too_far_is_no_answer(typed: str, most: int) -> None:
    assert closest(typed, [("banana", 9), ("b", 9), ("budgetary", 9)], most) == ()
    assert closest(typed, [], most) == ()


@ANY
@given(st.text("abcd", min_size=1, max_size=6), st.lists(st.tuples(st.text("abcd", min_size=1, max_size=6), st.integers(1, 9))))
def test_no_word_is_nearer_than_the_answer(typed: str, known: list[tuple[str, int]]) -> None:
    answer = closest(typed, known, 2)
    away = {word: reference(typed, word) + 0.5 * (word[0] != typed[0]) for word, _ in known}
    near = {word: far for word, far in away.items() if reference(typed, word) <= 2}
    assert {away[word] for word in answer} == ({min(near.values())} if near else set())


def test_edits_are_all_words_one_edit_away_with_the_same_start() -> None:
    found = edits("token", 3)
    assert {"toke", "tokn", "tokens", "tokan", "tokne", "tokxen"} <= set(found)
    put_in = 3 * 26 - 2  # an e beside the e comes about in two ways, an n, too
    assert len(found) == len(set(found)) == put_in + len(["left", "out"]) + 2 * 25 + len(["swapped"])


@ANY
@given(st.text("ab", min_size=3, max_size=7), st.text("ab", max_size=8))
def test_edits_leave_none_out_and_hold_nothing_else(word: str, other: str) -> None:
    assert (other in edits(word, 3)) == (reference(word, other) == 1 and word[:3] == other[:3])
