"""What the first view leads to: why something was told, what shows no sign of use, what is left open, who took what back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from memcli.agents.turns.turn import KEPT_DAYS
from tests.conftest import Terminal
from tests.http.browser import Window
from tests.http.served import Served, tell

if TYPE_CHECKING:
    from playwright.sync_api import Locator

ANSWER = "I tried to keep them in Redis and reverted it: they were evicted under load.\n\nStill open: the cart is not moved yet."


def reverted(terminal: Terminal) -> None:
    """A session commits, a person reverts that, and days later a session speaks of something else."""
    clock = ("MEMPACK_CLOCK", "GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE")
    before = dict(terminal.env)

    def at(moment: str, event: str = "", session: str = "s-mail", **payload: object) -> None:
        terminal.env |= dict.fromkeys(clock, moment)
        if event:
            tell(terminal, event, {"session_id": session, **payload})

    path = terminal.folder / "mail.py"
    terminal.commit("Begin", mail_py="LIMIT = 1\n")
    at("2026-02-01T10:00:00Z", "session-start", source="startup")
    at("2026-02-01T10:01:00Z", "user-prompt", prompt="Limit the retries of the mail sender.")
    path.write_text("LIMIT = 5\n")
    edit = {"file_path": str(path), "old_string": "LIMIT = 1", "new_string": "LIMIT = 5"}
    at("2026-02-01T10:02:00Z", "post-tool-use", tool_name="Edit", tool_input=edit, tool_result="ok")
    at("2026-02-01T10:03:00Z")
    terminal.git("commit", "-qam", "Limit the retries")
    command = {"command": "git commit -qam 'Limit the retries'"}
    result = "[main 1234567] Limit the retries\n 1 file changed"
    at("2026-02-01T10:03:30Z", "post-tool-use", tool_name="Bash", tool_input=command, tool_result=result)
    at("2026-02-01T10:04:00Z", "stop", last_assistant_message="The sender stops after 5 tries.")
    at("2026-02-01T10:04:30Z", "session-end", reason="exit")
    at("2026-02-01T10:05:00Z")
    terminal.env["GIT_AUTHOR_NAME"] = "Ada Example"
    terminal.git("revert", "--no-edit", "HEAD")
    at("2026-02-03T10:00:00Z", "session-start", "s-docs", source="startup")
    at("2026-02-03T10:01:00Z", "user-prompt", "s-docs", prompt="Are the pages of the guide complete?")
    at("2026-02-03T10:02:00Z", "stop", "s-docs", last_assistant_message="They are.\n\nStill open: the index has no letters.")
    terminal.env.clear()
    terminal.env.update(before)


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> None:
    """A session that was told something and dropped an attempt, a commit that another person reverted, and an undo."""
    served, terminal = shared
    terminal.process("init", "--no-agents")
    first = served.post("/v2/memories", {"title": "The guide has twelve pages", "summary": "with an index"})["id"]
    reverted(terminal)
    tell(terminal, "session-start", {"source": "startup"})
    kept = served.post("/v2/memories", {"title": "Sessions live in Postgres", "summary": "Redis evicted them under load"})["id"]
    tell(terminal, "user-prompt", {"prompt": "where do sessions live, in Redis?"})
    tell(terminal, "stop", {"last_assistant_message": ANSWER})
    terminal.process("forget", first)
    terminal.commit("Cache the paths", paths_py="CACHE = {}\n")
    Terminal(terminal.folder, {**terminal.env, "GIT_AUTHOR_NAME": "Ada Example"}, None).git("revert", "--no-edit", "HEAD")
    terminal.process("forget", kept)
    terminal.process("undo")
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})


def home(page: Window) -> Window:
    """Opens the page, and waits for all that its first view says."""
    page.open("")
    page.page.wait_for_function("() => document.querySelector('.view-home') && !document.querySelector('main [aria-busy=true]')")
    return page


def section(page: Window, title: str) -> Locator:
    """Returns a part of the first view."""
    return page.find(".home > section").filter(has=page.named("heading", title))


def test_why_a_prompt_was_told_something_is_one_click_from_the_first_view(page: Window) -> None:
    told = section(home(page), "Asked, and told").locator("li").filter(has_text="where do sessions live, in Redis?")
    told.get_by_role("link", name="what it was told, and why").click()
    page.says(".view-pack blockquote", "where do sessions live, in Redis?").says(".pack-middle .items", "Sessions live in")
    page.says(".pack-middle .why-told", "Told, as it is one of the latest memories, of 20")


def test_a_prompt_of_a_session_leads_to_what_it_was_told(page: Window, shared: tuple[Served, Terminal]) -> None:
    session = shared[0].get("/v2/sessions")["items"][0]["id"]
    start = page.open(f"session/{session}").find(".timeline > .moment").first.inner_text()
    assert "start of the session" in start
    assert "tokens told" in start
    page.find(".moment.prompt").get_by_role("link", name="what it was told, and why").click()
    page.says(".view-pack blockquote", "where do sessions live, in Redis?")


@pytest.mark.parametrize("width", [1180, 360])
@pytest.mark.parametrize(
    ("link", "view", "words"),
    [
        ("what it was told, and why", "pack", "Told, as it is one of the latest memories"),
        ("all: Told, no sign of use", "doctor", "What counts as told and used?"),
        ("Still open: the cart is not moved yet.", "session", "Still open: the cart is not moved yet."),
        ("all: Taken back", "reverts", "by Ada Example, in no session of an agent"),
    ],
)
def test_each_question_is_answered_by_keyboard_alone_in_a_wide_window_and_a_narrow_one(
    page: Window, width: int, link: str, view: str, words: str
) -> None:
    page.page.set_viewport_size({"width": width, "height": 740})
    home(page)
    for _ in range(80):
        if page.focus == link:
            break
        page.keys("Tab")
    page.keys("Enter").says(f"main .view-{view}", words)


def test_the_list_of_turns_leads_to_why_a_prompt_was_told_something(page: Window) -> None:
    row = page.open("turns").find(".list > .memory").filter(has_text="where do sessions live, in Redis?")
    row.get_by_role("link", name="what it was told, and why").click()
    page.says(".view-pack blockquote", "where do sessions live, in Redis?").says(".pack-middle .why-told", "Told, as it is")


def test_the_list_of_turns_ends_with_how_long_turns_are_kept(page: Window) -> None:
    page.open("turns").says(".view-turns > div:last-of-type", f"Turns are kept for {KEPT_DAYS[0]} days, and until")


def test_a_start_is_told_from_others_by_its_session(page: Window, shared: tuple[Served, Terminal]) -> None:
    start, session = next(
        (turn, session)
        for session in shared[0].items("/v2/sessions")
        for turn in shared[0].items("/v2/turns", session=session["id"])
        if turn["event"] == "session-start"
    )
    assert start["memories"]
    assert f"The start of “{session['title']}”" in section(home(page), "Asked, and told").inner_text()
    page.at("turns").says(".list", f"in “{session['title']}”")
    page.at(f"turns?session={session['id']}").says(".head", "of every session")
    assert "in “" not in page.find(".list").inner_text()


def test_a_memory_leads_to_its_thread_and_to_why_its_files_are_so(page: Window, shared: tuple[Served, Terminal]) -> None:
    made = shared[0].post("/v2/memories", {"title": "Mails are limited", "summary": "s", "thread": "mail", "files": ["mail.py"]})
    page.open(f"memory/{made['id']}").find(".view-memory .plain a").filter(has_text="mail.py").click()
    page.says(".view-why .why-list", "Limit the retries")
    page.at(f"memory/{made['id']}").find(".view-memory .meta a").filter(has_text="mail").click()
    page.says(".view-thread h1", "mail")


def test_what_was_told_without_a_sign_of_use_is_listed(page: Window, shared: tuple[Served, Terminal]) -> None:
    unused = shared[0].items("/v2/unused", least=1, observed="true")
    assert unused
    assert shared[0].items("/v2/unused") == []  # none was told often
    assert shared[0].refused("GET", "/v2/unused?least=0") == (422, "invalid_input")
    made = shared[0].post("/v2/memories", {"title": "The atlas is out of print", "summary": "since May"})["id"]
    part = section(home(page), "Told, no sign of use")
    assert unused[0]["title"] in part.inner_text()
    numbers = part.locator("p").filter(has_text="told to no session").inner_text()
    every, *sets = [int(it.replace(",", "")) for it in re.findall(r"[\d,]*\d", numbers)]
    assert (len(sets), sum(sets), every) == (3, every, shared[0].get("/v2/memories", limit=1)["total"])
    part.get_by_role("link", name="told to no session").click()
    page.says(".view-memories .list", "The atlas is out of print").says(".view-memories [role=status]", "memor")
    assert unused[0]["title"] not in page.find(".view-memories .list").inner_text()
    shared[1].process("forget", made)
    part = section(page.at("home"), "Told, no sign of use")
    part.get_by_role("link", name="all: Told, no sign of use").click()
    part = page.find(".view-doctor section").first
    for words in ("Told, no sign of use", unused[-1]["title"], "told to 1 session"):
        page.says(".view-doctor section", words)
    page.page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')")
    box = part.bounding_box()
    assert box
    assert box["y"] < 400  # whatever came after it
    # "All is well." is said of the checks, not of what shows no sign of use.
    assert [heading.inner_text() for heading in page.find(".view-doctor h2").all()[:2]] == ["Told, no sign of use", "Checks"]


@pytest.mark.parametrize("view", ["doctor?at=unused", "sessions", "turns"])
def test_wherever_used_is_counted_it_is_said_what_counts(page: Window, view: str) -> None:
    page.open(view).find(".counting summary").click()
    for words in ("counts once for each session", "a file that it names was read or edited", "four of its words in a row"):
        page.says(".counting[open]", words)


def test_open_work_leads_to_the_statement_in_its_answer(page: Window) -> None:
    page.page.set_viewport_size({"width": 700, "height": 300})
    section(home(page), "Open work").get_by_role("link", name="the cart is not moved yet").click()
    page.says(".view-session mark.is-meant", "the cart is not moved yet")
    assert page.find(".is-meant").all_inner_texts() == [ANSWER.split("\n\n")[1]]
    page.page.wait_for_function("() => scrollY > 0")
    box = page.find("mark").bounding_box()
    assert box
    assert 0 < box["y"] < 300


def test_who_took_what_back_is_said_of_commits_of_sessions_and_of_the_memory(
    page: Window, shared: tuple[Served, Terminal]
) -> None:
    served, terminal = shared
    part = section(home(page), "Taken back")
    assert "Cache the paths" in part.inner_text()
    assert "by Ada Example" in part.inner_text()
    part.get_by_role("link", name="all: Taken back").click()
    page.says(".view-reverts", "Cache the paths")
    rows = [
        page.find(".view-reverts li").filter(has_text=text)
        for text in ("Cache the paths", "Redis and reverted it", "mem in a terminal")
    ]
    commit, dropped, undone = (row.first.inner_text() for row in rows)
    assert "commit reverted" in commit
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d", commit)
    assert terminal.git("rev-parse", "--short=7", "HEAD") in commit
    assert terminal.git("rev-parse", "--short=7", "HEAD~1") in commit
    assert "tried and dropped" in dropped
    assert "by the agent of" in dropped
    assert "Sessions live in Postgres" in undone
    assert "forgetting was undone" in undone
    reverts = served.items("/v2/reverts")
    assert {it["how"]: it["by"] for it in reverts} == {"commit": "Ada Example", "undo": "cli"}
    rows[1].first.get_by_role("link").first.click()
    page.says(".view-session h1", "")


def test_what_a_person_takes_back_in_the_page_is_among_what_was_taken_back(page: Window, shared: tuple[Served, Terminal]) -> None:
    served = shared[0]
    made = served.post("/v2/memories", {"title": "The menu has nine lines", "summary": "of a hand's width"})["id"]
    for act, message in (("Forget", "is forgotten"), ("Pin", "is pinned"), ("Edit", "is changed")):
        page.open(f"memory/{made}") if act == "Forget" else page.at("home").at(f"memory/{made}")
        page.page.get_by_role("button", name=act, exact=False).first.click()
        if act == "Edit":
            page.page.get_by_label("Summary").fill("of two hands' width")
            page.page.get_by_role("button", name="Save").click()
        page.says(".toasts", message)
        page.find(".toasts button").filter(has_text="Undo").last.click()
        page.says(".toasts", "Taken back:")
    page.keys("n").page.get_by_label("Title").fill("The menu has a colour")
    page.page.get_by_label("Summary").fill("blue")
    page.page.get_by_role("button", name="Remember").click()
    page.says("main h1", "The menu has a colour")
    page.page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')")
    page.find(".toasts button").filter(has_text="Undo remembering").click()
    page.says(".toasts", "Taken back: remembering").at("reverts").says(".view-reverts", "The menu has nine lines")
    assert "writing was undone" in page.find(".view-reverts li").filter(has_text="The menu has a colour").inner_text()
    rows = page.find(".view-reverts li").filter(has_text="The menu has nine lines").all_inner_texts()
    assert [row.split("\n")[1] for row in rows] == ["a change was undone", "pinning was undone", "forgetting was undone"]
    assert all("somebody in this page" in row for row in rows)
    assert {(it["how"], it["of"], it["by"]) for it in served.items("/v2/reverts") if it["of"] == made} == {
        ("change", made, "http")
    }


def test_what_was_reverted_is_marked_in_its_session_and_leads_to_the_commit_that_did(
    page: Window, shared: tuple[Served, Terminal]
) -> None:
    served = shared[0]
    session = next(it["id"] for it in served.items("/v2/sessions") if it["key"] == "s-mail")
    page.open(f"session/{session}")
    commit = page.find(".moment.seen").filter(has_text="Committed: Limit the retries")
    assert "reverted" in commit.inner_text()
    commit.get_by_role("link", name="Committed: Limit the retries").click()
    page.says(".view-memory .note", 'It is superseded (reverted) by Ada Example committed: Revert "Limit the retries"').says(
        ".whole .badge", "superseded (reverted)"
    )
    for view in ("all?q=Limit+the+retries", "memories?only=superseded"):
        page.at(view).says('.memory-head:has(.title:text-is("Committed: Limit the retries"))', "reverted")
    page.at(f"session/{session}")
    commit.get_by_role("link", name="Committed: Limit the retries").click()
    page.named("link", 'committed: Revert "Limit the retries"').first.click()
    page.says(".view-memory h1", 'committed: Revert "Limit the retries"')
    reasons = served.get("/v2/why", target=served.items("/v2/reverts")[-1]["of"])["changes"][0]["sessions"]
    assert [it["title"] for it in reasons] == [next(it["title"] for it in served.items("/v2/sessions") if it["id"] == session)]


def test_a_commit_that_takes_back_leads_to_what_it_took_back(page: Window, shared: tuple[Served, Terminal]) -> None:
    terminal = shared[1]
    reverted = terminal.git("rev-parse", "HEAD~1")
    page.open(f"why?target={terminal.git('rev-parse', 'HEAD')}").says(".why-list .summary", "This reverts commit")
    page.find(".why-list .summary").get_by_role("link", name=reverted[:7]).click()
    page.says(".why-list .memory-head", "Cache the paths")


def test_a_commit_that_was_taken_back_leads_to_what_took_it_back(page: Window, shared: tuple[Served, Terminal]) -> None:
    terminal = shared[1]
    page.open(f"why?target={terminal.git('rev-parse', 'HEAD~1')}").says(".why-list .meta:has(a)", "Taken back by")
    page.find(".why-list .meta").get_by_role("link", name='Revert "Cache the paths"').click()
    page.says(".why-list .memory-head", 'Revert "Cache the paths"').says(".why-list .meta:has(a)", "Took back")


def test_what_a_person_asked_to_revert_leads_to_the_prompt_from_its_commit_and_its_memory(
    page: Window, shared: tuple[Served, Terminal]
) -> None:
    then = {"MEMPACK_CLOCK": "2026-02-06T10:00:00Z"}
    terminal = Terminal(shared[1].folder, {**shared[1].env, **then}, None)
    who = {"session_id": "s-sound"}

    def work(prompt: str, command: str, output: str) -> str:
        tell(terminal, "user-prompt", {**who, "prompt": prompt})
        run = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_result": output}
        tell(terminal, "post-tool-use", {**who, **run})
        tell(terminal, "stop", {**who, "last_assistant_message": "Done."})
        return terminal.git("rev-parse", "HEAD")

    terminal.commit("Add the sounds", sounds_py="SOUNDS = 1\n")
    output = "[main 1234567] Add the sounds\n 1 file changed"
    first = work("Add sounds to the buttons.", "git commit -qam 'Add the sounds'", output)
    work("Revert the sounds, they annoy everybody.", "git revert --no-edit HEAD", terminal.git("revert", "--no-edit", "HEAD"))
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    (made,) = [it["id"] for it in shared[0].get("/v2/items", type="memory")["items"] if it["title"].endswith(": Add the sounds")]
    for view in (f"why?target={first}", f"memory/{made}"):
        page.open(view) if page.page.url == "about:blank" else page.at("home").at(view)
        page.named("link", "“Revert the sounds, they annoy everybody.”").click()
        page.says(".view-session .is-meant", "Revert the sounds, they annoy everybody.")


def test_a_person_who_asks_to_go_back_is_named_with_the_prompt(page: Window, shared: tuple[Served, Terminal]) -> None:
    terminal = shared[1]
    for moment, prompt in (
        ("2026-02-05T10:00:00Z", "We use Redis for the carts. Keep the carts in Redis from now on."),
        ("2026-02-05T10:10:00Z", "No, we go back to Postgres for the carts."),
    ):
        then = Terminal(terminal.folder, {**terminal.env, "MEMPACK_CLOCK": moment}, None)
        tell(then, "user-prompt", {"session_id": "s-cart", "prompt": prompt})
        tell(then, "stop", {"session_id": "s-cart", "last_assistant_message": "Done."})
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    row = page.open("reverts").find(".view-reverts li").filter(has_text="asked by a person")
    assert "Redis" in row.locator(".memory-head").inner_text()
    assert "a person asked: “No, we go back to Postgres for the carts.”" in row.inner_text()
    row.get_by_role("link", name="No, we go back to Postgres").click()
    page.says(".view-session .is-meant", "No, we go back to Postgres for the carts.")


def test_the_summary_of_a_session_names_the_files_that_it_changed(page: Window, shared: tuple[Served, Terminal]) -> None:
    summary = {"title": "The mails go out", "summary": "in time", "kind": "summary", "entities": ["mail.py"]}
    made = shared[0].post("/v2/memories", summary)["id"]
    files = page.open(f"memory/{made}").find("main section").filter(has=page.find("h2:text-is('Files')"))
    assert "mail.py changed in its session" in files.inner_text()


def test_what_a_later_session_takes_back_leads_to_the_session_that_said_it(page: Window, shared: tuple[Served, Terminal]) -> None:
    served = shared[0]
    (said,) = [it for it in served.get("/v2/items", type="passage")["items"] if "the cart is not moved yet" in it["title"]]
    later = next(it for it in served.items("/v2/sessions") if it["id"] != said["session"])
    row = {"how": "prompt", "kind": "prompt", "title": said["title"], "of": said["id"], "id": "P-0000000000", "by": "prompt"}
    row |= {
        "session": later["id"],
        "session_title": later["title"],
        "at": later["last_at"],
        "prompt": "P-0000000000",
        "asked": "No",
    }
    page.page.route("**/v2/reverts?*", lambda route: route.fulfill(json={"items": [row], "total": 1, "limit": 200, "offset": 0}))
    page.open("reverts").find(".view-reverts .title").filter(has_text="the cart is not moved yet").click()
    page.says(".view-session mark", "the cart is not moved yet")
    assert not page.find("#toasts .toast").count()


def test_what_says_the_same_in_one_exchange_is_one_row(page: Window) -> None:
    page.open("all").says(".list", "where do sessions live, in Redis?")
    rows = page.find(".list > li").filter(has_text="the cart is not moved yet").all_inner_texts()
    assert [row.split("\n")[0] for row in rows if "where do sessions live" in row] == ["memory", "prompt, answer, statement"]


def test_a_statement_is_opened_in_its_session_by_its_id(page: Window, shared: tuple[Served, Terminal]) -> None:
    served = shared[0]
    (statement,) = [it for it in served.get("/v2/items", type="passage")["items"] if "the cart is not moved yet" in it["title"]]
    go = "(id) => void (location.hash = `#/memory/${encodeURIComponent(id)}`)"
    page.open("home").page.evaluate(go, statement["id"])
    page.says(".view-session mark", "the cart is not moved yet")
    page.page.go_back()
    page.says(".view-home .home", "the cart is not moved yet").page.evaluate(go, statement["id"].split("#")[0])
    page.says(".view-session .is-meant", "where do sessions live, in Redis?")
