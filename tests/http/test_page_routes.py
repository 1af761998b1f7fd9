"""What the page needs beyond the commands: memories that match and hold in some way, and where an anchor stands."""

from __future__ import annotations

from tests.conftest import Terminal
from tests.http.served import Served, tell


def test_a_search_is_narrowed_by_all_that_a_page_of_memories_is(served: Served, terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    (terminal.folder / "login.py").write_text("A = 1\n")
    first = terminal.add("Lockouts last an hour", "see login.py", "--thread", "auth", "--kind", "decision")
    head = terminal.commit("on")
    second = terminal.add("The lockout is announced", "by mail, and logged", "--thread", "mail")
    terminal.mem("pin", second)

    page = served.get("/v2/memories", query="lockout")
    assert {one["id"] for one in page["items"]} == {first, second}
    assert {one["id"]: one["matched"] for one in page["items"]} == {first: ["Lockouts"], second: ["lockout"]}
    assert (page["total"], page["has_more"]) == (2, False)
    (terminal.folder / "login.py").write_text("A = 2\n")
    for narrowed, found in (
        ({"pinned": "true"}, [second]),
        ({"freshness": "drifted"}, [first]),
        ({"anchor": head[:8]}, [second]),
        ({"anchor_state": "orphan"}, []),
        ({"kind": "decision"}, [first]),
        ({"thread": "mail"}, [second]),
        ({"until": "2026-02-01"}, []),
        ({"superseded": "true"}, []),
        ({"forgotten": "true"}, []),
        ({"origin": "http"}, []),
    ):
        assert [one["id"] for one in served.get("/v2/memories", query="lockout", **narrowed)["items"]] == found, narrowed
    second_page = served.get("/v2/memories", query="lockout", limit=1, offset=1)
    assert (len(second_page["items"]), second_page["total"], second_page["has_more"]) == (1, 2, False)
    assert served.get("/v2/memories", query='"lockout is announced"')["items"][0]["matched"] == ["announced", "is", "lockout"]
    named = served.get("/v2/memories", query="what is there about mail")["items"]
    assert {one["id"]: one["matched"] for one in named}[second] == ["mail"]
    assert all(one["matched"] for one in named)
    assert served.get("/v2/memories", query="nothingsaysthis")["items"] == []
    assert "matched" not in served.get("/v2/memories", query="  ")["items"][0]


def test_an_anchor_stands_among_the_commits_of_what_is_checked_out_or_beside_them(served: Served, terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    first = terminal.git("rev-parse", "HEAD")
    terminal.git("checkout", "-q", "-b", "side")
    aside = terminal.commit("aside", a_py="1")
    lost = terminal.add("Only on the side")
    terminal.git("checkout", "-q", "main")
    head = terminal.commit("on", b_py="1")
    here = terminal.add("Here")

    found = served.get(f"/v2/memories/{here}/commits")
    assert (found["head"], found["branch"], found["anchor"], found["anchor_state"]) == (head, "main", head, "reachable")
    assert [(one["id"], one["parents"], one["subject"]) for one in found["commits"]] == [
        (head, [first], "on"),
        (first, [], "first"),
    ]
    found = served.get(f"/v2/memories/{lost}/commits")
    assert (found["anchor"], found["anchor_state"], found["carried_over"]) == (aside, "orphan", None)
    assert {one["id"] for one in found["commits"]} == {head, aside, first}

    terminal.git("cherry-pick", aside)
    found = served.get(f"/v2/memories/{lost}/commits", limit=2)
    assert found["anchor_state"] == "carried"
    assert found["carried_over"]["commit"] == terminal.git("rev-parse", "HEAD")
    assert served.refused("GET", "/v2/memories/M-ZZZZZZZZZZ/commits") == (404, "not_found")
    assert served.refused("GET", f"/v2/memories/{here}/commits", limit=1) == (422, "invalid_input")


def test_without_git_there_are_no_commits_to_show(served: Served) -> None:
    made = served.post("/v2/memories", {"title": "Mine", "summary": "s"}, user="true")["id"]
    found = served.get(f"/v2/memories/{made}/commits", user="true")
    assert (found["head"], found["anchor"], found["commits"]) == (None, None, [])


def test_the_workspaces_of_a_memory_are_told_the_default_one_first(served: Served, terminal: Terminal) -> None:
    assert served.items("/v2/workspaces") == [{"workspace": "default", "active": True}]
    terminal.mem("add", "Over there", "--summary", "s", "--workspace", "Spike")
    served.ask("PUT", "/v1/memory/core", {"modeId": "riko", "key": "k", "value": "v"})

    known = [("default", False), ("spike", True)]
    assert [tuple(one.values()) for one in served.items("/v2/workspaces", workspace="Spike")] == known
    assert [one["workspace"] for one in served.items("/v2/workspaces", repo="modes")] == ["default", "riko"]
    assert served.items("/v2/workspaces", user="true") == [{"workspace": "default", "active": True}]
    assert served.refused("GET", "/v2/workspaces?repo=nobody") == (404, "no_repository")
    assert served.ask("GET", "/v2/workspaces", headers={"Authorization": ""}).status == 401


def test_what_no_session_was_told_is_listed_and_counted(served: Served, terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    (welcome,) = [one["id"] for one in served.get("/v2/memories")["items"]]
    told = terminal.add("Lockouts last an hour", "see login.py")
    tell(terminal, "session-start", {"source": "startup"})
    tell(terminal, "user-prompt", {"prompt": "go on"})
    wanted = {"told": "false", "superseded": "false", "observed": "false"}
    assert [one["id"] for one in served.get("/v2/memories", **wanted)["items"]] == [welcome]  # before the worker counts it, too
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    first, second = terminal.add("The lockout is announced"), terminal.add("The menu is red")
    for query, found in (({}, {second, first, welcome}), ({"query": "lockout"}, {first})):
        page = served.get("/v2/memories", **wanted, **query)
        assert ({one["id"] for one in page["items"]}, page["total"]) == (found, len(found))
    page = served.get("/v2/memories", **wanted, limit=1)
    assert (len(page["items"]), page["total"], page["has_more"]) == (1, 3, True)
    assert [one["id"] for one in served.get("/v2/memories", told="true", observed="false")["items"]] == [told]
    terminal.mem("forget", second)
    assert second not in [one["id"] for one in served.get("/v2/memories", **wanted)["items"]]
