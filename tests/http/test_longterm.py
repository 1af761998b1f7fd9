"""The long-term memory's interface: entries as one text, sessions as messages and events."""

from __future__ import annotations

import json

import pytest

from memcli.http.stores import Stores
from memcli.memory import contents
from memcli.project import Project
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


def test_a_session_begins_before_its_first_prompt(served: Served) -> None:
    earlier = 1_772_000_000_000
    served.post("/sessions/oc-1/init", {"project": "a", "userPrompt": "hello", "promptNumber": 1, "timestamp": earlier})
    served.post("/api/pending-queue/process")
    until(lambda: served.get("/sessions/oc-1/status")["prompt_count"] == 1)
    events = served.get("/api/sessions/oc-1/events")["events"]
    assert [event["type"] for event in events] == ["session.start", "prompt"]
    assert events[0]["at"] <= events[1]["at"]


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
        ("/api/sessions/none", 404),
        ("/api/sessions/none/events", 404),
        ("/api/sessions/none/memory", 404),
    ):
        answer = served.ask("GET", path)
        assert answer.status == status, path
        assert answer.headers["content-type"] == "application/problem+json"
        assert served.ask("GET", path, headers={"Authorization": ""}).status == 401
    assert served.get("/api/memory") == {"ok": True, "total": 0, "hasMore": False, "items": []}


@pytest.mark.parametrize(
    ("limit", "count"), [("0", 1), ("-3", 1), ("2.5", 2), ("9999", 3), ("many", 3), ("", 3), ("nan", 3), ("inf", 3)]
)
def test_a_limit_is_brought_within_its_bounds(served: Served, terminal: Terminal, limit: str, count: int) -> None:
    for number in range(3):
        terminal.add(f"Zebra {number}")
    assert len(served.get("/api/memory", limit=limit, offset="-1")["items"]) == count
    assert len(served.get("/api/memory/search", q="zebra", limit=limit)["items"]) == count


def test_what_was_imported_is_an_entry_as_it_was_and_is_kept_once(served: Served, terminal: Terminal) -> None:
    text = "Likes tea. Green, at five."
    entry = {"id": "mem-1", "content": text, "keywords": ["tea"], "created_at": "2025-10-09T08:53:20.000Z"}
    (terminal.folder / "memory.json").write_text(json.dumps({"version": 1, "entries": [entry]}))
    terminal.mem("import", "memory.json", "--user")
    terminal.add("One line only", "One line only", "--user")

    contents_of = {entry["content"]: entry["id"] for entry in served.get("/api/memory")["items"]}
    assert set(contents_of) == {text, "One line only"}
    again = served.post("/api/memory", {"content": text.upper(), "keywords": ["Drinks"]})
    assert (again["id"], again["content"], again["keywords"]) == (contents_of[text], text, ["tea", "Drinks"])
    assert terminal.mem("import", "memory.json", "--user").out.startswith("ltm: 0 new, 0 changed, 1 unchanged")


def test_what_is_the_persons_own_is_among_the_entries(served: Served, terminal: Terminal) -> None:
    here = terminal.add("The build runs on cold iron")
    own = terminal.add("Likes cold coffee", "because", "--user")

    def found(path: str, **query: str) -> set[str]:
        return {entry["id"] for entry in served.get(path, **query)["items"]}

    assert found("/api/memory") == found("/api/memory/search", q="cold") == {here, own}
    assert found("/api/memory", user="true") == found("/api/memory/search", q="cold", user="true") == {own}
    project = str(terminal.folder)
    assert found("/api/memory", project=project) == found("/api/memory/search", q="cold", project=project) == {here}


