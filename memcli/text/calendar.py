"""Words for times, in days of this machine's time zone: 2026-03-01, 3d, yesterday, this morning, last week, monday, in march.

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
NUMBERS = dict(zip("two three four five six seven eight nine ten eleven twelve couple few".split(), (*range(2, 13), 2, 3)))
_HOURS = {"morning": (0, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}  # of a day, by its parts
_UNITS = {"hour": 3_600_000, "day": dates.DAY, "week": 7 * dates.DAY, "month": 30 * dates.DAY, "year": 365 * dates.DAY}
_LETTERS = {"h": "hour", "d": "day", "w": "week"}
_MONTH_NUMBERS = {name: number for number, month in enumerate(dates.MONTHS, 1) for name in (month, month[:3])} | {"sept": 9}
_MOST_DIGITS = 9


class Span(Record):
    """A span of time in ms since 1970: from `first` to `after`, which is not part of it; of a moment both are the same."""

    unit: str
    first: int
    after: int


def read(words: Sequence[str], now: int) -> Span | None:
    """Returns the time that words mention, or None. `now`: ms since 1970."""
    words = _plain(words)
    if words == ["day", "before", "yesterday"]:
        return day_of(now, -2)
    if words == ["tonight"]:
        words = ["this", "night"]
    if words[-1:] == ["ago"]:
        return _read_ago([word for word in words[:-1] if word not in ("a", "an", "one", "of")], now)
    which = words[0] if len(words) > 1 and words[0] in ("last", "past", "this") else ""
    if len(words) == 2 and words[1] in _HOURS:
        day = day_of(now, -(which == "last")) if which else _of_word(words[0], now)
        return _part(day, *_HOURS[words[1]]) if day and day.unit == DAY else None
    words = words[1:] if which else words
    is_count = len(words) == 2 and which != "this" and (words[0] in ("a", "an", "one", *NUMBERS) or words[0].isdecimal())
    if is_count and (span := _read_ago(words[words[0] in ("a", "an", "one") :], now)):
        return span
    dated = [word for word in words if word != "of"]
    if len(dated) in (2, 3) and not which:
        return _date_of(dated, now)
    if len(words) != 1:
        return None
    return _of_name(words[0], now, which != "this") if which else _of_word(words[0], now)


def _read_ago(words: Sequence[str], now: int) -> Span | None:
    """Returns the moment so many units before now: `3 days`, `week`, `couple months`."""
    count, unit = (words[0], words[1]) if len(words) == 2 else ("1", words[0]) if len(words) == 1 else ("", "")
    unit, count = unit.removesuffix("s"), str(NUMBERS.get(count, count))
    return _ago(count, unit, now) if unit in _UNITS and count.isdecimal() else None


def _date_of(words: Sequence[str], now: int) -> Span | None:
    """Returns the month or the day that is named by a month with a day, a year or both: march 2026, 14th march, march 14 2026."""
    name = next((word for word in words[:2] if month(word)), "")
    numbers = [word for word in words if word != name]
    year = next((int(word) for word in numbers if _is_year(word)), 0)
    days = [word[:-2] if word[-2:] in ("st", "nd", "rd", "th") else word for word in numbers if not _is_year(word)]
    if not name or len(numbers) != len(words) - 1 or len(days) > 1:
        return None
    if not days:
        return _month(year, month(name)) if words[0] == name else None
    if not (days[0].isdecimal() and len(days[0]) <= 2 and 1 <= int(days[0]) <= 31):
        return None
    today = time.localtime(now // 1000)
    is_ahead = (month(name), int(days[0])) > (today.tm_mon, today.tm_mday)
    noon = _midnight(year or today.tm_year - is_ahead, month(name), int(days[0])) + dates.DAY // 2
    return day_of(noon) if time.localtime(noon // 1000).tm_mon == month(name) else None  # not the 31st of February


def _part(day: Span, first: int, after: int) -> Span:
    """Returns the part of a day between two of its hours."""
    return Span(DAY, day.first + first * 3_600_000, day.first + after * 3_600_000)


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
    return day_of(moment) if is_date else Span(MOMENT, moment, moment)


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
    return _MONTH_NUMBERS.get(word, 0)


def is_time_word(word: str) -> bool:
    """Tells whether a word in lower case is one of those of which each time has one: `days`, `march`, `3d`."""
    return word in dates.OF_TIME or any(char.isdigit() for char in word)


def unknown(text: str, also: str = "") -> InvalidInput:
    """Returns the error for a text that means no time. `also`: what else could have been given."""
    return InvalidInput(f"not a date: {text[:40]!r}", f"write it as {EXAMPLES}{also}")


def _of_word(word: str, now: int) -> Span | None:
    if word[-1:] in _LETTERS and word[:-1].isdecimal():
        return _ago(word[:-1], _LETTERS[word[-1]], now)
    if word in ("today", "yesterday"):
        return day_of(now, -(word == "yesterday"))
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
        return Span(WEEK, day_of(now, monday).first, day_of(now, monday + 7).first)
    if name == MONTH:
        return _month(today.tm_year, today.tm_mon - is_last)
    if name == YEAR:
        return _year(today.tm_year - is_last)
    if name in WEEKDAYS or name in [day[:3] for day in WEEKDAYS]:
        number = [day[:3] for day in WEEKDAYS].index(name[:3])
        back = (today.tm_wday - number) % 7
        return day_of(now, -(back or 7 * is_last))
    if number := month(name):
        return _month(today.tm_year - (number > today.tm_mon or (is_last and number == today.tm_mon)), number)
    return None


def _ago(count: str, unit: str, now: int) -> Span:
    moment = max(0, now - int(count[:_MOST_DIGITS]) * _UNITS[unit])
    return Span(MOMENT, moment, moment)


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isascii() and word.isdecimal() and word >= "1970"


def day_of(moment: int, days: int = 0) -> Span:
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
