"""What the page says is exact: what is linked with what, when, what a session is called, what an undo takes back."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window, window
from tests.http.served import Served, tell

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> dict[str, str]:
    """Two memories with a link between them, and a session of two prompts."""
    served, terminal = shared
    terminal.process("init", "--no-agents")
    made = {title: served.post("/v2/memories", {"title": title, "summary": "s"})["id"] for title in ("Sessions", "Redis")}
    tagged = {"title": "Nobody waits", "summary": "s", "tags": ["deadline"], "thread": "billing"}
    made["tagged"] = served.post("/v2/memories", tagged)["id"]
    served.post("/v2/links", {"from_id": made["Sessions"], "rel": "replaces-use-of", "to_id": made["Redis"]})
    served.post("/v2/links", {"from_id": made["Sessions"], "rel": "see", "to_id": "https://example.org/why"})
    tell(terminal, "user-prompt", {"prompt": "validate the static paths"})
    edit = {"file_path": str(terminal.folder / "paths.py"), "old_string": "15", "new_string": "30"}
    tell(terminal, "post-tool-use", {"tool_name": "Edit", "tool_input": edit, "tool_result": "ok"})
    tell(terminal, "stop", {"last_assistant_message": "Static paths are checked before they are served. Windows is still to do."})
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    return made


def test_an_event_of_a_link_says_how_and_with_what(page: Window, shared: tuple[Served, Terminal]) -> None:
    page.open("feed").says(".feed", "replaces-use-of Redis").says(".feed", "see https://example.org/why")
    page.named("link", "Redis").last.click()
    page.says(".view-memory h1", "Redis")


def test_every_time_in_the_feed_has_its_day(page: Window) -> None:
    page.open("feed").says(".feed", "remembered")
    times = page.find(".feed time").all_inner_texts()
    assert times
    assert all(re.fullmatch(r"\d\d-\d\d\s*\d\d:\d\d", text) for text in times), times


def test_a_session_is_called_as_in_the_terminal(page: Window, shared: tuple[Served, Terminal]) -> None:
    served, terminal = shared
    title = served.get("/v2/sessions")["items"][0]["title"]
    assert title in " ".join(terminal.process("sessions").out.split())
    page.open("sessions").says(".list .title", title).says(".list", "Asked first: validate the static paths")
    page.keys("j", "Enter").says(".view-session h1", title).at("home").says(".home", title)
    (item,) = served.get("/v2/items", type="session")["items"]
    facets = served.get("/v2/items", type="prompt")["facets"]
    assert [item["title"], facets["session"][0]["label"]] == [title, f"2026-03-01 {title}"]


def test_a_session_does_not_repeat_under_each_observation_what_was_asked(page: Window, shared: tuple[Served, Terminal]) -> None:
    session = shared[0].get("/v2/sessions")["items"][0]["id"]
    details = shared[0].get(f"/v2/sessions/{session}")
    assert any("Asked:" in seen["summary"] for seen in details["observations"])
    page.open(f"session/{session}").says(".timeline", "validate the static paths")
    assert "Asked:" not in page.find("main").inner_text()
    labels = page.find(".summary-parts dt").all_inner_texts()
    assert {"Done", "Said last"} <= set(labels)


def test_an_undo_names_what_it_takes_back(page: Window, filled: dict[str, str]) -> None:
    page.open(f"memory/{filled['Redis']}").keys("p").says("#toasts", "“Redis” is pinned")
    page.named("button", "Undo pinning").click()
    page.says("#toasts", "Taken back: pinning “Redis”")
    page.counts("main .badge >> text=pinned", 0).named("button", "Forget Redis").click()
    page.says("#toasts", "“Redis” is forgotten")
    page.named("button", "Undo forgetting").click()
    page.says("#toasts", "Taken back: forgetting “Redis”").says(".view-memory h1", "Redis")


def test_a_search_says_how_much_it_leaves_out(page: Window, shared: tuple[Served, Terminal]) -> None:
    served, terminal = shared
    terminal.git("switch", "-q", "-c", "side")
    terminal.git("commit", "-q", "--allow-empty", "-m", "beside")
    served.post("/v2/memories", {"title": "Sessions of the side", "summary": "s"})
    terminal.git("switch", "-q", "main")
    old = served.post("/v2/memories", {"title": "Sessions sleep", "summary": "s"})["id"]
    served.post(f"/v2/memories/{old}/supersede", {"title": "Nobody sleeps", "summary": "at all"})
    page.open("memories?q=sessions").says(
        "main", "1 memory matches, the best first; 2 not shown: 1 superseded, 1 not on this branch"
    )
    page.named("link", "1 superseded").click()
    page.says(".list .memory-head", "Sessions sleep").says(".list .badge", "superseded").counts(".list > .memory", 1)
    page.page.go_back()
    page.says(".list .title", "Sessions").named("link", "1 not on this branch").click()
    page.says(".list .memory-head", "Sessions of the side").says(".list .badge", "not on this branch").counts(
        ".list > .memory", 1
    )
    old = served.post("/v2/memories", {"title": "Badgers dig", "summary": "s"})["id"]
    served.post(f"/v2/memories/{old}/supersede", {"title": "Badgers rest", "summary": "at all"})
    page.at("memories?q=badgers").says("main", "1 memory matches, the best first; 1 not shown: 1 superseded")
    assert served.get("/v2/memories", query="badgers")["not_on_this_branch"] == 0


def test_what_a_memory_said_before_it_was_changed_can_be_seen(page: Window, shared: tuple[Served, Terminal]) -> None:
    served = shared[0]
    made = served.post("/v2/memories", {"title": "The gate is green", "summary": "since May"})["id"]
    for title in ("The gate is blue", "The gate is red"):
        served.ask("PATCH", f"/v2/memories/{made}", {"title": title})
    page.open(f"memory/{made}").says(".whole h1", "The gate is red").counts(".log details", 2)
    for summary in page.find(".log details summary").all():
        summary.click()
    page.says(".log li:last-child .diff", "- The gate is green").says(".log li:last-child .diff", "+ The gate is red")
    page.says(".log li:nth-last-child(2) .diff", "- The gate is blue")


def test_the_actions_of_a_row_are_always_there(
    chromium: Browser, page: Window, shared: tuple[Served, Terminal], tmp_path: Path
) -> None:
    shown = "(acts) => getComputedStyle(acts).opacity"
    acts = page.open("memories").find(".list .acts").first
    assert acts.evaluate(shown) == "1"
    page.find(".list [data-stop]").first.focus()
    assert acts.evaluate(shown) == "1"
    with window(chromium, shared[0], tmp_path, has_touch=True) as touched:
        assert touched.open("memories").find(".list .acts").first.evaluate(shown) == "1"


def test_what_matches_by_its_tag_or_its_thread_shows_which_word_did(page: Window) -> None:
    for word in ("deadline", "billing"):
        page.open(f"memories?q={word}") if page.page.url == "about:blank" else page.at("home").at(f"memories?q={word}")
        page.says(".list .title", "Nobody waits").says(".list .meta mark", word)


def test_a_memory_can_be_read_before_its_pictures_are_there(page: Window, filled: dict[str, str]) -> None:
    held: list[Any] = []
    page.open("threads").page.route(re.compile(r"/v2/memories/[^/]+/commits"), lambda route: held.append(route))
    page.at(f"memory/{filled['Sessions']}").says(".whole", "Sessions").says(".log", "written")
    assert page.find(".late[aria-busy=true]").count() >= 1
    page.page.wait_for_function("() => document.querySelector('.view-memory .columns')")
    while not held:
        page.page.wait_for_timeout(20)
    held[0].continue_()
    page.counts(".late[aria-busy=true]", 0).says(".commits", "HEAD")


def test_what_cannot_be_seen_in_a_text_is_kept_and_copied_as_it_is(
    chromium: Browser, shared: tuple[Served, Terminal], tmp_path: Path
) -> None:
    served = shared[0]
    made = served.post("/v2/memories", {"title": "Zero width\u200b is kept", "summary": "between\u200bwords"})["id"]
    with window(chromium, served, tmp_path, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.open("pack?q=zero width kept").named("radio", "The exact text").check()
        exact = served.ask("GET", "/v2/get", query="zero width kept", format="prompt").text
        page.says(".exact", "is kept")
        assert page.find(".exact").text_content() == exact
        page.named("button", "Copy as text").click()
        page.says("#toasts", "Copied")
        assert page.page.evaluate("() => navigator.clipboard.readText()") == exact
    served.ask("DELETE", f"/v2/memories/{made}")


def test_without_scripts_the_page_says_what_it_needs(chromium: Browser, shared: tuple[Served, Terminal]) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{shared[0].port}/")
    assert page.locator("main").inner_text() == "This page needs JavaScript, all of it from this service."
    context.close()


def test_the_feed_holds_the_latest_two_hundred_events(page: Window, shared: tuple[Served, Terminal]) -> None:
    served = shared[0]
    page.open("feed").says(".feed", "remembered")
    page.page.evaluate(
        """async (texts) => {
          const { post } = await import("/viewer/lib/api.js");
          for (const text of texts) await post("/v2/notes", { text });
        }""",
        [f"Event {number}" for number in range(205)],
    )
    page.says("[role=log] li:first-child", "Event 204").counts("[role=log] li", 200)
    assert page.find("[role=log] li >> text=/Event 4$/").count() == 0
    assert page.find("[role=log] li >> text=/Event 5$/").count() == 1
    assert served.get("/v2/notes", limit=1)["total"] >= 205
