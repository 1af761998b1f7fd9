"""Words for times mean days of this machine's time zone, whoever reads them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.text import dates
from memcli.text.calendar import read, span

NOW = dates.parse("2026-03-04T12:00:00Z")  # a Wednesday
HOUR = 3_600_000


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """A function that sets the time zone of this machine."""

    def set_zone(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield set_zone
    monkeypatch.undo()
    time.tzset()


def days(text: str, now: int = NOW) -> tuple[str, str] | None:
    """The first day of what is meant and the day after it, in UTC."""
    meant = span(text, now)
    return (dates.day(meant.first), dates.day(meant.after)) if meant else None


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("2026-02-10", "2026-02-10", "2026-02-11"),
        (" 2026-02-10 ", "2026-02-10", "2026-02-11"),
        ("since 2026-02-28", "2026-02-28", "2026-03-01"),
        ("today", "2026-03-04", "2026-03-05"),
        ("Yesterday", "2026-03-03", "2026-03-04"),
        ("since yesterday", "2026-03-03", "2026-03-04"),
        ("wednesday", "2026-03-04", "2026-03-05"),
        ("last wednesday", "2026-02-25", "2026-02-26"),
        ("monday", "2026-03-02", "2026-03-03"),
        ("since Monday", "2026-03-02", "2026-03-03"),
        ("last monday", "2026-03-02", "2026-03-03"),
        ("thu", "2026-02-26", "2026-02-27"),
        ("this week", "2026-03-02", "2026-03-09"),
        ("last week", "2026-02-23", "2026-03-02"),
        ("the last week", "2026-02-23", "2026-03-02"),
        ("this month", "2026-03-01", "2026-04-01"),
        ("last month", "2026-02-01", "2026-03-01"),
        ("past year", "2025-01-01", "2026-01-01"),
        ("march", "2026-03-01", "2026-04-01"),
        ("last march", "2025-03-01", "2025-04-01"),
        ("in april", "2025-04-01", "2025-05-01"),
        ("December", "2025-12-01", "2026-01-01"),
        ("sept", "2025-09-01", "2025-10-01"),
        ("may 2024", "2024-05-01", "2024-06-01"),
        ("2026-02", "2026-02-01", "2026-03-01"),
        ("march 3", "2026-03-03", "2026-03-04"),
        ("on the 14th of march", "2025-03-14", "2025-03-15"),
        ("March 14 2025", "2025-03-14", "2025-03-15"),
        ("the day before yesterday", "2026-03-02", "2026-03-03"),
        ("2025", "2025-01-01", "2026-01-01"),
    ],
)
def test_words_mean_whole_days(zone: Callable[[str], None], text: str, first: str, after: str) -> None:
    zone("UTC")
    assert days(text) == (first, after)


@pytest.mark.parametrize(
    ("text", "back"),
    [
        ("12h", 12 * HOUR), ("3d", 3 * dates.DAY), ("2w", 14 * dates.DAY), ("0d", 0),
        ("3 days ago", 3 * dates.DAY),
        ("a week ago", 7 * dates.DAY), ("last 2 weeks", 14 * dates.DAY),
        ("5 hours", 5 * HOUR),
        ("two weeks ago", 14 * dates.DAY), ("a couple of days ago", 2 * dates.DAY),
        ("week ago", 7 * dates.DAY), ("9" * 5000 + "d", NOW),
    ],
)  # fmt: skip
def test_an_age_is_a_moment(text: str, back: int) -> None:
    meant = span(text, NOW)
    assert meant is not None
    assert meant.first == meant.after == NOW - back


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("this morning", "2026-03-04T00:00:00Z", "2026-03-04T12:00:00Z"),
        ("yesterday afternoon", "2026-03-03T12:00:00Z", "2026-03-03T18:00:00Z"),
        ("monday evening", "2026-03-02T18:00:00Z", "2026-03-03T00:00:00Z"),
        ("last night", "2026-03-03T18:00:00Z", "2026-03-04T06:00:00Z"),
        ("tonight", "2026-03-04T18:00:00Z", "2026-03-05T06:00:00Z"),
    ],
)
def test_a_day_has_parts(zone: Callable[[str], None], text: str, first: str, after: str) -> None:
    zone("UTC")
    meant = span(text, NOW)
    assert meant is not None
    assert (meant.first, meant.after) == (dates.parse(first), dates.parse(after))


@pytest.mark.parametrize(
    "text",
    ["", " ", "soon", "last", "ago", "week", "the month", "3 d", "3x", "-3d", "3.5d", "this 3 days", "last 2025", "march 32",
     "march 1 2", "february 31",
     "2026-13", "2026-02-30", "1969", "tomorrow", "ago 3 days", "last week ago", "since", "marchx", "2026-3"],
)  # fmt: skip
def test_what_is_no_time_is_none(text: str) -> None:
    assert span(text, NOW) is None


def test_days_are_those_of_this_machine(zone: Callable[[str], None]) -> None:
    zone("Pacific/Auckland")  # 13 hours ahead, so that it is Thursday already
    assert span("today", NOW) == span("2026-03-05", NOW) == span("thursday", NOW)
    assert span("2026-03-05", NOW)[1] == dates.parse("2026-03-04T11:00:00Z")  # type: ignore[index]
    assert span("2026-03-05T00:30", NOW)[1] == dates.parse("2026-03-04T11:30:00Z")  # type: ignore[index]
    assert span("2026-03-05T00:30Z", NOW)[1] == dates.parse("2026-03-05T00:30:00Z")  # type: ignore[index]

    zone("Europe/Berlin")
    last_day_of_winter = span("2026-03-29", NOW)
    assert last_day_of_winter is not None
    assert last_day_of_winter.after - last_day_of_winter.first == 23 * HOUR


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(), st.integers(0, 4_000_000_000_000))
def test_any_text_is_a_time_or_none(text: str, now: int) -> None:
    meant = span(text, now)
    assert meant is None or 0 <= meant.first <= meant.after


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.lists(
        st.sampled_from(
            "last this past since in of a 3 14th two 2025 week days month year ago monday morning march may today 2w".split()
        ),
        max_size=4,
    )
)
def test_any_words_are_a_time_or_none(words: list[str]) -> None:
    meant = read(words, NOW)
    assert meant is None or 0 <= meant.first <= meant.after
