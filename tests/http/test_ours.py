"""/v2: what the commands say with --json, by HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Terminal
from tests.http.served import Served

FACT = {"title": "Sessions live in Postgres", "summary": "Redis lost them.", "tags": ["db"], "thread": "storage"}


def written(terminal: Terminal) -> str:
    """A store with a bit of everything; returns the id of its first memory."""
    first = terminal.add("Sessions live in Postgres", "Redis lost them.", "--thread", "storage", "--tags", "db")
    terminal.add("The queue retries three times", "then it parks the event")
    terminal.mem("checkpoint", "--reason", "r", "--state-json", '{"task": "t"}')
    terminal.mem("checkpoint", "--reason", "s", "--state-json", '{"task": "u"}')
    terminal.mem("profile", "set", "editor", "vim")
    terminal.mem("note", "add", "deployed")
    return first


SAME = [
    ("/v2/chunks?limit=3", ["chunks", "--limit", "3"]),
    ("/v2/embed", ["embed", "status"]),
    ("/v2/stale", ["doctor", "--stale"]),
    ("/v2/unused", ["doctor", "--unused"]),
    ("/v2/stats", ["stats"]),
    ("/v2/search?query=sessions+queue", ["search", "sessions queue"]),
    (
        "/v2/search?query=sessions&kind=note&thread=storage&limit=3&since=2026-02-01&until=2026-04-01",
        "search sessions --kind note --thread storage --limit 3 --since 2026-02-01 --until 2026-04-01".split(),
    ),
    ("/v2/get?query=sessions", ["get", "sessions", "--format", "json"]),
    ("/v2/get?query=sessions&budget=200&include_orphans=true", ["get", "sessions", "--budget", "200", "--include-orphans"]),
    ("/v2/explain?query=sessions", ["explain", "sessions"]),
    ("/v2/recent?limit=1", ["recent", "--limit", "1"]),
    ("/v2/memories/ID", ["show", "ID"]),
    ("/v2/memories/ID/history", ["log", "ID"]),
    ("/v2/log?limit=3", ["log", "--limit", "3"]),
    ("/v2/threads", ["threads"]),
    ("/v2/threads/storage", ["thread", "storage"]),
    ("/v2/state", ["state"]),
    ("/v2/state/history", ["state", "history"]),
    ("/v2/state/diff", ["state", "diff"]),
    ("/v2/sessions", ["sessions"]),
    ("/v2/sessions/index", ["sessions", "--index"]),
    ("/v2/timeline?id=ID&before=1&after=1", ["timeline", "ID", "--before", "1", "--after", "1"]),
    ("/v2/config", ["config"]),
    ("/v2/config/budget.total", ["config", "get", "budget.total"]),
    ("/v2/profile", ["profile", "list"]),
    ("/v2/notes?days=2", ["note", "list", "--days", "2"]),
]  # fmt: skip


def test_what_is_read_is_what_the_commands_print(served: Served, terminal: Terminal) -> None:
    first = written(terminal)
    for state in terminal.mem("state", "history", "--json").json:
        assert served.get(f"/v2/memories/{state['state_id']}") == terminal.mem("show", state["state_id"], "--json").json
    for path, words in SAME:
        printed = terminal.mem(*[word.replace("ID", first) for word in words], "--json").json

        answer = served.get(path.replace("ID", first))
        assert (answer["items"] if isinstance(printed, list) else answer) == printed, path


def test_a_pack_comes_as_a_prompt_and_as_xml_too(served: Served, terminal: Terminal) -> None:
    written(terminal)
    for form, kind in (("prompt", "text/markdown"), ("xml", "application/xml")):
        answer = served.ask("GET", "/v2/get", query="sessions", format=form)

        assert answer.text.rstrip("\n") == terminal.mem("get", "sessions", "--format", form).out.rstrip("\n")
        assert answer.headers["content-type"].startswith(kind)


def test_the_inspector_gets_the_pack_its_reasons_and_its_text_of_one_moment(served: Served, terminal: Terminal) -> None:
    first = written(terminal)
    found = served.get("/v2/pack", query="sessions", budget=120)

    assert found["pack"]["budget"]["target_total"] == 120
    assert [one["id"] for one in found["pack"]["top_memories"]] == [
        one["id"] for one in found["explain"]["memories"] if one["included"]
    ]
    assert first in [one["id"] for one in found["explain"]["memories"]]
    assert found["prompt"] == terminal.mem("get", "sessions", "--budget", "120", "--format", "prompt").out


def test_a_memory_goes_through_its_life(served: Served, terminal: Terminal) -> None:
    made = served.post("/v2/memories", FACT)
    assert made["thread_id"] == "storage"
    assert served.post("/v2/memories", FACT)["duplicate_of"] == made["id"]
    assert served.post("/v2/memories", {**FACT, "force": True})["id"] != made["id"]

    changed = served.ask("PATCH", f"/v2/memories/{made['id']}", {"summary": "Redis evicted them."}).json
    assert changed["summary"] == "Redis evicted them."
    line = {name: changed[name] for name in ("id", "title", "thread_id", "anchor_commit", "anchor_branch", "tokens")}
    assert served.post(f"/v2/memories/{made['id']}/pin") == {**line, "pinned": True, "status": "pinned"}
    assert served.post(f"/v2/memories/{made['id']}/unpin")["pinned"] is False
    assert served.post(f"/v2/memories/{made['id']}/confirm")["status"] == "confirmed"

    newer = served.post(f"/v2/memories/{made['id']}/supersede", {"summary": "They moved to MySQL."})
    assert newer["old_id"] == made["id"]
    linked = served.post("/v2/links", {"from_id": newer["new_id"], "rel": "see", "to_id": "https://example.invalid/"})
    assert linked["status"] == "linked"

    assert served.ask("DELETE", f"/v2/memories/{newer['new_id']}").json["status"] == "forgotten"
    assert served.refused("GET", f"/v2/memories/{newer['new_id']}") == (404, "forgotten")
    assert served.post(f"/v2/memories/{newer['new_id']}/restore")["status"] == "restored"
    assert served.post("/v2/undo")["undone"][0]["k"] == "restore"
    assert terminal.mem("show", newer["new_id"], fails=3).err


def test_what_is_written_says_who_wrote_it_and_what_was_masked(served: Served) -> None:
    made = served.post("/v2/memories", {"title": "The key", "summary": "is ghp_" + "a1B2" * 9})

    assert made["masked"]
    shown = served.get(f"/v2/memories/{made['id']}")["memory"]
    assert shown["origin"] == "http"
    assert "ghp_" not in json.dumps(shown)


def test_state_profile_notes_and_settings_can_be_written(served: Served, terminal: Terminal) -> None:
    assert served.post("/v2/state", {"reason": "so far", "state": {"open": [1]}})["reason"] == "so far"
    assert served.get("/v2/state")["state"] == {"open": [1]}
    assert served.ask("PUT", "/v2/profile/editor", {"value": "vim"}).json["value"] == "vim"
    gone = served.ask("DELETE", "/v2/profile/editor")
    assert gone.json == {"key": "editor", "status": "deleted", "revision": int(gone.headers["etag"].strip('"'))}
    assert served.ask("DELETE", "/v2/profile/editor").json == {"key": "editor", "status": "absent"}
    assert served.post("/v2/notes", {"text": "deployed"})["text"] == "deployed"
    assert served.ask("PUT", "/v2/config/budget.total", {"value": 900}).json["value"] == 900
    assert terminal.mem("config", "get", "budget.total").out == "900\n"
    assert served.ask("DELETE", "/v2/config/budget.total").status == 200
    assert served.get("/v2/config/budget.total")["value"] == 2500


def test_a_page_of_memories_says_how_many_there_are_and_whether_each_holds(served: Served, terminal: Terminal) -> None:
    (terminal.folder / "a.txt").write_text("a")
    linked = terminal.add("a.txt is read first", "because", "--file", "a.txt")
    others = [terminal.add(f"fact {number}", "because", "--thread", "t") for number in range(4)]
    terminal.mem("pin", others[0])
    (terminal.folder / "a.txt").write_text("b")

    page = served.get("/v2/memories", limit=2, offset=1)
    assert (page["total"], page["has_more"], len(page["items"])) == (5, True, 2)
    assert served.get("/v2/memories", thread="t")["total"] == 4
    assert [one["id"] for one in served.get("/v2/memories", pinned="true")["items"]] == [others[0]]
    drifted = served.get("/v2/memories", freshness="drifted")
    assert [one["id"] for one in drifted["items"]] == [linked]
    assert drifted["items"][0]["drifted"] == ["a.txt"]
    terminal.git("checkout", "-q", "--orphan", "other")
    terminal.commit("elsewhere")
    assert served.get("/v2/memories", anchor_state="orphan")["total"] == 5
    matching = served.get("/v2/search", query="fact", limit=2)
    listed = served.get("/v2/memories", query="fact")
    printed = terminal.mem("search", "fact").err
    assert f"{matching['not_on_this_branch']} not on this branch" in printed
    assert matching["not_on_this_branch"] == listed["not_on_this_branch"] > 0
    terminal.mem("forget", others[0])
    assert served.get("/v2/memories", forgotten="true")["total"] == 1


def test_it_tells_how_much_there_is_and_which_repositories(served: Served, terminal: Terminal) -> None:
    written(terminal)
    stats = served.get("/v2/stats")
    (repo,) = served.items("/v2/repos")

    assert stats["totals"]["memories"] == 4
    assert stats["kinds"] == {"checkpoint": 2, "note": 2}
    assert stats["branch"] == "main"
    assert repo["active"]
    assert repo["repo_id"] == stats["repo_id"]


def test_any_repository_of_the_machine_can_be_meant(served: Served, terminal: Terminal, tmp_path: Any) -> None:
    other = tmp_path / "other"
    other.mkdir()
    terminal.git("init", "-q", ".", cwd=other)
    terminal.at(other).add("Another place", "because")

    assert served.items("/v2/recent") == []
    assert [one["title"] for one in served.items("/v2/recent", repo=str(other))] == ["Another place"]
    assert served.items("/v2/recent", repo="other") == served.items("/v2/recent", repo=str(other))
    assert served.post("/v2/memories", FACT, user="true")["title"] == FACT["title"]
    assert [one["title"] for one in served.items("/v2/recent", user="true")] == [FACT["title"]]
    assert served.post("/v2/memories", FACT, workspace="apart")["title"] == FACT["title"]
    assert len(served.items("/v2/recent", workspace="apart")) == 1
    assert served.refused("GET", "/v2/recent", repo="nowhere") == (404, "no_repository")
    assert served.refused("GET", "/v2/recent", repo="repos") == (404, "no_repository")
    assert served.refused("GET", "/v2/recent", workspace="../x") == (422, "invalid_input")


BAD = [
    ("GET", "/v2/search", None, 422),
    ("GET", "/v2/search?query=x&limit=0", None, 422),
    ("GET", "/v2/search?query=x&limit=many", None, 422),
    ("GET", "/v2/search?query=x&since=never", None, 422),
    ("GET", "/v2/get?query=x&budget=0", None, 422),
    ("GET", "/v2/get?query=x&format=yaml", None, 422),
    ("GET", "/v2/memories/M-0000000000", None, 404),
    ("GET", "/v2/memories/x", None, 404),
    ("GET", "/v2/threads/none", None, 404),
    ("GET", "/v2/sessions/none", None, 404),
    ("GET", "/v2/timeline?id=M-0000000000", None, 404),
    ("GET", "/v2/config/none", None, 404),
    ("GET", "/v2/state/diff?to=S-0000000000", None, 404),
    ("PUT", "/v2/config/budget.total", {"value": "much"}, 422),
    ("PUT", "/v2/config/compressor.command", {"value": "sh"}, 403),
    ("DELETE", "/v2/config/mcp.write", None, 403),
    ("PUT", "/v2/config/turn.instructions", {"value": "/etc/passwd"}, 403),
    ("PUT", "/v2/config/compressor.url", {"value": "http://evil.example"}, 403),
    ("PUT", "/v2/config/embed.url", {"value": "http://evil.example"}, 403),
    ("PUT", "/v2/config/compressor.provider", {"value": "command"}, 403),
    ("DELETE", "/v2/config/embed.provider", None, 403),
    ("PUT", "/v2/config/serve.host", {"value": "0.0.0.0"}, 422),
    ("PUT", "/v2/config/serve.port", {"value": 70000}, 422),
    ("POST", "/api/settings", {"workerHost": "0.0.0.0"}, 422),
    ("POST", "/v2/memories", {"title": " ", "summary": "b"}, 422),
    ("POST", "/v2/memories", {"title": "a", "summary": "\ud800"}, 400),
    ("POST", "/v2/memories", {"title": "a\0", "summary": "b"}, 422),
    ("POST", "/v2/memories", {"title": "a", "summary": "b", "more": 1}, 422),
    ("POST", "/v2/memories", {"title": "a", "summary": "b", "files": ["nowhere.txt"]}, 404),
    ("POST", "/v2/memories", {"title": "a", "summary": "b" * 65_536}, 422),
    ("PATCH", "/v2/memories/M-0000000000", {"title": "a"}, 404),
    ("POST", "/v2/memories/M-0000000000/pin", None, 404),
    ("POST", "/v2/links", {"from_id": "M-0000000000", "rel": "x", "to_id": "M-0000000001"}, 404),
    ("POST", "/v2/state", {"reason": "", "state": 1}, 422),
    ("POST", "/v2/state", b'{"reason": "r", "state": NaN}', 400),
    ("POST", "/v2/queue/retry", {"job": 7}, 404),
    ("POST", "/v2/undo", None, 404),
    ("PUT", "/v2/recent", {}, 405),
    ("GET", "/v3/recent", None, 404),
]  # fmt: skip


def test_bad_input_is_a_problem_with_a_hint(served: Served, terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    terminal.mem("undo")
    for method, path, body, status in BAD:
        answer = served.ask(method, path, body)

        assert answer.status == status, (method, path, answer.body)
        assert answer.json["hint"], (method, path)
        assert answer.headers["content-type"] == "application/problem+json"


def test_before_anything_is_stored_reading_is_empty_and_makes_nothing(served: Served, terminal: Terminal) -> None:
    for path in ("/v2/recent", "/v2/threads", "/v2/sessions", "/v2/log", "/v2/profile", "/v2/state/history"):
        assert served.items(path) == []
    assert served.get("/v2/stats")["totals"]["memories"] == 0
    assert not (terminal.data / "repos").exists()


def test_a_store_that_is_damaged_is_told_and_the_service_goes_on(served: Served, terminal: Terminal) -> None:
    terminal.add("Sessions live in Postgres")
    served.items("/v2/recent")
    terminal.store.write_bytes(b"no database" * 1_000)

    assert served.refused("GET", "/v2/search", query="x")[0] == 500
    assert served.ask("GET", "/health").status == 200


@pytest.mark.parametrize("path", ["/openapi.json"])
def test_it_describes_itself(served: Served, path: str) -> None:
    described = served.get(path)

    assert described["openapi"].startswith("3.")
    assert "/v2/search" in described["paths"]


def test_the_evidence_is_brought_into_step_with_the_files(served: Served, terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    (terminal.folder / "docs").mkdir()
    (terminal.folder / "docs" / "login.md").write_text("# Login\n\nFive failures lock the account.\n")
    (terminal.folder / "other.md").write_text("# Other\n\nText.\n")

    dry = served.post("/v2/ingest", {"paths": ["docs"], "dry_run": True})
    assert (dry["new"], dry["dry_run"], served.items("/v2/chunks")) == (1, True, [])
    done = served.post("/v2/ingest", {"paths": ["./docs/"]})
    assert (done["new"], done["chunks_added"]) == (1, 1)
    assert served.post("/v2/ingest", {})["new"] >= 1
    assert served.items("/v2/chunks?path=docs") == terminal.mem("chunks", "docs", "--json").json
    assert len(served.items("/v2/chunks")) == 2
    for paths in (["/etc"], ["../x"], ["docs/../../x"], ["a\0b"]):
        assert served.refused("POST", "/v2/ingest", {"paths": paths}) == (422, "outside")
    assert served.refused("POST", "/v2/ingest", {"paths": ["nothing/here"]})[0] in (404, 422)
    assert served.refused("GET", "/v2/chunks?path=/etc") == (422, "outside")


def test_health_and_all_memories_are_told_as_the_commands_tell_them(served: Served, terminal: Terminal) -> None:
    written(terminal)
    found = served.get("/v2/doctor")
    assert found["ok"] is True
    assert found["repo"] == terminal.mem("doctor", "--json").json["repo"]
    assert served.ask("GET", "/v2/export").text == terminal.mem("export").out
    assert served.refused("GET", "/v2/doctor?repo=nobody") == (404, "no_repository")
    for path in ("/v2/doctor", "/v2/export", "/v2/chunks", "/v2/embed", "/v2/stale"):
        assert served.ask("GET", path, headers={"Authorization": ""}).status == 401


def test_hints_speak_of_fields_and_routes(served: Served) -> None:
    made = served.post("/v2/memories", {"title": "The login", "summary": "It is fixed."})["id"]
    assert served.ask("PATCH", f"/v2/memories/{made}", {}).json["hint"].startswith("give title, summary, ")
    served.ask("DELETE", f"/v2/memories/{made}")
    assert (
        served.ask("PATCH", f"/v2/memories/{made}", {"title": "A"}).json["hint"].startswith(f"POST /v2/memories/{made}/restore")
    )
