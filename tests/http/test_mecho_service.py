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
    page = served.get("/v1/memory/core", **MODE)
    assert page["core"] == {"Leader Core": "Calm."}
    assert [(entry["description"], entry["detail"]) for entry in page["entries"]] == [("Calm.", "x" * 3_000)]
    assert served.get("/v1/memory/curated/detail", memoryId="core:Leader Core", **MODE)["memory"]["detail"] == "x" * 3_000


LONG = " ".join(["Quokkas guard the vault."] * 120)


def tells(served: Served, word: str) -> list[str]:
    """Returns which ways there are to come upon a word in the mode and its archive."""
    asked = {**MODE, "query": f"what about {word}"}
    places = {
        "turn": served.post("/v1/turn/prepare", {**asked, "sessionKey": word, "full": True})["xml"],
        "core": served.get("/v1/memory/core", **MODE),
        "curated": served.get("/v1/memory/curated", **MODE),
        "archival": served.get("/v1/archival", **MODE),
        "archival search": served.post("/v1/archival/search", {**asked, "query": word, "includeDetail": True}),
        "get": served.ask("GET", "/v2/get", repo="modes", workspace="riko", query=word).text,
        "search": served.get("/v2/search", repo="modes", workspace="riko", query=word),
    }
    return [place for place, answer in places.items() if word.lower() in str(answer).lower()]


def test_nothing_of_a_core_is_told_any_more_once_it_is_replaced_deleted_or_has_another_name(served: Served) -> None:
    for after in (
        {**CORE, "detail": "Never shouts."},
        {**CORE, "detail": "Wombats " * 400},
        {**MODE, "key": "Leader Core", "value": "Calm."},
        {**MODE, "core": {"Leader Core": None}},
        {**CORE, "name": "Another Core"},
    ):
        put(served, "/v1/memory/core", {**CORE, "detail": LONG})
        assert {"turn", "core", "curated", "search"} <= set(tells(served, "quokkas"))
        put(served, "/v1/memory/core", after)
        assert tells(served, "quokkas") == [], after
        assert list(served.get("/v1/memory/core", **MODE)["core"]) != ["Leader Core", "Another Core"]


def test_nothing_of_a_core_is_told_any_more_whichever_command_changes_it(served: Served, terminal: Terminal) -> None:
    mode = ("--repo", "modes", "--workspace", "riko")
    for words in (("set", "Leader Core", "Loud."), ("delete", "Leader Core")):
        put(served, "/v1/memory/core", {**CORE, "detail": LONG})
        terminal.mem("profile", *words, *mode)
        assert tells(served, "quokkas") == [], words
        terminal.mem("undo", *mode)
        assert "search" in tells(served, "quokkas")


def test_nothing_of_an_entry_is_told_any_more_once_it_is_replaced_or_deleted(served: Served) -> None:
    archived = {**NOTE, "memoryId": "plan"}
    for method, path, note, places in (
        ("PUT", "/v1/memory/curated", NOTE, {"turn", "curated", "search"}),
        ("POST", "/v1/archival/upsert", archived, {"archival", "archival search"}),
    ):
        for word in ("quokkas", "numbats"):
            text = LONG.replace("Quokkas", word.title())
            assert served.ask(method, path, {**note, "name": f"Of {word}", "detail": text}).status == 200
            assert places <= set(tells(served, word)), (path, word)
        assert tells(served, "quokkas") == []
        where = path.removesuffix("/upsert")
        assert served.ask("DELETE", where, {**MODE, "memoryId": note["memoryId"]}).status == 200
        assert tells(served, "numbats") == []


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
    assert {item["id"]: item["metadata"] for item in served.get("/v1/archival", **MODE)["items"]} == {
        "plan": {"team": "biz"},
        unnamed["memoryId"]: {},
    }
    assert served.get("/v1/archival/plan", **MODE)["id"] == "plan"
    assert [item["id"] for item in served.post("/v1/archival/search", asked)["items"]] == ["plan"]
    served.post("/v1/archival/upsert", plan)
    assert served.get("/v1/archival/plan", **MODE)["metadata"] == {}, "replaced with the text"
    for entry in ("plan", unnamed["memoryId"]):
        gone = served.ask("DELETE", "/v1/archival", {**MODE, "memoryId": entry}).json
        assert (gone["ok"], gone["memoryId"]) == (True, entry)
        assert served.ask("DELETE", "/v1/archival", {**MODE, "memoryId": entry}).status == 404
    assert served.get("/v1/archival", **MODE)["total"] == 0
    assert served.post("/v1/archival/upsert", plan)["memoryId"] == "plan"
    assert served.get("/v1/archival", **MODE)["total"] == 1


def test_an_insert_into_the_archive_gives_back_the_id_and_the_name_that_the_client_gave(served: Served) -> None:
    note = {**MODE, "memoryId": "note-1", "name": "Launch plan", "text": "Marketing rolls out.", "metadata": {"team": "biz"}}
    assert [served.post("/v1/archival/insert", note)["memoryId"] for _ in range(2)] == ["note-1", "note-1"]
    (item,) = served.get("/v1/archival", **MODE)["items"]
    assert (item["id"], item["name"], item["text"]) == ("note-1", "Launch plan", "Marketing rolls out.")
    (match,) = served.post("/v1/archival/search", {**MODE, "query": "marketing"})["matches"]
    assert (match["memoryId"], match["name"], match["metadata"]) == ("note-1", "Launch plan", {"team": "biz"})
    served.post("/v1/archival/insert", {**note, "text": "Sales roll out."})
    assert served.get("/v1/archival/note-1", **MODE)["text"] == "Sales roll out."

    unnamed = served.post("/v1/archival/insert", {**MODE, "text": "The cat sleeps. On the router.", "name": " "})
    assert unnamed["id"] == unnamed["memoryId"]
    assert served.get(f"/v1/archival/{unnamed['id']}", **MODE)["name"] == "The cat sleeps."
    for bad in ({"memoryId": ""}, {"memoryId": 7}, {"name": ["x"]}, {"memoryId": "x" * 300}, {"text": ""}):
        assert served.refused("POST", "/v1/archival/insert", {**note, **bad})[0] == 422, bad
    assert served.get("/v1/archival", **MODE)["total"] == 2


