"""Single keys on the page: what is typed on the way to the search field is a search, and no command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window, window
from tests.http.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route


@pytest.fixture
def page(chromium: Browser, served: Served, terminal: Terminal, tmp_path: Path) -> Iterator[Window]:
    """The page over two memories."""
    terminal.mem("init", "--no-agents")
    terminal.add("The proxy needs a header")
    terminal.add("Sessions live in Postgres")
    with window(chromium, served, tmp_path) as shown:
        yield shown.open()


def test_a_slash_and_what_follows_end_in_the_search_field_from_every_view(
    page: Window, served: Served, terminal: Terminal
) -> None:
    before = terminal.mem("log", "--json").json
    memory_id = terminal.mem("recent", "--json").json[0]["id"]
    for view in ("feed", "queue", "sessions", "state", f"memory/{memory_id}"):
        page.at("memories?q=").at(view)
        page.keys("/", "p", "r", "o", "x", "y").says(".view-memories mark", "proxy")
        assert page.find("[data-search]").input_value() == "proxy", view
        assert page.find("dialog[open]").count() == 0
    assert terminal.mem("log", "--json").json == before


def test_a_key_that_takes_something_away_acts_on_the_focused_memory_only(page: Window, terminal: Terminal) -> None:
    before = terminal.mem("log", "--json").json
    page.says(".list", "Sessions live").keys("x", "p")
    page.keys("?").says("dialog h2", "Keys").keys("Escape")
    assert terminal.mem("log", "--json").json == before

    page.keys("j", "x").says("#toasts", "is forgotten")
    assert "Sessions live in Postgres" not in [one["title"] for one in terminal.mem("recent", "--json").json]


def test_keys_do_what_needs_no_memory_where_nobody_is_signed_in_and_say_why_the_others_do_not(
    chromium: Browser, served: Served, tmp_path: Path
) -> None:
    with window(chromium, served, tmp_path) as shown:
        shown.page.goto(f"http://127.0.0.1:{served.port}/")
        shown.says("main h1", "Not signed in").keys("?").says("dialog h2", "Keys").keys("Escape").counts("dialog", 0)
        shown.keys("/").says("#toasts", "run mem serve open")


def test_an_offer_to_undo_stays_half_a_minute_on_a_phone_also_where_one_moves_on(
    chromium: Browser, served: Served, terminal: Terminal, tmp_path: Path
) -> None:
    terminal.mem("init", "--no-agents")
    for title in ("The proxy needs a header", "Sessions live in Postgres"):
        terminal.add(title)
    with window(chromium, served, tmp_path, viewport={"width": 390, "height": 740}, has_touch=True, is_mobile=True) as phone:
        phone.page.clock.install()
        phone.open().says(".list", "The proxy").find("[data-act=x]").first.tap()
        phone.says("#toasts", "is forgotten").find("#toasts p").tap()
        phone.page.clock.fast_forward(29_000)
        phone.says("#toasts", "is forgotten")
        phone.page.clock.fast_forward(2_000)
        phone.counts("#toasts .toast", 0).find("[data-act=x]").first.tap()
        phone.says("#toasts", "is forgotten").at("home")
        phone.page.clock.fast_forward(20_000)
        phone.says("#toasts", "is forgotten").named("button", "Dismiss").tap()
        phone.counts("#toasts .toast", 0)


def test_an_offer_to_undo_stays_beside_another_message(page: Window) -> None:
    page.says(".list", "Sessions live").keys("j", "x").says("#toasts", "is forgotten")
    page.keys("n").page.get_by_label("Title").fill("Half written")
    page.at("home").says("#toasts", "is forgotten").says("#toasts .toast:last-child", "not saved")
    page.find("#toasts button").filter(has_text="Undo forgetting").click()
    page.says("#toasts", "Taken back: forgetting")


def test_another_view_closes_a_dialog_and_what_was_written_in_it_is_kept(page: Window, terminal: Terminal) -> None:
    page.says(".list", "Sessions live").keys("j", "e").says("dialog h2", "Edit").at("home").counts("dialog", 0)
    assert page.find("#toasts .toast").count() == 0
    page.keys("g", "m").says(".list", "Sessions live").keys("j", "e").says("dialog h2", "Edit")
    page.find("dialog input").first.fill("Sessions live in MySQL")
    page.at("home").counts("dialog", 0).says("#toasts", "not saved")
    page.keys("g", "f").says("main h1", "Live feed").named("button", "Open the form again").click()
    page.says("dialog h2", "Edit").named("button", "Save").click()
    page.says("#toasts", "is changed").counts("dialog", 0)
    assert "Sessions live in MySQL" in [one["title"] for one in terminal.mem("recent", "--json").json]


def test_a_dialog_that_comes_late_does_not_open_over_another_view(page: Window, terminal: Terminal) -> None:
    memory_id = terminal.mem("recent", "--json").json[0]["id"]
    held: list[Route] = []
    page.at(f"memory/{memory_id}").page.route(f"**/v2/memories/{memory_id}*", lambda route: held.append(route))
    page.keys("e")
    page.page.wait_for_timeout(100)
    assert len(held) == 1
    page.at("sessions")
    held[0].continue_()
    page.page.wait_for_timeout(300)
    assert page.find("dialog").count() == 0
    assert page.find("#toasts .toast").count() == 0
