"""What is at hand on the page: buttons for fingers, whole words, a graph that begins with words, ages by the calendar."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window, window
from tests.http.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PHONE = {"width": 390, "height": 844}
SMALL = """() => [...document.querySelectorAll("main button, main select, main summary, dialog button")]
  .filter((one) => one.checkVisibility()).map((one) => [one.textContent, one.getBoundingClientRect()])
  .filter(([, box]) => box.height < 40 || box.width < 40).map(([text]) => text)"""
# Words of a table that stand on two lines although no hyphen or slash is in them.
BROKEN = r"""() => {
  const broken = [];
  for (const cell of document.querySelectorAll(".table :is(th, td)")) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const match of texts.currentNode.data.matchAll(/\w+/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, match.index);
        range.setEnd(texts.currentNode, match.index + match[0].length);
        if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) broken.push(match[0]);
      }
    }
  }
  return broken;
}"""


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> str:
    """More memories of a thread than a graph draws, with long titles."""
    served, terminal = shared
    terminal.process("init", "--no-agents")
    for number in range(16):
        title = f"The storefront synchronises catalogue entries with warehouses, part {number}"
        terminal.commit(f"Synchronise catalogue entries with warehouses {number}", **{f"part_{number}_py": "a = 1\n"})
        made = served.post("/v2/memories", {"title": title, "summary": "because of discrepancies", "thread": "storefront"})
    return str(made["id"])


@pytest.mark.parametrize("view", ["memories", "home", "history", "all", "memory/{id}"])
def test_what_a_finger_points_at_is_large_enough(
    chromium: Browser, shared: tuple[Served, Terminal], tmp_path: Path, filled: str, view: str
) -> None:
    with window(chromium, shared[0], tmp_path, viewport=PHONE, has_touch=True, is_mobile=True) as touched:
        touched.open(view.format(id=filled)).page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')")
        assert touched.page.evaluate(SMALL) == []


def test_what_hides_a_memory_stands_apart_from_what_does_not(page: Window, filled: str) -> None:
    page.open(f"memory/{filled}").says(".whole .acts", "Forget")
    boxes = {name: page.find(".whole .acts").get_by_text(name, exact=True).bounding_box() for name in ("Confirm", "Forget")}
    confirm, forget = boxes["Confirm"], boxes["Forget"]
    assert confirm
    assert forget
    assert forget["x"] - confirm["x"] - confirm["width"] >= 20


def test_no_word_of_the_table_of_the_history_is_broken(page: Window) -> None:
    page.page.set_viewport_size({"width": 1280, "height": 900})
    page.open("history").find("summary").filter(has_text="As a table").click()
    page.says(".table", "The storefront synchronises")
    assert page.page.evaluate(BROKEN) == []


def test_a_graph_offers_what_has_the_words_that_were_typed(page: Window, filled: str) -> None:
    page.open(f"graph?start={filled}&depth=1").says(".picture svg", "storefront")
    page.find("[data-search]").fill("storefront")
    page.keys("Enter").says("main [role=status]", "Begin with one of 9 matches")
    page.named("link", "thread storefront").click()
    page.says("main [role=status]", "not all is drawn: all of thread storefront")
    page.named("link", "all of thread storefront").click()
    page.says(".view-thread", "part 0")


def test_words_that_nothing_has_are_said_to_match_nothing(page: Window) -> None:
    page.open("graph?start=zeppelins").says("main [role=status]", "Nothing matches.").says("main", "Search everything")


def test_ages_are_counted_in_days_of_the_calendar(page: Window, filled: str) -> None:
    at = page.open(f"memory/{filled}").find(".whole .meta time").first.get_attribute("datetime") or ""
    assert at.startswith("2026-03-01T")
    page.page.clock.set_fixed_time("2026-03-09T00:30:00Z")  # seven days and a half, on the eighth day
    page.at("memories").at(f"memory/{filled}").says(".whole .meta time", "8 days ago")
