"""The service where a store of the Go mempack lies in the data directory, too."""

from __future__ import annotations

from tests.conftest import Terminal
from tests.http.served import serving
from tests.sync import stores as foreign

EDIT = {"file_path": "/app/auth.py", "old_string": "if token.expired", "new_string": "if token.expired or not token.valid"}


def test_a_store_of_the_other_mempack_stops_no_call_over_all_stores(terminal: Terminal) -> None:
    with serving(terminal) as served:
        served.post("/sessions/oc-1/init", {"project": "a", "userPrompt": "hello"})
    foreign.mempack(terminal.data / "repos" / "r_12345678" / "memory.db", 2)

    with serving(terminal) as served:
        for path in ("memory", "stats", "pending-queue", "search?query=x", "sessions", "summaries", "projects"):
            assert served.ask("GET", f"/api/{path}").status == 200, path
        assert served.ask("GET", "/api/observation/1").json["detail"] == "no observation 1"
        call = {"tool_name": "Edit", "tool_input": EDIT, "tool_result": "ok"}
        assert served.ask("POST", "/sessions/oc-1/observations", call).status == 200
        assert served.ask("POST", "/sessions/oc-1/summarize", {"last_assistant_message": "Done."}).status == 200
