"""`--since` and `--until` take the same words wherever they are, and lists the same filters as a search."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.conftest import Terminal

NOTHING = 'Error: not a date: {!r}\nHint: write it as 2026-03-01, 3d, 2w, yesterday, "last week", monday, march, {}\n'


@pytest.fixture
def year(terminal: Terminal) -> Terminal:
    """A repository with a decision of some days, the last one written today, a Sunday."""
    moments = ["2025-03-14", "2025-12-31", "2026-02-10", "2026-02-20", "2026-02-23", "2026-02-28", "2026-03-01"]
    rows = [
        {"title": f"Decision of {day}", "summary": "we decide", "created_at": f"{day}T08:00:00Z", "kind": "decision"}
        for day in moments
    ]
    terminal.mem("import", "-", stdin="\n".join(map(json.dumps, rows)))
    return terminal


def listed(terminal: Terminal, *words: str) -> list[str]:
    """The days of the memories that a command lists, in order."""
    return [row["title"].removeprefix("Decision of ") for row in terminal.mem(*words, "--json").json]


@pytest.mark.parametrize(
    ("options", "days"),
    [
        (["--since", "yesterday"], ["2026-02-28", "2026-03-01"]),
        (["--since=today"], ["2026-03-01"]),
        (["--since", "since monday"], ["2026-02-23", "2026-02-28", "2026-03-01"]),
        (["--since", "last week", "--until", "last week"], ["2026-02-20"]),
        (["--since", "last month", "--until", "yesterday"], ["2026-02-10", "2026-02-20", "2026-02-23", "2026-02-28"]),
        (["--since", "february", "--until=friday"], ["2026-02-10", "2026-02-20", "2026-02-23"]),
        (["--until", "in march 2025"], ["2025-03-14"]),
        (["--since", "2w", "--until", "3d"], ["2026-02-20", "2026-02-23"]),
        (["--since", "2025", "--until", "2025"], ["2025-03-14", "2025-12-31"]),
        (["--until", "2025-12-31"], ["2025-03-14", "2025-12-31"]),
    ],
)
def test_a_search_and_a_list_take_the_same_words(year: Terminal, options: list[str], days: list[str]) -> None:
    assert listed(year, "recent", *options) == days[::-1]
    assert sorted(listed(year, "search", "decide", *options)) == days


def test_a_tag_or_a_branch_is_the_moment_of_its_commit(year: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, moment in (("v1", "2026-02-20T08:00:00Z"), ("v2", "2026-02-24T00:00:00Z")):
        year.env["GIT_COMMITTER_DATE"] = moment
        year.commit(name)
        year.git("tag", name, *(["-m", "a tag with a date of its own"] if name == "v2" else []))
        year.env["GIT_COMMITTER_DATE"] = "2026-02-27T00:00:00Z"
    year.git("tag", "-f", "v2", "v2^{commit}", "-m", "annotated later")
    year.git("branch", "side/fix", "v1")

    assert listed(year, "recent", "--since", "v1", "--until", "v2") == ["2026-02-23", "2026-02-20"]
    assert listed(year, "recent", "--since", "side/fix", "--until", "main") == ["2026-02-23", "2026-02-20"]
    assert listed(year, "recent", "--until", "v1")[0] == "2026-02-20"
    for name in ("side", "v3", "v*", "v1..v2", "--all", "v1^", "@{-1}", "HEAD~1", "\x1b[31m", "x" * 300):
        assert year.mem("recent", f"--since={name}", fails=2).err.startswith("Error: not a date: ")


def test_a_word_that_is_no_time_is_one_error_with_examples_at_every_command(year: Terminal) -> None:
    hint = "or the name of a tag or a branch"
    for words in (["recent"], ["log"], ["search", "decide"]):
        for option in ("--since", "--until"):
            assert year.mem(*words, option, "someday", fails=2).err == NOTHING.format("someday", hint)


def test_recent_takes_the_filters_of_a_search(year: Terminal) -> None:
    year.add("Mine", "x", "--thread", "own", "--kind", "fact")
    year.add("Mine, too", "x", "--thread", "own")

    assert listed(year, "recent", "--thread", "own") == ["Mine, too", "Mine"]
    assert listed(year, "recent", "--thread", "own", "--kind", "Fact") == ["Mine"]
    assert listed(year, "recent", "--origin", "cli") == ["Mine, too", "Mine"]
    assert listed(year, "recent", "--origin", "import", "--limit", "1", "--since", "2026-03-01") == ["2026-03-01"]
    assert listed(year, "search", "x", "--origin", "cli", "--kind", "fact") == ["Mine"]
    assert listed(year, "search", "decide", "--origin", "cli") == []
    assert year.mem("recent", "--kind", "nosuch").out == "nothing stored matches\n"
    assert year.mem("recent", "--until", "1999").out == "nothing stored matches\n"


def test_the_log_takes_times(terminal: Terminal, later: Callable[[str], None]) -> None:
    first = terminal.add("First")
    later("2026-03-03T12:00:00Z")
    second = terminal.add("Second")
    terminal.mem("pin", first)

    def objects(*words: str) -> list[str]:
        return [row["o"] for row in terminal.mem("log", *words, "--json").json if row["o"].startswith("M-")]

    assert objects() == [first, second, first]
    assert objects("--since", "today") == [first, second]
    assert objects("--until", "sunday") == [first]
    assert objects(first, "--since", "yesterday") == [first]
    assert objects("--since", "yesterday", "--until", "yesterday") == []
    assert terminal.mem("log", "--until", "last year").out == "nothing was logged then\n"


def test_outside_of_git_only_words_are_times(nowhere: Terminal) -> None:
    nowhere.mem("init", "--no-git", "--no-agents")
    nowhere.add("Fact")

    assert listed(nowhere, "recent", "--since", "today")[0] == "Fact"
    assert nowhere.mem("recent", "--since", "main", fails=2).err == NOTHING.format("main", "").replace(", \n", "\n")


def test_the_notes_of_a_day_take_its_name(terminal: Terminal, later: Callable[[str], None]) -> None:
    terminal.mem("note", "add", "a note of Sunday")
    later("2026-03-02T12:00:00Z")
    for day in ("yesterday", "sunday", "2026-03-01"):
        assert "a note of Sunday" in terminal.mem("note", "show", day).out
    assert terminal.mem("note", "show", "today", "--json").json == []
    assert "not a date" in terminal.mem("note", "show", "last week", fails=2).err


def test_days_are_those_of_the_person(terminal: Terminal) -> None:
    tokyo = {"TZ": "Asia/Tokyo", "MEMPACK_CLOCK": "2026-03-01T20:00:00Z"}  # five in the morning of 2 March
    terminal.process("init", "--no-agents", env=tokyo)
    terminal.process("note", "add", "Deployed", env=tokyo)
    terminal.process("checkpoint", "--reason", "r", "--state-json", '{"next": "rest"}', env=tokyo)
    terminal.process("add", "Retries are capped at five", "--summary", "They piled up.", env=tokyo)

    (note,) = terminal.process("note", "list", "--days", "1", "--json", env=tokyo).json
    assert note["day"] == "2026-03-02"
    assert terminal.process("note", "show", "2026-03-02", "--json", env=tokyo).json == [note]
    start = terminal.process("turn", "prepare", "--session", "s", "--format", "prompt", env=tokyo).json["text"]
    assert "### 2026-03-02\n\n- 05:00 Deployed" in start
    pack = terminal.process("get", "retries capped", env=tokyo).out
    for text in (start, pack):
        assert "## State · 2026-03-02" in text
        assert "· general · 2026-03-02]" in text
        assert "2026-03-01" not in text
    later = {**tokyo, "MEMPACK_CLOCK": "2026-03-01T14:00:00Z"}  # still 1 March there
    assert "2026-03-01" in terminal.process("note", "add", "Before", env=later).out
