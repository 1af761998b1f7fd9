"""Times that a question speaks of find what was written then."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from memcli.recall.calendar import with_dates
from memcli.text import analysis, dates
from tests.conftest import Terminal

NOW = dates.parse("2026-03-01T12:00:00Z")
MONTHS = [(name, name[:3]) for name in dates.MONTHS if name != "may"] + [("september", "sept")]


def added(question: str, now: int = NOW) -> list[str]:
    """What a question is taken to mean beyond its words."""
    terms = analysis.terms(question)
    found = with_dates(question, terms, now)
    assert found[: len(terms)] == terms
    return found[len(terms) :]


def days(*numbers: int) -> list[str]:
    return [dates.words(NOW - back * dates.DAY).split()[3] for back in numbers]


@pytest.mark.parametrize(
    "question",
    [
        *("in May", "what was decided in may?", "May 2026", "3 May", "may 3", "of May", "since May", "LAST MAY"),
        *("notes from May to June", "early may", "mid-may deploys in may"),
    ],
)
def test_may_is_a_month_where_it_can_be_nothing_else(question: str) -> None:
    assert with_dates(question, analysis.terms(question), NOW).count("may") == 1


@pytest.mark.parametrize("question", ["you may deploy", "May we deploy?", "what may fail", "deploys may fail in march", "maybe"])
def test_may_is_no_month_where_it_is_a_verb(question: str) -> None:
    assert "may" not in [*analysis.terms(question), *added(question)]


@pytest.mark.parametrize(("name", "short"), MONTHS)
def test_a_short_name_of_a_month_is_the_month(name: str, short: str) -> None:
    for question in (f"decided in {short}", f"{short.title()} 2026", f"3 {short.upper()}", f"since {short}."):
        assert added(question) == [name]
    for question in (f"the {short} file", f"{short} and sun", short):
        assert added(question) == []
    assert added(f"in {name}") == []  # a word of the question as it is
    assert name in analysis.terms(f"in {name}")


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("what did we do today", days(0)),
        ("what broke yesterday?", ["20260228"]),
        ("Yesterday", ["20260228"]),
        ("what broke on Monday?", ["20260223"]),
        ("since saturday", ["20260228"]),
        ("this week", days(*range(8))),
        ("last week", days(*range(15))),
        ("the past week", days(*range(15))),
        ("this month", ["202603"]),
        ("last month", ["202602"]),
        ("this year", ["2026"]),
        ("last year", ["2025"]),
        ("a week of work", []),
        ("the month", []),
        ("every year", []),
        ("week", []),
    ],
)
def test_words_for_a_time_are_counted_from_today(question: str, meant: list[str]) -> None:
    assert added(question) == meant


@pytest.mark.parametrize(
    ("now", "question", "meant"),
    [
        ("2026-01-05", "last month", ["202512"]),
        ("2026-12-31", "last month", ["202611"]),
        ("2026-12-31", "this month", ["202612"]),
        ("2026-01-01", "yesterday", ["20251231"]),
        ("2024-03-01", "yesterday", ["20240229"]),
        ("2026-01-01", "last year", ["2025"]),
    ],
)
def test_months_and_years_end(now: str, question: str, meant: list[str]) -> None:
    assert added(question, dates.parse(now)) == meant


@pytest.mark.parametrize(("date", "word"), [("2026-03-14", "20260314"), ("2026-03", "202603")])
def test_a_date_is_asked_for_as_the_index_has_it(date: str, word: str) -> None:
    assert word in analysis.terms(f"what happened on {date}?")
    assert word in dates.words(dates.parse("2026-03-14")).split()


@pytest.fixture
def year(terminal: Terminal, later: Callable[[str], None]) -> Terminal:
    """A repository with a decision of every month of 2025, written on the 14th, and of the last days."""
    moments = [f"2025-{month:02}-14" for month in range(1, 13)] + ["2026-01-20", "2026-02-18", "2026-02-28", "2026-03-01"]
    rows = [
        {"source_id": day, "title": "A decision", "summary": f"we decide {letter}", "created_at": f"{day}T08:00:00Z"}
        for letter, day in zip("abcdefghijklmnop", moments)
    ]
    terminal.mem("import", "-", stdin="\n".join(map(json.dumps, rows)))
    later("2026-03-01T12:00:00Z")
    return terminal


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what did we decide in April", {"2025-04-14"}),
        ("what did we decide in Apr?", {"2025-04-14"}),
        ("what did we decide in May", {"2025-05-14"}),
        ("decide 2025-06", {"2025-06-14"}),
        ("decide 2025-06-14", {"2025-06-14"}),
        ("what did we decide yesterday", {"2026-02-28"}),
        ("what did we decide today", {"2026-03-01"}),
        ("what did we decide last month", {"2026-02-18", "2026-02-28"}),
        ("what did we decide this month", {"2026-03-01"}),
        ("what did we decide last week", {"2026-02-18", "2026-02-28", "2026-03-01"}),
        ("what did we decide this week", {"2026-02-28", "2026-03-01"}),
        ("what did we decide this year", {"2026-01-20", "2026-02-18", "2026-02-28", "2026-03-01"}),
        ("what did we decide in January 2026", {"2026-01-20"}),
    ],
)
def test_what_was_written_then_comes_first(year: Terminal, question: str, first: set[str]) -> None:
    found = [hit["source_id"] for hit in year.mem("search", question, "--limit", "20", "--json").json]
    assert {*found[: len(first)]} == first
    assert len(found) == 16


def test_what_we_decided_in_march_is_found_by_that_alone(terminal: Terminal) -> None:
    rows = [
        {"source_id": day, "title": f"Title {letter}", "summary": "nothing in common", "created_at": day}
        for letter, day in zip("abcd", ["2025-02-28", "2025-03-01", "2025-03-31", "2025-04-01"])
    ]
    terminal.mem("import", "-", stdin="\n".join(map(json.dumps, rows)))
    found = terminal.mem("search", "what did we decide in March", "--json").json
    assert {hit["source_id"] for hit in found} == {"2025-03-01", "2025-03-31"}


def test_a_time_is_never_taken_for_a_misspelling(terminal: Terminal) -> None:
    terminal.add("Fact", "marsh weak mouth augus hear tody yesterdax")
    for question in ("in march", "last week", "this month", "august", "this year", "today", "yesterday"):
        assert terminal.mem("explain", question, "--json").json["corrected"] == {}
    assert terminal.mem("explain", "marhs", "--json").json["corrected"] != {}


def test_a_time_alone_brings_no_stranger(terminal: Terminal) -> None:
    terminal.add("Passages are cut by the worker")
    assert terminal.titles("who broke the login page today") == []
    assert terminal.titles("what did we decide today") == ["Passages are cut by the worker"]


def test_where_nothing_is_of_that_time_it_says_so_and_tells_what_is_of_others(terminal: Terminal) -> None:
    terminal.add("Passages are cut by the worker")
    note = "Nothing of that time is about this; mind the dates."
    assert note in terminal.mem("get", "how were passages cut in january").out
    assert note not in terminal.mem("get", "how were passages cut in march").out
    assert "<other_times/>" in terminal.mem("get", "how were passages cut in january", "--format", "xml").out


def test_what_was_decided_then_on_something_else_is_no_answer(terminal: Terminal) -> None:
    old = json.dumps(
        {"title": "Events go through kafka", "summary": "as rabbit lost some", "kind": "decision", "created_at": "2025-06-02"}
    )
    terminal.mem("import", "-", stdin=old)
    terminal.add("Passwords are hashed by argon", "decided today", "--kind", "decision")
    note = "Nothing of that time is about this; mind the dates."
    assert note in terminal.mem("get", "what did we decide last week about kafka").out
    assert note not in terminal.mem("get", "what did we decide last week about passwords").out
    assert note not in terminal.mem("get", "what did we decide in june about kafka").out
