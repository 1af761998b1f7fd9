"""The first view, and lists: what is to be known at once, and where one was before."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window
from tests.http.served import Served, tell

if TYPE_CHECKING:
    from playwright.sync_api import Locator

MANY = 260
CONTEST = """
import sys
from memcli.memory import commit
from memcli.project import Where, open_for_writing
from memcli.store.oplog import Change
old, new = sys.argv[1:]
edge = {"rel": "supersedes", "to": old, "on": True}
project = open_for_writing(Where())
commit.commit(project, lambda: [Change("link", new, edge), Change("supersede", old, {"by": new, "on": True})], "cli")
project.close()
"""


def contest(terminal: Terminal, old: str, new: str) -> None:
    """A second memory replaces one that was replaced already, as after a merge of two machines' operations."""
    subprocess.run([sys.executable, "-c", CONTEST, old, new], cwd=terminal.folder, env=terminal.env, check=True)


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> list[str]:
    """Very many memories, two of them rivals, one of a file that changed, and a session that left something open."""
    served, terminal = shared
    terminal.process("init", "--no-agents")
    (terminal.folder / "login.py").write_text("LOCKOUT = 15\n")
    served.post("/v2/memories", {"title": "The lockout is 15", "summary": "see login.py", "files": ["login.py"]})
    (terminal.folder / "login.py").write_text("LOCKOUT = 30\n")
    old = served.post("/v2/memories", {"title": "Sessions live in Redis", "summary": "s"})["id"]
    served.post(f"/v2/memories/{old}/supersede", {"title": "Sessions live in Postgres"})
    rival = served.post("/v2/memories", {"title": "Sessions live in MySQL", "summary": "s"})["id"]
    contest(terminal, old, rival)
    tell(terminal, "session-start", {"source": "startup"})
    tell(terminal, "user-prompt", {"prompt": "validate the static paths"})
    tell(terminal, "stop", {"last_assistant_message": "The paths are checked. TODO: check the paths on Windows, too."})
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    return [served.post("/v2/memories", {"title": f"Fact number {n}", "summary": "of many"})["id"] for n in range(MANY)]


def test_the_first_view_says_what_is_well_open_doubtful_and_told(page: Window, shared: tuple[Served, Terminal]) -> None:
    page.open("").says(".view-home h1", "work")
    page.page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')")
    for text in ("contested Sessions live in", "Sessions live in MySQL", "Sessions live in Postgres", "login.py"):
        page.says(".home", text)
    page.says(".home", "validate the static paths")
    page.says(".home", shared[0].items("/v2/sessions")[0]["title"])
    page.says(".home", "validate the static paths").says(".home", "told nothing new")
    assert page.find(".home h2").all_inner_texts()[0].startswith("Health")
    assert page.find(".day-bars li").count() == 7
    day = shared[0].get("/v2/stats")["usage"]["by_day"][-1]
    assert day["tokens"] > 0
    assert f"{day['tokens']:,}" in page.find(".day-bars li").last.inner_text()


ROW = "() => [...document.querySelectorAll('.home .plain > li')].indexOf(document.activeElement.closest('li'))"


def test_keys_go_through_all_rows_of_all_lists_of_the_first_view(page: Window) -> None:
    page.open("").page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')")
    rows = list(range(page.find(".home .plain > li").count()))
    assert page.find(".home .plain").count() > 2
    assert [page.keys("j").page.evaluate(ROW) for _ in rows] == rows
    assert [page.keys(key).page.evaluate(ROW) for key in ("j", "k", "k")] == [rows[-1], rows[-2], rows[-3]]


def test_of_a_prompt_that_was_told_nothing_its_session_says_why(page: Window, shared: tuple[Served, Terminal]) -> None:
    (prompt,) = shared[0].items("/v2/untold", limit=1)
    page.open(f"session/{prompt['session']}?at={prompt['id']}")
    page.says(".is-meant .meta", "told nothing new").says(".is-meant .meta", "Nothing was near enough to the prompt.")


def test_what_several_memories_replace_is_contested(shared: tuple[Served, Terminal]) -> None:
    (contest,) = shared[0].get("/v2/contested")["items"]
    assert contest["title"] == "Sessions live in Redis"
    assert {rival["title"] for rival in contest["rivals"]} == {"Sessions live in Postgres", "Sessions live in MySQL"}


def test_back_leads_to_the_row_that_was_opened_with_all_rows_and_the_search(page: Window) -> None:
    page.open("memories?q=fact").says(".list", "Fact number").says("main [role=status]", "200+ memories match")
    more = page.named("button", "Show more")
    more.click()
    page.page.wait_for_function("() => document.querySelectorAll('.list > .memory').length > 60")
    row = page.find(".list > li.memory [data-stop]").nth(50)
    row.scroll_into_view_if_needed()
    title, y = row.inner_text(), page.page.evaluate("scrollY")
    row.click()
    page.says(".view-memory h1", title)
    page.page.go_back()
    page.says(".view-memories h1", "Memories")
    page.page.wait_for_function("(y) => Math.abs(scrollY - y) < 60", arg=y)
    assert page.focus == title
    assert page.named("searchbox", "Search memories").input_value() == "fact"
    page.keys("Enter").says(".view-memory h1", title)
    page.named("link", "All memories").click()
    page.says(".view-memories h1", "Memories")
    assert page.focus == title


def test_back_in_everything_and_turns_leads_to_the_row_that_was_opened(page: Window) -> None:
    page.open("all?q=fact").says(".list", "Fact number")
    page.named("button", "Show more").click()
    page.counts(".list > .memory", 60)
    comes_back_to(page, page.find(".list [data-stop]").nth(50), "Everything")
    assert page.find(".list > .memory").count() == 60
    page.page.set_viewport_size({"width": 700, "height": 200})
    page.open("turns").says(".list", "Start of the session")
    comes_back_to(page, page.find(".list a[data-stop]").last, "Turns")


def comes_back_to(page: Window, row: Locator, title: str) -> None:
    """Opens a row of a list, and goes back: the same row has the focus, at the same height."""
    row.focus()
    name, y = row.inner_text(), page.page.evaluate("scrollY")
    assert y > 0
    page.keys("Enter").page.wait_for_function("(name) => document.querySelector('main h1').textContent !== name", arg=title)
    page.page.go_back()
    page.says("main h1", title)
    page.page.wait_for_function("(y) => Math.abs(scrollY - y) < 60", arg=y)
    assert page.focus == name


def test_only_rows_near_the_window_are_in_the_document(page: Window) -> None:
    page.open("memories").says(".list", "Fact number")
    for _ in range(2):
        page.named("button", "Show more").click()
        page.page.wait_for_timeout(300)
    page.page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.page.wait_for_function("() => document.querySelectorAll('.list > .gap').length > 1")
    assert page.find(".list > .memory").count() < 150
    page.page.evaluate("scrollTo(0, 0)")
    page.page.wait_for_function("() => document.querySelector('.list > li').matches('.memory')")
    page.says(".list > li", f"Fact number {MANY - 1}")
