"""Words for times, in days of this machine's time zone: 2026-03-01, 3d, yesterday, last week, monday, in march.

The one reader of them, for options (memory/filters.py) and for questions (recall/calendar.py). A week begins on Monday.
"""

from __future__ import annotations

import time

from memcli.errors import InvalidInput
from memcli.records import Record
from memcli.text import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

DAY, WEEK, MONTH, YEAR, MOMENT = "day", "week", "month", "year", "moment"
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
EXAMPLES = '2026-03-01, 3d, 2w, yesterday, "last week", monday, march'
_LEADING = frozenset("since from on in of until till by during before after the".split())
_UNITS = {"hour": 3_600_000, "day": dates.DAY, "week": 7 * dates.DAY, "month": 30 * dates.DAY, "year": 365 * dates.DAY}
_LETTERS = {"h": "hour", "d": "day", "w": "week"}
_MOST_DIGITS = 9


class Span(Record):
    """A span of time in ms since 1970: from `first` to `after`, which is not part of it; of a moment both are the same."""

    unit: str
    first: int
    after: int


def read(words: Sequence[str], now: int) -> Span | None:
    """Returns the time that words speak of, None where they speak of none. `now`: ms since 1970."""
    words = _plain(words)
    is_ago = words[-1:] == ["ago"]
    words = words[:-1] if is_ago else words
    which = words[0] if len(words) > 1 and words[0] in ("last", "past", "this") else ""
    words = words[1:] if which else words
    if len(words) == 2 and which != "this" and (words[0] in ("a", "an", "one") or words[0].isdecimal()):
        unit = words[1].removesuffix("s")
        return _ago(words[0] if words[0].isdecimal() else "1", unit, now) if unit in _UNITS else None
    if is_ago or len(words) not in (1, 2):
        return None
    if len(words) == 2:
        return _month(int(words[1]), month(words[0])) if month(words[0]) and _is_year(words[1]) and not which else None
    return _of_name(words[0], now, which != "this") if which else _of_word(words[0], now)


def span(text: str, now: int) -> Span | None:
    """Returns the time that a text means, None where it means none: words, a date, or a moment without an offset from UTC."""
    words = _plain(text.split())
    if in_words := read(words, now):
        return in_words
    text = " ".join(words)
    try:
        moment = dates.parse(text, is_local=True)
    except InvalidInput:
        return None
    is_date = len(text) == len("2026-03-01") or (len(text) == len("20260301") and text.isdecimal())
    return _day(moment) if is_date else Span(MOMENT, moment, moment)


def date(text: str, now: int) -> str:
    """Returns the date of the day that a text means, such as 2026-03-01. Raises InvalidInput."""
    day = span(text, now)
    if day is None or day.unit not in (DAY, MOMENT):
        raise InvalidInput(f"not a date: {text[:40]!r}", "write it as 2026-03-01, yesterday or monday")
    return time.strftime("%Y-%m-%d", time.localtime(day.first // 1000))


def _plain(words: Sequence[str]) -> list[str]:
    """Returns words in lower case without those before a time, such as `since`."""
    words = [word.lower() for word in words]
    first = next((index for index, word in enumerate(words) if word not in _LEADING), len(words))
    return words[first:]


def month(word: str) -> int:
    """Returns the number of a month by its name or its first three letters (september: four, too), 0 for another word."""
    names = [name for name in dates.MONTHS if word in (name, name[:3]) or (word == "sept" and name == "september")]
    return dates.MONTHS.index(names[0]) + 1 if names else 0


def unknown(text: str, also: str = "") -> InvalidInput:
    """Returns the error for a text that means no time. `also`: what else could have been given."""
    return InvalidInput(f"not a date: {text[:40]!r}", f"write it as {EXAMPLES}{also}")


def _of_word(word: str, now: int) -> Span | None:
    if word[-1:] in _LETTERS and word[:-1].isdecimal():
        return _ago(word[:-1], _LETTERS[word[-1]], now)
    if word in ("today", "yesterday"):
        return _day(now, -(word == "yesterday"))
    if _is_year(word):
        return _year(int(word))
    year, dash, number = word.partition("-")
    if dash and _is_year(year) and len(number) == 2 and number.isdecimal() and 1 <= int(number) <= 12:
        return _month(int(year), int(number))
    return _of_name(word, now, False) if word not in (WEEK, MONTH, YEAR) else None


def _of_name(name: str, now: int, is_last: bool) -> Span | None:
    """Returns a unit, a weekday or a month by name: that of now, or the newest that has begun. `is_last`: the one before."""
    today = time.localtime(now // 1000)
    if name == WEEK:
        monday = -today.tm_wday - 7 * is_last
        return Span(WEEK, _day(now, monday).first, _day(now, monday + 7).first)
    if name == MONTH:
        return _month(today.tm_year, today.tm_mon - is_last)
    if name == YEAR:
        return _year(today.tm_year - is_last)
    if name in WEEKDAYS or name in [day[:3] for day in WEEKDAYS]:
        number = [day[:3] for day in WEEKDAYS].index(name[:3])
        back = (today.tm_wday - number) % 7
        return _day(now, -(back or 7 * is_last))
    if number := month(name):
        return _month(today.tm_year - (number > today.tm_mon or (is_last and number == today.tm_mon)), number)
    return None


def _ago(count: str, unit: str, now: int) -> Span:
    moment = max(0, now - int(count[:_MOST_DIGITS]) * _UNITS[unit])
    return Span(MOMENT, moment, moment)


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isascii() and word.isdecimal() and word >= "1970"


def _day(moment: int, days: int = 0) -> Span:
    """Returns the day of a moment, or one some days later."""
    day = time.localtime(moment // 1000)
    return Span(DAY, *[_midnight(day.tm_year, day.tm_mon, day.tm_mday + days + next) for next in (0, 1)])


def _month(year: int, number: int) -> Span:
    return Span(MONTH, _midnight(year, number, 1), _midnight(year, number + 1, 1))


def _year(year: int) -> Span:
    return Span(YEAR, _midnight(year, 1, 1), _midnight(year + 1, 1, 1))


def _midnight(year: int, month: int, day: int) -> int:
    """Returns the beginning of a local day; a month or a day too many is one of the next month or year."""
    return max(0, int(time.mktime((year, month, day, 0, 0, 0, 0, 0, -1))) * 1000)
