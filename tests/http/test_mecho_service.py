"""mecho's own service, as the skill of its agents calls it: `memoryId`, `name`, `description`, `detail`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

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


@pytest.mark.parametrize(
    ("description", "detail"), [("Of tea.", ""), ("Of tea.\nGreen.", " "), ("", "Of tea."), ("", "Of tea.\nGreen.")]
)
def test_an_empty_description_or_detail_stays_empty(served: Served, description: str, detail: str) -> None:
    opened = ("/v1/memory/curated/detail", "/v1/archival/search")
    note = {**MODE, "memoryId": "tea", "name": "Tea", "description": description, "detail": detail}
    put(served, "/v1/memory/curated", note)
    shown = served.get(opened[0], memoryId="tea", **MODE)["memory"]
    assert (shown["description"], shown["detail"]) == (description, detail.strip())
    assert served.get("/v1/memory/curated", **MODE)["curated"][0]["description"] == description
    served.post("/v1/archival/upsert", note)
    (match,) = served.post(opened[1], {**MODE, "query": "tea", "includeDetail": True})["matches"]
    assert (match["description"], match["detail"]) == (description, detail.strip())
    assert "Of tea." in served.post("/v1/turn/prepare", {**MODE, "sessionKey": "s"})["xml"]

    put(served, "/v1/memory/curated", {**note, "description": "Of tea.", "detail": "Hot."})
    shown = served.get(opened[0], memoryId="tea", **MODE)["memory"]
    assert (shown["description"], shown["detail"]) == ("Of tea.", "Hot.")


def core(served: Served) -> Any:
    return served.get("/v1/memory/core", **MODE)["core"]


def test_core_is_read_as_it_was_written(served: Served) -> None:
    assert core(served) is None
    assert put(served, "/v1/memory/core", CORE)["ok"] is True
    assert isinstance(core(served).pop("updatedAt"), int)
    for description in ("Calm.", "Calm.\nAnd kind.\n\nTo all."):
        for detail in ("Never shouts.", "Never shouts.\nNor whispers.", "x" * 3_000):
            written = {**CORE, "description": description, "detail": detail}
            put(served, "/v1/memory/core", written)
            assert {name: core(served)[name] for name in written} == written

    page = served.get("/v1/memory/core", **MODE)
    assert page["values"] == {"Leader Core": description}
    assert [(entry["description"], entry["detail"]) for entry in page["entries"]] == [(description, "x" * 3_000)]
    put(served, "/v1/memory/core", {**MODE, "key": "tone", "value": "brief"})
    assert core(served)["name"] == "Leader Core"
    put(served, "/v1/memory/core", {**MODE, "key": "Leader Core", "value": None})
    assert core(served) == {"tone": "brief"}, "what our own clients store under keys is listed by them"


def test_a_core_that_another_command_changed_is_read_as_it_is_now(served: Served, terminal: Terminal) -> None:
    put(served, "/v1/memory/core", {**CORE, "description": "Calm.\nAnd kind."})
    terminal.mem("profile", "set", "Leader Core", "Loud.\nAnd rude.\nTo all.", "--repo", "modes", "--workspace", "riko")

    assert (core(served)["description"], core(served)["detail"]) == ("Loud.", "And rude.\nTo all.")


def test_core_with_a_description_is_told_and_a_long_detail_is_no_entry_of_its_own(served: Served) -> None:
    put(served, "/v1/memory/core", CORE)
    turn = {**MODE, "sessionKey": "k", "engine": "claude"}
    assert "Never shouts." in served.post("/v1/turn/prepare", turn)["xml"]

    put(served, "/v1/memory/curated", NOTE)
    put(served, "/v1/memory/core", {**CORE, "detail": "x" * 3_000})
    page = served.get("/v1/memory/curated", **MODE)
    assert ([entry["memoryId"] for entry in page["curated"]], page["total"], page["hasMore"]) == (["roadmap"], 1, False)
    assert served.get("/v1/memory/curated/detail", memoryId="core:Leader Core", **MODE)["memory"]["detail"] == "x" * 3_000


def test_an_entry_is_read_as_it_was_written(served: Served) -> None:
    for description in ("One line.", "Two lines.\nOf it.", "Three.\n\nOf them."):
        for detail in ("First.\nThen.", "Short."):
            note = {**NOTE, "description": f"  {description}\n", "detail": detail}
            put(served, "/v1/memory/curated", note)
            opened = served.get("/v1/memory/curated/detail", memoryId="roadmap", **MODE)["memory"]
            assert (opened["description"], opened["detail"]) == (description, detail)
            (entry,) = served.get("/v1/memory/curated", **MODE)["curated"]
            assert entry["description"] == description

            assert served.ask("POST", "/v1/archival/upsert", note).status == 200
            (match,) = served.post("/v1/archival/search", {**MODE, "query": "roadmap", "includeDetail": True})["matches"]
            assert (match["description"], match["detail"]) == (description, detail)
    turn = served.post("/v1/turn/prepare", {**MODE, "sessionKey": "k"})["xml"]
    assert "<description>Three." in turn
    assert "Of them.</description>" in turn


def test_an_entry_that_another_command_changed_is_read_as_it_is_now(served: Served, terminal: Terminal) -> None:
    put(served, "/v1/memory/curated", {**NOTE, "description": "What comes\nnext."})
    memory = served.get("/v1/memory/curated", **MODE)["items"][0]["memoryId"]
    terminal.mem("update", memory, "--summary", "Nothing.\nAt all.", "--repo", "modes", "--workspace", "riko")

    opened = served.get("/v1/memory/curated/detail", memoryId="roadmap", **MODE)["memory"]
    assert (opened["description"], opened["detail"]) == ("Nothing.", "At all.")


def test_a_secret_in_what_is_stored_beside_a_text_is_masked(served: Served, terminal: Terminal) -> None:
    token = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    note = {**NOTE, "description": f"Two lines.\nWith {token}.", "metadata": {"where": token}}
    for _ in range(2):
        put(served, "/v1/memory/curated", note)
        put(served, "/v1/memory/core", {**CORE, "description": note["description"]})
        assert served.ask("POST", "/v1/archival/upsert", note).status == 200

    assert not [path for path in terminal.data.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]


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
        assert {"core", "search"} <= set(tells(served, "quokkas"))
        put(served, "/v1/memory/core", after)
        assert tells(served, "quokkas") == [], after
        assert len(served.get("/v1/memory/core", **MODE)["values"]) < 2


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


def test_an_import_puts_no_older_core_beside_one_that_was_written_here(served: Served, terminal: Terminal) -> None:
    path = str(stores.mecho(terminal.folder / "modes", 3) / "bot")
    bot = {"modeId": "bot"}
    terminal.mem("import", path)
    put(served, "/v1/memory/core", {**CORE, **bot})
    for words in (("--trust", "--dry-run"), ("--trust",), ("--trust",)):
        said = terminal.mem("import", path, *words).out
        assert "1 × entries that would change what was written here: persona\n" in said, said
        assert served.get("/v1/memory/core", **bot)["values"] == {"Leader Core": "Calm.\nNever shouts."}
    assert "guide" not in served.post("/v1/turn/prepare", {**bot, "sessionKey": "s"})["xml"]

    put(served, "/v1/memory/core", {**CORE, **bot, "name": "persona", "description": "Calm.\nAnd kind."})
    terminal.mem("import", path, "--trust")
    assert served.get("/v1/memory/core", **bot)["core"]["description"] == "Calm.\nAnd kind."


def test_an_imported_mode_is_read_as_mecho_had_it(served: Served, terminal: Terminal) -> None:
    path = stores.mecho(terminal.folder / "modes", 3) / "bot"
    lines = "Two lines.\nOf it."
    with closing(sqlite3.connect(path / "mecho.db")) as db, db:
        for table in ("core_memory", "curated_memory"):
            db.execute(f"UPDATE {table} SET description = ?", (lines,))
    with closing(sqlite3.connect(path / "archival.db")) as db, db:
        db.execute("UPDATE archival_memory SET description = ?", (lines,))
    for changed in (True, False):
        assert (" 0 new" in terminal.mem("import", str(path), "--trust").out) is not changed

    bot = {"modeId": "bot"}
    core = served.get("/v1/memory/core", **bot)["core"]
    assert (core["name"], core["description"], core["detail"]) == ("persona", lines, "Never shouts.")
    entry = served.get("/v1/memory/curated/detail", memoryId="c-0", **bot)["memory"]
    assert (entry["description"], entry["detail"]) == (lines, "Said so.")
    (match,) = served.post("/v1/archival/search", {**bot, "query": "trip", "includeDetail": True})["matches"]
    assert (match["description"], match["detail"], match["metadata"]) == (lines, "In May.", {"year": 2024})


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
    for mode in ("Bot", "mode.1 x", "한국", "ünï"):
        assert served.post("/v1/mode/create", {"modeId": mode}) == {"ok": True, "modeId": mode, "created": True}
        assert served.post("/v1/mode/create", {"modeId": mode})["created"] is False
    served.post("/v1/archival/upsert", {**CORE, "modeId": "Αρχείο"})
    terminal.mem("import", str(stores.mecho(terminal.data.parent / "modes", 3, "Кот")))

    assert served.get("/v1/mode/list")["modes"] == sorted(["Bot", "mode.1 x", "한국", "ünï", "Αρχείο", "Кот"])
    assert served.get("/v1/memory/curated/detail", modeId="Кот", memoryId="c-2")["memory"]["detail"] == "Said so."


def test_ids_that_differ_in_a_letter_of_any_script_are_modes_of_their_own(served: Served) -> None:
    put(served, "/v1/memory/core", {"modeId": "봇1", "key": "k", "value": "of 봇1"})

    for mode in ("봇 1", "봇.1"):
        assert served.get("/v1/memory/core", modeId=mode)["core"] == {"k": "of 봇1"}
    for mode in ("모드1", "봇봇1", "1", "../1", "Кот 1"):
        assert served.get("/v1/memory/core", modeId=mode)["core"] is None
        assert served.post("/v1/turn/prepare", {"modeId": mode, "sessionKey": "s", "full": True})["mode"] == "none"
    put(served, "/v1/memory/core", {"modeId": "모드1", "key": "k", "value": "of 모드1"})
    assert served.get("/v1/memory/core", modeId="봇1")["core"] == {"k": "of 봇1"}
    assert {"봇1", "모드1"} <= set(served.get("/v1/mode/list")["modes"])


def test_an_import_reaches_the_mode_that_a_client_began_in_another_case(served: Served, terminal: Terminal) -> None:
    put(served, "/v1/memory/curated", {**NOTE, "modeId": "Zed"})
    done = terminal.mem("import", str(stores.mecho(terminal.data.parent / "modes", 3, "zed")), "--trust", "--json").json
    assert done["imported"] > 3
    for mode in ("Zed", "zed"):
        assert served.get("/v1/memory/curated", modeId=mode)["total"] == 3
        assert [item["id"] for item in served.get("/v1/archival", modeId=mode)["items"]] == ["a-1"]
    assert served.get("/v1/mode/list")["modes"] == ["Zed"]
    assert terminal.mem("import", str(terminal.data.parent / "modes"), "--trust", "--json").json["imported"] == 0


def test_modes_do_not_go_into_a_repository_that_is_called_modes(served: Served, terminal: Terminal) -> None:
    folder = terminal.folder.parent / "modes"
    folder.mkdir()
    repository = terminal.at(folder)
    repository.git("init", "-q", ".")
    repository.mem("add", "Of a repository")
    put(served, "/v1/memory/core", CORE)
    terminal.mem("import", str(stores.mecho(terminal.data.parent / "source", 3)))

    assert served.get("/v1/mode/list")["modes"] == ["bot", "riko"]
    assert served.get("/v1/memory/core", **MODE)["core"] is not None
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
    assert served.get("/v1/memory/core", **MODE)["values"] == {"Leader Core": "Calm.\nNever shouts."}
    served.post("/v1/mode/delete", MODE)

    assert served.post("/v1/mode/create", MODE)["created"] is True
    assert tells(served, "calm") == tells(served, "till") == []

    put(served, "/v1/memory/core", CORE)
    assert served.get("/v1/mode/list")["modes"] == ["other", "riko"]
    assert served.get("/v1/memory/core", modeId="other")["core"] == {"k": "v"}
