"""mecho's own service, as the skill of its agents calls it: `memoryId`, `name`, `description`, `detail`."""

from __future__ import annotations

from typing import Any

from tests.conftest import Terminal
from tests.http.served import Served
from tests.sync import stores

MODE = {"modeId": "riko"}
NOTE = {
    **MODE,
    "memoryId": "roadmap",
    "name": "Roadmap",
    "description": "What comes next.",
    "detail": "First the till.\nThen pay.",
}
CORE = {**MODE, "name": "Leader Core", "description": "Calm.", "detail": "Never shouts."}


def put(served: Served, path: str, body: Any) -> Any:
    answer = served.ask("PUT", path, body)
    assert answer.status == 200, answer.body
    return answer.json


def test_curated_entries_are_listed_by_their_descriptions_and_opened_by_their_ids(served: Served) -> None:
    for _ in range(2):
        assert put(served, "/v1/memory/curated", NOTE)["ok"] is True
    (entry,) = served.get("/v1/memory/curated", **MODE)["curated"]
    assert {name: entry[name] for name in ("memoryId", "name", "description")} == {
        name: NOTE[name] for name in ("memoryId", "name", "description")
    }
    assert isinstance(entry["updatedAt"], int)
    opened = served.get("/v1/memory/curated/detail", memoryId="roadmap", **MODE)["memory"]
    assert opened == {**entry, "detail": NOTE["detail"]}

    put(served, "/v1/memory/curated", {**NOTE, "detail": "Pay first."})
    assert served.get("/v1/memory/curated/detail", memoryId="roadmap", **MODE)["memory"]["detail"] == "Pay first."
    assert served.ask("DELETE", "/v1/memory/curated", {**MODE, "memoryId": "roadmap"}).json["ok"] is True
    assert served.ask("DELETE", "/v1/memory/curated", {**MODE, "memoryId": "other"}).status == 404
    assert served.ask("GET", "/v1/memory/curated/detail?modeId=riko&memoryId=roadmap").status == 404
    assert served.get("/v1/memory/curated", **MODE)["curated"] == []


def test_core_with_a_description_is_told_and_a_long_detail_is_an_entry(served: Served) -> None:
    assert put(served, "/v1/memory/core", CORE)["ok"] is True
    assert served.get("/v1/memory/core", **MODE)["core"] == {"Leader Core": "Calm.\nNever shouts."}
    turn = {**MODE, "sessionKey": "k", "engine": "claude"}
    assert "Never shouts." in served.post("/v1/turn/prepare", turn)["xml"]

    put(served, "/v1/memory/core", {**CORE, "detail": "x" * 3_000})
    assert served.get("/v1/memory/core", **MODE)["core"] == {"Leader Core": "Calm."}
    assert served.get("/v1/memory/curated/detail", memoryId="core:Leader Core", **MODE)["memory"]["detail"] == "x" * 3_000


def test_the_archive_takes_ids_of_the_client_and_answers_with_them(served: Served) -> None:
    plan = {
        **MODE,
        "memoryId": "plan",
        "name": "Launch Plan",
        "description": "Of March.",
        "detail": "Marketing rolls out the launch.",
    }
    upserted = [served.post("/v1/archival/upsert", {**plan, "metadata": {"team": "biz"}}) for _ in range(2)]
    assert [(done["memoryId"], done["created"]) for done in upserted] == [("plan", True), ("plan", False)]
    unnamed = served.post("/v1/archival/upsert", {**MODE, "name": "Trip", "description": "To Oslo.", "detail": "In May."})
    assert unnamed["created"] is True

    asked = {**MODE, "query": "launch marketing", "topK": 1, "candidateLimit": 600}
    (match,) = served.post("/v1/archival/search", asked)["matches"]
    assert (match["memoryId"], match["description"], match["metadata"]) == ("plan", "Of March.", {"team": "biz"})
    assert match.get("detail") is None
    (match,) = served.post("/v1/archival/search", {**asked, "includeDetail": True})["matches"]
    assert match["detail"] == "Marketing rolls out the launch."
    for entry in ("plan", unnamed["memoryId"]):
        assert served.ask("DELETE", "/v1/archival", {**MODE, "memoryId": entry}).json["ok"] is True
    assert served.get("/v1/archival", **MODE)["total"] == 0
    assert served.post("/v1/archival/upsert", plan)["memoryId"] == "plan"
    assert served.get("/v1/archival", **MODE)["total"] == 1


def test_modes_are_begun_and_listed(served: Served, terminal: Terminal) -> None:
    assert served.get("/v1/mode/list") == {"ok": True, "modes": []}
    assert served.post("/v1/mode/create", {"modeId": "cat"}) == {"ok": True, "modeId": "cat", "created": True}
    assert served.post("/v1/mode/create", {"modeId": "cat"})["created"] is False
    served.post("/v1/archival/upsert", {**CORE, "modeId": "default"})
    put(served, "/v1/memory/core", {**CORE, "modeId": "default"})
    terminal.mem("import", str(stores.mecho(terminal.data.parent / "modes", 3)))
    assert served.get("/v1/mode/list")["modes"] == ["bot", "cat", "default"]
    assert served.get("/v1/memory/curated/detail", modeId="bot", memoryId="c-2")["memory"]["detail"] == "Said so."
    assert served.ask("DELETE", "/v1/archival", {"modeId": "bot", "memoryId": "a-1"}).json["ok"] is True
