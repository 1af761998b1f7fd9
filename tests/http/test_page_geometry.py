"""Where things stand in every view: nothing wider than the window, no text upon another, none cut without all of it behind it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Terminal
from tests.http.browser import window
from tests.http.populated import populate
from tests.http.served import Served
from tests.http.test_page_access import PARAMETERS, views

if TYPE_CHECKING:
    from playwright.sync_api import Browser

LONG = "a_name_of_a_file_that_has_no_place_where_a_line_may_break_" * 2
# Texts as boxes, as far as what scrolls or cuts shows them; {text, left, top, right, bottom} each.
PROBLEMS = """() => {
  for (const one of document.querySelectorAll("main details:not(.api)")) one.open = true;
  const HIDDEN = "script, noscript, option, .skip, header, details:not([open]) > :not(summary)";
  const problems = [];
  const wider = document.documentElement.scrollWidth - innerWidth;
  if (wider > 0) problems.push(`the page is ${wider} px wider than the window`);
  const clips = (one) => getComputedStyle(one).overflowX !== "visible";
  const shown = (node, box) => {
    let { left, top, right, bottom } = box;
    for (let one = node.parentElement; one && one !== document.body; one = one.parentElement) {
      const style = getComputedStyle(one);
      if (style.position === "fixed" || style.visibility === "hidden" || one.matches("dialog, .toasts")) return null;
      if (style.clipPath !== "none" || (style.position === "absolute" && style.overflow === "hidden")) return null;
      if (!clips(one)) continue;
      const edge = one.getBoundingClientRect();
      [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
      [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
    }
    return right - left > 1 && bottom - top > 1 ? { left, top, right, bottom, node, text: node.textContent.trim() } : null;
  };
  const boxes = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode;
    if (!node.textContent.trim() || node.parentElement.closest(HIDDEN)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      const part = shown(node, box);
      if (part) boxes.push(part);
    }
  }
  boxes.sort((one, other) => one.top - other.top);
  boxes.forEach((one, at) => {
    for (const other of boxes.slice(at + 1)) {
      if (other.top > one.bottom - 5) break;
      const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      if (one.node !== other.node && wide > 2) problems.push(`${one.text.slice(0, 60)} | is upon | ${other.text.slice(0, 60)}`);
    }
  });
  for (const one of document.querySelectorAll("main *")) {
    const isCut = getComputedStyle(one).textOverflow === "ellipsis" && one.scrollWidth > one.clientWidth + 1;
    if (isCut && !one.closest("button[title], a[title], .commit-list")) problems.push(`cut: ${one.textContent.slice(0, 60)}`);
  }
  const main = document.querySelector("main");
  const style = getComputedStyle(main);
  const whole = main.getBoundingClientRect();
  const [left, right] = [whole.left + parseFloat(style.paddingLeft), whole.right - parseFloat(style.paddingRight)];
  for (const box of boxes) {
    const isBeyond = main.contains(box.node) && (box.left < left - 1 || box.right > right + 1);
    if (isBeyond) problems.push(`beyond the edge: ${box.text.slice(0, 60)}`);
  }
  const controls = [...document.querySelectorAll("main button:not(.quiet), main input, main select, main textarea")]
    .map((one) => [one, one.getBoundingClientRect()]).filter(([, box]) => box.width > 1 && box.height > 1);
  controls.forEach(([one, box], at) => {
    if (box.right > innerWidth + 1 || box.left < -1) problems.push(`outside of the window: ${one.outerHTML.slice(0, 60)}`);
    for (const [, other] of controls.slice(at + 1)) {
      const isBeside = other.left >= box.right + 2 || other.right <= box.left - 2;
      const isApart = other.top >= box.bottom + 2 || other.bottom <= box.top - 2;
      if (!isBeside && !isApart) problems.push(`touches another: ${one.outerHTML.slice(0, 80)}`);
    }
  });
  for (const one of document.querySelectorAll(".picture svg")) {
    const share = one.getBoundingClientRect().width / one.viewBox.baseVal.width;
    if (Math.abs(share - 1) > 0.01) problems.push(`a picture is drawn at ${share} of its size`);
    const canvas = one.parentElement;
    const isWide = canvas.scrollWidth > canvas.clientWidth + 1;
    if (isWide && !document.querySelector(".view-graph")) problems.push("a picture is wider than the window");
  }
  const starts = new Set([...document.querySelectorAll(".typed .title")].map((one) => one.getBoundingClientRect().left));
  if (starts.size > 1) problems.push("titles of one list begin at different places");
  if (document.querySelector("#subnav").getBoundingClientRect().height > 56) problems.push("the second menu takes two lines");
  return [...new Set(problems)];
}"""
# Whether what has the focus is below the bar, which stays in view.
UNCOVERED = """() => {
  const box = document.activeElement.getBoundingClientRect();
  return document.activeElement.closest(".bar") || box.top >= document.querySelector(".bar").getBoundingClientRect().bottom - 1;
}"""


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> dict[str, str]:
    """A memory with something in each view, some of it without a place where a line may break."""
    served, terminal = shared
    ids = populate(served, terminal)
    (terminal.folder / "login.py").write_text(f"LOCKOUT = 15\nMAX_TRIES = 5\n{LONG} = 1  # {LONG}\n")
    (terminal.folder / f"{LONG}.py").write_text("pass\n")
    terminal.git("add", ".")
    terminal.commit(f"Name {LONG} as {LONG}")
    served.post("/v2/memories", {"title": f"The lockout of {LONG}", "summary": LONG, "files": [f"{LONG}.py"]})
    turns = served.items("/v2/turns")
    return {**ids, "turn": next(it["id"] for it in turns if it["number"])}


MORE = {
    "pack at a start": "pack?source=start",
    "pack of a prompt": "pack?source=turn&session={session}&turn={turn}",
    "why some lines": "why?target=login.py:1-2",
    "why a commit": "why?target=HEAD",
}


@pytest.mark.parametrize("width", [1280, 1024, 390])
def test_in_no_view_is_anything_cut_or_upon_another_thing(
    chromium: Browser, shared: tuple[Served, Terminal], tmp_path: Path, filled: dict[str, str], width: int
) -> None:
    addresses = {view: view + PARAMETERS.get(view, "") for view in views()} | MORE
    problems = {}
    with window(chromium, shared[0], tmp_path, viewport={"width": width, "height": 800}) as page:
        page.open()
        for name, address in addresses.items():
            page.at(address.format(**filled))
            page.page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')")
            page.page.wait_for_timeout(150)
            problems[name] = page.page.evaluate(PROBLEMS)
            if problems[name]:
                page.shot(f"{name}-{width}")
        page.at("settings").page.evaluate("[...document.querySelectorAll('.settings-list input')].at(-1).focus()")
        for _ in range(20):
            assert page.keys("Shift+Tab").page.evaluate(UNCOVERED), page.focus
    assert {name: found for name, found in problems.items() if found} == {}


@pytest.mark.parametrize("width", [1280, 1360])
def test_a_scrollbar_moves_nothing_and_the_bar_keeps_to_one_row_in_every_group(
    chromium: Browser, shared: tuple[Served, Terminal], tmp_path: Path, width: int
) -> None:
    with window(chromium, shared[0], tmp_path, viewport={"width": width, "height": 800}) as page:
        page.open()
        # As a scrollbar does: the browser of the tests has none.
        page.page.evaluate("document.documentElement.style.paddingInlineEnd = '15px'")
        page.page.evaluate(f"document.querySelector('#repo').selectedOptions[0].text = '{LONG}'")
        assert page.page.evaluate("getComputedStyle(document.documentElement).scrollbarGutter") == "stable"
        for view in ("home", "memories", "sessions", "reverts", "settings"):
            assert page.at(view).find(".bar").evaluate("(bar) => bar.offsetHeight") < 60, view
            assert page.find("#repo").evaluate("(one) => one.offsetWidth") > 80, view
