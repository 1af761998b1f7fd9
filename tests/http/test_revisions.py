"""Changes that name the revision that they were made for: nobody's change is lost without a word."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window, window
from tests.http.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture
def tabs(chromium: Browser, served: Served, terminal: Terminal, tmp_path: Path) -> Iterator[tuple[Window, Window]]:
    """Two windows on one memory."""
    terminal.mem("init", "--no-agents")
    with window(chromium, served, tmp_path) as one, window(chromium, served, tmp_path) as other:
        yield one.open(), other.open()


def test_a_change_names_the_revision_that_it_was_made_for(served: Served, terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    path = "/v2/memories/" + terminal.add("Sessions live in Postgres", "Redis evicted them")
    tag = served.ask("GET", path).headers["etag"]

    changed = served.ask("PATCH", path, {"summary": "B wrote that"}, {"If-Match": tag})
    assert changed.status == 200
    assert changed.headers["etag"] == served.ask("GET", path).headers["etag"] != tag
    for method, rest, body in (
        ("PATCH", "", {"summary": "A wrote that"}),
        ("POST", "/supersede", {"summary": "A wrote that"}),
        ("POST", "/pin", None),
        ("DELETE", "", None),
    ):
        refused = served.ask(method, path + rest, body, {"If-Match": tag})
        assert (refused.status, refused.json["code"]) == (412, "changed"), method + rest
        assert refused.headers["etag"] == changed.headers["etag"]
    assert served.ask("PATCH", path, {"summary": "A"}, {"If-Match": '"no tag of ours"'}).status == 412
    newest = changed.headers["etag"]
    for tags in ('"99999"', f'{tag}, "99999"', f"W/{newest}", newest.strip('"'), f"{newest} {newest}"):
        assert served.ask("PATCH", path, {"summary": "A"}, {"If-Match": tags}).status == 412, tags
    assert served.ask("PUT", "/v2/profile/new", {"value": "x"}, {"If-Match": '"99999"'}).status == 412
    assert served.get(path)["memory"]["summary"] == "B wrote that"
    assert served.ask("PATCH", path, {"tags": ["one"]}, {"If-Match": f'"99999", {newest}'}).status == 200
    assert served.ask("PATCH", path, {"summary": "any"}, {"If-Match": "*"}).status == 200


def test_what_has_something_in_common_is_forgotten_at_once(served: Served, terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    names = {terminal.add(f"Fact {number} of a day") for number in range(3)}
    before = terminal.mem("recent", "--json").json
    assert served.ask("POST", "/v2/forget", {}).status == 422
    listed = served.ask("POST", "/v2/forget", {"origin": "cli", "dry_run": True}).json
    assert {(row["id"], row["status"]) for row in listed} == {(name, "stored") for name in names}
    done = served.ask("POST", "/v2/forget", {"origin": "cli", "since": "1 day"}).json
    assert {(row["id"], row["status"]) for row in done} == {(name, "forgotten") for name in names}
    assert served.ask("POST", "/v2/undo").status == 200
    assert {row["id"] for row in terminal.mem("recent", "--json").json} == {row["id"] for row in before}


def test_undo_takes_nothing_back_that_came_later(served: Served, terminal: Terminal) -> None:
    terminal.mem("init", "--no-agents")
    old = terminal.add("Sessions live in Postgres")
    done = served.post(f"/v2/memories/{old}/supersede", {"summary": "They moved."})
    terminal.mem("update", done["new_id"], "--summary", "They moved to MySQL.")

    tag = {"If-Match": f'"{done["revision"]}"'}
    assert served.ask("POST", "/v2/undo", None, tag).status == 412
    terminal.mem("undo")
    assert served.get(f"/v2/memories/{done['new_id']}")["memory"]["summary"] == "They moved."


def test_state_and_profile_are_not_overwritten_unseen(served: Served, terminal: Terminal) -> None:
    served.post("/v2/state", {"reason": "one", "state": {"open": 1}})
    seen = {"If-Match": f'"{served.get("/v2/stats")["revision"]}"'}
    assert served.ask("PUT", "/v2/profile/editor", {"value": "vim"}, seen).status == 200
    assert served.ask("POST", "/v2/state", {"reason": "two", "state": {"open": 2}}, seen).status == 201

    assert served.ask("PUT", "/v2/profile/editor", {"value": "emacs"}, seen).status == 412
    assert served.ask("DELETE", "/v2/profile/editor", None, seen).status == 412
    assert served.ask("POST", "/v2/state", {"reason": "three", "state": {"open": 3}}, seen).status == 412
    assert served.get("/v2/state")["state"] == {"open": 2}


def test_a_terminal_names_it_too(terminal: Terminal) -> None:
    memory_id = terminal.add("Sessions live in Postgres")
    seen = str(terminal.mem("show", memory_id, "--json").json["memory"]["revision"])
    terminal.mem("update", memory_id, "--summary", "B wrote that", "--if-revision", seen)

    refused = terminal.mem("update", memory_id, "--summary", "A wrote that", "--if-revision", seen, fails=2).err
    assert f"{memory_id} was changed meanwhile" in refused
    assert f"mem log {memory_id}" in refused


def test_two_tabs_never_overwrite_each_other_silently(tabs: tuple[Window, Window], terminal: Terminal) -> None:
    made = terminal.add("Sessions live in Postgres", "Redis evicted them")
    for tab in tabs:
        tab.at(f"memory/{made}").says(".view-memory h1", "Sessions").keys("e")
        tab.says("dialog h2", f"Edit {made}")
    tabs[1].find("dialog textarea").fill("B wrote that")
    tabs[1].named("button", "Save").click()
    tabs[1].says("#toasts", "is changed")
    tabs[0].find("dialog textarea").fill("A wrote that")
    tabs[0].named("button", "Save").click()
    tabs[0].says("dialog .conflicts", "Somebody else changed the same meanwhile")
    assert terminal.mem("show", made, "--json").json["memory"]["summary"] == "B wrote that"

    terminal.mem("update", made, "--summary", "C wrote that")
    tabs[1].named("button", "Undo changing").click()
    tabs[1].says("#toasts", "was changed meanwhile")
    assert terminal.mem("show", made, "--json").json["memory"]["summary"] == "C wrote that"
    for tab in tabs:
        (complaint,) = tab.complaints  # the browser's own, of an answer that is an error
        assert "412" in complaint
        tab.complaints.clear()


def test_a_refused_edit_shows_both_texts_and_goes_on_from_there(tabs: tuple[Window, Window], terminal: Terminal) -> None:
    made = terminal.add("Sessions live in Postgres", "Redis evicted them", "--thread", "auth")
    tab = tabs[0].at(f"memory/{made}").says(".view-memory h1", "Sessions").keys("e")
    tab.says("dialog h2", f"Edit {made}").find("dialog textarea").fill("I wrote that")
    terminal.mem("update", made, "--summary", "They wrote that", "--title", "Sessions live in MySQL")

    tab.keys("Control+Enter").says("dialog .conflicts", "Somebody else changed the same meanwhile")
    tab.says("dialog .conflicts h3", "summary").says("dialog .diff del", "- They wrote that").says(
        "dialog .diff ins", "+ I wrote that"
    )
    assert tab.find("dialog textarea").input_value() == "I wrote that"
    assert tab.named("textbox", "Title").input_value() == "Sessions live in MySQL"  # only they changed it
    tab.named("button", "Take theirs").click()
    assert tab.find("dialog textarea").input_value() == "They wrote that"
    tab.named("button", "Keep mine").click()
    tab.find("dialog textarea").fill("Both wrote that")
    tab.named("button", "Save").click()
    tab.says("#toasts", "is changed").counts("dialog", 0)
    memory = terminal.mem("show", made, "--json").json["memory"]
    assert (memory["title"], memory["summary"], memory["thread_id"]) == ("Sessions live in MySQL", "Both wrote that", "auth")
    tab.complaints.clear()
