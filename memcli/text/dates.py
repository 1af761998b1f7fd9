"""Moments as integers: milliseconds since 1970 UTC. `datetime` is not imported: it costs 1.5 ms on the everyday path."""

from __future__ import annotations

import time

from memcli.errors import InvalidInput

DAY = 86_400_000
MONTHS = ("january february march april may june july august september october november december").split()
# Words of a question that speak of a time and are not in the index as they stand: recall/calendar.py reads them.
MENTIONED = frozenset("yesterday today week month year jan feb mar apr jun jul aug sep sept oct nov dec".split())
_SPANS = {"h": 3_600_000, "d": DAY, "w": 7 * DAY}
_LAST = 253_402_300_799_999  # the end of the year 9999


def iso(ms: int) -> str:
    """Returns the moment as RFC 3339 in UTC with milliseconds, such as 2026-03-01T09:30:00.000Z."""
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(ms // 1000))}.{ms % 1000:03d}Z"


def day(ms: int) -> str:
    """Returns the UTC date of the moment, such as 2026-03-01."""
    return time.strftime("%Y-%m-%d", time.gmtime(ms // 1000))


def words(ms: int) -> str:
    """Returns what a question may call the moment: march 2026 202603 20260314. The store's migrations write the same."""
    moment = time.gmtime(ms // 1000)
    return f"{MONTHS[moment.tm_mon - 1]} {moment.tm_year} {time.strftime('%Y%m %Y%m%d', moment)}"


def age(ms: int, now: int) -> str:
    """Returns how long ago the moment was, in one word and a number: `3 days`."""
    minutes = max(0, now - ms) // 60_000
    if minutes < 2:
        return "now"
    for size, name in ((525_960, "years"), (43_830, "months"), (10_080, "weeks"), (1_440, "days"), (60, "hours")):
        if minutes >= 2 * size:
            return f"{minutes // size} {name}"
    return f"{minutes} minutes"


def parse(text: str) -> int:
    """Reads an ISO 8601 date or moment (UTC where no offset is given). Raises InvalidInput."""
    try:
        date, mark, clock = text.strip().replace("t", "T").replace(" ", "T", 1).partition("T")
        year, month, number = (_digits(part) for part in date.split("-"))
        moment = _days(year, month, number) * DAY + (_clock(clock) if mark else 0)
        if 0 <= moment <= _LAST:
            return moment
    except ValueError:
        pass
    raise InvalidInput(f"not a date: {text[:40]!r}", "write it as 2026-03-01 or 2026-03-01T09:30:00Z")


def parse_when(text: str, now: int) -> int:
    """Reads a date, a moment, or a span back from `now`: `12h`, `3d`, `2w`. Raises InvalidInput."""
    count, unit = text[:-1], text[-1:]
    if unit in _SPANS and count.isdecimal():
        return max(0, now - int(count[:9]) * _SPANS[unit])
    return parse(text)


def _digits(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ValueError(text)
    return int(text)


def _days(year: int, month: int, day_of_month: int) -> int:
    """Days from 1970-01-01 in the proleptic Gregorian calendar (Hinnant, days_from_civil)."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if (
        not 1 <= month <= 12
        or not 1 <= day_of_month <= (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]
    ):
        raise ValueError("no such day")
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day_of_month - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def _clock(text: str) -> int:
    """Milliseconds into the day, offset applied: `09:30`, `09:30:15.25Z`, `09:30+02:00`."""
    offset = 0
    if text[-1:] in "Zz":
        text = text[:-1]
    elif len(text) > 6 and text[-6] in "+-" and text[-3] == ":":
        if _digits(text[-5:-3]) > 23 or _digits(text[-2:]) > 59:
            raise ValueError(text)
        offset = (_digits(text[-5:-3]) * 60 + _digits(text[-2:])) * (1 if text[-6] == "+" else -1)
        text = text[:-6]
    hours, minutes, *rest = text.split(":")
    seconds, _, fraction = (rest[0] if rest else "0").partition(".")
    if len(rest) > 1 or _digits(hours) > 23 or _digits(minutes) > 59 or _digits(seconds) > 60:
        raise ValueError(text)
    thousandths = _digits((fraction + "000")[:3]) if fraction else 0
    return ((_digits(hours) * 60 + _digits(minutes) - offset) * 60 + _digits(seconds)) * 1000 + thousandths
