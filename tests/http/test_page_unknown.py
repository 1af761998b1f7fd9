"""Addresses of what is not there, and texts that are larger or stranger than usual."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window, window
from tests.http.served import Served, tell

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# address, what is said of it, a link that leads on
NOWHERE = (
    ("nowhere", "no view of this page is called so", "Search everything for “nowhere”"),
    ("M-ZZZZZZZZZZ", "There is no such view", "Open the memory M-ZZZZZZZZZZ"),
    ("memory/M-ZZZZZZZZZZ", "Nothing in this memory has the id M-ZZZZZZZZZZ.", "Search everything for “M-ZZZZZZZZZZ”"),
    ("memory/%E0%A4%A", "Nothing in this memory has the id %E0%A4%A.", "All memories"),
    ("memory/M-ZZZZZZZZZZ/more", "Nothing in this memory has the id M-ZZZZZZZZZZ/more.", "Open the memory M-ZZZZZZZZZZ"),
    ("memory/C-ZZZZZZZZZZ", "Nothing in this memory has the id C-ZZZZZZZZZZ.", "All memories"),
    ("memory/P-ZZZZZZZZZZ", "Nothing in this memory has the id P-ZZZZZZZZZZ.", "All memories"),
    ("session/A-ZZZZZZZZZZ", "No session of this memory has the id or the name A-ZZZZZZZZZZ.", "All sessions"),
    ("session/M-ZZZZZZZZZZ", "There is no such session", "Open the memory M-ZZZZZZZZZZ"),
    ("thread/nobody", "No thread of this memory is called nobody.", "All threads"),
    ("why?target=nowhere.py:3", "No file or commit nowhere.py:3.", "Search everything for “nowhere.py”"),
    ("why?target=-", "No file or commit -.", "The files that are stored"),
    ("graph?start=M-ZZZZZZZZZZ", "No memory M-ZZZZZZZZZZ.", "Search everything for “M-ZZZZZZZZZZ”"),
    ("graph?start=thread:nobody", "Nothing is linked with it.", "Search everything for “nobody”"),
    ("graph?depth=9&types=all", "depth=9: depth can only be a number from 1 to 4. It is left out.", ""),
    ("pack?source=turn&session=A-ZZZZZZZZZZ", "No session A-ZZZZZZZZZZ.", "All sessions"),
    ("pack?source=nobody", "source=nobody: source can only be one of start, turn. It is left out.", ""),
    ("pack?budget=-7", "budget=-7: budget can only be a number from 100 to 8,000. It is left out.", ""),
    ("pack?budget=lots&harness=nobody", "No harness 'nobody'.", ""),
    ("pack?commit=nowhere", "No commit 'nowhere' here.", ""),
    ("pack?compare=true&other_commit=nowhere", "No commit 'nowhere' here.", ""),
    ("pack?source=start&commit=nowhere", "No commit 'nowhere' here.", ""),
    ("pack?source=start&engine=nobody", "No harness is called nobody", ""),
    ("all?type=nothing", "type=nothing: type can only be one of memory, prompt,", ""),
    ("all?session=nobody", "No session nobody.", "Without filters"),
    ("all?kind=nothing", "Nothing matches.", "Without filters"),
    ("memories?anchor=zz", "anchor=zz: anchor can only be four digits or more of a commit's hash. It is left out.", ""),
    ("memories?since=never&only=some", "since=never: since can only be a date such as 2026-02-28. It is left out.", ""),
    ("memories?session=nobody", "No session nobody.", "Without filters"),
    ("memories?kind=nothing", "Nothing matches.", ""),
    ("memories?workspace=nobody", "Nothing was ever written to a workspace nobody here: it is empty.", ""),
    ("memories?repo=nobody", "No repository on this machine is called nobody.", "All repositories"),
    ("state?to=S-ZZZZZZZZZZ", "No state S-ZZZZZZZZZZ.", "The latest checkpoint"),
    ("notes?at=N-ZZZZZZZZZZ", "No note of the last year has the id N-ZZZZZZZZZZ.", ""),
    ("turns?session=A-ZZZZZZZZZZ", "No session A-ZZZZZZZZZZ.", "Turns of every session"),
    ("json?call=/v2/nowhere", "404", ""),
    ("json?call=https://example.org/", "call can only be the path of a call to this service", ""),
    ("history?branch=nowhere", "No memory fits.", "Without filters"),
    ("history?state=nowhere", "state=nowhere: state can only be one of", ""),
    ("evidence?path=nowhere", "Nothing of nowhere is stored.", "Search everything for “nowhere”"),
    ("evidence?path=../..", "../.. is not in the working tree.", ""),
    ("doctor?at=nowhere", "at=nowhere: at can only be unused. It is left out.", ""),
    *[
        (f"{view}/more?nonsense=1", "nonsense=1, which means nothing in this view. It is left out.", "")
        for view in (
            *("all", "doctor", "evidence", "feed", "graph", "history", "home", "json", "memories", "notes", "pack", "profile"),
            *("queue", "repositories", "reverts", "sessions", "settings", "state", "threads", "turns", "why"),
        )
    ],
)
STRANGE = "שלום 🦊 " + "Donaudampfschifffahrtsgesellschaftskapitän" * 5 + " \u202eevil\u202c"


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> str:
    """A memory of the largest size and one with a strange name. Returns the id of the large one."""
    served, terminal = shared
    terminal.process("init", "--no-agents")
    served.post("/v2/memories", {"title": STRANGE, "summary": STRANGE * 3, "thread": "שלום 🦊"})
    return str(served.post("/v2/memories", {"title": "Large", "summary": "word " * 13_000})["id"])


def test_an_address_of_what_is_not_there_says_what_is_wrong_and_leads_on(page: Window) -> None:
    page.open("home")
    for address, words, link in NOWHERE:
        page.complaints.clear()
        page.page.evaluate("(hash) => { location.hash = hash }", f"#/{address}")
        page.says("main", words)
        if link:
            page.named("link", link).first.wait_for()
        if "/more?" in address:
            page.says(".about-address", "The address goes on with /more, which means nothing in this view.")
        text = page.find("main").inner_text()
        assert "undefined" not in text, (address, text)
        assert "null" not in text.split() or address.startswith("json"), (address, text)
        assert "NaN" not in text, (address, text)
        assert "GET /" not in text or address.startswith(("json", "settings")), (address, text)
        assert page.find("main h1").count() == 1, address
        unexpected = [line for line in page.complaints if "Failed to load resource" not in line]
        assert unexpected == [], address
        page.at("settings")
        page.page.wait_for_function("() => document.querySelector('.about-address').innerText === ''")
    page.complaints.clear()


def test_the_id_of_something_else_leads_to_where_that_is_shown(page: Window, shared: tuple[Served, Terminal]) -> None:
    served = shared[0]
    note = served.post("/v2/notes", {"text": "Talked about it."})["id"]
    state = served.post("/v2/state", {"reason": "Deploying", "state": {}})["state_id"]
    page.open()
    for id, view in ((note, "notes"), (state, "state")):
        page.page.evaluate("(hash) => { location.hash = hash }", f"#/memory/{id}")
        page.find(f"main .view-{view} h1").wait_for()
        page.page.wait_for_function("() => document.querySelector('.about-address').innerText === ''")


def test_a_session_and_a_turn_that_are_not_there_leave_the_others_to_choose_from(
    page: Window, shared: tuple[Served, Terminal]
) -> None:
    tell(shared[1], "user-prompt", {"prompt": "validate the static paths"})
    shared[1].process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    (session,) = shared[0].items("/v2/sessions")
    page.open(f"session/{session['id']}?at=P-ZZZZZZZZZZ").says(
        ".about-address", "Nothing in this session has the id P-ZZZZZZZZZZ."
    )
    page.at(f"pack?source=turn&session={session['id']}&turn=nothing").says("main", "This session has no turn nothing")
    page.at("pack?source=turn&session=nobody").find(".view-pack li a").filter(has_text=session["title"]).click()
    page.says(".pack-ask", "prompt 1")
    page.complaints.clear()


def test_the_page_says_so_at_an_address_of_the_service_that_is_none(page: Window) -> None:
    for path in ("memories", "v2/memories"):
        page.page.goto(f"http://127.0.0.1:{page.served.port}/{path}")
        page.says("h1", "There is no page at this address")
    page.named("link", "Home").click()
    page.says("h1", "Not signed in")
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
            page.at(view).says("main", "No repository ")
        page.at("home").says("main", "its memory is kept")
        assert [it["active"] for it in served.items("/v2/repos")] == [False] * len(served.items("/v2/repos"))
        page.page.goto("about:blank")  # where nothing is asked any more
        page.complaints.clear()  # the browser notes each refusal, too
