"""C-Mem's worker: another program's hooks tell what happens, and read what became of it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memcli.errors import NotFound
from memcli.http.stores import Stores
from memcli.project import Where
from memcli.text import ids
from tests.conftest import Terminal
from tests.http.served import Served, serving

EDIT = {"file_path": "/app/auth.py", "old_string": "if token.expired", "new_string": "if token.expired or not token.valid"}
PAGES = ("observations", "summaries", "prompts")


@pytest.fixture
def working(terminal: Terminal) -> Iterator[Served]:
    """A service with its worker, for nothing but what it is told."""
    quick = {"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_SESSION_SUMMARY_SECONDS": "1"}
    with serving(terminal, **quick) as service:
        yield service


def until(found: Callable[[], Any]) -> Any:
    """Returns what is found, once there is something."""
    deadline = time.monotonic() + 30
    while not (known := found()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    return known


def told(served: Served, project: str = "my-app", session: str = "s-1") -> None:
    """A session from its beginning to its end."""
    begun = served.post(f"/sessions/{session}/init", {"project": project, "userPrompt": "Fix the login", "promptNumber": 1})
    assert isinstance(begun.pop("sessionDbId"), int)
    assert begun.pop("promptNumber") in (1, 2)
    assert begun == {"success": True, "session_id": session, "skipped": False}
    call = {"tool_name": "Edit", "tool_input": EDIT, "tool_result": "1 line changed", "correlation_id": "t-1"}
    queued = served.post(f"/sessions/{session}/observations", call)
    assert (queued["success"], queued["queued"]) == (True, True)
    assert isinstance(queued["queue_id"], int)
    said = {"last_user_message": "Fix the login", "last_assistant_message": "The guard checks validity now."}
    assert served.post(f"/sessions/{session}/summarize", said) == {"success": True, "summary_queued": True}
    assert served.post(f"/sessions/{session}/complete", {"reason": "exit"}) == {"success": True, "completed": True}


def done(served: Served, session: str = "s-1") -> dict[str, Any]:
    """The status of a session once all of it is worked up."""

    def ready() -> Any:
        found = served.get(f"/sessions/{session}/status")
        return found if not found["pending_count"] and found["status"] == "completed" and found["summary_count"] else None

    return until(ready)  # type: ignore[no-any-return]


def test_a_session_goes_from_its_hooks_to_what_the_next_one_is_told(working: Served) -> None:
    told(working)
    status = done(working)
    assert (status["observation_count"], status["summary_count"], status["prompt_count"]) == (1, 1, 1)
    assert status["project"] == "my-app"

    page = working.get("/api/observations", project="my-app", limit=20, offset=0)
    (seen,) = page["observations"]
    assert (page["total"], page["hasMore"]) == (1, False)
    assert (seen["session_id"], seen["project"], seen["prompt_number"], seen["tool_name"]) == ("s-1", "my-app", 1, "Edit")
    assert ids.numbered("M", seen["id"]) == seen["memory_id"]
    assert seen["kind"] == "bugfix"
    assert isinstance(json.loads(seen["tags"]), list)
    assert "token.valid" in "".join(json.loads(seen["facts"]))
    assert seen["created_at"].endswith("Z")
    assert isinstance(seen["created_at_epoch"], int)

    (summary,) = working.get("/api/summaries", project="my-app")["summaries"]
    assert summary["request"] == "Fix the login"
    assert "The guard checks validity now." in summary["notes"]
    (prompt,) = working.get("/api/prompts", project="my-app")["prompts"]
    assert (prompt["prompt_text"], prompt["prompt_number"]) == ("Fix the login", 1)

    for one, path in ((seen, "observation"), (prompt, "prompt")):
        assert working.get(f"/api/{path}/{one['id']}") == one
        assert working.get(f"/api/{path}/{one['memory_id' if path == 'observation' else 'prompt_id']}") == one
    session = working.get("/api/session/s-1")
    assert working.get(f"/api/session/{session['id']}") == working.get(f"/api/session/{session['session']}") == session
    assert (session["status"], session["prompt_counter"]) == ("completed", 1)

    answer = working.ask("GET", "/api/context/inject", project="my-app", limit=50, sessions=10)
    assert answer.headers["content-type"].startswith("text/markdown")
    assert (answer.headers["x-observation-count"], answer.headers["x-summary-count"]) == ("1", "1")
    assert f"#{seen['id']}" in answer.text
    assert answer.text.startswith("<mem-context>\n# my-app")


@pytest.mark.parametrize(("cwd", "named"), [(None, "/app/login.py"), ("/app", "login.py"), ("/elsewhere", "/app/login.py")])
def test_a_project_without_a_working_tree_names_the_files_that_were_changed(working: Served, cwd: str | None, named: str) -> None:
    working.post("/sessions/s-1/init", {"project": "acme/shop", "userPrompt": "Fix the login"})
    edit = {"tool_name": "Edit", "tool_input": {**EDIT, "file_path": "/app/login.py"}, "tool_result": "ok", "cwd": cwd}
    working.post("/sessions/s-1/observations", edit)
    (seen,) = until(lambda: working.get("/api/observations", project="acme/shop")["observations"])
    assert seen["files_modified"] == f'["{named}"]'
    (one,) = working.get("/v2/memories", repo="acme/shop", kind=seen["kind"])["items"]
    assert one.get("freshness", "unlinked") == "unlinked"


def test_a_session_may_be_called_by_a_path(working: Served) -> None:
    working.post("/sessions/a%2Fb/init", {"project": "p", "userPrompt": "Hello"})
    until(lambda: not working.get("/sessions/a%2Fb/status")["pending_count"])
    assert working.get("/api/session/a%2Fb")["session_id"] == "a/b"
    assert working.get("/api/sessions/a%2Fb")["messages"][0]["content"] == "Hello"
    assert working.get("/api/sessions/a%2Fb/events")["session_id"] == "a/b"


def test_a_session_of_two_projects_is_everywhere_the_one_where_something_happened_last(working: Served) -> None:
    for name in ("pb", "pa", "pb"):
        working.post("/sessions/dup/init", {"project": name, "userPrompt": f"Hello {name}"})
        until(lambda: not working.get("/sessions/dup/status")["pending_count"])
        found = [working.get(path)["project"] for path in ("/sessions/dup/status", "/api/session/dup", "/api/sessions/dup")]
        assert found == [name] * 3
    assert working.get("/api/session/dup", project="pa")["project"] == "pa"


def test_that_no_tool_is_skipped_reads_back_as_an_empty_list(served: Served) -> None:
    assert served.post("/api/settings", {"skipTools": []})["skipTools"] == []
    assert served.get("/api/settings")["skipTools"] == []


def test_what_a_program_told_is_known_as_such_and_ranks_as_what_hooks_saw(working: Served, terminal: Terminal) -> None:
    told(working, str(terminal.folder))
    done(working)
    written = working.post("/v2/memories", {"title": "The login", "summary": "Somebody fixed it."})["id"]

    found = working.get("/v2/memories")["items"]
    assert {one["origin"] for one in found if one["id"] != written} == {"api"}
    assert working.get("/v2/memories", origin="api")["total"] == len(found) - 1
    (seen,) = {one["actor"] for one in working.items("/v2/log", limit=100) if one["id"] != written and one["k"] == "session"}
    assert seen == "api"
    explained = working.get("/v2/explain", query="fix the login")["memories"]
    captured = {one["id"]: one["features"]["captured"] for one in explained if one["id"].startswith("M-")}
    assert captured[written] == 0
    assert len(captured) == len(found)
    assert all(value < 0 for name, value in captured.items() if name != written)


def test_the_same_event_twice_is_one(working: Served) -> None:
    prompt = {"project": "my-app", "userPrompt": "Fix the login", "promptNumber": 1}
    for _ in range(2):
        assert working.post("/sessions/s-1/init", prompt)["promptNumber"] == 1
    for _ in range(2):
        call = {"tool_name": "Edit", "tool_input": EDIT, "tool_result": "1 line changed", "correlation_id": "t-1"}
        working.post("/sessions/s-1/observations", call)
    for _ in range(2):
        working.post("/sessions/s-1/summarize", {"last_assistant_message": "The guard checks validity now."})
    working.post("/sessions/s-1/complete", {})

    status = done(working)
    assert (status["observation_count"], status["prompt_count"]) == (1, 1)


def test_what_is_private_or_not_worth_it_is_not_kept(served: Served, terminal: Terminal) -> None:
    begun = served.post("/sessions/s-1/init", {"project": "p", "userPrompt": "<private>my salary</private>"})
    assert begun["skipped"] is True
    skipped = served.post("/sessions/s-1/observations", {"tool_name": "TodoWrite", "tool_input": {}, "tool_result": ""})
    assert skipped == {"success": True, "queued": False, "queue_id": None, "skipped_reason": "skip_list"}
    secret = "ghp_" + "a1B2" * 9
    served.post(
        "/sessions/s-1/observations", {"tool_name": "Bash", "tool_input": {"command": f"echo {secret}"}, "tool_result": "x"}
    )

    (waiting, _) = served.get("/api/pending-queue", project="p")["recent"]
    assert "[secret:" in waiting["tool_input"]
    for file in terminal.data.rglob("*"):
        assert not file.is_file() or (b"salary" not in file.read_bytes() and secret.encode() not in file.read_bytes()), file


def test_a_prompt_that_is_private_as_a_whole_is_none_of_the_session(working: Served) -> None:
    prompts = ("<private>my salary</private>", "Fix the till", "<private>my salary</private>", "Test it")
    begun = [working.post("/sessions/s-1/init", {"project": "my-app", "userPrompt": prompt}) for prompt in prompts]
    assert [answer["skipped"] for answer in begun] == [True, False, True, False]
    working.post("/sessions/s-1/summarize", {"last_assistant_message": "The till adds up again."})
    working.post("/sessions/s-1/complete", {})

    assert done(working)["prompt_count"] == 2
    page = working.get("/api/prompts", project="my-app")["prompts"]
    assert sorted([prompt["prompt_text"] for prompt in page]) == ["Fix the till", "Test it"]


def test_a_limit_above_the_greatest_is_the_greatest(served: Served) -> None:
    """C-Mem's own worker knew no bound, and its clients send what they like."""
    served.post("/sessions/s-1/init", {"project": "p", "userPrompt": "Fix it"})
    for most in ("5000", "9" * 400):
        for path in ("observations", "summaries", "prompts"):
            assert served.get(f"/api/{path}", project="p", limit=most)[path] == []
        assert served.get("/api/search", project="p", query="x", limit=most)["results"] == []
        assert served.ask("GET", f"/api/context/inject?project=p&limit={most}&sessions={most}&budget={most}").status == 200
    assert served.post("/api/observations/batch", {"ids": [1], "limit": 5_000}) == []


