"""Every route of the description is called: its methods, its pages, the names in its answers, and how it refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlencode

import pytest

from tests.conftest import Terminal
from tests.http.served import Answer, Served

Route = tuple[str, dict[str, Any]]  # a path of the description, and its operations by method

NEVER_ENDS = "/stream"
PAGE = {"items", "total", "limit", "offset", "has_more"}
PARTS_OF_A_TURN = ("/v2/turn/preview", "/v2/turns/{id}")  # whose items are no page of a list
OF_USERS = {"state", "b", "before", "value", "values"}  # what stands below these names is what somebody wrote


@pytest.fixture(scope="module")
def routes(shared: tuple[Served, Terminal]) -> list[Route]:
    """The routes, over a memory that has some of everything."""
    served, terminal = shared
    terminal.process("init", "--no-agents")
    served.post("/v2/memories", {"title": "Sessions live in Postgres", "summary": "Redis lost them."})
    served.post("/v2/notes", {"text": "a note"})
    served.post("/v2/state", {"reason": "begun", "state": {"step": 1}})
    served.ask("PUT", "/v2/profile/answers", {"value": "short"})
    served.post("/sessions/s-1/init", {"project": "other", "userPrompt": "hello"})
    return list(served.get("/openapi.json")["paths"].items())


def address(path: str, operation: dict[str, Any], **more: str) -> str:
    """Returns a path with an example for each parameter that it needs."""
    asked = dict(more)
    for parameter in operation.get("parameters", []):
        example = parameter.get("example", parameter["schema"].get("example", "x"))
        if parameter["in"] == "path":
            path = re.sub(rf"{{{parameter['name']}(:path)?}}", quote(str(example), safe=""), path)
        elif parameter.get("required"):
            asked[parameter["name"]] = str(example).lower() if isinstance(example, bool) else str(example)
    assert "{" not in path
    return f"{path}?{urlencode(asked)}" if asked else path


def gets(routes: list[Route]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields what can be read: path and operation."""
    for path, operations in routes:
        if "get" in operations and path != NEVER_ENDS:
            yield path, operations["get"]


def is_problem(answer: Answer) -> bool:
    """Tells whether a refusal says what is the matter, as RFC 9457 has it."""
    kind = answer.headers["content-type"].partition(";")[0]
    return kind == "application/problem+json" and {"type", "title", "status", "detail", "code"} <= set(answer.json)


def test_each_path_says_its_methods_and_refuses_others(shared: tuple[Served, Terminal], routes: list[Route]) -> None:
    for path, operations in routes:
        asked = address(path, next(iter(operations.values())))
        methods = {name.upper() for name in operations} | {"OPTIONS"}
        methods |= {"HEAD"} if "GET" in methods and path != NEVER_ENDS else set()
        answer = shared[0].ask("OPTIONS", asked)
        assert (answer.status, answer.body, set(answer.headers["allow"].split(", "))) == (204, b"", methods), path
        refused = shared[0].ask("TRACE", asked)
        assert (refused.status, is_problem(refused)) == (405, True), path


def test_a_head_is_a_get_without_its_body(shared: tuple[Served, Terminal], routes: list[Route]) -> None:
    for path, operation in gets(routes):
        asked = address(path, operation)
        whole, head = shared[0].ask("GET", asked), shared[0].ask("HEAD", asked)
        assert (head.status, head.body) == (whole.status, b""), path
        assert head.headers["content-type"] == whole.headers["content-type"], path
        assert whole.status < 500
        assert whole.status < 400 or is_problem(whole), path


def test_a_parameter_that_nobody_has_is_refused_by_each_route_of_ours(
    shared: tuple[Served, Terminal], routes: list[Route]
) -> None:
    revision = shared[0].get("/v2/stats")["revision"]
    for path, operations in routes:
        for method, operation in operations.items() if path.startswith("/v2/") else ():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
            answer = shared[0].ask(method.upper(), address(path, operation, unheard_of="1"), body)
            assert answer.status == 422, (method, path)
            assert (is_problem(answer), answer.json["code"]) == (True, "invalid_input"), (method, path)
            assert "there is no parameter unheard_of" in answer.json["detail"], (method, path)
    assert shared[0].get("/v2/stats")["revision"] == revision  # nothing was done


def test_what_lists_something_says_how_much_there_is(shared: tuple[Served, Terminal], routes: list[Route]) -> None:
    pages = []
    for path, operation in gets(routes):
        answer = shared[0].ask("GET", address(path, operation))
        if path.startswith("/v2/") and answer.status == 200 and answer.headers["content-type"].startswith("application/json"):
            assert isinstance(answer.json, dict), path
            if "items" in answer.json and path not in PARTS_OF_A_TURN:
                assert set(answer.json) >= PAGE, path
                pages.append(path)
    assert len(pages) > 20


def objects_in(value: Any) -> Iterator[set[str]]:
    """Yields the names of each object in a document, but not of those that somebody wrote."""
    for each in value if isinstance(value, list) else []:
        yield from objects_in(each)
    if isinstance(value, dict):
        yield set(value)
        for name, inner in value.items():
            yield from objects_in(inner) if name not in OF_USERS else ()


def test_the_names_of_an_object_have_one_style(shared: tuple[Served, Terminal], routes: list[Route]) -> None:
    for path, operation in gets(routes):
        answer = shared[0].ask("GET", address(path, operation))
        if answer.status == 200 and answer.headers["content-type"].startswith("application/json"):
            for names in objects_in(answer.json):
                camels = {name for name in names if re.fullmatch("[a-z]+([A-Z][a-z0-9]*)+", name)}
                snakes = {name for name in names if "_" in name}
                assert not (camels and snakes), (path, camels, snakes)
                assert not (path.startswith("/v2/") and camels), (path, camels)


def test_what_is_not_there_is_refused_as_a_problem(shared: tuple[Served, Terminal], routes: list[Route]) -> None:
    for path, operations in routes:
        for method, operation in operations.items():
            if "{" not in path or not path.startswith("/v2/"):
                continue
            asked = re.sub(r"{[^}]*}", "M-0000000000", path)
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
            answer = shared[0].ask(method.upper(), asked, body)
            assert answer.status < 500, (method, path)
            assert answer.status < 400 or is_problem(answer), (method, path)
