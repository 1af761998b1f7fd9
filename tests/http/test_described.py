"""What the service says of itself holds: whatever fits a route's description is answered as described, and nothing breaks it."""

from __future__ import annotations

import json
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode, checks

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
