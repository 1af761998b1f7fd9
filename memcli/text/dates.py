"""Moments as integers: milliseconds since 1970 UTC. `datetime` is not imported: it costs 1.5 ms on the everyday path."""

from __future__ import annotations

import time

from memcli.errors import InvalidInput

DAY = 86_400_000
MONTHS = ("january february march april may june july august september october november december").split()
# Words of a question that mention a time and are not in the index as they stand: recall/calendar.py reads them.
MENTIONED = frozenset(
    "yesterday today week month year jan feb mar apr jun jul aug sep sept oct nov dec "
    "monday tuesday wednesday thursday friday saturday sunday".split()
)
# Each time that a question or an option mentions has one of these words, or a digit: text/calendar.py and recall/calendar.py.
OF_TIME = MENTIONED.union(
    MONTHS,
    "hour hours day days weeks months years tonight morning afternoon evening night mon tue wed thu fri sat sun".split(),
)
_LAST = 253_402_300_799_999  # the end of the year 9999


def iso(ms: int) -> str:
    """Returns the moment as RFC 3339 in UTC with milliseconds, such as 2026-03-01T09:30:00.000Z."""
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(ms // 1000))}.{ms % 1000:03d}Z"


def day(ms: int) -> str:
    """Returns the UTC date of the moment, such as 2026-03-01."""
    return time.strftime("%Y-%m-%d", time.gmtime(ms // 1000))


def local(ms: int) -> str:
    """Returns the moment as the clock of this machine shows it, such as 2026-03-01 10:30."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(ms // 1000))


def local_day(ms: int) -> str:
    """Returns the date of the moment as the calendar of this machine shows it."""
    return local(ms)[:10]


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


def ago(ms: int, now: int) -> str:
    """Returns how long ago the moment was, as a sentence says it: `3 days ago`."""
    text = age(ms, now)
    return "just now" if text == "now" else f"{text} ago"


def parse(text: str, is_local: bool = False, source: str = "") -> int:
    """Reads an ISO 8601 date or moment; where no offset is given it is UTC, or the time of this machine.

    Raises InvalidInput, whose message begins with `source`.
    """
    from datetime import UTC, date, datetime, timedelta  # never on the everyday path

    def is_day(written: str) -> bool:
        try:
            return date.fromisoformat(written) == moment.date()
        except ValueError:
            return False

    try:
        written = text.strip().upper()
        moment = datetime.fromisoformat(written)
        if not any(is_day(written[:size]) for size in (10, 8, 7)):
            raise ValueError  # 24:00, which Python 3.13 and newer take for the next day
        moment = moment if moment.tzinfo else moment.astimezone() if is_local else moment.replace(tzinfo=UTC)
        milliseconds = (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
        if 0 <= milliseconds <= _LAST:
            return milliseconds
    except (ValueError, OverflowError):
        pass
    raise InvalidInput(f"{source}not a date: {text[:40]!r}", "write it as 2026-03-01 or 2026-03-01T09:30:00Z")
