"""Times that a question speaks of, as the words by which the index knows them (`dates.words`): last week, yesterday, in May.

The index has days in UTC, so that a day of this machine may be parts of two.
"""

from __future__ import annotations

import time

from memcli.text import calendar, dates
from memcli.text.analysis import MAY, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_BEFORE_A_MONTH = set("in of since until till by during last this early late mid from to before after".split())
_WEEK = 7 * dates.DAY


def with_dates(question: str, terms: Sequence[str], now: int) -> list[str]:
    """Returns the terms of a question with what its words for times stand for. `now`: ms since 1970."""
    words = [run.lower() for run in runs(question) if run]
    with_times = dict.fromkeys(terms)
    for index, word in enumerate(words):
        before = words[index - 1] if index else ""
        after = words[index + 1] if index + 1 < len(words) else ""
        if number := calendar.month(word):
            is_name = word in dates.MONTHS and word != MAY
            if is_name or before in _BEFORE_A_MONTH or before.isdigit() or after.isdigit():
                with_times[dates.MONTHS[number - 1]] = None
        elif word in ("today", "yesterday", *calendar.WEEKDAYS):
            with_times.update(dict.fromkeys(_words(calendar.read([word], now), False, now)))
        elif word in (calendar.WEEK, calendar.MONTH, calendar.YEAR) and before in ("last", "this", "past"):
            with_times.update(dict.fromkeys(_words(calendar.read([before, word], now), before == "this", now)))
    return list(with_times)


def _words(span: calendar.Span | None, is_current: bool, now: int) -> list[str]:
    """Returns the words of a span: its days, its month or its year. A week is meant loosely: its days up to now."""
    if span is None:
        return []
    day = time.localtime(span.first // 1000)
    if span.unit == calendar.YEAR:
        return [str(day.tm_year)]
    if span.unit == calendar.MONTH:
        return [f"{day.tm_year}{day.tm_mon:02d}"]
    if span.unit == calendar.WEEK:
        return _days(now - (1 if is_current else 2) * _WEEK, now)
    return _days(span.first, span.after - 1)


def _days(first: int, last: int) -> list[str]:
    """Returns the days from a moment to another, the newest first."""
    moments = [last - back for back in range(0, last - first, dates.DAY)]
    return list(dict.fromkeys([dates.words(moment).split()[3] for moment in (*moments, first)]))
