"""Addresses of what is not there, and texts that are larger or stranger than usual."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window, window
from tests.http.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NOWHERE = (
    "memory/M-ZZZZZZZZZZ",
    "memory/%E0%A4%A",
    "session/A-ZZZZZZZZZZ",
    "thread/nobody",
    "why?target=nowhere.py",
    "why?target=-",
    "graph?start=M-ZZZZZZZZZZ",
    "graph?start=file:nowhere.py&depth=9",
    "pack?source=turn&session=A-ZZZZZZZZZZ",
    "pack?source=nobody&budget=-7&harness=nobody",
    "pack?commit=nowhere",
    "pack?source=start&engine=nobody&commit=nowhere",
    "all?session=nobody&type=nothing",
    "all?state=nothing",
    "memories?anchor=zz&kind=nothing&since=never",
    "state?to=S-ZZZZZZZZZZ",
    "notes?at=N-ZZZZZZZZZZ",
    "turns?session=A-ZZZZZZZZZZ",
    "json?call=/v2/nowhere",
    "json?call=https://example.org/",
    "history?branch=nowhere",
    "doctor?at=nowhere",
)
STRANGE = "שלום 🦊 " + "Donaudampfschifffahrtsgesellschaftskapitän" * 5 + " \u202eevil\u202c"


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> str:
    """A memory of the largest size and one with a strange name. Returns the id of the large one."""
    served, terminal = shared
    terminal.process("init", "--no-agents")
    served.post("/v2/memories", {"title": STRANGE, "summary": STRANGE * 3, "thread": "שלום 🦊"})
    return str(served.post("/v2/memories", {"title": "Large", "summary": "word " * 13_000})["id"])


def test_an_address_of_what_is_not_there_says_so_in_its_view(page: Window) -> None:
    page.open("home")
    for address in NOWHERE:
        page.complaints.clear()
        page.page.evaluate("(hash) => { location.hash = hash }", f"#/{address}")
        page.page.wait_for_selector(f"main[data-view={address.partition('/')[0].partition('?')[0]}] h1")
        page.page.wait_for_timeout(150)
        text = page.find("main").inner_text()
        assert "undefined" not in text, (address, text)
        assert "null" not in text.split() or address.startswith("json"), (address, text)
        assert "NaN" not in text, (address, text)
        assert "GET /" not in text or address.startswith("json"), (address, text)
        unexpected = [line for line in page.complaints if "Failed to load resource" not in line]
        assert unexpected == [], address
        page.at("settings")
    page.page.evaluate("() => { location.hash = '#/session/A-ZZZZZZZZZZ' }")
    page.says("main h1", "That did not work").says("main", "no session A-ZZZZZZZZZZ")
    page.named("link", "All sessions").click()
    page.says("main h1", "Sessions")
    page.complaints.clear()


def test_a_large_memory_and_strange_names_are_shown_whole_on_a_phone(page: Window, filled: str) -> None:
    page.page.set_viewport_size({"width": 360, "height": 740})
    page.open(f"memory/{filled}").says("main h1", "Large")
    for view in (
        "home",
        "memories",
        "all",
        "threads",
        "history",
        "graph?start=thread:שלום 🦊",
        "pack?q=evil",
        "pack?source=start",
    ):
        page.at(view)
        page.page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')")
        wider = page.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wider <= 0, view


def test_a_repository_that_is_gone_is_said_to_be_and_another_one_can_be_chosen(
    chromium: Browser, served: Served, terminal: Terminal, tmp_path: Path
) -> None:
    terminal.mem("init", "--no-agents")
    other = terminal.folder.parent / "other"
    terminal.git("clone", "-q", str(terminal.folder), str(other))
    terminal.git("-C", str(other), "remote", "remove", "origin")
    terminal.process("init", "--no-agents", "--repo", str(other))
    with window(chromium, served, tmp_path) as page:
        page.open("home")
        terminal.folder.rename(tmp_path / "moved")
        for view in ("memories", "history", "doctor", "why?target=login.py"):
            page.at(view).says("main", "no repository ")
        page.at("home").says("main", "its memory is kept")
        page.complaints.clear()  # the browser notes each refusal, too
        assert [it["active"] for it in served.items("/v2/repos")] == [False] * len(served.items("/v2/repos"))
