"""Times that a question speaks of, as the words by which the index knows them (`dates.words`): last week, yesterday, in May."""

from __future__ import annotations

from memcli.text import dates
from memcli.text.analysis import MAY, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_SHORT = set("jan feb mar apr jun jul aug sep sept oct nov dec".split())
_BEFORE_A_MONTH = set("in of since until till by during last this early late mid from to before after".split())


def with_dates(question: str, terms: Sequence[str], now: int) -> list[str]:
    """Returns the terms of a question with what its words for times stand for. `now`: ms since 1970."""
    words = [run.lower() for run in runs(question) if run]
    with_times = dict.fromkeys(terms)
    for index, word in enumerate(words):
        before = words[index - 1] if index else ""
        after = words[index + 1] if index + 1 < len(words) else ""
        if (word == MAY or word in _SHORT) and (before in _BEFORE_A_MONTH or before.isdigit() or after.isdigit()):
            with_times.update(dict.fromkeys([month for month in dates.MONTHS if month.startswith(word[:3])]))
        elif word in ("today", "yesterday"):
            with_times[_day(now - dates.DAY * (word == "yesterday"))] = None
        elif word in ("week", "month", "year") and before in ("last", "this", "past"):
            with_times.update(dict.fromkeys(_span(word, before == "this", now)))
    return list(with_times)


def _day(ms: int) -> str:
    return dates.words(ms).split()[3]


def _span(unit: str, current: bool, now: int) -> list[str]:
    """Returns the days of a week, the month or the year: this one, or the last (a week: and this one)."""
    if unit == "week":
        return [_day(now - back * dates.DAY) for back in range(8 if current else 15)]
    year, month = int(dates.words(now).split()[1]), int(dates.words(now).split()[2][4:])
    if unit == "year":
        return [str(year if current else year - 1)]
    if not current:
        year, month = (year, month - 1) if month > 1 else (year - 1, 12)
    return [f"{year}{month:02d}"]
