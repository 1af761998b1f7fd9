"""A prompt that shares words with what is stored, and means something else, is told one memory at most."""

from __future__ import annotations

import pytest

from memcli.project import Where, open_for_reading
from memcli.recall.get import Query, get
from tests.conftest import Terminal

POOL = (
    "The connection pool holds twenty connections",
    "Connections of the pool time out after ninety seconds",
    "A pool connection is checked before each query",
    "The pool grows to forty connections at night",
)
SUMMARY = "Postgres on the smallest server bears no more beside replicas, backups and the migration job; see the incident of May."
NEAR = "How many database connections may the pool hold before a query has to wait?"
FAR = "The painter, his pool of models, his connection with Venice, brushes, varnish, portraits"


def told(terminal: Terminal, prompt: str) -> int:
    """How many memories a prompt is told."""
    project = open_for_reading(Where(str(terminal.folder)))
    try:
        return len(get(project, Query(prompt, is_prompt=True)).items)
    finally:
        project.close()


@pytest.fixture
def pool(terminal: Terminal) -> Terminal:
    """A repository that knows four things about a pool of connections."""
    for fact in POOL:
        terminal.add(fact, SUMMARY)
    return terminal


def test_a_prompt_that_is_near_in_meaning_is_told_all_that_matches(pool: Terminal) -> None:
    assert told(pool, NEAR) > 1


def test_a_prompt_that_only_shares_words_is_told_the_best_match(pool: Terminal) -> None:
    assert told(pool, FAR) == 1


def test_where_meanings_are_not_compared_words_alone_decide(pool: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMPACK_RANK_MEANING", "0")
    monkeypatch.setenv("MEMPACK_RANK_FLOOR", "0")
    assert told(pool, FAR) > 1


@pytest.mark.parametrize(
    ("prompt", "count"),
    [
        ("why is the password rejected at login?", 1),
        ("paint the ceiling like a login of clouds", 0),
    ],
)
def test_one_word_of_a_memory_is_enough_where_a_prompt_is_near_to_it_in_meaning(
    terminal: Terminal, prompt: str, count: int
) -> None:
    terminal.add("Accounts need a confirmed address", "A login is refused until then; authentication sets a cookie.")
    assert told(terminal, prompt) == count
