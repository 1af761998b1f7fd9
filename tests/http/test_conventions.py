"""What holds for all routes of ours alike: pages, names, methods, and what the description says of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from tests.conftest import Terminal
from tests.http.served import Served

LISTS = (
    "recent", "threads", "log", "sessions", "sessions/index", "state/history", "profile", "notes", "chunks", "stale", "unused",
    "repos", "workspaces", "config", "memories", "items", "turns", "reverts", "search?query=lockout",
)  # fmt: skip


@pytest.fixture(scope="module")
def described(shared: tuple[Served, Terminal]) -> dict[str, Any]:
    """The description, over a memory that has some of everything."""
    served, terminal = shared
    terminal.process("init", "--no-agents")
    for number in range(4):
        fact = {"title": f"The lockout has rule {number}", "summary": "s", "thread": f"t{number}"}
        served.post("/v2/memories", fact)
        served.post("/v2/notes", {"text": f"note {number}"})
        served.post("/v2/state", {"reason": f"step {number}", "state": {"step": number}})
        served.ask("PUT", f"/v2/profile/key{number}", {"value": "v"})
        served.post(f"/sessions/s-{number}/init", {"project": "other", "userPrompt": "hello"})
    description: dict[str, Any] = served.get("/openapi.json")
    return description


def _own(described: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, operations in described["paths"].items():
        if path.startswith("/v2/"):
            for method, operation in operations.items():
                yield path, method, operation


@pytest.mark.parametrize("name", LISTS)
def test_every_list_is_a_page_that_says_how_many_there_are(
    shared: tuple[Served, Terminal], described: dict[str, Any], name: str
) -> None:
    served = shared[0]
    path = f"/v2/{name}{'&' if '?' in name else '?'}"
    whole = served.get(f"{path}limit=200")
    assert {"items", "total", "limit", "offset", "has_more"} <= set(whole)
    assert (whole["limit"], whole["offset"]) == (200, 0)
    assert whole["total"] == len(whole["items"])
    pages = [served.get(f"{path}limit=2&offset={offset}") for offset in range(0, whole["total"], 2)]
    assert [item for page in pages for item in page["items"]] == whole["items"]
    assert [page["has_more"] for page in pages] == [True] * (len(pages) - 1) + [False] * bool(pages)
    assert {page["total"] for page in pages} <= {whole["total"]}
    beyond = served.get(f"{path}limit=2&offset=5000")
    assert (beyond["items"], beyond["has_more"], beyond["total"]) == ([], False, whole["total"])


def test_no_route_of_ours_answers_a_bare_list(described: dict[str, Any]) -> None:
    for path, method, operation in _own(described):
        if method == "get":
            for content in operation["responses"]["200"]["content"].values():
                assert content.get("schema", {}).get("type") != "array", path


def test_a_parameter_that_a_route_has_not_is_refused_and_those_that_it_has_are_named(shared: tuple[Served, Terminal]) -> None:
    served = shared[0]
    for path in ("/v2/recent?ofset=2", "/v2/threads?query=x", "/v2/memories?sort=title", "/v2/stats?since=today"):
        answer = served.ask("GET", path)
        assert (answer.status, answer.json["code"]) == (422, "invalid_input"), path
        assert "there is no parameter" in answer.json["detail"]
    assert "limit" in served.ask("GET", "/v2/recent?ofset=2").json["hint"]
    assert served.refused("POST", "/v2/memories?thread=x", {"title": "a", "summary": "b"}) == (422, "invalid_input")
    assert served.ask("GET", "/api/projects?unheard=of").status == 200  # other programs' clients send what they like


def test_a_path_says_which_methods_it_has_and_a_head_is_a_get_without_a_body(shared: tuple[Served, Terminal]) -> None:
    served = shared[0]
    for path, methods in (
        ("/v2/memories", {"GET", "HEAD", "POST"}),
        ("/v2/memories/M-0000000000", {"GET", "HEAD", "PATCH", "DELETE"}),
        ("/v2/config/budget.total", {"GET", "HEAD", "PUT", "DELETE"}),
        ("/v2/undo", {"POST"}),
        ("/stream", {"GET"}),
        ("/openapi.json", {"GET", "HEAD"}),
        ("/viewer/app.js", {"GET", "HEAD"}),
    ):
        answer = served.ask("OPTIONS", path)
        assert (answer.status, answer.body) == (204, b"")
        assert set(answer.headers["allow"].split(", ")) == methods | {"OPTIONS"}
        refused = served.ask("TRACE", path)
        assert (refused.status, refused.headers["allow"]) == (405, answer.headers["allow"])
    for path in ("/v2/recent", "/health", "/", "/viewer/app.js", "/openapi.json"):
        head, whole = served.ask("HEAD", path), served.ask("GET", path)
        assert (head.status, head.body) == (200, b"")
        assert head.headers["content-type"] == whole.headers["content-type"]
    assert served.ask("HEAD", "/v2/memories/M-0000000000").status == 404
    assert served.ask("HEAD", "/v2/undo").status == 405
    for path in ("/nowhere", "/v2", "/v1/", "/api", "/docs"):
        for method in ("OPTIONS", "HEAD", "GET", "TRACE"):
            assert served.ask(method, path).status == 404, (method, path)
    assert served.ask("OPTIONS", "/v2/memories", headers={"Authorization": ""}).status == 401


def test_options_of_each_described_path_name_the_methods_that_it_is_described_with(
    shared: tuple[Served, Terminal], described: dict[str, Any]
) -> None:
    served = shared[0]
    for path, operations in described["paths"].items():
        methods = {name.upper() for name in operations} | {"OPTIONS"}
        if "GET" in methods and path != "/stream":
            methods.add("HEAD")
        answer = served.ask("OPTIONS", re.sub(r"{\w+}", "x", path))
        assert (answer.status, set(answer.headers["allow"].split(", "))) == (204, methods), path
        refused = served.ask("TRACE", re.sub(r"{\w+}", "x", path))
        assert (refused.status, refused.headers["allow"]) == (405, answer.headers["allow"]), path
        for method in {"GET", "POST", "PUT", "PATCH", "DELETE"} - methods:
            other = served.ask(method, re.sub(r"{\w+}", "x", path))
            assert (other.status, other.headers["allow"]) == (405, answer.headers["allow"]), (method, path)


def test_names_have_one_style_and_a_repository_has_one_name(described: dict[str, Any]) -> None:
    schemas = described["components"]["schemas"]

    def reached(schema: Any, known: set[str]) -> None:
        """Collects the names of the shapes that a description refers to."""
        for name in re.findall(r"#/components/schemas/([^\"']+)", str(schema)):
            if name not in known:
                known.add(name)
                reached(schemas[name], known)

    known: set[str] = set()
    names: set[str] = set()
    for _, _, operation in _own(described):
        names |= {parameter["name"] for parameter in operation.get("parameters", []) if parameter["in"] == "query"}
        reached(operation, known)
    for name in known - {"Received"}:  # which OpenClaw reads as its own
        names |= set(schemas[name].get("properties", {}))
    assert [name for name in names if not re.fullmatch("[a-z][a-z0-9_]*", name)] == []
    assert names.isdisjoint({"project", "modeId", "mode_id"})


def test_each_parameter_and_body_has_an_example_that_fits(described: dict[str, Any]) -> None:
    definitions = {"components": described["components"]}
    for path, method, operation in _own(described):
        for parameter in operation.get("parameters", []):
            assert "example" in parameter, (path, method, parameter["name"])
            jsonschema.validate(parameter["example"], {**parameter["schema"], **definitions})
        for content in operation.get("requestBody", {}).get("content", {}).values():
            assert content["example"], (path, method)
            jsonschema.validate(content["example"], {**content["schema"], **definitions})


def test_the_token_is_asked_for_by_all_but_the_public_routes(described: dict[str, Any]) -> None:
    assert described["security"] == [{"token": []}]
    public = {path for path, operations in described["paths"].items() for one in operations.values() if one.get("security") == []}
    assert public == {"/health", "/"}
