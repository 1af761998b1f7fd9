"""The page while something happens: what others write shows up, and a service that went away is waited for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from memcli.http import login_file
from tests.conftest import Terminal
from tests.http.browser import Window, window
from tests.http.served import Served, serving, tell

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture
def live(chromium: Browser, served: Served, terminal: Terminal, tmp_path: Path) -> Iterator[Window]:
    """The page over a memory of its own."""
    terminal.mem("init", "--no-agents")
    with window(chromium, served, tmp_path) as shown:
        yield shown.open()


def test_what_others_write_shows_up_by_itself(live: Window, terminal: Terminal) -> None:
    made = terminal.add("Written at a terminal")
    live.says(".list", "Written at a terminal")

    live.keys("g", "f").says("[role=log]", "Written at a terminal").says("[role=log] .badge", "remembered")
    terminal.mem("forget", made)
    live.says("[role=log] li:first-child .badge", "forgotten")
    live.says("[role=log] li:first-child .what", f"{made}, a memory that is hidden now")
    live.named("button", "Pause").click()
    terminal.mem("restore", made)
    live.says("button[aria-pressed=true]", "Go on (1 event)").says("[role=log] li:first-child .badge", "forgotten")
    live.find("button[aria-pressed=true]").click()
    live.says("[role=log] li:first-child .badge", "restored")
    live.named("combobox", "Show").select_option("state")
    live.counts("[role=log] li", 0)
    terminal.mem("checkpoint", "--reason", "Half way", "--state-json", "{}")
    live.counts("[role=log] li", 1).says("[role=log]", "Half way")
    live.shot("feed")


def test_what_a_hook_saw_stands_in_the_feed_where_it_happened(live: Window, terminal: Terminal) -> None:
    live.keys("g", "f").says("#status", "Live")
    terminal.env["MEMPACK_CLOCK"] = "2026-03-01T11:00:00Z"
    tell(terminal, "user-prompt", {"prompt": "fix the login at eleven"})
    terminal.env["MEMPACK_CLOCK"] = "2026-03-01T12:00:00Z"
    terminal.add("Written at noon")
    live.says("[role=log]", "Written at noon")
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})

    live.says("[role=log]", "fix the login").says("[role=log] li:first-child", "Written at noon")
    live.at("sessions").at("feed").says("[role=log]", "fix the login").says("[role=log] li:first-child", "Written at noon")


SEEN = """(state) => {
  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_tab_that_nobody_looks_at_holds_no_connection_and_misses_nothing(live: Window, terminal: Terminal) -> None:
    live.keys("g", "f").says("#status", "Live")
    with live.page.expect_event("requestfailed", lambda request: "/stream" in request.url):
        live.page.evaluate(SEEN, "hidden")
    terminal.add("Written meanwhile")
    live.at("sessions").at("feed").counts("[role=log] li:has-text('Written meanwhile')", 0)

    live.page.evaluate(SEEN, "visible")
    live.says("#status", "Live").counts("[role=log] li:has-text('Written meanwhile')", 1)


def test_a_list_keeps_the_focus_while_it_changes(live: Window, terminal: Terminal) -> None:
    terminal.add("First")
    live.says(".list", "First").keys("j")
    before = live.focus
    terminal.add("Second")
    live.says(".list", "Second")
    assert live.focus == before


def test_a_memory_changes_while_it_is_looked_at(live: Window, terminal: Terminal) -> None:
    made = terminal.add("Written at a terminal")
    live.at(f"memory/{made}").says(".view-memory h1", "Written at a terminal")
    terminal.mem("update", made, "--title", "Written again")
    live.says(".view-memory h1", "Written again").counts("[aria-busy=true]", 0)  # a picture of what is gone cannot be had
    terminal.mem("forget", made)
    live.says(".view-memory", "It is forgotten")


def test_a_session_grows_while_it_is_looked_at(chromium: Browser, terminal: Terminal, tmp_path: Path) -> None:
    terminal.mem("init", "--no-agents")
    tell(terminal, "user-prompt", {"prompt": "fix the login"})
    with serving(terminal, MEMPACK_CAPTURE_WORKER="auto") as served, window(chromium, served, tmp_path) as page:
        served.post("/v2/queue/retry")
        page.open("sessions").says(".list", "generic s-1").keys("j", "Enter").says(".timeline", "fix the login")
        tell(terminal, "stop", {"last_assistant_message": "The login works again."})
        served.post("/v2/queue/retry")
        page.says(".timeline", "The login works again.")


def test_the_page_comes_back_after_the_service_and_misses_nothing(live: Window, served: Served, terminal: Terminal) -> None:
    live.may_be_alone = True
    live.keys("g", "f").says("h1", "Live feed").says("#status", "Live")
    assert served.stop() == 0
    live.page.wait_for_selector("#status[data-state=waiting]")
    terminal.add("Written while it was away")
    live.keys("g", "m").says("h1", "That did not work").says("main", "mem serve start")

    with serving(terminal, "--port", str(served.port)) as again:
        live.says("h1", "Not signed in").beside(again).open()
        live.page.wait_for_selector("#status[data-state=live]")
        live.keys("g", "f").says("[role=log]", "Written while it was away")
        terminal.add("And after")
        live.says("[role=log]", "And after")
        assert live.find("[role=log] li >> text=Written while it was away").count() == 1
        live.keys("g", "m").says(".list", "And after")


def test_a_service_that_was_killed_is_waited_for_too(live: Window, served: Served, terminal: Terminal) -> None:
    live.may_be_alone = True
    live.keys("n").says("dialog h2", "Remember").page.get_by_label("Title").fill("Written while it was dead")
    live.page.get_by_label("Summary").fill("s")
    served.process.kill()
    served.process.wait(60)
    live.page.wait_for_selector("#status[data-state=waiting]")
    terminal.add("Written after the end")
    live.named("button", "Remember").last.click()
    live.says("dialog [role=alert]", "mem serve start")
    with serving(terminal, "--port", str(served.port)) as again:
        live.says("h1", "Not signed in").beside(again).open()
        live.says(".list", "Written after the end").says("#status", "Live")
        assert live.page.get_by_label("Title").input_value() == "Written while it was dead"
        live.keys("Control+Enter").counts("dialog", 0).says(".view-memory h1", "Written while it was dead")
    assert [one["title"] for one in terminal.mem("recent", "--json").json].count("Written while it was dead") == 1


def test_no_event_of_the_feed_is_a_bare_id(live: Window, terminal: Terminal) -> None:
    terminal.mem("note", "add", "Deployed to staging.\nTwice.")
    terminal.mem("profile", "set", "editor", "vim")
    made = terminal.add("Kept", "s", "--thread", "ops")
    terminal.mem("forget", made)
    terminal.mem("undo")
    terminal.mem("forget", made)
    live.keys("g", "f").says("[role=log] li:first-child", "hidden now")
    for text in ("Deployed to staging.", "editor: vim", "ops", "Taken back: "):
        live.says(f"[role=log] [data-stop]:has-text('{text}')", text)

    texts = live.find("[role=log] [data-stop]").all_inner_texts()
    assert not [text for text in texts if re.fullmatch(r"[A-Z]-\S+", text)]


def test_a_workspace_is_chosen_by_keyboard_and_kept_in_the_address(live: Window, terminal: Terminal) -> None:
    terminal.add("In the default one")
    live.says(".list", "In the default one")
    assert live.find("#workspace").is_hidden(), "there is nothing to choose from"
    terminal.mem("add", "On the side", "--summary", "s", "--workspace", "spike")
    live.page.reload()
    live.page.wait_for_selector("#workspace")

    live.find("#repo").focus()
    live.keys("Tab")
    assert live.page.evaluate("document.activeElement.id") == "workspace"
    assert live.named("combobox", "Workspace").input_value() == "default"
    live.keys("s")
    live.says(".list", "On the side").counts(".list > li", 1)
    assert "workspace=spike" in live.page.url
    terminal.mem("add", "And beside it", "--summary", "s", "--workspace", "spike")
    live.says(".list", "And beside it")
    live.page.reload()
    live.counts(".list > li", 2)
    assert live.named("combobox", "Workspace").input_value() == "spike"
    live.shot("workspace")
    live.find("#repo").select_option("user")
    live.says("main [role=status]", "Nothing is remembered yet")
    live.page.wait_for_selector("#workspace", state="hidden")
    assert "workspace" not in live.page.url


def test_an_answer_about_a_memory_that_was_left_meanwhile_changes_nothing(live: Window, terminal: Terminal) -> None:
    terminal.add("Written before")
    live.keys("g", "f").says("[role=log]", "Written before")
    late: list[Any] = []
    live.page.route("**/v2/stats?user=true", lambda route: late.append(route))
    live.find("#repo").select_option("user")
    live.page.wait_for_url("**repo=user**")
    live.counts("[role=log] li", 0)
    live.find("#repo").select_option(index=0)
    live.says("[role=log]", "Written before").says("#status", "Live")
    asked = len([url for url in live.asked if "/stream" in url])

    late[0].continue_()
    terminal.add("Written after")
    live.says("[role=log]", "Written after")
    assert live.find("[role=log] li >> text=Written before").count() == 1
    assert len([url for url in live.asked if "/stream" in url]) == asked


def test_the_page_opens_by_a_file_that_leads_to_it(
    chromium: Browser, served: Served, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal.mem("init", "--no-agents")
    monkeypatch.setenv("MEMPACK_DATA_DIR", str(terminal.data))
    path = Path(login_file.write(served.post("/v2/link")["url"]))
    context = chromium.new_context()
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("main h1")
    assert page.url.startswith(f"http://127.0.0.1:{served.port}/")
    assert not path.exists()
    context.close()