def test_a_text_is_remembered_for_the_person_or_for_a_project(served: Served, terminal: Terminal) -> None:
    body = {"content": "Allergic to peanuts. Never forget that.", "keywords": [" Food ", "food", "Health"]}
    source = {"session_id": "s-1", "trace_id": "t-1", "metadata": {"step_index": 3}}
    own = served.post("/api/memory", body | source)
    assert own["keywords"] == ["Food", "Health"]
    again = served.post("/api/memory", {"content": "ALLERGIC to peanuts. Never forget that.", "keywords": ["FOOD", "diet"]})
    assert (again["id"], again["keywords"]) == (own["id"], ["Food", "Health", "diet"])
    again = served.post("/api/memory", {"content": body["content"], "keywords": "nuts, diet,"})  # as some models write a list
    assert again["keywords"] == ["Food", "Health", "diet", "nuts"]
    here = served.post("/api/memory", {"content": "Deploys are frozen.", "project": str(terminal.folder)})

    (entry,) = served.get("/api/memory", user="true")["items"]
    assert (entry["source_session_id"], entry["source_trace_id"], entry["metadata"]["step_index"]) == ("s-1", "t-1", 3)
    assert [entry["id"] for entry in served.get("/api/memory", project=str(terminal.folder))["items"]] == [here["id"]]
    for bad in ({}, {"content": " "}, {"content": 5}, {"content": "<private>all</private>"}, {"content": "a", "keywords": 5}):
        assert served.ask("POST", "/api/memory", bad).status == 422


@pytest.mark.parametrize("query", ["", "?q=", "?q=%20%20", "?q=%3F!%2F", "?limit=3", "?q=&user=true&minScore=0"])
def test_a_search_without_words_matches_nothing(served: Served, terminal: Terminal, query: str) -> None:
    terminal.add("Favourite colour", "Blue.")
    assert served.get(f"/api/memory/search{query}") == {
        "ok": True,
        "total": 0,
        "items": [],
        "not_on_this_branch": 0,
        "superseded": 0,
    }


def test_a_search_can_ask_for_more_words_and_fewer_characters(served: Served, terminal: Terminal) -> None:
    terminal.add("Blue paint")
    terminal.add("Blue favourite colour")
    both = served.get("/api/memory/search", q="favourite colour blue")["items"]
    assert len(both) == 2
    (best,) = served.get("/api/memory/search", q="favourite colour blue", minScore=3)["items"]
    assert "favourite" in best["content"]
    assert len(served.get("/api/memory/search", q="blue", maxChars=len(both[0]["content"]))["items"]) == 1


def test_what_holds_on_another_branch_is_counted(served: Served, terminal: Terminal) -> None:
    terminal.commit("first")
    terminal.git("switch", "-q", "-c", "side")
    terminal.commit("second")
    terminal.add("Prices are cached")
    terminal.git("switch", "-q", "main")

    assert served.get("/api/memory/search", q="prices cached") == {
        "ok": True,
        "total": 0,
        "items": [],
        "not_on_this_branch": 1,
        "superseded": 0,
    }
    assert "1 not on this branch" in terminal.mem("search", "prices", "cached").err


def test_what_was_superseded_is_counted_alike_by_every_search(served: Served, terminal: Terminal) -> None:
    old = terminal.add("Zebra A")
    terminal.mem("supersede", old, "--title", "Giraffe B", "--summary", "Taller.")
    for path, name in (("/api/memory/search", "q"), ("/v2/search", "query"), ("/v2/memories", "query")):
        answered = served.get(path, **{name: "zebra"})
        assert (answered["total"], answered["superseded"], answered.get("not_on_this_branch", 0)) == (0, 1, 0), path
    assert "1 superseded" in terminal.mem("search", "zebra").err


def test_an_entry_says_in_which_step_and_call_it_was_written(served: Served, terminal: Terminal) -> None:
    def write(project: Project) -> dict[str, str]:
        return {"id": contents.store(project, contents.draft(project, "Likes jazz.", ()), "mcp").id}

    Stores().change((None, None), write, {"session": "s-1", "trace": "t-1", "step": "3", "call": "c-1"})
    (entry,) = served.get("/api/memory", user="true")["items"]
    assert (entry["source_session_id"], entry["source_trace_id"]) == ("s-1", "t-1")
    assert (entry["metadata"]["step_index"], entry["metadata"]["call_id"]) == ("3", "c-1")
