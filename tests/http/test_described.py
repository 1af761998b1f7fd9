"""What the service says of itself holds: whatever fits a route's description is answered as described, and nothing breaks it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode, checks

from memcli.http import feed, gate, lists, workers
from memcli.http.routes import reading
from memcli.http.service import MAX_CALLS
from memcli.provenance import reverts
from memcli.recall import catalogue, pictures
from memcli.serving import protocol
from tests.conftest import Terminal
from tests.http.served import Served
from tests.http.test_modes import HAS_TURNS
from tests.properties import examples

LEFT_OUT = ("/stream", *(() if HAS_TURNS else ("/v1/turn/prepare", "/v1/turn/ack")))  # the first never ends
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
EXAMPLES = examples(2)  # of each route, and as many that do not fit its description


@pytest.fixture(scope="module")
def described(shared: tuple[Served, Terminal]) -> tuple[Served, Any]:
    served = shared[0]
    served.post("/v2/memories", {"title": "Sessions live in Postgres", "summary": "Redis lost them."})
    served.post("/sessions/s-1/init", {"project": "my-app", "userPrompt": "hello"})
    return served, schemathesis.openapi.from_dict(served.get("/openapi.json"))


def test_every_route_answers_as_it_is_described(described: tuple[Served, Any]) -> None:
    served, schema = described
    tried = 0
    for found in schema.get_all_operations():
        operation = found.ok()
        if operation.path not in LEFT_OUT:
            tried += 1
            for mode in GenerationMode.POSITIVE, GenerationMode.NEGATIVE:
                _try(served, operation, mode)
    assert tried > 70


def test_the_description_is_valid_openapi(described: tuple[Served, Any]) -> None:
    document = described[0].get("/openapi.json")
    schemathesis.openapi.from_dict(document).validate()
    broken = {**document, "info": {"version": "1"}}
    with pytest.raises(Exception, match='"title" is a required property'):
        schemathesis.openapi.from_dict(broken).validate()


def _try(served: Served, operation: Any, mode: GenerationMode) -> None:
    quick = settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )

    @quick
    @given(case=operation.as_strategy(generation_mode=mode))
    def run(case: Any) -> None:
        headers = {"Authorization": f"Bearer {served.token}"}
        case.call_and_validate(base_url=f"http://127.0.0.1:{served.port}", headers=headers, checks=CHECKS, timeout=30)

    try:
        run()
    except Unsatisfiable:
        assert mode == GenerationMode.NEGATIVE  # whatever is sent fits


def test_the_description_names_every_route_and_its_problems(described: tuple[Served, Any]) -> None:
    said = described[0].get("/openapi.json")
    names = [route["operationId"] for path in said["paths"].values() for route in path.values() if "operationId" in route]
    assert len(names) == len(set(names))

    for path, operations in said["paths"].items():
        for method, operation in operations.items():
            assert operation["description"], (method, path)
            assert "application/problem+json" in operation["responses"]["4XX"]["content"]
    assert json.dumps(said).count("memcli") < 5


LIMITS = {  # as docs/http.md words them
    f"up to {gate.MAX_BODY >> 20} MiB (413)": "a body",
    f"At most {gate.MAX_CONNECTIONS}": "connections",
    f"requests and {feed.MAX_STREAMS} streams": "streams",
    f"Beyond {protocol.MAX_WAITING} connections without a request": "connections without one",
    f"head larger than {gate.MAX_HEAD >> 10} KiB": "a head",
    f"more than the best {catalogue.MATCHES} may match": "/v2/items",
    f"the best {reading.MAX_MATCHING} that match": "/v2/memories?query",
    f"only the newest {reading.MAX_JUDGED:,} that pass": "/v2/memories?freshness",
    f"the last {reverts.COMMITS:,} commits revert": "/v2/reverts",
    f"the last {reverts.OPERATIONS:,} operations": "/v2/reverts",
    f"the newest {pictures.MOST_MEMORIES:,} memories": "/v2/history",
    f"mostly {lists.MOST:,}.": "a page",
}


def test_the_limits_in_the_documentation_are_those_of_the_service() -> None:
    text = Path("docs/http.md").read_text(encoding="utf-8")
    assert {of: phrase for phrase, of in LIMITS.items() if phrase not in text} == {}
    assert (MAX_CALLS, workers.MAX_LOOPS) == (12, 4)
    assert "at most twelve at once" in text
    assert "up to four threads" in text


def test_the_documentation_says_of_each_route_how_large_a_limit_may_be(shared: tuple[Served, Terminal]) -> None:
    text = Path("docs/http.md").read_text(encoding="utf-8")
    described = shared[0].get("/openapi.json")["paths"]
    limits = {
        path: parameter["schema"]["maximum"]
        for path, operations in described.items()
        for parameter in operations.get("get", {}).get("parameters", [])
        if path.startswith("/v2/") and parameter["name"] == "limit"
    }
    assert limits["/v2/memories"] == 200
    assert len(limits) > 20
    for path, most in limits.items():
        line = next(line for line in text.splitlines() if line.startswith(f"| `GET {path}` | ") and "`limit`?" in line)
        assert f"`limit`? ≤ {most:,} " in line, path
