"""A secret in the name of a mode, a session, a project or a workspace, or in a setting, is in no file and no name of one."""

from __future__ import annotations

from tests.conftest import Terminal
from tests.doors.test_no_secret_in_names import planted
from tests.http.served import Served


def test_neither_a_mode_nor_a_session_nor_a_project_is_called_by_a_secret(served: Served, terminal: Terminal) -> None:
    token = "ghp_" + "7kQz4W" * 6
    named = {"modeId": token, "project": f"acme/{token}"}
    assert served.post("/v1/mode/create", named)["created"]
    assert served.ask("PUT", "/v1/memory/core", {**named, "key": "tone", "value": "brief"}).status == 200
    assert served.get("/v1/memory/core", **named)["values"] == {"tone": "brief"}
    assert served.get("/v1/memory/core", **{**named, "modeId": f"{token[:-1]}x"})["core"] is None
    assert served.post("/v1/mode/create", {"modeId": token})["created"]
    assert served.post("/v1/archival/insert", {"modeId": token, "text": "kept"})["ok"]
    assert served.post("/v1/turn/prepare", {**named, "sessionKey": token, "query": "tone"})["mode"] == "full"
    served.post("/sessions/f1/init", {"project": token, "userPrompt": "x"})
    assert served.ask("PUT", "/v2/config/capture.thread", {"value": token}).status == 422
    assert served.ask("POST", f"/v2/memories?workspace={token}", {"title": "x", "summary": "y"}).status == 422
    assert planted(terminal, token) == []