@pytest.mark.parametrize(("limit", "count"), [("0", 1), ("-1", 1), ("1.5", 1), ("many", 3), ("nan", 3), ("", 3)])
def test_a_limit_is_brought_within_its_bounds(served: Served, terminal: Terminal, limit: str, count: int) -> None:
    """As the routes of the long-term memory do, for models give what they like."""
    for number in range(3):
        terminal.add(f"Zebra {number}")
    assert len(served.get("/api/search", query="zebra", limit=limit)["results"]) == count


def test_what_waits_is_counted_and_can_be_put_back(served: Served) -> None:
    served.post("/sessions/s-1/init", {"project": "p", "userPrompt": "hello"})
    served.post("/sessions/s-1/observations", {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_result": "a"})

    queue = served.get("/api/pending-queue")
    assert {name: queue[name] for name in ("pending", "processing", "failed", "stuck")} == {
        "pending": 2,
        "processing": 0,
        "failed": 0,
        "stuck": 0,
    }
    assert [(one["status"], one["tool_name"]) for one in queue["recent"]] == [("pending", "Bash"), ("pending", "")]
    assert served.get("/sessions/s-1/status")["pending_count"] == 2
    assert served.post("/api/pending-queue/process") == {"success": True, "reset": 0}
    until(lambda: served.get("/sessions/s-1/status")["pending_count"] == 0)
    assert set(served.get("/health")["queue"]) == {"pending", "processing", "failed", "stuck", "oldest_seconds", "last_success"}


def test_search_timeline_and_batch_find_memories_by_number(
    served: Served, terminal: Terminal, later: Callable[[str], None]
) -> None:
    names = []
    for day in range(1, 6):
        later(f"2026-02-0{day}T12:00:00Z")
        names.append(terminal.add(f"Retry rule number {day}", "the queue retries", "--kind", "decision" if day == 3 else "note"))
    numbers = [ids.number(name) for name in names]
    project = str(terminal.folder)

    found = served.get("/api/search", query="retry queue", project=project, limit=2)
    assert (found["total"], found["hasMore"], len(found["results"])) == (5, True, 2)
    rest = served.get("/api/search", query="retry queue", project=project, limit=3, offset=2)
    assert not rest["hasMore"]
    assert {one["id"] for one in found["results"] + rest["results"]} == set(numbers)
    assert [one["id"] for one in served.get("/api/search", query="retry", type="decision")["results"]] == [numbers[2]]
    between = {"dateStart": 1769990400000, "dateEnd": "2026-02-03"}
    assert {one["id"] for one in served.get("/api/search", query="retry", **between)["results"]} == set(numbers[1:3])

    line = served.get("/api/timeline", anchor=numbers[2], before=1, after=1, project=project)
    assert [one["id"] for one in line] == numbers[1:4]
    for before, after, expected in (("-1", "1.5", numbers[2:4]), ("many", "", numbers), ("9999", "0", numbers[:3])):
        line = served.get("/api/timeline", anchor=numbers[2], before=before, after=after, project=project)
        assert [one["id"] for one in line] == expected, (before, after)
    asked = {"ids": [numbers[3], names[0], 7], "orderBy": "date_asc"}
    assert [one["id"] for one in served.post("/api/observations/batch", asked)] == [numbers[0], numbers[3]]
    assert [one["id"] for one in served.post("/api/observations/batch", {"ids": numbers, "limit": 2})] == numbers[:2]
    assert [one["id"] for one in served.post("/api/observations/batch", {"ids": numbers, "limit": 0})] == numbers[:1]
    path = f"/api/context/inject?project={project}"
    injected = {limit: served.ask("GET", f"{path}&limit={limit}") for limit in ("1", "-1", "many", "")}
    assert {answered.status for answered in injected.values()} == {200}
    assert injected["many"].text == injected[""].text
    assert served.ask("GET", f"{path}&sessions=-5&budget=0").status == 200


def test_projects_are_apart_and_without_a_name_all_are_meant(working: Served) -> None:
    for number in (1, 2):
        told(working, f"app-{number}", f"s-{number}")
        done(working, f"s-{number}")

    assert working.get("/api/projects") == {"projects": ["app-1", "app-2"]}
    assert working.get("/api/observations")["total"] == 2
    assert working.get("/api/observations", limit=1)["hasMore"] is True
    for limit, count in (("0", 1), ("-1", 1), ("many", 2), ("", 2)):
        assert len(working.get("/api/observations", limit=limit)["observations"]) == count
    assert working.get("/api/observations", project="app-1")["total"] == 1
    stats = working.get("/api/stats")
    assert [one["project"] for one in stats["projects"]] == ["app-1", "app-2"]
    assert stats["total"]["prompts"] == 2
    assert working.get("/api/stats", project="app-1")["total"]["observations"] == 1


def test_more_projects_than_are_worked_on_at_once_are_worked_up_one_after_the_other(working: Served) -> None:
    began = time.monotonic()
    for number in range(9):
        told(working, f"app-{number}", f"s-{number}")
    assert {done(working, f"s-{number}")["observation_count"] for number in range(9)} == {1}
    assert time.monotonic() - began < 20


def test_a_project_nobody_knows_is_empty_and_stays_so(served: Served, terminal: Terminal) -> None:
    for path in PAGES:
        assert served.get(f"/api/{path}", project="nobody") == {path: [], "total": 0, "hasMore": False}
    assert served.get("/api/search", query="x", project="nobody") == {"results": [], "total": 0, "hasMore": False}
    assert served.ask("GET", "/api/context/inject", project="nobody").text == ""
    assert served.get("/api/stats", project="nobody")["projects"] == []
    assert served.get("/api/pending-queue", project="nobody")["pending"] == 0
    assert served.get("/api/projects") == {"projects": []}
    assert not (terminal.data / "repos").exists()


def test_a_path_means_the_repository_around_it(served: Served, terminal: Terminal) -> None:
    served.post("/sessions/s-1/init", {"project": str(terminal.folder), "userPrompt": "hello"})

    assert served.get("/v2/queue")["pending"] == 1
    assert terminal.mem("queue", "--json").json["pending"] == 1


def test_after_a_restart_a_session_goes_on_where_it_was_last(terminal: Terminal) -> None:
    for hour, projects in (("10", ("a", "b")), ("11", ("b", "a"))):
        with serving(terminal, MEMPACK_CLOCK=f"2026-03-01T{hour}:00:00Z") as served:
            for session, project in zip(("s-1", "s-2"), projects):
                served.post(f"/sessions/{session}/init", {"project": project, "userPrompt": "hello"})
    with serving(terminal) as served:
        served.post("/sessions/s-1/observations", {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_result": "x"})
        assert [served.get("/api/pending-queue", project=name)["pending"] for name in ("a", "b")] == [2, 3]
        served.post("/sessions/s-2/observations", {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_result": "x"})
        assert [served.get("/api/pending-queue", project=name)["pending"] for name in ("a", "b")] == [3, 3]


def test_after_a_restart_the_status_is_of_the_session_where_it_was_last(terminal: Terminal) -> None:
    for hour, projects in (("10", ("a", "b")), ("11", ("b", "a"))):
        with serving(terminal, MEMPACK_CLOCK=f"2026-03-01T{hour}:00:00Z") as served:
            for session, project in zip(("s-1", "s-2"), projects):
                served.post(f"/sessions/{session}/init", {"project": project, "userPrompt": "hello"})
    with serving(terminal) as served:
        assert [served.get(f"/sessions/{session}/status")["project"] for session in ("s-1", "s-2")] == ["b", "a"]
        assert served.refused("GET", "/sessions/s-3/status") == (404, "no_session")


def test_of_many_sessions_the_one_named_longest_ago_is_forgotten(nowhere: Terminal) -> None:
    stores = Stores()
    for number in range(1_001):
        stores.remember_session(f"s-{number}", Where("A"))
        stores.remember_session("s-0", Where("B"))
    assert stores.of_session("s-0") == Where("B")
    assert stores.of_session("s-2") == Where("A")
    with pytest.raises(NotFound):
        stores.of_session("s-1")


def test_one_damaged_store_does_not_hide_the_others(served: Served, terminal: Terminal) -> None:
    served.post("/sessions/s-1/init", {"project": "a", "userPrompt": "hello"})
    served.post("/sessions/s-2/init", {"project": "b", "userPrompt": "hello"})
    broken = next(one for one in served.items("/v2/repos") if one["root_name"] == "a")["repo_id"]
    for path in (terminal.data / "repos" / broken).glob("memory.db*"):
        path.unlink()
    (terminal.data / "repos" / broken / "memory.db").write_bytes(b"no database at all" * 500)

    assert served.ask("GET", "/api/prompts").status == 200
    assert served.get("/sessions/s-2/status")["project"] == "b"
    assert served.post("/api/pending-queue/process")["success"] is True
    assert broken in "".join(path.read_text() for path in (terminal.data / "logs").glob("serve-*.log"))


BAD = [
    ("GET", "/api/observation/12", None, 404),
    ("GET", "/api/observation/99999999999999999", None, 404),
    ("GET", "/api/observation/M-0000000000", None, 404),
    ("GET", "/api/observation/%00", None, 404),
    ("GET", "/api/prompt/12", None, 404),
    ("GET", "/api/session/none", None, 404),
    ("GET", "/api/timeline", None, 422),
    ("GET", "/api/timeline?anchor=12", None, 404),
    ("GET", "/api/search", None, 422),
    ("GET", "/api/search?query=x&dateStart=never", None, 422),
    ("POST", "/api/observations/batch", {"ids": "1"}, 422),
    ("POST", "/api/observations/batch", {}, 422),
    ("POST", "/api/observations/batch", {"ids": [1.5]}, 422),
    ("GET", "/sessions/none/status", None, 404),
    ("POST", "/sessions/none/observations", {"tool_name": "Edit"}, 404),
    ("POST", "/sessions/none/summarize", None, 404),
    ("POST", "/sessions/none/complete", None, 404),
    ("POST", "/sessions/s/init", {}, 422),
    ("POST", "/sessions/s/init", {"project": ""}, 422),
    ("POST", "/sessions/s/init", {"project": "a\nb"}, 422),
    ("POST", "/sessions/s%00/init", {"project": "a"}, 422),
    ("POST", "/sessions/s/init", {"project": "a", "promptNumber": "one"}, 422),
    ("POST", "/sessions/s/init", {"project": "a", "promptNumber": False}, 422),
    ("POST", "/sessions/s/init", b"nonsense", 400),
    ("GET", "/sessions/s/init", None, 405),
]  # fmt: skip


def test_bad_input_is_a_problem(served: Served) -> None:
    served.refuses(BAD)


def test_nothing_is_asked_or_told_without_the_token(served: Served) -> None:
    for path in ("/api/observations", "/api/settings", "/api/pending-queue", "/api/context/inject", "/sessions/s/status"):
        assert served.ask("GET", path, headers={"Authorization": ""}).status == 401
    assert served.ask("POST", "/sessions/s/init", {"project": "p"}, headers={"Authorization": ""}).status == 401
