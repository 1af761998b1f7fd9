"""The page while much happens: it follows, asks the service only so often, and what a person does goes on meanwhile."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window, window
from tests.http.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route

EVENTS = 150
EVERY = 0.02  # seconds between two: fifty a second, fewer on a machine that stores them more slowly
PAUSE = 0.15  # seconds between two looks of the list of memories

# Calls a paced function every 20 ms for 40 times its pause. Returns when its runs began, in ms, how many before the last call.
PACED = """async (pause) => {
  const { paced } = await import("/viewer/lib/pace.js");
  const runs = [];
  const stop = new AbortController();
  const follow = paced(async () => { runs.push(performance.now()); }, pause, stop.signal);
  const start = performance.now();
  while (performance.now() - start < 40 * pause) {
    follow();
    await new Promise((done) => setTimeout(done, 20));
  }
  const meanwhile = runs.length;
  await new Promise((done) => setTimeout(done, 4 * pause));
  const settled = runs.length;
  follow();
  stop.abort();
  await new Promise((done) => setTimeout(done, 4 * pause));
  return { runs, meanwhile, settled };
}"""
# Counts the rows that come into the list, and notes the fewest that it ever has.
ROWS = """() => {
  const list = document.querySelector("main .list, main .feed");
  window.rows = { added: 0, fewest: list.children.length };
  new MutationObserver((changes) => {
    for (const change of changes) rows.added += change.addedNodes.length;
    rows.fewest = Math.min(rows.fewest, list.children.length);
  }).observe(list, { childList: true });
}"""


@pytest.fixture
def live(chromium: Browser, served: Served, terminal: Terminal, tmp_path: Path) -> Iterator[Window]:
    """The page over a memory of its own."""
    terminal.mem("init", "--no-agents")
    for number in range(3):
        terminal.add(f"Zebra {number}", "s", "--thread", "flood")
    with window(chromium, served, tmp_path) as shown:
        yield shown.open()


@contextmanager
def flood(served: Served) -> Iterator[None]:
    """Stores memories at a steady pace meanwhile, and waits for the last in the end."""

    def write() -> None:
        due = time.monotonic()
        for number in range(EVENTS):
            served.post("/v2/memories", {"title": f"Event {number}", "summary": "s", "thread": "flood"})
            due += EVERY
            time.sleep(max(0.0, due - time.monotonic()))

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        yield
        writing.result()


def test_many_events_are_followed_at_a_steady_pace_and_none_puts_it_off(page: Window) -> None:
    page.open("settings")
    pause = 50
    timed = page.page.evaluate(PACED, pause)
    starts = timed["runs"]
    assert timed["meanwhile"] > 0, "the view waits until nothing happens any more"
    assert min(later - earlier for earlier, later in zip(starts, starts[1:], strict=False)) >= pause - 2
    assert len(starts) == timed["settled"] <= timed["meanwhile"] + 1, "one run follows the last event, none once the view is left"


def test_fifty_events_a_second_make_few_requests_and_keep_nobody_from_searching(live: Window, served: Served) -> None:
    live.page.evaluate(ROWS)
    before, start = len(live.asked), time.monotonic()
    with flood(served):
        live.says(".list", "Event ")
        live.find("[data-search]").press_sequentially("zebra")
        live.says("main [role=status]", "3 memories match")
        assert live.find(".list li").count() == 3
    live.find("[data-search]").fill("")
    live.says(".list", f"Event {EVENTS - 1}")
    taken = time.monotonic() - start

    asked = [url for url in live.asked[before:] if "/v2/memories" in url]
    others = [url for url in live.asked[before:] if "/v2/" in url and url not in asked]
    typed = len("zebra") + 1
    assert len(asked) <= taken / PAUSE + typed + 1
    assert others == []
    rows = live.page.evaluate("() => rows")
    assert rows["added"] <= 31 * len(asked), "a page of rows, and what stands for those that are not drawn, for each answer"
    assert rows["fewest"] > 0


def test_the_feed_draws_each_of_many_events_once(live: Window, served: Served) -> None:
    live.at("feed").says(".feed", "Zebra 2")
    live.page.evaluate(ROWS)
    before = len(live.asked)
    with flood(served):
        pass
    live.says(".feed li:first-child", f"Event {EVENTS - 1}")
    assert live.page.evaluate("() => rows.added") == EVENTS
    assert live.asked[before:] == []


@pytest.mark.parametrize(("view", "path"), [("memories", "/v2/memories"), ("all", "/v2/items")])
def test_rows_stay_until_those_of_a_later_search_are_there(live: Window, view: str, path: str) -> None:
    live.at(view).says(".list", "Zebra 0")
    held: list[Route] = []
    live.page.route(lambda url: f"{path}?query=z&" in url, lambda route: held.append(route))
    live.page.evaluate(ROWS)
    with live.page.expect_request(lambda request: f"{path}?query=z&" in request.url):
        live.find("[data-search]").fill("z")
    with live.page.expect_response(lambda answer: f"{path}?query=zebra&" in answer.url):
        live.find("[data-search]").fill("zebra")
    live.page.wait_for_function("() => rows.added")
    assert len(held) == 1
    assert live.page.evaluate("() => rows.fewest") == 3, "the list was empty while a person typed"
