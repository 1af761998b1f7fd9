"""The inspector: what an agent is given from each source, what bounds it, and two of them beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window, window
from tests.http.served import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TASK = "why does the lockout last so long"


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> dict[str, str]:
    """Twenty memories of one matter, one of which is younger than the last commit but one."""
    served, terminal = shared
    terminal.process("init", "--no-agents")
    for n in range(20):
        title = f"Lockout reason number {n} is that department {n} cannot bear more"
        served.post("/v2/memories", {"title": title, "summary": f"the lockout lasts since meeting {n}"})
    base = terminal.git("rev-parse", "HEAD")
    terminal.commit("on")
    made = served.post("/v2/memories", {"title": "The lockout lasts fifteen minutes", "summary": "it is long because of bots"})
    return {"base": base, "young": made["id"]}


@pytest.fixture
def copying(chromium: Browser, shared: tuple[Served, Terminal], tmp_path: Path) -> Iterator[Window]:
    """The page where the browser lets it copy."""
    with window(chromium, shared[0], tmp_path, permissions=["clipboard-read", "clipboard-write"]) as shown:
        yield shown


def clipboard(page: Window) -> str:
    return str(page.page.evaluate("() => navigator.clipboard.readText()"))


def test_a_pack_is_copied_as_text_and_as_the_command_that_prints_it(copying: Window, shared: tuple[Served, Terminal]) -> None:
    page, terminal = copying, shared[1]
    page.open(f"pack?q={TASK}, Bob's%3F&budget=600&harness=codex").says(".pack-middle [role=status]", "of 600 tokens")
    page.named("button", "Copy as text").click()
    page.says("#toasts", "Copied")
    text = clipboard(page)
    page.named("button", "Copy as a command line").click()
    page.page.wait_for_function("async () => (await navigator.clipboard.readText()).startsWith('mem ')")
    line = clipboard(page)
    assert line == f"mem get --budget 600 --for codex '{TASK}, Bob'\\''s?'"
    assert terminal.process("get", "--budget", "600", "--for", "codex", f"{TASK}, Bob's?").out == text


def test_the_limits_that_left_something_out_are_named_with_what_they_are(page: Window, shared: tuple[Served, Terminal]) -> None:
    most = shared[0].get("/v2/config/budget.memories")["value"]
    page.open(f"pack?q={TASK}").says(".bounds", "budget.memories").says(".bounds", f"{most} memories")
    assert page.find(".pack-middle .items > li").count() == most
    page.at(f"pack?q={TASK}&budget=300").says(".bounds", "the budget asked for (300 tokens)")
    limits = shared[0].get("/v2/pack", query=TASK, budget=300)["explain"]["limits"]
    assert limits[0]["name"] == "budget"
    assert f"left out {limits[0]['left_out']}" in page.find(".bounds").inner_text()
    page.at("pack?q=nothingsaysthis").says(".bounds, .pack-out", "No limit left anything out")


def test_each_harness_s_caps_are_told_and_whether_this_fits(page: Window, shared: tuple[Served, Terminal]) -> None:
    page.open(f"pack?q={TASK}&budget=8000").find(".caps summary").click()
    rows = page.find(".caps tbody tr").all_inner_texts()
    known = shared[0].items("/v2/harnesses")
    assert [row.split("\t")[0] for row in rows] == [one["title"] for one in known]
    codex = next(row for row in rows if row.startswith("Codex"))
    assert "10,000" in codex
    assert "2,500" in codex


def test_a_part_of_the_bar_and_its_item_light_up_together(page: Window) -> None:
    page.open(f"pack?q={TASK}").says(".pack-middle .items", "Lockout reason")
    item = page.find(".pack-middle .items > li").nth(2)
    part = item.get_attribute("data-part")
    item.locator("a").first.focus()
    assert page.find("[data-lit]").evaluate_all("(all) => all.map((one) => one.dataset.part)") == [part, part]
    page.find(".budget-bar [data-part]").nth(1).hover()
    first = page.find(".pack-middle .items > li").first.get_attribute("data-part")
    assert page.find(".item[data-lit]").get_attribute("data-part") == first
    page.find(".budget-bar [data-part]").nth(3).click(force=True)
    assert page.find(".pack-middle .items > li").nth(2).evaluate("(one) => one.contains(document.activeElement)")


def test_two_tasks_budgets_or_commits_are_compared(page: Window, filled: dict[str, str]) -> None:
    page.open(f"pack?q={TASK}")
    page.find(".compare summary").focus()
    page.keys("Enter").says(".compare", "Give what differs")
    page.page.get_by_label("Other budget").fill("300")
    page.keys("Tab").says(".compare thead", "300 tokens").says(".compare tbody", "no room")
    page.page.get_by_label("Other budget").fill("")
    page.keys("Tab")
    page.page.get_by_label("Other commit").fill(filled["base"][:10])
    page.keys("Tab").says(".compare thead", f"at {filled['base'][:7]}")
    row = page.find(".compare tr").filter(has_text="The lockout lasts fifteen minutes")
    assert "on another branch" in row.inner_text()
    assert row.get_attribute("data-only") is not None
    page.page.get_by_label("Other task").fill("department 7")
    page.keys("Tab").says(".compare thead", "“department 7”")
    kept = page.page.url
    page.page.goto(kept)
    page.page.reload()
    page.says(".compare thead", "“department 7”")


def test_a_commit_that_is_none_is_refused(shared: tuple[Served, Terminal]) -> None:
    served = shared[0]
    assert served.refused("GET", "/v2/pack", query="x", commit="nope") == (404, "not_found")
    assert served.refused("GET", "/v2/pack", query="x", commit="HEAD", user="true") == (422, "invalid_input")
    assert served.get("/v2/pack", query="x", commit="HEAD~1")["pack"]["repo"]["branch"] == ""
