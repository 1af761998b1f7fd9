"""C-Mem's worker: each event is kept once, with its own time, and its session and its history can be read at once."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tests.conftest import Terminal
from tests.http.served import Served, serving
from tests.http.test_cmem import EDIT, done, told, until, working

__all__ = ["working"]


def test_a_prompt_that_is_asked_again_is_another_one_though_its_number_is_always_1(terminal: Terminal) -> None:
    with serving(terminal, MEMPACK_CAPTURE_WORKER="auto", MEMPACK_CLOCK="") as working:

        def ask(prompt: str) -> int:
            body = {"project": "my-app", "userPrompt": prompt, "promptNumber": 1}
            return int(working.post("/sessions/s-1/init", body)["promptNumber"])

        assert [ask("Fix the login"), ask("continue"), ask("What is next?"), ask("continue")] == [1, 2, 3, 4]
        working.post("/sessions/s-1/summarize", {"last_assistant_message": "Done."})
        assert ask("continue") == 5
        working.post("/sessions/s-1/complete", {})
        done(working)
        texts = [prompt["prompt_text"] for prompt in working.get("/api/prompts", project="my-app")["prompts"]]
        assert texts[::-1] == ["Fix the login", "continue", "What is next?", "continue", "continue"]


def test_a_session_exists_as_soon_as_it_was_begun(served: Served) -> None:
    begun = served.post("/sessions/s-1/init", {"project": "zoo", "userPrompt": "hello"})

    session = served.get("/api/session/s-1")
    assert (session["id"], session["project"], session["status"]) == (begun["sessionDbId"], "zoo", "active")
    assert served.get(f"/api/session/{begun['sessionDbId']}") == session
    again = served.post("/sessions/s-1/init", {"project": "zoo", "userPrompt": "and again"})
    assert again["sessionDbId"] == begun["sessionDbId"]


def test_an_event_is_dated_when_it_happened(working: Served) -> None:
    def at(time: str) -> int:
        return int(datetime.fromisoformat(time).timestamp() * 1000)

    hour = at("2026-03-01T09:00:00Z")
    working.post("/sessions/s-1/init", {"project": "p", "userPrompt": "late", "timestamp": hour})
    edit = {"tool_name": "Edit", "tool_input": EDIT, "tool_result": "ok"}
    working.post("/sessions/s-1/observations", {**edit, "timestamp": "2026-03-01T09:30:00Z"})
    working.post("/sessions/s-2/init", {"project": "p", "userPrompt": "future", "timestamp": at("2026-03-02T12:00:00Z")})
    working.post("/sessions/s-3/init", {"project": "p", "userPrompt": "past", "timestamp": at("2026-01-01T12:00:00Z")})
    working.post("/sessions/s-4/init", {"project": "p", "userPrompt": "odd", "timestamp": "nonsense"})

    until(lambda: working.get("/api/prompts", project="p")["total"] == 4 and working.get("/api/observations")["total"])
    prompts = {prompt["prompt_text"]: prompt["created_at_epoch"] for prompt in working.get("/api/prompts")["prompts"]}
    now = at("2026-03-01T12:00:00Z")
    assert prompts == {"late": hour, "future": now, "past": now, "odd": now}
    (observed,) = working.get("/api/observations")["observations"]
    assert observed["created_at"] == "2026-03-01T09:30:00.000Z"


def test_the_history_of_the_queue_says_what_each_event_was_and_how_long_it_took(working: Served) -> None:
    told(working)
    done(working)
    jobs = working.get("/api/pending-queue")["recent"]

    assert [job["tool_name"] for job in jobs] == ["", "", "Edit", ""]
    for job in jobs:
        assert (job["status"], job["retry_count"]) == ("processed", 0)
        assert job["created_at_epoch"] <= job["started_at_epoch"] <= job["completed_at_epoch"]
        assert (job["tool_input"], job["tool_result"]) == ("", ""), "what was worked up is kept in one place"


def test_observations_of_one_session_are_listed(working: Served) -> None:
    for session in ("s-1", "s-2"):
        told(working, session=session)
        done(working, session)

    (observed,) = working.get("/api/observations", session_id="s-1")["observations"]
    assert observed["session_id"] == "s-1"
    assert working.get("/api/observations", session_id="none") == {"observations": [], "total": 0, "hasMore": False}


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ({"tool_input": {"command": "<private>cat salaries</private>"}, "tool_result": "<private>1,000</private>"}, "private"),
        ({"tool_input": "<private>cat salaries", "tool_result": ""}, "private"),
        ({"tool_input": {"command": "cat <private>salaries</private>"}, "tool_result": ""}, None),
        ({"tool_input": {}, "tool_result": ""}, None),
    ],
)
def test_a_call_that_is_private_as_a_whole_says_so(served: Served, call: dict[str, Any], reason: str | None) -> None:
    served.post("/sessions/s-1/init", {"project": "zoo", "userPrompt": "hello"})
    answer = served.post("/sessions/s-1/observations", {"tool_name": "Bash", **call})

    assert (answer["queued"], answer.get("skipped_reason")) == (reason is None, reason)


def test_a_session_that_only_looks_leaves_what_it_learned(working: Served) -> None:
    working.post("/sessions/s-1/init", {"project": "p", "userPrompt": "How are sessions stored?"})
    for tool, arguments in (
        ("Read", {"file_path": "/app/db.py"}),
        ("Grep", {"pattern": "Session"}),
        ("Bash", {"command": "git log"}),
    ):
        working.post("/sessions/s-1/observations", {"tool_name": tool, "tool_input": arguments, "tool_result": "x"})
    reply = "I looked.\n\nSessions are rows in Postgres. Redis was dropped because it lost them."
    working.post("/sessions/s-1/summarize", {"last_assistant_message": reply})
    working.post("/sessions/s-1/complete", {})
    done(working)

    (learned,) = working.get("/api/observations", project="p")["observations"]
    assert (learned["kind"], learned["title"]) == ("discovery", "Sessions are rows in Postgres.")
    assert "Redis was dropped because it lost them." in learned["facts"]
    assert learned["tool_name"] == "Read, Grep, Bash"
    assert learned["files_read"] == '["/app/db.py"]'


def test_a_prompt_that_was_answered_without_a_look_leaves_no_observation(working: Served) -> None:
    working.post("/sessions/s-1/init", {"project": "p", "userPrompt": "What is two and two?"})
    working.post("/sessions/s-1/summarize", {"last_assistant_message": "Two and two are four."})
    working.post("/sessions/s-1/complete", {})
    done(working)
    assert working.get("/api/observations", project="p")["total"] == 0


def test_the_number_of_a_prompt_is_no_boolean(served: Served) -> None:
    for value in (True, False):
        body = {"project": "my-app", "userPrompt": "hello", "promptNumber": value}
        assert served.refused("POST", "/sessions/s-9/init", body) == (422, "invalid_input")
