"""Sessions that came to nothing leave nothing but their prompts."""

from __future__ import annotations

from collections.abc import Callable

from tests.worker.letters import Letters


def test_a_question_that_nobody_answered_is_no_memory(letters: Letters, later: Callable[[str], None]) -> None:
    mem = letters.terminal.mem
    letters.prompt("Should we use Redis for caching here?")
    letters.work()
    later("2026-03-01T13:00:03Z")
    letters.work()

    assert (letters.whole()["status"], letters.whole()["summary"]) == ("completed", None)
    assert (mem("search", "Redis caching", "--kind", "summary", "--json").json, mem("note", "--json").json) == ([], [])
    assert mem("sessions", "--needs-summary", "--json").json == []

    letters.prompt("And now?")
    letters.stop("Yes, Redis fits well here.")
    letters.work()
    first = letters.whole()["summary"]
    letters.prompt("Thanks")
    letters.end()
    letters.work()
    assert letters.whole()["summary"] == first
    assert "Thanks" in letters.whole()["summary_text"]
