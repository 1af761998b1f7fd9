"""The same answer over MCP and HTTP."""

from __future__ import annotations

import json

import pytest
from mcp import Client

from tests.http.served import serving
from tests.mcp.talk import call, talk
from tests.provenance.conftest import Desk
from tests.provenance.test_why import logged_in


@pytest.mark.parametrize("target", ["auth.py:2", "auth.py", "HEAD"])
def test_http_answers_what_the_command_says(desk: Desk, target: str) -> None:
    logged_in(desk)
    expected = desk.why(target)
    with serving(desk.terminal) as served:
        assert served.get("/v2/why", target=target) == expected


def test_http_refuses_what_it_cannot_explain(desk: Desk) -> None:
    logged_in(desk)
    with serving(desk.terminal) as served:
        assert served.ask("GET", "/v2/why", target="nothing.py:1").status == 404
        assert served.ask("GET", "/v2/why", target="auth.py:99").status == 422
        assert served.ask("GET", "/v2/why", target="../../etc/passwd").status in (404, 422)
        assert served.ask("GET", "/v2/why").status in (400, 422)


def test_a_tool_answers_without_what_is_empty(desk: Desk) -> None:
    commit = logged_in(desk)

    async def work(client: Client) -> None:
        (change,) = json.loads(await call(client, "mempack_why", target="auth.py:2"))["changes"]
        assert change["commit"]["id"] == commit
        assert change["sessions"][0]["prompts"][0]["text"] == "Add a login that rejects stale tokens"
        assert "dropped" not in change

    talk(work, desk.terminal)
