"""Who is signed in to the page: a tab that keeps its key, tells it to nobody, and says what to do when it is refused."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window, window
from tests.http.served import Served, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser

KEY = "() => sessionStorage.getItem('mem.session')"


@pytest.fixture
def tab(chromium: Browser, served: Served, terminal: Terminal, tmp_path: Path) -> Iterator[Window]:
    """A browser that has not opened the page yet, over a memory of its own."""
    terminal.mem("init", "--no-agents")
    with window(chromium, served, tmp_path) as shown:
        shown.may_be_alone = True
        yield shown


@contextmanager
def listening() -> Iterator[tuple[int, list[str]]]:
    """Another server of this machine: its port, and the heads of the requests that it got."""
    heads: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heads.append(str(self.headers))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port, heads
    finally:
        server.shutdown()
        server.server_close()


def test_another_server_of_this_machine_receives_nothing(tab: Window, served: Served) -> None:
    tab.open()
    key = str(tab.page.evaluate(KEY))
    assert tab.page.context.cookies() == []
    with listening() as (port, heads):
        other = tab.page.context.new_page()
        other.goto(f"http://127.0.0.1:{port}/")
        assert other.evaluate(KEY) is None
        assert other.evaluate("() => Object.keys(localStorage).length") == 0
        tab.page.goto(f"http://127.0.0.1:{port}/from-the-page")
        assert heads
        for head in heads:
            assert not {"cookie", "authorization"} & {line.partition(":")[0].lower() for line in head.splitlines()}
            assert key not in head
            assert str(served.port) not in head
    tab.asked.clear()  # it went elsewhere on purpose


def test_a_reload_keeps_the_session_and_the_place(tab: Window) -> None:
    tab.open("settings")
    tab.page.reload()
    tab.says("h1", "Settings").says("#status", "Live")
    assert "login" not in tab.page.url


def test_a_bookmark_waits_for_the_session_and_goes_on_where_it_is(tab: Window, served: Served, terminal: Terminal) -> None:
    made = terminal.add("Worth a bookmark")
    tab.page.goto(f"http://127.0.0.1:{served.port}/#/memory/{made}")
    tab.says("h1", "Not signed in").says("main", "mem serve open").says("#status", "Not signed in")
    tab.keys("/", "x", "n").says("h1", "Not signed in")

    tab.beside(served).open()
    tab.says(".view-memory h1", "Worth a bookmark").says("#status", "Live")
    third = tab.beside(served)
    third.page.goto(f"http://127.0.0.1:{served.port}/#/memory/{made}")
    third.says(".view-memory h1", "Worth a bookmark")
    assert tab.complaints == []


def test_a_link_in_the_address_signs_an_open_tab_in_where_it_is(tab: Window, served: Served) -> None:
    tab.page.goto(f"http://127.0.0.1:{served.port}/#/queue")
    tab.says("h1", "Not signed in")
    tab.page.goto(served.post("/v2/link")["url"])
    tab.says("h1", "Queue").says("#status", "Live")
    assert tab.page.url.endswith("#/queue")


def test_a_link_that_was_used_says_what_to_do(tab: Window, served: Served) -> None:
    url = served.post("/v2/link")["url"]
    tab.beside(served).page.goto(url)
    code = url.rpartition("=")[2]
    served.ask("POST", f"/login?code={code}", headers={"Authorization": ""})
    tab.page.context.clear_cookies()
    for page in tab.page.context.pages[1:]:
        page.close()
    tab.page.goto(url)
    tab.says("h1", "Not signed in").says("main", "mem serve open")
    assert all("410" in line for line in tab.complaints)
    tab.complaints.clear()


def test_after_a_restart_the_earlier_key_is_refused_and_the_tab_goes_on_once_the_page_is_opened_again(
    tab: Window, served: Served, terminal: Terminal
) -> None:
    made = terminal.add("Half written")
    tab.open(f"memory/{made}").keys("e").says("dialog h2", "Edit")
    tab.find("dialog input").first.fill("Written through a restart")
    earlier = {"Authorization": f"Bearer {tab.page.evaluate(KEY)}"}
    assert served.ask("GET", "/v2/recent", headers=earlier).status == 200
    assert served.stop() == 0

    with serving(terminal, "--port", str(served.port)) as again:
        assert again.refused("GET", "/v2/recent", headers=earlier) == (401, "not_authorised")
        tab.says("main h1", "Not signed in")
        tab.keys("Control+Enter").says("dialog [role=alert]", "run mem serve open")
        tab.beside(again).open()
        tab.says("#status", "Live").says(".view-memory h1", "Half written")
        tab.keys("Control+Enter").counts("dialog", 0).says(".view-memory h1", "Written through a restart")
        assert tab.page.evaluate(KEY) != earlier["Authorization"].split()[1]


def test_logging_out_ends_the_session_in_every_tab(tab: Window, served: Served, terminal: Terminal) -> None:
    terminal.add("Not to be seen afterwards")
    tab.open("feed").says("[role=log]", "Not to be seen afterwards")
    other = tab.beside(served)
    other.page.goto(f"http://127.0.0.1:{served.port}/#/settings")
    key = {"Authorization": f"Bearer {tab.page.evaluate(KEY)}"}
    other.named("button", "Log out").click()
    for shown in (other, tab):
        shown.says("h1", "Not signed in")
        assert shown.page.evaluate(KEY) is None
        assert "Not to be seen" not in str(shown.page.evaluate("document.body.innerText"))
    assert served.refused("GET", "/v2/recent", headers=key) == (401, "not_authorised")
    tab.page.reload()
    tab.says("h1", "Not signed in")
