"""The view of a memory: which session wrote it, which were told it, where it was written, and what confirming it does."""

from __future__ import annotations

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window
from tests.http.served import Served, tell

ANCHOR = "section:has(h2:has-text('Where it was written'))"


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> str:
    """A memory that a session is told, and a session that changes a file."""
    served, terminal = shared
    terminal.process("init", "--no-agents")
    fact = str(served.post("/v2/memories", {"title": "Sessions live in Redis", "summary": "for speed"})["id"])
    tell(terminal, "session-start", {"source": "startup"})
    tell(terminal, "user-prompt", {"prompt": "Validate the static paths"})
    edit = {"file_path": str(terminal.folder / "paths.py"), "old_string": "15", "new_string": "30"}
    tell(terminal, "post-tool-use", {"tool_name": "Edit", "tool_input": edit, "tool_result": "ok"})
    tell(terminal, "stop", {"last_assistant_message": "They are checked."})
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    return fact


def test_a_memory_leads_to_the_session_that_wrote_it(page: Window, shared: tuple[Served, Terminal]) -> None:
    session = shared[0].items("/v2/sessions")[0]
    seen = shared[0].get(f"/v2/sessions/{session['id']}")["observations"][0]["id"]
    page.open(f"memory/{seen}").says(".whole", f"written in session “{session['title']}”, {session['started_at'][:10]}")
    page.find(".whole").get_by_role("link", name=session["title"]).click()
    page.says(".view-session h1", session["title"])


def test_a_memory_leads_to_the_sessions_that_were_told_it_and_to_their_turns(
    page: Window, shared: tuple[Served, Terminal], filled: str
) -> None:
    session = shared[0].items("/v2/sessions")[0]
    page.open(f"memory/{filled}").named("link", "told to 1 session").click()
    page.says(".view-sessions .head", "that were told “Sessions live in Redis”").says(".list .title", session["title"])
    page.find(".list").get_by_role("link", name="its turns").click()
    page.says(".view-turns .list", "Validate the static paths")


def test_confirming_says_where_it_was_written_and_is_undone(page: Window, shared: tuple[Served, Terminal], filled: str) -> None:
    terminal = shared[1]
    first = terminal.git("rev-parse", "--short=7", "HEAD")
    page.open(f"memory/{filled}").named("button", "Confirm").click()
    page.says("#toasts", "holds on what is checked out already: nothing changed")
    second = terminal.commit("Second", b_py="b = 1\n")[:7]
    page.named("button", "Confirm").click()
    page.says("#toasts", "“Sessions live in Redis” is confirmed")
    page.says(ANCHOR, f"Written on {first}, confirmed").says(ANCHOR, f"on {second}")
    page.find("#toasts button").filter(has_text="Undo confirming").click()
    page.says("#toasts", "Taken back: confirming “Sessions live in Redis”").says(ANCHOR, f"On {first}")
    assert "confirmed" not in page.find(ANCHOR).inner_text()
