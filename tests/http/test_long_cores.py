"""Cores of mecho that are longer than a value of the profile, and what clients read of them."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from tests.conftest import Terminal
from tests.http.served import Served
from tests.http.test_mecho_service import CORE, MODE, core, put
from tests.sync import stores


def test_a_core_is_taken_whatever_the_length_of_its_name_and_its_texts(served: Served, terminal: Terminal) -> None:
    put(served, "/v1/memory/core", {**CORE, "name": "Leader\n" + "of tea " * 40})
    assert (core(served)["name"], core(served)["detail"]) == (("Leader " + "of tea " * 40)[:100].strip(), CORE["detail"])

    terminal.mem("config", "set", "profile.value", "300")
    for description, detail in (("Calm and kind. " * 40, "Short."), ("Calm.\nAnd kind. " * 40, "Never shouts. " * 90)):
        put(served, "/v1/memory/core", {**CORE, "description": description, "detail": detail})
        read = core(served)
        assert (read["name"], read["description"], read["detail"]) == ("Leader Core", description.strip(), detail.strip())
    assert served.get("/v1/memory/curated", **MODE)["curated"] == []
    put(served, "/v1/memory/core", CORE)
    assert (core(served)["description"], core(served)["detail"]) == (CORE["description"], CORE["detail"])


def test_a_long_value_under_a_key_is_read_whole_until_a_shorter_one_replaces_it(served: Served, terminal: Terminal) -> None:
    token = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    long = "All tests are run first. " * 79 + f"Then {token} and what follows. " + "It ends here." * 100
    for body in ({"key": "house", "value": long}, {"core": {"house": long, "tone": "brief"}}):
        answer = put(served, "/v1/memory/core", {**MODE, **body})
        values = served.get("/v1/memory/core", **MODE)["values"]
        assert answer["core"]["house"] == values["house"]
        assert values["house"].replace(values["house"].partition("Then ")[2].partition(" and")[0], token) == long
    assert served.get("/v1/memory/curated", **MODE)["items"] == []
    turn = served.post("/v1/turn/prepare", {**MODE, "sessionKey": "k"})["xml"]
    assert turn.count("All tests are run first.") > 70
    assert not [path for path in terminal.data.rglob("*") if path.is_file() and token[:20].encode() in path.read_bytes()]

    put(served, "/v1/memory/core", {**MODE, "key": "house", "value": "Short."})
    assert served.get("/v1/memory/core", **MODE)["values"] == {"house": "Short.", "tone": "brief"}
    put(served, "/v1/memory/core", {**MODE, "core": {"house": None, "tone": long}})
    put(served, "/v1/memory/core", {**MODE, "key": "tone", "value": None})
    assert served.get("/v1/memory/core", **MODE)["values"] == {}
    assert "are run first" not in served.post("/v1/turn/prepare", {**MODE, "sessionKey": "other"})["xml"]


@pytest.mark.parametrize(("name", "key"), [("Leader of\nall " * 20, ("Leader of all " * 20)[:100].strip()), ("", "core")])
def test_an_imported_core_is_read_whatever_its_name_and_its_length(
    served: Served, terminal: Terminal, name: str, key: str
) -> None:
    top = stores.mecho(terminal.folder / "modes", 2, MODE["modeId"])
    description, detail = "Calm and kind. " * 160, "Never shouts. " * 200
    with closing(sqlite3.connect(top / MODE["modeId"] / "mecho.db")) as db:
        db.execute("UPDATE core_memory SET name = ?, description = ?, detail = ?", (name, description, detail))
        db.commit()
    for new in ("3 new, 0 changed", "0 new, 0 changed"):
        assert f"mecho in modes/riko: {new}" in terminal.mem("import", str(top), "--trust").out
        read = core(served)
        assert (read["name"], read["description"], read["detail"]) == (key, description.strip(), detail.strip())


def test_a_core_that_is_put_beside_other_values_is_the_core(served: Served) -> None:
    put(served, "/v1/memory/core", {**CORE, "core": {CORE["name"]: "Another text.", "tone": "brief"}})

    assert (core(served)["name"], core(served)["description"]) == (CORE["name"], CORE["description"])
    assert served.get("/v1/memory/core", **MODE)["values"]["tone"] == "brief"
