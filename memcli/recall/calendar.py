"""Times that a question mentions: last week, since Monday, three days ago, in May, between March and May.

Words that only say when are not searched for. The name of a month or day, or a date, still is: a text may mention it.
"""

from __future__ import annotations

from memcli.records import Record
from memcli.text import calendar, dates
from memcli.text.analysis import MAY
from memcli.text.calendar import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BEFORE_A_MONTH = frozenset("in of since until till by during last this early late mid from to before after between and".split())
_FROM, _BEHIND, _UP_TO, _AHEAD = ("since", "from", "between"), ("after",), ("until", "till", "by"), ("before",)
_SECOND = ("to", "and")  # between the two ends of a span
_LEADING = frozenset([*_FROM, *_BEHIND, *_UP_TO, *_AHEAD, *_SECOND, *"on in of during the at as".split()])
_BOUNDS = frozenset([*_FROM, *_BEHIND, *_UP_TO, *_AHEAD, *_SECOND, "in", "of", "during"])
_NAMED_DAYS = frozenset(["today", "yesterday", "tonight", *calendar.WEEKDAYS])
_LONGEST = 5  # words of a time: three days ago, the day before yesterday, on Monday the 3rd of March 2026 is two
_AROUND = "`'\"?!,;:()[]."
_WEEK = 7 * dates.DAY
_AROUND_NOW = {"hour": 3_600_000, "week": _WEEK // 2, "month": 15 * dates.DAY, "year": 183 * dates.DAY}


class SpokenTime(Record):
    """The time that a question mentions, in ms since 1970, its end excluded; None: no beginning, or no end.

    `loosely`: the beginning of a longer time, up to now, that is tried where nothing is of the exact one: last week may be the
    last two. None: there is no such time.
    `names`: of its months and days, as texts and the index have them; `text`: the question without words that only say when.
    """

    since: int | None
    until: int | None
    names: frozenset[str]
    text: str
    loosely: int | None = None


def spoken(question: str, now: int) -> SpokenTime | None:
    """Returns the time that a question mentions, or None. `now`: ms since 1970."""
    pieces = [word for piece in question.split() for word in _parts(piece)]
    words = [_plain(piece) for piece in pieces]
    are_time_words = [calendar.is_time_word(word) for word in words]
    since: int | None = None
    until: int | None = None
    loosely: int | None = None
    cut: set[int] = set()
    names: set[str] = set()
    first: Sequence[str] = ()  # the words of the beginning
    index = 0
    while index < len(words):
        lead = _lead(words, index)
        span, length = _longest(words, index, lead, now) if any(are_time_words[index : index + _LONGEST]) else (None, 0)
        if span is None:
            index += 1
            continue
        if lead in _AHEAD or lead in _UP_TO or (lead in _SECOND and first):
            until = span.first if lead in _AHEAD else span.after
            if since is not None and since >= until and (earlier := calendar.read(first, until - 1)):
                since = earlier.first  # between March and May 2025
        elif lead in _BEHIND or lead in _FROM:
            first = words[index : index + length]
            since = span.after if lead in _BEHIND else span.first
        else:
            since, until = span.first, (None if span.unit == calendar.MOMENT else span.after)
            loosely = now - (span.after <= now) * _WEEK - _WEEK if span.unit == calendar.WEEK else None
        end = index + length
        own_names = _names(words[index:end])
        names |= own_names
        cut |= {at for at in range(_first(words, index, cut), end) if not (own_names and _is_name(words[at]))}
        index = end
    if since is until is None or (since is not None and until is not None and since >= until):
        return None
    subject = " ".join([piece for at, piece in enumerate(pieces) if at not in cut])
    return SpokenTime(since, until, frozenset(names), subject, loosely)


def _parts(piece: str) -> list[str]:
    """Returns a word, or the parts of one such as mid-may."""
    first, _, month = piece.partition("-")
    return [first, month] if first.lower() in ("mid", "early", "late") and calendar.month(_plain(month)) else [piece]


def _lead(words: Sequence[str], index: int) -> str:
    """Returns the word before a time that says which bound it is: since, before ...; `as of` counts as `by`."""
    at = index - 1
    while at > 0 and words[at] in ("the", "early", "late", "mid"):
        at -= 1
    at = at if words[max(0, at)] in _BOUNDS else index - 1
    lead = words[at] if at >= 0 else ""
    return "by" if lead == "of" and words[at - 1 : at] == ["as"] else lead


def _first(words: Sequence[str], index: int, cut: set[int]) -> int:
    """Returns the index of the first of the words that introduce a time."""
    while index and words[index - 1] in _LEADING and index - 1 not in cut:
        index -= 1
    return index


def _longest(words: Sequence[str], index: int, lead: str, now: int) -> tuple[Span | None, int]:
    """Returns the time that begins at a word of a question and how many words it takes, or None."""
    if words[index] not in _LEADING:
        for length in range(min(_LONGEST, len(words) - index), 0, -1):
            if span := _time(words[index : index + length], lead, now):
                return span, length
    return None, 0


def _time(words: Sequence[str], lead: str, now: int) -> Span | None:
    """Returns the time that all the words together name, or None: a time at which something was, not how long it took."""
    if len(words) == 1:
        return calendar.span(words[0], now) if _is_time(words[0], lead) else None
    if words[-1] == "ago":
        return _about(words, now)
    is_verb = words == ["this", MAY]
    is_count = len(words) == 2 and (words[0].isdecimal() or words[0] in (*calendar.NUMBERS, "a", "an", "one"))
    return None if is_verb or (is_count and not calendar.month(words[1])) else calendar.read(words, now)


def _is_time(word: str, lead: str) -> bool:
    """Tells whether a word alone is a time. `lead`: the word before it; a short month or a year needs one such as in."""
    if calendar.month(word):
        return (word in dates.MONTHS and word != MAY) or (lead in _BEFORE_A_MONTH and (word, lead) != (MAY, "this"))
    return word in _NAMED_DAYS or _is_date(word) or (_is_year(word) and lead in _BOUNDS)


def _about(words: Sequence[str], now: int) -> Span | None:
    """Returns the time around such a distance into the past: that day; for weeks, half a week before and after it."""
    moment = calendar.read(words, now)
    if moment is None:
        return None
    around = _AROUND_NOW.get(words[-2].removesuffix("s"), 0)
    return Span(calendar.DAY, moment.first - around, moment.first + around) if around else calendar.day_of(moment.first)


def _names(words: Sequence[str]) -> set[str]:
    """Returns how texts and the index name a time: its month or day of the week, its date in digits; a year where that is all."""
    months = {dates.MONTHS[number - 1] for word in words if (number := calendar.month(word))}
    days = {word for word in words if word in calendar.WEEKDAYS}
    written = {word.replace("-", "") for word in words if _is_date(word)}
    return months | days | written or {word for word in words if _is_year(word)}


def _is_name(word: str) -> bool:
    return bool(calendar.month(word)) or word in calendar.WEEKDAYS or any(char.isdigit() for char in word)


def _is_date(word: str) -> bool:
    """Tells whether a word is a date or a month in digits: 2026-03-01, 2026-03."""
    year, *others = word.split("-")
    return _is_year(year) and len(others) in (1, 2) and all(len(it) == 2 and it.isdecimal() for it in others)


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.isascii() and word.isdecimal() and "1970" <= word < "2100"


def _plain(piece: str) -> str:
    return piece.lower().strip(_AROUND).replace("’", "'").removesuffix("'s")
