"""What a session left open is closed wherever it is listed: on the first view, in its session, and in the list of everything."""

from __future__ import annotations

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window
from tests.http.served import Served, tell

LEFT = "section:has(h2:text-is('Left open'))"
LINKS = "section:has(h2:text-is('Links'))"


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> None:
    """A session that left two points open."""
    terminal = shared[1]
    terminal.process("init", "--no-agents")
    tell(terminal, "user-prompt", {"prompt": "Are the pages of the guide complete?"})
    answer = "They are.\n\nStill open: the index has no letters.\n\nStill open: the cart is not moved yet."
    tell(terminal, "stop", {"last_assistant_message": answer})
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})


def home(page: Window) -> Window:
    """The first view, once all of it is there."""
    page.open("").page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')")
    return page


def test_an_open_point_is_closed_from_the_first_view_and_opened_again_by_undo(
    page: Window, shared: tuple[Served, Terminal]
) -> None:
    served = shared[0]

    def point() -> tuple[str, str]:
        found = served.get("/v2/items", type="passage", kind="open")["items"]
        return next((it["id"], it["state"]) for it in found if "the index has no letters" in it["title"])

    button = ".home li:has-text('the index has no letters') button"
    home(page).counts(button, 1)
    assert point()[1] == "holds"
    page.find(button).click()
    assert page.page.get_by_role("dialog").get_by_role("textbox").count() == 1  # the rest is folded
    page.page.get_by_label("What became of it").fill("The index has letters")
    page.page.get_by_role("dialog").get_by_role("button", name="Close", exact=True).click()
    page.says("#toasts", "the index has no letters.” is closed").counts(button, 0)
    assert "M-" not in page.find("#toasts").inner_text()
    assert point()[1] == "overtaken"
    assert served.refused("POST", f"/v2/memories/{point()[0].replace('#', '%23')}/supersede")[0] == 422  # it is closed already
    page.find("#toasts button").filter(has_text="Undo closing").click()
    page.says("#toasts", "Taken back: closing").counts(button, 1)
    assert point()[1] == "holds"


def test_a_point_is_closed_in_its_session_and_the_memory_that_closes_it_leads_back(
    page: Window, shared: tuple[Served, Terminal]
) -> None:
    served = shared[0]
    found = served.get("/v2/items", type="passage", kind="open", state="holds")["items"]
    point = next(it for it in found if "the index has no letters" in it["title"])
    row = page.open(f"session/{point['session']}").find(f"{LEFT} li")
    row.get_by_role("button", name="Close Still open: the index has no letters").click()
    page.page.get_by_role("dialog").get_by_role("button", name="Close", exact=True).click()
    page.says("#toasts", "is closed").counts(f"{LEFT} li", 1)
    closed = served.get("/v2/memories")["items"][0]
    assert closed["title"] == "Closed: the index has no letters."
    page.at(f"memory/{closed['id']}")
    page.says(LINKS, "It closes “Still open: the index has no letters.”")
    page.says(LINKS, f"left open in session {point['at'][:10]} {point['session_title']}")
    page.find(f"{LINKS} .note a").first.click()
    page.says(".view-session .is-meant", "the index has no letters")
    served.post("/v2/undo")


def test_all_lists_what_the_first_view_counts_as_open_and_closes_it_there(page: Window, shared: tuple[Served, Terminal]) -> None:
    served = shared[0]
    n = served.get("/v2/items", type="passage", kind="open", state="holds")["total"]
    home(page).named("link", "all: Open work").click()
    page.says(".view-all [role=status]", f"{n} item")
    row = page.find(".list > li").filter(has_text="the index has no letters")
    row.get_by_role("button", name="Close Still open").click()
    page.page.get_by_role("dialog").get_by_role("button", name="Close", exact=True).click()
    page.says("#toasts", "is closed").says(".view-all [role=status]", f"{n - 1} item" if n > 1 else "Nothing matches")
    page.find("#toasts button").filter(has_text="Undo closing").click()
    page.says(".view-all [role=status]", f"{n} item")
