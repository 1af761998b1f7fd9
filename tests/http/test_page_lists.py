"""Lists of the first view: what they leave out is named or one step away, and no two rows are called the same."""

from __future__ import annotations

import re

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window
from tests.http.served import Served, tell

POINTS = [f"Still open: part {name} is not done yet." for name in ("one", "two", "three", "four", "five", "six", "seven")]


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> None:
    """Two sessions of one title, seven open points, and two memories that both were told, of which one is pinned."""
    served, terminal = shared
    terminal.process("init", "--no-agents")
    served.post("/v2/memories", {"title": "The cart has seven parts", "summary": "s"})
    pinned = served.post("/v2/memories", {"title": "Parts are tested", "summary": "s"})["id"]
    served.post(f"/v2/memories/{pinned}/pin")
    before = terminal.env["MEMPACK_CLOCK"]
    for moment, name in (("2026-02-27T10:00:00Z", "s-1"), ("2026-02-27T11:30:00Z", "s-2")):
        terminal.env["MEMPACK_CLOCK"] = moment
        tell(terminal, "session-start", {"session_id": name, "source": "startup"})
        tell(terminal, "user-prompt", {"session_id": name, "prompt": "Which parts of the cart are done?"})
        tell(terminal, "stop", {"session_id": name, "last_assistant_message": "None.\n\n" + "\n\n".join(POINTS)})
    terminal.env["MEMPACK_CLOCK"] = before
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})


def home(page: Window) -> Window:
    """The first view, once all of it is there."""
    page.open("").page.wait_for_function(
        "() => document.querySelector('.view-home') && !document.querySelector('[aria-busy=true]')"
    )
    return page


def test_sessions_of_one_title_are_told_apart_by_when_they_began(page: Window) -> None:
    names = home(page).find(".home section:has(h2:text-is('Recent sessions')) li > a").all_inner_texts()
    assert [re.search(r", 2026-02-27 \d\d:\d\d$", name) is not None for name in names] == [True, True]
    assert len(set(names)) == 2


def test_and_more_leads_to_the_list(page: Window, shared: tuple[Served, Terminal]) -> None:
    n = shared[0].get("/v2/items", type="passage", kind="open", state="holds")["total"]
    home(page).named("link", f"and {n - 5} more").click()
    page.says(".view-all [role=status]", f"{n} items")


def test_what_a_list_of_memories_without_a_sign_of_use_leaves_out_is_named_with_the_reason(page: Window) -> None:
    part = home(page).find(".home section:has(h2:text-is('Told, no sign of use'))")
    assert "No sign is no proof" in (part.locator("h2").get_attribute("title") or "")
    assert "are not listed here" in part.inner_text() or "is not listed here" in part.inner_text()
    assert "Parts are tested (pinned)" in part.inner_text()
    page.at("doctor?at=unused").says(".view-doctor", "Parts are tested (pinned)")
