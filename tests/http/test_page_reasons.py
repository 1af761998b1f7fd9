"""Why code is as it is, and what became of it: memories beside the lines of a file, and reverts with what agents said of them."""

from __future__ import annotations

import re

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window
from tests.http.served import Served, tell


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> None:
    """A file that two commits made, and a commit that an agent reverts."""
    served, terminal = shared
    terminal.process("init", "--no-agents")
    terminal.commit("Begin", mail_py="LIMIT = 1\n")
    terminal.commit("Limit the retries", mail_py="LIMIT = 5\n")
    terminal.commit("Pool the connections", pool_py="POOL = 9\n")
    tell(terminal, "user-prompt", {"prompt": "Revert the pool of connections, please."})
    terminal.git("revert", "--no-edit", "HEAD")
    command = {"command": "git revert --no-edit HEAD"}
    result = '[main 1234567] Revert "Pool the connections"\n 1 file changed'
    tell(terminal, "post-tool-use", {"tool_name": "Bash", "tool_input": command, "tool_result": result})
    tell(terminal, "stop", {"last_assistant_message": SAID})
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    for memory in (NAMED, BY_NAME, BY_SUBJECT):
        served.post("/v2/memories", memory)


SAID = "I tried a pool of connections and reverted it: they were cut off."
NAMED = {"title": "Mails have limits", "summary": "s", "files": ["mail.py"]}
BY_NAME = {"title": "The mail goes out at night", "summary": "when the lines are free"}
BY_SUBJECT = {"title": "Servers lock out who retries too often", "summary": "three retries a minute"}


def test_what_an_agent_says_of_its_own_revert_stands_below_the_commit(page: Window) -> None:
    page.open("reverts").says(".view-reverts", "Pool the connections")
    (row,) = page.find(".view-reverts li").all_inner_texts()
    assert "commit reverted" in row
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d", row)
    assert f"the agent said: {SAID[:30]}" in row
    assert page.find(".view-reverts [role=status]").inner_text() == "1 thing"


def test_below_the_lines_of_a_file_stand_memories_that_may_say_more_of_it(page: Window) -> None:
    part = page.open("why?target=mail.py").says(".further", BY_NAME["title"]).find(".further")
    said = part.locator("li").all_inner_texts()
    assert len(said) <= 5
    assert any(BY_SUBJECT["title"] in it for it in said)
    assert not any(NAMED["title"] in it or it.startswith("Committed:") for it in said)
    part.get_by_role("link", name="Search everything for “mail.py”").click()
    page.says(".view-all h1", "Everything")


def test_a_commit_that_no_hook_saw_stands_in_the_timeline_and_behind_the_call_that_made_it(
    page: Window, shared: tuple[Served, Terminal]
) -> None:
    served, terminal = shared
    before = dict(terminal.env)
    clock = ("MEMPACK_CLOCK", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE")
    for moment, event, payload in (
        ("2026-02-02T10:00:00Z", "user-prompt", {"prompt": "Release the pool."}),
        ("2026-02-02T10:00:10Z", "", {}),
        (
            "2026-02-02T10:00:20Z",
            "post-tool-use",
            {"tool_name": "Bash", "tool_input": {"command": "make it"}, "tool_result": "ok"},
        ),
        ("2026-02-02T10:00:30Z", "stop", {"last_assistant_message": "Released."}),
    ):
        terminal.env |= dict.fromkeys(clock, moment)
        if event:
            tell(terminal, event, {"session_id": "s-made", **payload})
        else:
            terminal.commit("Release the pool", pool_py="POOL = 10\n")
    terminal.env.clear()
    terminal.env.update(before)
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    session = next(it["id"] for it in served.items("/v2/sessions") if it["key"] == "s-made")
    done = [act for act in served.items(f"/v2/sessions/{session}/acts") if act["lane"] in ("tool", "commit")]
    assert [act["lane"] for act in done] == ["tool", "commit"]  # hooks see a call when it has ended
    row = page.open(f"session/{session}").find(".timeline .moment").filter(has_text="commit")
    assert "Release the pool" in row.inner_text()
    row.get_by_role("link", name="Release the pool").click()
    page.says(".view-why .why-list", "Release the pool")
