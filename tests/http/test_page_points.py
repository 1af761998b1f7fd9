"""What a session left open is closed wherever it is listed: on the first view, in its session, and in the list of everything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window, window
from tests.http.served import Served, tell

if TYPE_CHECKING:
    from playwright.sync_api import Browser

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
    page.find("#toasts").get_by_role("button", name="Dismiss", exact=True).wait_for()
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
    page.says("#toasts", "is closed").counts(f"{LEFT} li button:has-text('Close…')", 1)
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


def closed_point(served: Served) -> tuple[dict[str, Any], str]:
    """A point that was closed, and the memory that closes it."""
    found = served.get("/v2/items", type="passage", kind="open", state="holds")["items"]
    point = next(it for it in found if "the index has no letters" in it["title"])
    path = f"/v2/memories/{point['id'].replace('#', '%23')}/supersede"
    return point, served.post(path, {"summary": "The index has letters"})["new_id"]


def is_open(served: Served, point: dict[str, Any]) -> bool:
    """Whether a point is listed as open."""
    found = served.get("/v2/items", type="passage", kind="open", state="holds")["items"]
    return point["id"] in [it["id"] for it in found]


def test_a_closed_point_stays_in_its_session_with_what_became_of_it_and_is_opened_again_there(
    page: Window, shared: tuple[Served, Terminal]
) -> None:
    served = shared[0]
    point, closing = closed_point(served)
    page.open(f"session/{point['session']}").says(f"{LEFT} li:has-text('no letters')", "The index has letters")
    page.says(f"{LEFT} li:has-text('no letters') a", "closed 2026-").says(".panel dl", "no letters. closed since Still open")
    page.counts(f"{LEFT} li a[href*='{closing}']", 1).shot("closed point")
    page.named("button", "Reopen Still open: the index has no letters").click()
    page.says("#toasts", "is open again").counts(f"{LEFT} li button:has-text('Close…')", 2).counts(".panel dl .badge", 0)
    assert is_open(served, point)

    page.find("#toasts button").filter(has_text="Undo reopening").click()
    page.counts(f"{LEFT} li button:has-text('Reopen')", 1)
    assert not is_open(served, point)
    served.ask("DELETE", f"/v2/memories/{closing}")
    page.counts(f"{LEFT} li button:has-text('Close…')", 2)  # wherever it was forgotten


def test_a_closed_point_is_opened_again_in_the_list_of_everything_which_calls_it_closed(
    page: Window, shared: tuple[Served, Terminal]
) -> None:
    served = shared[0]
    point, closing = closed_point(served)
    row = ".list > li:has-text('the index has no letters')"
    page.open("all?type=passage&kind=open").says(f"{row} .badge", "closed").says(".facets", "closed")
    page.find(row).get_by_role("button", name="Reopen").click()
    page.says("#toasts", "is open again").counts(f"{row} button:has-text('Close…')", 1)
    assert is_open(served, point)
    assert served.ask("GET", f"/v2/memories/{closing}").status == 404


def test_a_point_is_opened_again_in_the_view_of_the_memory_that_closes_it(page: Window, shared: tuple[Served, Terminal]) -> None:
    served = shared[0]
    point, closing = closed_point(served)
    page.open(f"memory/{closing}").says(LINKS, "It closes")
    page.find(LINKS).get_by_role("button", name="Reopen").click()
    page.says("#toasts", "is open again").says(".view-memory", "It is forgotten")
    assert is_open(served, point)


def test_the_first_view_follows_what_is_closed_in_another_window(
    page: Window, shared: tuple[Served, Terminal], chromium: Browser, tmp_path: Path
) -> None:
    button = ".home li:has-text('the index has no letters') button"
    home(page).counts(button, 1)
    with window(chromium, shared[0], tmp_path) as other:
        home(other).find(button).click()
        other.page.get_by_role("dialog").get_by_role("button", name="Close", exact=True).click()
        other.says("#toasts", "is closed")
        page.counts(button, 0)
        other.find("#toasts button").filter(has_text="Undo closing").click()
        page.counts(button, 1)
        page.find(button).focus()
        shared[0].post("/v2/memories", {"title": "Written meanwhile", "summary": "Elsewhere"})
        page.says("main [data-part=totals]", f"{shared[0].get('/v2/stats')['totals']['memories']} memor")
        assert "the index has no letters" in page.focus
