"""What people and agents wrote on purpose is found after months in which hooks saw the same words every day."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from memcli.store import opening, rows
from memcli.text import dates
from tests.conftest import CLOCK, Terminal

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))
from _bench_year import DECISION, Year


@pytest.fixture
def old_store(terminal: Terminal) -> Terminal:
    """A store with thousands of observations, newer than the decisions, that hold the words of their titles."""
    terminal.add("The first memory")
    db = opening.open_writer(str(terminal.store))
    rows(db, "PRAGMA synchronous = OFF")
    Year(db, dates.parse(CLOCK), days=14).fill()
    db.close()
    return terminal


@pytest.mark.parametrize("question", ["retry budget importer", "How many attempts has the retry budget of the importer?"])
def test_what_hooks_saw_does_not_push_out_what_was_decided(old_store: Terminal, question: str) -> None:
    titles = old_store.titles(question, "--budget", "3000")
    assert [title.startswith(DECISION) for title in titles[:10]] == [True] * 10


def test_a_search_finds_what_was_decided_too(old_store: Terminal) -> None:
    hits = old_store.mem("search", "retry budget", "--json").json
    assert sum(hit["title"].startswith(DECISION) for hit in hits) >= 10


def test_a_decision_is_weighed_though_more_observations_than_are_weighed_hold_its_words_better(terminal: Terminal) -> None:
    decision = "The importer gives up after five attempts"
    terminal.add(decision, "That is its retry budget, as agreed with those who own the queue.")
    db = opening.open_writer(str(terminal.store))
    year = Year(db, now := dates.parse(CLOCK), days=1)
    for number in range(300):
        year.add_memory(now - number, f"Edited retry budget importer {number}", "retry budget importer", session=1)
    year.store()
    db.close()
    assert decision in terminal.titles("retry budget importer")


def test_a_session_that_starts_is_told_what_was_decided_however_much_hooks_saw_since(old_store: Terminal) -> None:
    payload = json.dumps({"session_id": "s1", "cwd": str(old_store.folder), "source": "startup"})
    told = old_store.mem("hook", "session-start", "--harness", "generic", stdin=payload).out
    assert "Decision of day 11:" in told  # a thousand observations ago


def test_weaker_matches_behind_many_equal_ones_are_not_weighed(terminal: Terminal) -> None:
    terminal.add("The first memory")
    db = opening.open_writer(str(terminal.store))
    year = Year(db, now := dates.parse(CLOCK), days=1)
    for number in range(200):
        year.add_memory(now - number, f"Decided retry budget importer {number}", "retry budget importer", origin="cli")
        year.add_memory(now - number, f"Decided something else {number}", "the importer stays as it is", origin="cli")
    year.store()
    db.close()
    weighed = terminal.mem("explain", "retry budget importer", "--json").json["memories"]
    assert len(weighed) == 200
