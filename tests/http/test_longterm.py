"""The long-term memory's interface: entries as one text, sessions as messages and events."""

from __future__ import annotations

from tests.conftest import Terminal
from tests.http.served import Served, tell
from tests.http.test_cmem import until


def test_what_is_kept_comes_newest_first_and_by_words(served: Served, terminal: Terminal) -> None:
    blue = terminal.add("Favourite colour", "The user likes blue.", "--tags", "colour,taste")
    terminal.add("Favourite food", "The user likes noodles.")

    page = served.get("/api/memory", limit=1, offset=1)
    assert (page["ok"], page["total"], page["hasMore"]) == (True, 2, False)
    assert len(served.get("/api/memory")["items"]) == 2
    found = served.get("/api/memory/search", q="blue colour", limit=5)
    assert (found["ok"], found["total"]) == (True, 1)
    (entry,) = found["items"]
    assert (entry["id"], entry["content"]) == (blue, "Favourite colour\nThe user likes blue.")
    assert entry["keywords"] == ["colour", "taste"]
    dates = {"created_at", "updated_at"}
    assert set(entry) == {"id", "content", "keywords", "source_session_id", "source_trace_id", "metadata", *dates}


def test_a_session_is_what_was_said_in_it(served: Served, terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    for number in range(3):
        terminal.env["MEMPACK_CLOCK"] = f"2026-03-01T12:0{number}:00Z"
        tell(terminal, "user-prompt", {"prompt": f"question {number}", "turn_id": f"u{number}"})
        terminal.env["MEMPACK_CLOCK"] = f"2026-03-01T12:0{number}:40Z"
        tell(terminal, "stop", {"last_assistant_message": f"answer {number}", "turn_id": f"u{number}"})
    tell(terminal, "session-end", {"reason": "exit"})
    served.post("/api/pending-queue/process")
    until(lambda: served.get("/sessions/s-1/status")["status"] == "completed")

    (line,) = served.get("/api/sessions")["sessions"]
    assert (line["session_id"], line["prompts"], line["status"]) == ("s-1", 3, "completed")
    whole = served.get("/api/sessions/s-1")
    assert [(one["role"], one["content"]) for one in whole["messages"][:3]] == [
        ("user", "question 0"),
        ("assistant", "answer 0"),
        ("user", "question 1"),
    ]
    times = [f"2026-03-01T12:0{number}:{second}.000Z" for number in range(3) for second in ("00", "40")]
    assert [one["created_at"] for one in whole["messages"]] == times
    assert whole["recent_context"] == whole["messages"]
    terminal.mem("config", "set", "context.messages", "2")
    assert [one["content"] for one in served.get(f"/api/sessions/{line['id']}")["recent_context"]] == ["question 2", "answer 2"]
    events = served.get("/api/sessions/s-1/events")["events"]
    assert [one["type"] for one in events] == ["session.start", *["prompt", "reply"] * 3, "summary", "session.end"]
    assert events[2] == {"type": "reply", "id": events[1]["id"], "at": times[1], "text": "answer 0"}
    (summary,) = served.get("/api/sessions/s-1/memory")["memory"]
    assert summary["source_session_id"] == "s-1"
    assert summary["metadata"]["kind"] == "summary"


def test_bad_input_is_a_problem(served: Served) -> None:
    for path, status in (
        ("/api/memory?limit=0", 422),
        ("/api/memory?offset=-1", 422),
        ("/api/memory/search", 422),
        ("/api/memory/search?q=", 422),
        ("/api/sessions/none", 404),
        ("/api/sessions/none/events", 404),
        ("/api/sessions/none/memory", 404),
    ):
        answer = served.ask("GET", path)
        assert answer.status == status, path
        assert answer.headers["content-type"] == "application/problem+json"
        assert served.ask("GET", path, headers={"Authorization": ""}).status == 401
    assert served.get("/api/memory") == {"ok": True, "total": 0, "hasMore": False, "items": []}
