"""Sessions that came to nothing leave nothing but their prompts."""

from __future__ import annotations

from collections.abc import Callable

from tests.agents.worker.events import Events


def test_a_question_that_nobody_answered_is_no_memory(events: Events, later: Callable[[str], None]) -> None:
    mem = events.terminal.mem
    events.prompt("Should we use Redis for caching here?")
    events.work()
    later("2026-03-01T13:00:03Z")
    events.work()

    assert (events.whole()["status"], events.whole()["summary"]) == ("completed", None)
    assert (mem("search", "Redis caching", "--kind", "summary", "--json").json, mem("note", "--json").json) == ([], [])
    assert mem("sessions", "--needs-summary", "--json").json == []

    events.prompt("And now?")
    events.stop("Yes, Redis fits well here.")
    events.work()
    first = events.whole()["summary"]
    events.prompt("Thanks")
    events.end()
    events.work()
    assert events.whole()["summary"] == first
    assert "Thanks" in events.whole()["summary_text"]
