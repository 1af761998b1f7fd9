"""The inspector: what an agent is given from each source, what bounds it, and two of them beside each other."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memcli.store.vocabulary import ranks
from memcli.text import tokens
from tests.conftest import Terminal
from tests.http.browser import Window, window
from tests.http.served import Served, tell

if TYPE_CHECKING:
    from playwright.sync_api import Browser

TASK = "why does the lockout last so long"


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> dict[str, str]:
    """Twenty memories of one matter, one of which is younger than the last commit but one."""
    served, terminal = shared
    terminal.process("config", "set", "turn.tokens", "400")  # so that something finds no room, however much is said twice
    terminal.process("init", "--no-agents")
    for n in range(20):
        title = f"Lockout reason number {n} is that department {n} cannot bear more"
        served.post("/v2/memories", {"title": title, "summary": f"the lockout lasts since meeting {n}"})
    base = terminal.git("rev-parse", "HEAD")
    terminal.commit("on")
    text = {"title": "The lockout lasts fifteen minutes", "summary": "it is long because of bots"}
    made = served.post("/v2/memories", text)
    served.post(f"/v2/memories/{made['id']}/pin")
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


def test_a_pack_without_a_task_has_what_is_left_open_and_gives_no_reason_that_is_none(
    page: Window, shared: tuple[Served, Terminal]
) -> None:
    tell(shared[1], "user-prompt", {"session_id": "s-open", "prompt": "Move the cart to the new table"})
    tell(
        shared[1],
        "stop",
        {"session_id": "s-open", "last_assistant_message": "It is moved.\n\nStill open: the cart has no test yet."},
    )
    shared[1].process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    page.open("pack").says(".pack-ask", "Without a task the pack holds the state and what is left open.")
    page.says(".pack-middle .items", "the cart has no test yet")
    assert "words it has not" not in " ".join(page.find(".pack-middle .why summary").all_inner_texts())
    assert not [it for it in shared[0].get("/v2/pack", query="")["pack"]["top_memories"] if it["id"].startswith("M-")]


def test_a_task_s_words_that_only_stand_in_the_prompt_are_said_to_be_of_the_prompt(
    page: Window, shared: tuple[Served, Terminal]
) -> None:
    tell(shared[1], "user-prompt", {"session_id": "s-gate", "prompt": "Oil the hinges of the garden gate"})
    answer = "The garden gate is oiled.\n\nStill open: tell the neighbours that it is quiet."
    tell(shared[1], "stop", {"session_id": "s-gate", "last_assistant_message": answer})
    shared[1].process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    rows = shared[0].get("/v2/pack", query="oil the hinges again")["explain"]["memories"]
    (row,) = [it for it in rows if "tell the neighbours" in it["title"]]
    assert row["words_of_prompt"] == row["words"] == ["oil", "hinges"]
    page.open("pack?q=oil the hinges again").says(".pack-middle [role=status]", "1 prompt, ")
    item = page.find(".pack-middle .items > li").filter(has_text="tell the neighbours")
    assert ": the prompt that it answers has oil, hinges" in item.locator(".why summary").inner_text()


def test_the_limits_that_left_something_out_are_named_with_what_they_are(page: Window, shared: tuple[Served, Terminal]) -> None:
    most = shared[0].get("/v2/config/budget.memories")["value"]
    page.open(f"pack?q={TASK}").says(".bounds", "budget.memories").says(".bounds", f"{most} memories")
    assert page.find(".pack-middle .items > li").count() == most
    page.at(f"pack?q={TASK}&budget=300").says(".bounds", "the budget asked for (300 tokens)")
    limits = shared[0].get("/v2/pack", query=TASK, budget=300)["explain"]["limits"]
    assert limits[0]["name"] == "budget"
    assert f"left out {limits[0]['left_out']}" in page.find(".bounds").inner_text()
    assert [part.split(" ")[0] for part in page.find(".pack-out h2, .pack-out .bounds h3").all_inner_texts()] == ["What", "What"]
    page.at("pack?q=nothingsaysthis").says(".pack-out", "Nothing that matched").counts(".bounds", 0)


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
    assert "not on this branch" in row.inner_text()
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


def test_what_a_session_is_told_at_its_start_is_what_the_hook_prints(copying: Window, shared: tuple[Served, Terminal]) -> None:
    page, (served, terminal) = copying, shared
    page.open("pack?source=start").says(".pack-middle [role=status]", "tokens").says(
        ".pack-middle .items", "The lockout lasts fifteen minutes"
    )
    page.says(".bounds", "turn.tokens (400 tokens)").says(".pack-out", "no tokens left")
    used = served.get("/v2/turn/preview", engine="claude")["tokens"]
    page.says(".pack-middle [role=status]", f"{used} of {max(used, 400)} tokens")  # not of all that a turn with a prompt may have
    free = served.get("/v2/turn/preview", engine="claude")["free"]
    page.says(".pack-middle [role=status]", "tokens (turn.tokens), ").says(".pack-middle .legend", f"free {free}")
    page.says(".pack-middle .legend", f"set aside {max(0, 400 - used) - free}")
    page.named("button", "Copy as text").click()
    page.says("#toasts", "Copied")
    text = clipboard(page)
    payload = json.dumps({"session_id": "s-start", "cwd": str(terminal.folder), "source": "startup"})
    command = [sys.executable, "-m", "memcli", "hook", "session-start", "--harness", "claude"]
    hook = subprocess.run(
        command, input=payload, cwd=terminal.folder, env=terminal.env, capture_output=True, text=True, check=True
    )
    assert hook.stdout == text
    page.named("button", "Copy as a command line").click()
    page.page.wait_for_function("async () => (await navigator.clipboard.readText()).startsWith('mem turn prepare ')")
    assert served.get("/v2/turn/preview", engine="claude")["text"] == text
    page.page.get_by_label("First prompt", exact=True).fill("department 3 lockout")
    page.says(".pack-middle .items", "Told, as it has words of the prompt: department, lockout")
    page.page.get_by_label("First prompt", exact=True).fill("")
    page.page.get_by_label("At commit").fill("HEAD~1")
    page.keys("Tab").says(".pack-middle .items", "Lockout reason")
    page.page.wait_for_function("() => !document.querySelector('.pack-middle .items').textContent.includes('fifteen')")
    page.page.get_by_label("At commit").fill("")
    page.find(".compare summary").click()
    page.page.get_by_label("Other first prompt").fill("department 3 lockout")
    page.keys("Tab").says(".compare thead", "“department 3 lockout”").says(".compare [role=status]", "only in the other")
    page.page.get_by_label("Other commit").fill("HEAD~1")
    page.keys("Tab").says(".compare thead", "at HEAD~1")
    row = page.find(".compare tbody tr").filter(has_text="The lockout lasts fifteen minutes")
    assert "not on this branch" in row.inner_text()
    kept = page.page.url
    page.page.reload()
    page.says(".compare thead", "at HEAD~1")
    assert page.page.url == kept


def test_a_prompt_shows_what_it_was_told_as_it_was_delivered_and_what_changed_since(
    page: Window, shared: tuple[Served, Terminal], filled: dict[str, str]
) -> None:
    served, terminal = shared
    tell(terminal, "session-start", {"source": "startup"})
    (terminal.folder / "zebra.py").write_text("MONTH = 6\n")
    # Older than the others: else it may be told as one of the latest, whatever is asked.
    text = ("Zebra crossings are painted in June", "--summary", "by the zebra crew", "--file", "zebra.py")
    secret = terminal.process("add", *text, "--json", env={"MEMPACK_CLOCK": "2026-02-01T12:00:00Z"}).json["id"]
    for prompt in ("when are zebra crossings painted, as ZEBRA.py has it", "thanks"):
        tell(terminal, "user-prompt", {"prompt": prompt})
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    session = served.items("/v2/sessions")[0]["id"]

    page.open(f"pack?source=turn&session={session}").says(".pack-middle .items", "Zebra crossings are painted in June")
    page.says(".pack-middle [role=status]", "Prompt 1").says("blockquote", "when are zebra crossings painted")
    page.says(".why-told", "Told, as it has words of the prompt: zebra, crossings, painted")
    page.says(".why-told", "; is linked with zebra.py, which the prompt names.")
    page.says(".turn-list", "prompt 2 told nothing new").says(".pack-middle", "The exact text")
    turn = next(it for it in served.items("/v2/turns", session=session) if it["number"] == 1)
    whole = served.get(f"/v2/turns/{turn['id']}")
    assert whole["is_exact"]
    assert "2026-02-01" in whole["text"]
    text = whole["text"].removeprefix("<mem-context>\n").removesuffix("</mem-context>\n")
    assert whole["tokens"] == tokens.count(text, ranks())
    (act,) = [it for it in served.items(f"/v2/sessions/{session}/acts") if it["lane"] == "told" and it["number"]]
    day = served.get("/v2/stats")["usage"]["by_day"][-1]["tokens"]
    assert [turn["tokens"], act["tokens"]] == [whole["tokens"]] * 2
    assert day == sum(it["tokens"] for it in served.items("/v2/turns"))
    page.says(".pack-middle [role=status]", f"{whole['tokens']} of ").says(".turn-list", f"{whole['tokens']} tokens")
    assert page.find(".exact").text_content() == whole["text"]
    served.ask("PATCH", f"/v2/memories/{secret}", {"summary": "by everybody"})
    page.at("turns").at(f"pack?source=turn&session={session}&turn={turn['id']}").says(".pack-middle .items", "changed since")
    page.says(".pack-middle [role=status]", "changed since")
    page.find(".turn-list a").first.click()
    page.says(".pack-middle [role=status]", "Start of the session").says(".pack-out", "no tokens left")
    page.find(".compare summary").click()
    page.page.get_by_label("Other turn").select_option(turn["id"])
    page.says(".compare thead", "when are zebra crossings painted")
    row = page.find(".compare tbody tr").filter(has_text="Zebra crossings are painted in June")
    assert "not considered" in row.inner_text()
    assert row.get_attribute("data-only") is not None
    page.page.reload()
    page.says(".compare tbody", "Zebra crossings are painted in June")
    served.post(f"/v2/memories/{secret}/unpin")
    assert served.ask("DELETE", f"/v2/memories/{secret}").status == 200
    page.at("turns").at(f"pack?source=turn&session={session}&turn={turn['id']}").says(".pack-middle .items", "forgotten since")
    page.says(".pack-middle .items .title", "Zebra crossings are painted in June")
    assert secret not in page.find("main").inner_text()


def test_the_parts_of_a_turn_or_a_pack_and_what_stands_around_them_add_up(page: Window) -> None:
    numbers = "(all) => all.map((one) => Number(one.textContent.replace(/\\D/g, '')))"
    for view in ("pack?source=start", f"pack?q={TASK}"):
        page.open(view) if page.page.url == "about:blank" else page.at("home").at(view)
        page.says(".pack-middle .item[data-part=frame]", "around").says(".pack-middle", "titles of sections")
        parts = page.find(".pack-middle .item .tokens .n").evaluate_all(numbers)
        said = page.find(".pack-middle [role=status]").inner_text()
        assert said.startswith(f"{sum(parts):,} of "), said


def test_a_prompt_that_was_told_nothing_says_whether_that_was_told_before_or_nothing_is_near(
    page: Window, shared: tuple[Served, Terminal]
) -> None:
    served, terminal = shared
    tell(terminal, "session-start", {"session_id": "s-silent", "source": "startup"})
    prompts = ("which lockout reason has department 7", "the lockout reason of department 7, again", "thanks", "bye")
    for prompt in prompts:
        tell(terminal, "user-prompt", {"session_id": "s-silent", "prompt": prompt})
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    session = next(it["id"] for it in served.items("/v2/sessions") if it["key"] == "s-silent")
    silent = {it["text"]: it["id"] for it in served.items("/v2/untold", session=session)}
    assert set(silent) >= set(prompts[1:3])
    since = ("Lockout reason of department 7 since", "--summary", "A reason of its own.", "--json")
    later = terminal.process("add", *since, env={"MEMPACK_CLOCK": "2026-03-01T13:00:00Z"}).json["id"]
    again = served.get(f"/v2/untold/{silent[prompts[1]]}")
    why = {it["title"]: it["why"] for it in again["left_out"]}
    assert next(it for name, it in why.items() if "department 7" in name) in ("told", "shown")
    assert later not in [it["id"] for it in again["left_out"]]
    assert (again["items"], again["text"], again["mode"]) == ([], "", "none")
    page.open("turns").find(".list > .memory").filter(has_text=prompts[1]).get_by_role("link", name="prompt 2").click()
    page.says(".pack-middle [role=status]", "All that was near enough to the prompt had been told to the session before.")
    page.find(".pack-out details[data-key=known] summary").click()
    page.says(".pack-out", "is that department 7 cannot")
    page.find(".turn-list a").filter(has_text="prompt 3").click()
    page.says(".pack-middle [role=status]", "told nothing new. Nothing was near enough to the prompt.")
    for prompt, why in ((prompts[1], "All that was near enough to the prompt had been"), (prompts[2], "enough to the prompt.")):
        page.at("home").at(f"session/{session}?at={silent[prompt]}").says(".is-meant .meta", why)
    assert served.refused("GET", "/v2/untold/P-ZZZZZZZZZZ") == (404, "not_found")


def test_a_turn_lists_what_it_told_by_the_titles_of_then(page: Window, shared: tuple[Served, Terminal]) -> None:
    served, terminal = shared
    made = served.post("/v2/memories", {"title": "Otters hold hands", "summary": "in their sleep"})["id"]
    said = {"session_id": "s-otter", "prompt": "raise the height of the otter fence to two metres"}
    tell(terminal, "user-prompt", said)
    tell(terminal, "stop", {"session_id": "s-otter", "last_assistant_message": "The otter fence has two metres of height now."})
    run = {"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"}
    terminal.process("worker", "run", env=run)
    tell(terminal, "session-start", {"session_id": "s-titles", "source": "startup"})
    tell(terminal, "user-prompt", {"session_id": "s-titles", "prompt": "how high is the otter fence, and do otters hold hands"})
    terminal.process("worker", "run", env=run)
    served.ask("PATCH", f"/v2/memories/{made}", {"title": "Otters hold paws"})
    session = next(it["id"] for it in served.items("/v2/sessions") if it["key"] == "s-titles")
    listed = served.items("/v2/turns", session=session)
    assert "Otters hold hands" in [memory["title"] for turn in listed for memory in turn["memories"]]
    answer, start = listed
    assert [it["id"].partition("#")[0] for it in answer["passages"]]
    assert start["parts"] == len(served.get(f"/v2/turns/{start['id']}")["items"])
    rest = start["parts"] - len(start["memories"])
    row = page.open(f"turns?session={session}").find(".list > .memory").filter(has_text="Start of the session")
    assert f"and {rest} more" in row.inner_text() or rest == 0
    page.says(".list > .memory", answer["passages"][0]["title"])


def test_prompts_whose_turns_are_gone_are_counted(page: Window, shared: tuple[Served, Terminal]) -> None:
    served, terminal = shared
    long_ago = {"MEMPACK_CLOCK": "2026-01-10T12:00:00Z"}
    kept, terminal.env = terminal.env, {**terminal.env, **long_ago}
    tell(terminal, "user-prompt", {"session_id": "s-ago", "prompt": "paint the fence of the badgers"})
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    terminal.env = kept
    (store,) = (terminal.folder.parent / "data").rglob("memory.db")
    with closing(sqlite3.connect(store)) as db, db:
        db.execute("DELETE FROM turn WHERE session = 's-ago'")
    session = next(it["id"] for it in served.items("/v2/sessions") if it["key"] == "s-ago")
    assert served.get("/v2/untold/older", session=session) == {"prompts": 1}
    page.open(f"turns?session={session}").says("main", "1 older prompt: what it was told is no longer known.")
    page.at(f"session/{session}").says(".timeline", "what it was told is no longer known")


def test_a_turn_whose_event_is_no_longer_kept_is_still_that_of_its_prompt(page: Window, shared: tuple[Served, Terminal]) -> None:
    served, terminal = shared
    tell(terminal, "session-start", {"session_id": "s-old", "source": "startup"})
    for prompt in ("which lockout reason has department 11", "thanks a lot"):
        tell(terminal, "user-prompt", {"session_id": "s-old", "prompt": prompt})
    run = {"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"}
    terminal.process("worker", "run", env=run)
    session = next(it["id"] for it in served.items("/v2/sessions") if it["key"] == "s-old")
    (turn,) = [it for it in served.items("/v2/turns", session=session) if it["number"] == 1]
    terminal.process("worker", "run", env={**run, "MEMPACK_CLOCK": "2026-03-09T12:00:00Z"})
    assert turn in served.items("/v2/turns", session=session)
    page.open(f"pack?source=turn&session={session}&turn={turn['id']}").says(".pack-middle [role=status]", "Prompt 1, ")
    page.says(".turn-list", "prompt 2 what it was told is no longer known")
    stored = terminal.folder.parent / "data"
    (store,) = stored.rglob("memory.db")
    with closing(sqlite3.connect(store)) as db, db:
        db.execute("UPDATE turn SET prepared_at = prepared_at - 3600000 WHERE id = ?", (turn["id"],))
    page.at("home").at(f"pack?source=turn&session={session}&turn={turn['id']}")
    page.says(".pack-middle [role=status]", "A prompt that is no longer known, ").says(
        ".turn-list", "a prompt that is no longer known"
    )


def test_why_a_prompt_was_told_something_is_said_in_words(shared: tuple[Served, Terminal]) -> None:
    served, terminal = shared
    (terminal.folder / "quota.py").write_text("LIMIT = 3\n")
    made = served.post("/v2/memories", {"title": "Quotas are three a day", "summary": "by contract", "files": ["quota.py"]})
    served.post(f"/v2/memories/{made['id']}/pin")
    terminal.process("config", "set", "turn.tokens", "2000")  # so that what other tests left here takes no room from it
    at_start = next(it for it in served.get("/v2/turn/preview", engine="claude")["items"] if it["id"] == made["id"])
    terminal.process("config", "set", "turn.tokens", "400")
    assert (at_start["why"], at_start["pinned"], at_start["matches"], at_start["at"]) == ("known", True, [], made["created_at"])
    asked = served.get("/v2/pack", query="the quotas of a day")["explain"]["memories"]
    assert next(it["words"] for it in asked if it["id"] == made["id"]) == ["quotas", "day"]


def test_a_turn_that_is_none_is_refused(shared: tuple[Served, Terminal]) -> None:
    served = shared[0]
    assert served.refused("GET", "/v2/turns/D-ZZZZZZZZZZ") == (404, "not_found")
    assert served.refused("GET", "/v2/turn/preview", engine="nobody") == (422, "invalid_input")
    assert served.refused("GET", "/v2/turn/preview", commit="nope") == (404, "not_found")


def test_a_note_is_called_by_its_words_whether_told_or_left_out_and_leads_to_the_notes(
    page: Window, shared: tuple[Served, Terminal]
) -> None:
    served, terminal = shared
    served.post("/v2/notes", {"text": "Penguins wave at support on Mondays."})
    terminal.process("config", "set", "turn.tokens", "200")
    page.open("pack?source=start").says(".pack-out .item:has-text('Penguins') .meta", "note")
    page.find(".pack-out .title").filter(has_text="Penguins wave at support").click()
    page.says(".view-notes", "Penguins wave at support on Mondays.")
    terminal.process("config", "set", "turn.tokens", "400")
    page.at("pack?source=start&q=when do penguins wave at support?").says(".pack-middle .items", "Penguins wave at support")
    page.find(".pack-middle .items .title").filter(has_text="Penguins").first.click()
    page.says(".view-notes", "Penguins wave at support on Mondays.")


def test_what_had_no_room_at_a_start_is_not_said_to_lack_tokens_at_a_prompt(page: Window) -> None:
    ask = """async () => {
      const { outOf } = await import("/viewer/views/parts.js");
      return [["full", "tokens"], ["delta", "tokens"], ["delta", "orphan"]].map(([mode, why]) => outOf({ mode }, why));
    }"""
    assert page.open().page.evaluate(ask) == ["no tokens left", "no room at the start", "not on this branch"]