def test_modes_are_begun_and_listed(served: Served, terminal: Terminal) -> None:
    assert served.get("/v1/mode/list") == {"ok": True, "modes": []}
    assert served.post("/v1/mode/create", {"modeId": "cat"}) == {"ok": True, "modeId": "cat", "created": True}
    assert served.post("/v1/mode/create", {"modeId": "cat"})["created"] is False
    assert served.post("/v1/mode/create", {"modeId": "dog"})["created"] is True, "beside one that is there"
    assert served.post("/v1/mode/delete", {"modeId": "dog"}) == {"ok": True, "modeId": "dog", "deleted": True}
    served.post("/v1/archival/upsert", {**CORE, "modeId": "default"})
    put(served, "/v1/memory/core", {**CORE, "modeId": "default"})
    terminal.mem("import", str(stores.mecho(terminal.data.parent / "modes", 3)))
    assert served.get("/v1/mode/list")["modes"] == ["bot", "cat", "default"]
    assert served.get("/v1/memory/curated/detail", modeId="bot", memoryId="c-2")["memory"]["detail"] == "Said so."
    assert served.ask("DELETE", "/v1/archival", {"modeId": "bot", "memoryId": "a-1"}).json["ok"] is True


def test_modes_are_listed_by_the_ids_that_clients_gave_them(served: Served, terminal: Terminal) -> None:
    for mode in ("Bot", "bot", "mode.1 x", "한국", "ünï"):
        assert served.post("/v1/mode/create", {"modeId": mode}) == {"ok": True, "modeId": mode, "created": True}
        assert served.post("/v1/mode/create", {"modeId": mode})["created"] is False
    served.post("/v1/archival/upsert", {**CORE, "modeId": "Αρχείο"})
    terminal.mem("import", str(stores.mecho(terminal.data.parent / "modes", 3, "Кот")))

    assert served.get("/v1/mode/list")["modes"] == sorted(["Bot", "bot", "mode.1 x", "한국", "ünï", "Αρχείο", "Кот"])
    assert served.get("/v1/memory/curated/detail", modeId="Кот", memoryId="c-2")["memory"]["detail"] == "Said so."


def test_modes_do_not_go_into_a_repository_that_is_called_modes(served: Served, terminal: Terminal) -> None:
    folder = terminal.folder.parent / "modes"
    folder.mkdir()
    repository = terminal.at(folder)
    repository.git("init", "-q", ".")
    repository.mem("add", "Of a repository")
    put(served, "/v1/memory/core", CORE)
    terminal.mem("import", str(stores.mecho(terminal.data.parent / "source", 3)))

    assert served.get("/v1/mode/list")["modes"] == ["bot", "riko"]
    assert served.get("/v1/memory/core", **MODE)["core"] != {}
    assert repository.mem("recent", "--workspace", "riko", "--json").json == []


def test_modes_of_a_project_are_listed_apart(served: Served, terminal: Terminal) -> None:
    terminal.mem("add", "Not of a mode", "--workspace", "side")
    place = str(terminal.folder)
    for mode in ("Bot", "cat"):
        put(served, "/v1/memory/core", {"modeId": mode, "project": place, "key": "k", "value": "v"})
    assert served.post("/v1/mode/create", {"modeId": "Bot", "project": "zoo"})["created"] is True

    assert served.get("/v1/mode/list") == {"ok": True, "modes": []}
    assert served.get("/v1/mode/list", project=place)["modes"] == ["Bot", "cat"]
    assert served.get("/v1/mode/list", project="zoo")["modes"] == ["Bot"]
    assert served.get("/v1/mode/list", project="unheard-of")["modes"] == []


def test_a_mode_that_is_deleted_tells_nothing_and_can_be_begun_anew(served: Served, terminal: Terminal) -> None:
    put(served, "/v1/memory/core", CORE)
    put(served, "/v1/memory/curated", NOTE)
    served.post("/v1/archival/upsert", NOTE)
    other = {"modeId": "other", "key": "k", "value": "v"}
    put(served, "/v1/memory/core", other)

    assert served.post("/v1/mode/delete", MODE) == {"ok": True, "modeId": "riko", "deleted": True}
    assert served.get("/v1/mode/list")["modes"] == ["other"]
    assert served.refused("POST", "/v1/mode/delete", MODE) == (404, "not_found")
    assert served.refused("POST", "/v1/mode/delete", {"modeId": "never"}) == (404, "not_found")
    terminal.mem("undo", "--repo", "modes", "--workspace", "riko")
    assert served.get("/v1/mode/list")["modes"] == ["other", "riko"]
    assert served.get("/v1/memory/core", **MODE)["core"] == {"Leader Core": "Calm.\nNever shouts."}
    served.post("/v1/mode/delete", MODE)

    assert served.post("/v1/mode/create", MODE)["created"] is True
    assert tells(served, "calm") == tells(served, "till") == []

    put(served, "/v1/memory/core", CORE)
    assert served.get("/v1/mode/list")["modes"] == ["other", "riko"]
    assert served.get("/v1/memory/core", modeId="other")["core"] == {"k": "v"}
