"""Records are copied with changes, also those that were made of a row with fewer values than they have fields."""

from __future__ import annotations

import pytest

from memcli.records import Record, many, replace


class Box(Record):
    """A record with defaults."""

    width: int
    height: int = 2
    label: str = ""


def test_a_copy_has_the_changes_in_their_places() -> None:
    assert replace(Box(1), label="x") == (1, 2, "x")
    assert replace(Box(1, 5, "x"), height=3, width=4) == (4, 3, "x")


def test_a_record_of_a_short_row_is_filled_in_when_it_is_copied() -> None:
    (box,) = many(Box, [(1,)])
    assert replace(box, width=4) == (4, 2, "")
    assert replace(box, label="x") == (1, 2, "x")
    assert replace(box, label="x", height=5) == (1, 5, "x")


def test_a_field_that_there_is_not_is_refused() -> None:
    with pytest.raises(TypeError, match="width, height, label"):
        replace(Box(1), depth=3)
