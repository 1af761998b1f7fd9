"""Times that a question speaks of find what was written then."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from memcli.recall import candidates
from memcli.recall.calendar import spoken
from memcli.text import analysis, dates
from tests.conftest import Terminal

NOW = dates.parse("2026-03-01T12:00:00Z")
MONTHS = [(name, name[:3]) for name in dates.MONTHS if name != "may"] + [("september", "sept")]


def meant(question: str, now: int = NOW) -> tuple[str, str] | None:
    """From which day, and up to which day, a question means: "" for any; None where it speaks of no time."""
    spoken_of = spoken(question, now)
    if spoken_of is None:
        return None
    return tuple("" if at is None else dates.local_day(at - back) for at, back in ((spoken_of.since, 0), (spoken_of.until, 1)))


@pytest.mark.parametrize(
    "question",
    [
        *("in May", "what was decided in may?", "May 2025", "3 May", "may 3", "of May", "since May", "LAST MAY"),
        *("notes from May to June", "early may", "mid-may deploys in may"),
    ],
)
def test_may_is_a_month_where_it_can_be_nothing_else(question: str) -> None:
    spoken_of = spoken(question, NOW)
    assert spoken_of is not None
    assert "may" in spoken_of.names
    assert (meant(question) or [""])[0].startswith("2025-05")


@pytest.mark.parametrize(
    "question", ["you may deploy", "May we deploy?", "what may fail", "deploys may fail in march", "maybe", "this may fail"]
)
def test_may_is_no_month_where_it_is_a_verb(question: str) -> None:
    spoken_of = spoken(question, NOW)
    assert spoken_of is None or "may" not in spoken_of.names
    assert "may" not in analysis.terms(question)


@pytest.mark.parametrize(("name", "short"), MONTHS)
def test_a_short_name_of_a_month_is_the_month(name: str, short: str) -> None:
    for question in (f"decided in {short}", f"{short.title()} 2025", f"3 {short.upper()}", f"since {short}.", f"in {name}"):
        spoken_of = spoken(question, NOW)
        assert spoken_of is not None
        assert spoken_of.names == {name}
    for question in (f"the {short} file", f"{short} and sun", short):
        assert spoken(question, NOW) is None


@pytest.mark.parametrize(
    ("question", "since", "until"),
    [
        ("what did we do today", "2026-03-01", "2026-03-01"),
        ("what broke yesterday?", "2026-02-28", "2026-02-28"),
        ("the day before yesterday", "2026-02-27", "2026-02-27"),
        ("yesterday's build", "2026-02-28", "2026-02-28"),
        ("what broke on Monday?", "2026-02-23", "2026-02-23"),
        ("what changed since saturday", "2026-02-28", ""),
        ("before friday", "", "2026-02-26"),
        ("until friday", "", "2026-02-27"),
        ("after friday", "2026-02-28", ""),
        ("from monday to wednesday", "2026-02-23", "2026-02-25"),
        ("this week", "2026-02-23", "2026-03-01"),
        ("last week", "2026-02-16", "2026-02-22"),
        ("this month", "2026-03-01", "2026-03-31"),
        ("last month", "2026-02-01", "2026-02-28"),
        ("since last month", "2026-02-01", ""),
        ("this year", "2026-01-01", "2026-12-31"),
        ("last year's migration", "2025-01-01", "2025-12-31"),
        ("in 2024", "2024-01-01", "2024-12-31"),
        ("what happened in February", "2026-02-01", "2026-02-28"),
        ("before march", "", "2026-02-28"),
        ("between March and May 2025", "2025-03-01", "2025-05-31"),
        ("on 19 August, 2023", "2023-08-19", "2023-08-19"),
        ("as of November 2025", "", "2025-11-30"),
        ("on 2026-02-14", "2026-02-14", "2026-02-14"),
        ("after 2026-02-14 and before 2026-02-20", "2026-02-15", "2026-02-19"),
        ("2025-06", "2025-06-01", "2025-06-30"),
        ("three days ago", "2026-02-26", "2026-02-26"),
        ("two weeks ago", "2026-02-12", "2026-02-18"),
        ("in the last 3 days", "2026-02-26", ""),
    ],
)
def test_words_for_a_time_are_counted_from_today(question: str, since: str, until: str) -> None:
    assert meant(question) == (since, until)


@pytest.mark.parametrize(
    "question",
    [
        *(
            "a week of work",
            "the month",
            "every year",
            "week",
            "a timeout of 3 days",
            "two weeks",
            "the last minute",
            "next week",
        ),
        *("does port 8080 answer", "listen on port 2024", "error 2001", "since v1.2", "what may fail", "the sun", "tomorrow"),
    ],
)
def test_what_says_no_time_is_none(question: str) -> None:
    assert spoken(question, NOW) is None


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("what did we decide last week about auth", "what did we decide about auth"),
        ("auth since yesterday", "auth"),
        ("what broke in March", "what broke March"),
        ("why does the job fail on Monday", "why does the job fail Monday"),
    ],
)
def test_words_that_only_say_when_are_not_looked_for(question: str, text: str) -> None:
    spoken_of = spoken(question, NOW)
    assert spoken_of is not None
    assert spoken_of.text == text


@pytest.mark.parametrize(
    ("now", "question", "since", "until"),
    [
        ("2026-01-05", "last month", "2025-12-01", "2025-12-31"),
        ("2026-12-31", "last month", "2026-11-01", "2026-11-30"),
        ("2026-12-31", "this month", "2026-12-01", "2026-12-31"),
        ("2026-01-01", "yesterday", "2025-12-31", "2025-12-31"),
        ("2024-03-01", "yesterday", "2024-02-29", "2024-02-29"),
        ("2026-01-01", "last year", "2025-01-01", "2025-12-31"),
    ],
)
def test_months_and_years_end(now: str, question: str, since: str, until: str) -> None:
    assert meant(question, dates.parse(now)) == (since, until)


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
        ("what did we decide last week", {"2026-02-18"}),
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
    assert note in terminal.mem("get", "what did we decide last week about passwords").out  # it was today
    assert note not in terminal.mem("get", "what did we decide in june about kafka").out


@pytest.fixture
def weeks(terminal: Terminal, later: Callable[[str], None]) -> Terminal:
    """Decisions on two subjects, of several weeks, asked about on Wednesday, 4 March 2026."""
    later("2026-03-04T12:00:00Z")
    rows = [
        {"title": title, "summary": summary, "kind": "decision", "created_at": f"{day}T08:00:00Z"}
        for day, title, summary in (
            ("2026-01-14", "Tokens expire after an hour", "so that a stolen token of the login is of little use"),
            ("2026-02-24", "Tokens are signed by a key of each region", "so the login works in all of them"),
            ("2026-03-03", "Tokens are kept in a cookie", "the login page needs no script"),
            ("2026-02-25", "Invoices are numbered by year", "the tax office wants it"),
            ("2026-03-03", "Invoices are sent as PDF", "paper is dear"),
        )
    ]
    terminal.mem("import", "-", stdin="\n".join(map(json.dumps, rows)))
    return terminal


EXPIRE, REGION, COOKIE = "Tokens expire after an hour", "Tokens are signed by a key of each region", "Tokens are kept in a cookie"
YEAR, PDF = "Invoices are numbered by year", "Invoices are sent as PDF"
NONE_OF_THEN = "Nothing of that time is about this; mind the dates."


@pytest.mark.parametrize(
    ("question", "titles"),
    [
        ("what did we decide last week about tokens?", [REGION]),
        ("what did we decide yesterday about login tokens", [COOKIE]),
        ("which tokens since 23 February", [COOKIE, REGION]),
        ("what did we decide about tokens before February?", [EXPIRE]),
        ("what was decided on tokens in January", [EXPIRE]),
        ("invoices last week", [YEAR]),
        ("what did we decide yesterday?", [COOKIE, PDF]),
        ("what did we decide last week", [REGION, YEAR]),
        ("what happened eight days ago", [REGION]),
        ("decisions since yesterday", [COOKIE, PDF]),
    ],
)
def test_what_is_asked_of_a_time_is_told_of_that_time_only(weeks: Terminal, question: str, titles: list[str]) -> None:
    assert sorted(weeks.titles(question)) == sorted(titles)
    assert NONE_OF_THEN not in weeks.mem("get", question).out
    listed = [hit["title"] for hit in weeks.mem("search", question, "--json").json]
    assert sorted(listed[: len(titles)]) == sorted(titles)


def test_where_nothing_of_then_is_about_it_the_rest_is_told_and_no_stranger(weeks: Terminal) -> None:
    for question in ("what did we decide about invoices in January", "invoices since today", "invoices before last week"):
        assert sorted(weeks.titles(question)) == sorted([YEAR, PDF])
        assert NONE_OF_THEN in weeks.mem("get", question).out


def test_what_is_told_for_last_week_because_it_is_newer_is_said_to_be_of_another_time(weeks: Terminal) -> None:
    weeks.add("Carts are kept in the browser", "so that nobody has to sign in")
    assert weeks.titles("what did we decide last week about carts")[0] == "Carts are kept in the browser"
    assert NONE_OF_THEN in weeks.mem("get", "what did we decide last week about carts").out


def test_a_text_may_speak_of_the_time_that_is_asked_for(weeks: Terminal) -> None:
    weeks.add("Ports are opened on Mondays only", "the network team is there then")
    weeks.add("Ports are closed for the freeze of november", "by decree")
    assert weeks.titles("which ports are opened on Monday")[0] == "Ports are opened on Mondays only"
    assert weeks.titles("which ports were closed in november") == ["Ports are closed for the freeze of november"]
    assert NONE_OF_THEN not in weeks.mem("get", "which ports were closed in november").out


def test_a_number_is_no_year(weeks: Terminal) -> None:
    weeks.add("The gateway listens on port 8080", "the proxy expects it")
    text = weeks.mem("get", "what did we decide about port 8080").out
    assert "The gateway listens on port 8080" in text
    assert NONE_OF_THEN not in text
    assert NONE_OF_THEN not in weeks.mem("get", "which gateway listens on port 2024").out


def test_a_day_is_that_of_the_person(terminal: Terminal, later: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    later("2026-04-02T12:00:00Z")
    rows = [
        {"title": f"Pumps are {how}", "summary": "all", "created_at": at}
        for how, at in (("serviced", "2026-03-31T23:30:00Z"), ("painted", "2026-03-31T20:00:00Z"))
    ]
    terminal.mem("import", "-", stdin="\n".join(map(json.dumps, rows)))
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        assert terminal.titles("which pumps in march") == ["Pumps are painted"]
        assert terminal.titles("what about pumps yesterday") == ["Pumps are serviced"]
        assert terminal.titles("which pumps in april") == ["Pumps are serviced"]
        assert terminal.mem("get", "pumps", "--until", "march", "--json").json["top_memories"][0]["title"] == "Pumps are painted"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_what_stands_far_behind_is_told_where_it_is_of_that_time(terminal: Terminal, later: Callable[[str], None]) -> None:
    later("2026-03-04T12:00:00Z")
    rows = [{"title": f"Valve {number} valve", "summary": "valve", "created_at": "2026-01-10"} for number in range(150)]
    rows.append(
        {"title": "A note of the workshop", "summary": "one valve was bent, as a long story tells", "created_at": "2026-02-25"}
    )
    terminal.mem("import", "-", stdin="\n".join(map(json.dumps, rows)))
    assert terminal.titles("what about the valve last week") == ["A note of the workshop"]


def test_get_takes_the_words_for_times_that_search_takes(weeks: Terminal) -> None:
    def told(*words: str) -> list[str]:
        return sorted([it["title"] for it in weeks.mem("get", "tokens", *words, "--json").json["top_memories"]])

    for words in (("--since", "last week", "--until", "last week"), ("--since", "2026-02-20", "--until", "2026-02-28")):
        found = [hit["title"] for hit in weeks.mem("search", "tokens", *words, "--json").json]
        assert told(*words) == found == [REGION]
    assert told("--since", "yesterday") == [COOKIE]
    assert told("--until", "january") == [EXPIRE]
    assert told("--since", "today") == []
    refused = weeks.mem("get", "tokens", "--since", "the other day", fails=2)
    assert "not a date: 'the other day'" in refused.err
    assert "yesterday" in refused.err


def test_what_is_of_now_stays_out_of_a_pack_of_another_time(weeks: Terminal) -> None:
    (weeks.folder / "tokens.py").write_text("def sign_tokens():\n    return 'tokens'\n")
    weeks.mem("ingest")
    weeks.mem("checkpoint", "--reason", "r", "--state-json", '{"task": "paint the tokens"}')
    text = weeks.mem("get", "where are tokens signed", "--until", "last week", "--format", "prompt").out
    assert REGION in text
    assert "sign_tokens" not in text
    assert "paint" not in text
    assert "sign_tokens" in weeks.mem("get", "tokens", "--until", "last week", "--evidence", "--format", "prompt").out


@pytest.mark.parametrize("lead", ["before", "since", "last", "ago"])
@pytest.mark.parametrize("word", sorted(dates.OF_TIME))
def test_each_word_that_a_time_has_lets_the_question_be_read_for_one(lead: str, word: str) -> None:
    for text in (
        f"what came {lead} {word}",
        f"what came {lead} ({word}).",
        f"what came {lead} {word}'s",
        f"what came {lead} {word}’s",
    ):
        assert candidates.may_name(text, text.split()), text


@pytest.mark.parametrize(
    "text",
    [
        "what broke after v1.2",
        "before the release",
        "on branch main before that",
        "since mid-may",
        "until feature/x",
        "after the tag x",
    ],
)
def test_so_does_what_may_be_the_name_of_a_version_or_branch(text: str) -> None:
    assert candidates.may_name(text, text.split())
