"""Names that can be typed, told apart and sorted."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.text.ids import ALPHABET, LENGTH, canonical, encode, new, stamp

ANY = settings(max_examples=200, deadline=None, derandomize=True)


@pytest.mark.parametrize("kind", ["M", "S", "C"])
def test_a_new_id_has_its_kind_and_ten_characters(kind: str) -> None:
    made = {new(kind) for _ in range(2000)}
    assert len(made) == 2000
    assert all(re.fullmatch(rf"{kind}-[0-9A-HJKMNP-TV-Z]{{10}}", one) for one in made)


def test_every_character_is_drawn_at_every_place() -> None:
    made = [new("M")[2:] for _ in range(3000)]
    assert [set(column) for column in zip(*made)] == [set(ALPHABET)] * LENGTH


@ANY
@given(st.integers(0, 2**50 - 1), st.integers(0, 2**50 - 1))
def test_numbers_keep_their_order_when_they_are_written(one: int, two: int) -> None:
    assert (encode(one, 10) < encode(two, 10)) == (one < two)
    assert [ALPHABET.index(char) for char in encode(one, 10)] == [one >> shift & 31 for shift in range(45, -1, -5)]


@ANY
@given(st.integers(0, 2**48 - 1), st.integers(0, 2**48 - 1))
def test_stamps_sort_by_time(one: int, two: int) -> None:
    if one != two:
        assert (stamp(one) < stamp(two)) == (one < two)
    assert re.fullmatch(r"[0-7][0-9A-HJKMNP-TV-Z]{25}", stamp(one))
    assert stamp(one) != stamp(one)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        *(
            ("m-7f3k2qwz9a", "M-7F3K2QWZ9A"),
            (" M-7F3K2QWZ9A\n", "M-7F3K2QWZ9A"),
            ("m-oil", "M-011"),
            ("s-0", "S-0"),
            ("lo-lo", "LO-10"),
        ),
        *(("", ""), ("-", "-")),
    ],
)
def test_an_id_is_understood_as_it_is_typed(typed: str, meant: str) -> None:
    assert canonical(typed) == meant


@ANY
@given(st.text())
def test_what_is_understood_stays_so(text: str) -> None:
    assert canonical(canonical(text)) == canonical(text)


def test_a_stored_id_means_itself() -> None:
    for _ in range(200):
        made = new("M")
        assert canonical(made) == canonical(made.lower()) == made


def test_a_beginning_typed_without_its_kind_reads_like_the_whole() -> None:
    for _ in range(200):
        made = new("M")
        typed = made[2:8].lower().replace("0", "o").replace("1", "l")
        assert canonical(f"M-{typed}") == made[:8]
