"""Moments without `datetime`, against `datetime`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memcli.errors import InvalidInput
from memcli.text.dates import DAY, age, day, iso, parse

ANY = settings(max_examples=300, deadline=None, derandomize=True)
LAST = 253_402_300_799_999
moments = st.integers(0, LAST)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
offsets = st.integers(-23 * 60 - 59, 23 * 60 + 59)


def real(ms: int) -> datetime:
    return EPOCH + timedelta(milliseconds=ms)


@ANY
@given(moments)
@example(0)
@example(LAST)
@example(951_782_400_000)  # 29 February 2000
def test_a_moment_is_written_and_read_back_as_datetime_does(ms: int) -> None:
    assert iso(ms) == real(ms).strftime("%Y-%m-%dT%H:%M:%S.") + f"{ms % 1000:03d}Z"
    assert day(ms) == f"{real(ms):%Y-%m-%d}"
    assert parse(iso(ms)) == ms
    assert parse(day(ms)) == ms // DAY * DAY


@ANY
@given(
    moments, offsets, st.sampled_from(["T", "t", " "]), st.sampled_from(["seconds", "milliseconds", "microseconds", "minutes"])
)
def test_every_spelling_of_a_moment_means_what_datetime_says(ms: int, offset: int, mark: str, precision: str) -> None:
    try:
        there = real(ms).astimezone(timezone(timedelta(minutes=offset)))
    except OverflowError:
        return
    text = there.isoformat(mark, precision)
    meant = datetime.fromisoformat(text)
    assert parse(f" {text}\n") == (meant - EPOCH) // timedelta(milliseconds=1)


@ANY
@given(st.integers(1970, 9999), st.integers(0, 13), st.integers(0, 32))
def test_only_days_of_the_calendar_are_dates(year: int, month: int, number: int) -> None:
    text = f"{year}-{month:02d}-{number:02d}"
    try:
        expected = datetime(year, month, number, tzinfo=UTC)
    except ValueError:
        with pytest.raises(InvalidInput):
            parse(text)
    else:
        assert parse(text) == (expected - EPOCH) // timedelta(milliseconds=1)


@pytest.mark.parametrize(
    ("year", "leap"), [(1972, True), (1900 + 200, False), (2000, True), (2024, True), (2025, False), (2400, True)]
)
def test_leap_years_have_their_day(year: int, leap: bool) -> None:
    if leap:
        assert parse(f"{year}-03-01") - parse(f"{year}-02-29") == DAY
    else:
        with pytest.raises(InvalidInput):
            parse(f"{year}-02-29")


def test_what_is_left_out_is_zero_and_utc() -> None:
    noon = parse("2026-03-01T12:00:00Z")
    for text in (
        "2026-03-01T12:00",
        "2026-03-01 12:00:00",
        "2026-03-01t12:00:00.000z",
        "2026-03-01T14:00+02:00",
        "2026-03-01T06:30:00-05:30",
    ):
        assert parse(text) == noon
    assert parse("2026-03-01T12:00:00.5") == parse("2026-03-01T12:00:00,5") == noon + 500
    assert parse("2026-03-01T12:00:00.123456789Z") == noon + 123


BAD = [
    *(
        "",
        " ",
        "today",
        "2026",
        "2026-03",
        "2026-3-1-1",
        "2026/03/01",
        "01.03.2026",
        "2026-13-01",
        "2026-00-10",
        "2026-02-30",
        "-2026-03-01",
    ),
    *(
        "2026-03-01T",
        "2026-03-01T24:00",
        "20260301T2400",
        "2026-W09-7T24:00:00Z",
        "2026-03-01T12:60",
        "2026-03-01T12:00:60",
        "2026-3-1",
        "2026-03-01T12:00Z+01:00",
    ),
    *(
        "2026-03-01T1２:00",
        "٢٠٢٦-03-01",
        "2026-03-01T12:00:00.x",
        "1969-12-31",
        "1970-01-01T00:00+00:01",
        "10000-01-01",
    ),
    *(
        "9999-12-31T23:59:59-00:01",
        "2026-03-01T12:00+2:00",
        "2026-03-01T12:00+99:00",
        "2026-03-01T12:00:00+0a:00",
        "NaN-01-01",
    ),
    *(
        "2026-03-01\x00",
        "2026-03-01T12:00:00 UTC",
        "1e3-01-01",
        "2026-03-01T+1:00",
        "99999999999999999999-01-01",
    ),
]


@pytest.mark.parametrize("text", BAD, ids=ascii)
def test_what_is_no_date_is_invalid_input_with_a_hint(text: str) -> None:
    with pytest.raises(InvalidInput, match="not a date") as caught:
        parse(text)
    assert "2026-03-01" in caught.value.hint


@ANY
@given(st.text())
def test_any_text_is_a_date_or_invalid_input(text: str) -> None:
    try:
        assert 0 <= parse(text) <= LAST
    except InvalidInput:
        pass


MINUTE, HOUR = 60_000, 3_600_000


@pytest.mark.parametrize(
    ("before", "said"),
    [
        *((-5, "now"), (0, "now"), (2 * MINUTE - 1, "now"), (2 * MINUTE, "2 minutes"), (119 * MINUTE, "119 minutes")),
        *((2 * HOUR, "2 hours"), (47 * HOUR, "47 hours"), (2 * DAY, "2 days"), (13 * DAY, "13 days"), (14 * DAY, "2 weeks")),
        *(
            (60 * DAY, "8 weeks"),
            (62 * DAY, "2 months"),
            (700 * DAY, "22 months"),
            (731 * DAY, "2 years"),
            (3660 * DAY, "10 years"),
        ),
    ],
)
def test_an_age_is_a_number_and_a_word(before: int, said: str) -> None:
    assert age(1_700_000_000_000 - before, 1_700_000_000_000) == said


@ANY
@given(moments, moments)
def test_no_age_is_of_one_or_negative(ms: int, now: int) -> None:
    number = age(ms, now).split()[0]
    assert number == "now" or int(number) >= 2
