"""The page, in a real browser, by somebody who uses the keyboard alone."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window
from tests.http.served import Served, tell

if TYPE_CHECKING:
    from playwright.sync_api import Route

FACTS = (
    ("Session tokens live in Postgres", "Redis evicted them under load; rows in session, 30 days.", "auth"),
    ("Login lockout is 15 minutes", "Five failures lock the account, as login.py says.", "auth"),
    ("Prices are integers in cents", "Floats lost a cent in refunds.", "payments"),
    ("Deploys wait for the canary", "2.2 took the cart down.", "release"),
)


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> dict[str, str]:
    """Memories on two branches, states, a session: what each title's id is."""
    served, terminal = shared
    (terminal.folder / "login.py").write_text("LOCKOUT = 15\n")
    terminal.git("add", "login.py")
    terminal.commit("Add the login")
    terminal.process("init", "--no-agents")
    terminal.git("checkout", "-q", "-b", "side")
    terminal.commit("Try Redis")
    made = {"side": served.post("/v2/memories", {"title": "Sessions expire in Redis", "summary": "s", "thread": "auth"})["id"]}
    terminal.git("checkout", "-q", "main")
    terminal.commit("Go on")
    for title, summary, thread in FACTS:
        made[title] = served.post("/v2/memories", {"title": title, "summary": summary, "thread": thread})["id"]
    served.post("/v2/links", {"from_id": made[FACTS[1][0]], "rel": "relates", "to_id": made[FACTS[0][0]]})
    served.post("/v2/state", {"reason": "Deploying 2.3", "state": {"deploying": "2.3", "open": ["a", "b"]}})
    served.post("/v2/state", {"reason": "Deploying 2.4", "state": {"deploying": "2.4", "open": ["b"], "canary": True}})
    tell(terminal, "user-prompt", {"prompt": "fix the login"})
    (terminal.folder / "limits.py").write_text("LOCKOUT = 30\n")
    edit = {"file_path": str(terminal.folder / "limits.py"), "old_string": "15", "new_string": "30"}
    read = {"file_path": str(terminal.folder / "login.py")}
    tell(terminal, "post-tool-use", {"tool_name": "Read", "tool_input": read, "tool_result": "LOCKOUT"})
    tell(terminal, "post-tool-use", {"tool_name": "Edit", "tool_input": edit, "tool_result": "ok"})
    tell(terminal, "stop", {"last_assistant_message": "The login works again."})
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.1"})
    return made


def test_a_memory_is_found_opened_pinned_changed_and_forgotten_with_every_step_taken_back(
    page: Window, shared: tuple[Served, Terminal], filled: dict[str, str]
) -> None:
    served, made = shared[0], filled[FACTS[0][0]]
    page.open().keys("/").type("postgres sessions")
    page.says("mark", "Session")
    page.keys("ArrowDown")
    assert page.focus == FACTS[0][0]
    page.keys("Enter").says(".view-memory h1", FACTS[0][0])

    page.keys("p").says("#toasts", "is pinned").says("main .badge", "pinned")
    assert served.get(f"/v2/memories/{made}")["memory"]["pinned"] is True
    page.keys("u").counts("main .badge[data-tone=accent] >> text=pinned", 0)

    page.keys("e")
    page.says("dialog h2", f"Edit {made}")
    page.keys("End").type(" 16").keys("Control+Enter")
    page.says("main h1", "Postgres 16").says("#toasts", "is changed")
    page.keys("u").says(".log", "title").counts("main h1 >> text=Postgres 16", 0)
    assert served.get(f"/v2/memories/{made}")["memory"]["title"] == FACTS[0][0]

    page.keys("x").says("main", "It is forgotten")
    assert served.get("/v2/memories", forgotten="true")["total"] == 1
    page.keys("u").says("#toasts", "Taken back: forgetting").says(".view-memory h1", FACTS[0][0])
    assert served.get("/v2/memories", forgotten="true")["total"] == 0


def test_a_memory_is_written_and_superseded_and_that_is_taken_back(page: Window, shared: tuple[Served, Terminal]) -> None:
    served = shared[0]
    page.open().keys("n").says("dialog h2", "Remember something")
    page.type("Backups run at night").keys("Tab").type("At three.").keys("Tab").type("ops").keys("Control+Enter")
    page.says(".view-memory h1", "Backups run at night")

    page.keys("s").says("dialog h2", "Supersede").keys("End").type(", twice").keys("Control+Enter")
    page.says("main h1", "Backups run at night, twice").says("#toasts", "replaces")
    assert served.get("/v2/memories", superseded="true")["total"] == 1
    page.keys("u").says("#toasts", "Taken back")
    assert served.get("/v2/memories", superseded="true")["total"] == 0

    page.keys("g", "m").says(".view-memories h1", "Memories")
    page.find("#toasts button").last.click()
    page.find("[data-stop] >> text=Backups run at night").focus()
    page.keys("x").says("#toasts", "is forgotten").counts("[data-stop] >> text=Backups run at night", 0)
    assert page.page.evaluate("document.activeElement.matches('[data-stop]')")  # the one that stands in its place


def test_an_empty_memory_is_refused_in_the_dialog_in_the_words_of_the_service(page: Window) -> None:
    page.open().keys("n").type("No reason").keys("Control+Enter")
    page.says("dialog [role=alert]", "summary")
    page.complaints.clear()  # the browser notes each refusal, too
    page.keys("Escape").counts("dialog", 0)


def test_filters_say_which_memories_are_shown_and_stay_in_the_address(page: Window, filled: dict[str, str]) -> None:
    page.open()
    page.named("combobox", "Its commit is").select_option("orphan")
    page.counts(".list > li", 1).says(".list", "Sessions expire in Redis").says(".list .badge", "not on this branch")
    assert "anchor_state=orphan" in page.page.url
    page.page.reload()
    page.counts(".list > li", 1)
    page.named("combobox", "Its commit is").select_option("")
    page.named("combobox", "Thread").select_option("payments")
    page.counts(".list > li", 1).says(".list", "Prices are integers")
    page.named("combobox", "Thread").select_option("")
    page.named("combobox", "Written by").select_option("hook")
    page.says(".list", "by hook")
    assert {line.split()[-1] for line in page.find(".list .meta").all_inner_texts()} == {"hook"}
    page.named("combobox", "Written by").select_option("")
    page.named("combobox", "Files").select_option("unlinked")
    page.named("searchbox", "Search memories").fill("cent OR canary")
    page.counts(".list > li", 2)
    page.named("combobox", "Session").select_option(index=1)
    page.counts(".list > li", 0).says("main [role=status]", "Nothing matches")


def test_a_list_is_painted_while_its_filters_are_still_on_their_way(page: Window) -> None:
    page.open("settings")
    held: list[Route] = []
    page.page.route(re.compile("/v2/(threads|sessions)"), lambda route: held.append(route))
    page.at("memories?thread=payments").counts(".list > li", 1).says(".list", "Prices are integers")
    assert page.named("combobox", "Thread").input_value() == "payments"
    assert len(held) == 2
    for route in held:
        route.continue_()
    page.named("combobox", "Thread").select_option("auth")
    page.says(".list", "Login lockout")


def test_a_memory_shows_its_anchor_among_the_commits_its_links_and_its_history(page: Window, filled: dict[str, str]) -> None:
    page.open(f"memory/{filled['side']}")
    page.says("main", "not on this branch").says(".commits .is-anchor", "Try Redis").says(".commits", "HEAD, main")
    assert page.find(".commits svg circle").count() == page.find(".commit-list li").count() == 4

    page.at(f"memory/{filled[FACTS[1][0]]}")
    page.says(".graph svg", FACTS[0][0]).says(".plain", "login.py as it was, named in its text").says(".log", "relates")
    page.shot("memory")
    page.find(".graph svg a").focus()
    page.keys("Enter").says("main h1", FACTS[0][0])


def test_the_pack_inspector_shows_what_an_agent_would_get_for_each_budget(page: Window, shared: tuple[Served, Terminal]) -> None:
    served, question = shared[0], "where do session tokens live, and how long is the login lockout"
    page.open().keys("g", "p").says(".view-pack h1", "What agents are given")
    page.keys("/").type(question).says(".pack-middle .title", FACTS[0][0])
    page.says(".pack-middle [role=status]", "of 2,500 tokens").says(".how", "tokens")
    pack = served.get("/v2/get", query=question)
    page.counts(".pack-middle .items > li", len(pack["top_memories"]))  # an answer to less of the question may come first
    assert page.find(".tokens .n").first.inner_text() == f"{pack['top_memories'][0]['tokens']} tokens"
    page.find(".pack-middle .why summary").first.focus()
    page.keys("Enter").says(".pack-middle .features", "words of the task")
    page.shot("pack")

    page.named("slider", "Budget").focus()
    page.keys("Home").says(".pack-middle [role=status]", "of 100 tokens").says(".pack-out .badge:has-text('no room')", "no room")
    page.named("spinbutton", "Budget in tokens").fill("180")
    page.says(".pack-middle [role=status]", "of 180 tokens")
    page.named("radio", "The exact text").check()
    exact = served.ask("GET", "/v2/get", query=question, budget=180, format="prompt").text
    page.says(".exact", "What is known")
    assert page.find(".exact").text_content() == exact
    assert "budget=180" in page.page.url


def test_a_session_is_a_timeline_of_prompts_calls_and_answers(page: Window) -> None:
    page.open().keys("g", "s").says(".view-sessions h1", "Sessions").keys("j", "Enter")
    page.says(".view-session h1", "The login works again.").says(".view-session > .summary", "Asked first: fix the login")
    page.says(".view-session .meta", "generic s-1")
    said = page.find(".timeline").inner_text()
    places = [said.index(part) for part in ("fix the login", "Edit\n", "read 1 file", "The login works again.")]
    assert places == sorted(places)
    page.shot("session")


def test_what_sessions_were_told_and_used_stands_at_the_memory_its_score_and_the_sessions(
    page: Window, filled: dict[str, str]
) -> None:
    page.open(f"memory/{filled[FACTS[1][0]]}").says(".whole", "told to 1 session, used by 1 session")
    page.keys("g", "s").says(".figures", "memories told").says(".figures", "times told").says(".figures", "times used")
    page.keys("g", "p").says(".view-pack h1", "What agents are given").keys("/").type("login lockout")
    page.says(".pack-middle .title", FACTS[1][0])
    page.find(".pack-middle .why summary").first.focus()
    page.keys("Enter").says(".pack-middle .why", "told to 1 session, used by 1")


def test_states_differ_line_by_line_and_that_of_a_ci_job_stands_beside(page: Window, shared: tuple[Served, Terminal]) -> None:
    page.open().keys("g", "t").says(".view-state h1", "State")
    page.says(".diff ins", "+ true").says("main", "2 checkpoints")
    assert page.find(".diff del").all_inner_texts() == ['- "2.3"\n', '-   "a"\n']
    page.find(".checkpoints a").last.focus()
    page.keys("Enter").says(".change", "new")
    words = ("checkpoint", "--reason", "Build 7", "--state-json", '{"tests": "passed"}')
    shared[1].process(*words, env={"CI": "true"})
    page.open("state").says("main", "3 checkpoints").says("main", "saved by a CI job")
    assert page.find(".view-state strong").all_inner_texts() == ["Deploying 2.4", "Build 7"]


def test_settings_are_changed_reset_and_found(page: Window, shared: tuple[Served, Terminal]) -> None:
    served = shared[0]
    page.open().keys("g", ",").says(".view-settings h1", "Settings").keys("/").type("chunks pack")
    page.counts("li[data-key]:visible", 1)
    page.find("[id='set-budget.chunks']").fill("2")
    page.keys("Enter").says("#toasts", "budget.chunks is 2")
    assert served.get("/v2/config/budget.chunks")["source"] == "user"
    page.named("button", "Reset budget.chunks").click()
    page.counts("[aria-label='Reset budget.chunks']", 0)
    assert served.get("/v2/config/budget.chunks")["source"] == "default"
    assert page.find("[id='set-mcp.write']").is_disabled()


def test_the_queue_shows_what_waits(page: Window, shared: tuple[Served, Terminal]) -> None:
    terminal = shared[1]
    page.open().keys("g", "q").says(".figures", "waiting").says("main", "The worker")
    before = json.loads(terminal.process("queue", "--json").out)["processed"]
    page.says(".figures div:last-child dd", str(before))
    page.says("main section", "Nothing.")


def test_the_keys_are_explained_and_the_focus_comes_back(page: Window) -> None:
    page.open("")
    page.keys("Tab")
    assert page.focus == "Skip to the content"
    page.keys("Enter")
    assert page.page.evaluate("document.activeElement.id") == "main"
    page.find("#help").focus()
    page.keys("?").says("dialog", "what agents are given, and why").keys("Escape").counts("dialog", 0)
    assert page.page.evaluate("document.activeElement.id") == "help"


def test_a_list_is_one_stop_of_the_tab_key(page: Window) -> None:
    page.open().find(".list [data-stop]").first.focus()
    first = page.focus
    page.keys("ArrowDown", "j", "k", "End", "Home")
    assert page.focus == first
    assert page.find(".list [data-stop][tabindex='0']").count() == 1
    page.keys("Tab")
    assert page.focus.startswith("Edit ")


def test_single_keys_can_be_switched_off(page: Window) -> None:
    page.open("settings").named("checkbox", "Single keys are shortcuts").uncheck()
    page.find("#main").focus()
    page.keys("n", "?", "g", "m")
    assert page.find("dialog").count() == 0
    assert "#/settings" in page.page.url


def test_another_memory_is_chosen_and_an_address_that_names_none_says_so(page: Window) -> None:
    page.open().find("#repo").select_option("user")
    page.page.wait_for_url("**repo=user**")
    page.says("main [role=status]", "Nothing is remembered yet")
    page.find("#repo").select_option(index=0)
    page.says(".list", "Prices are integers")
    page.at("pack?repo=R-0000000000000000").says("main h1", "There is no such repository").says("main", "R-0000000000000000")
    page.named("link", "All repositories").click()
    page.says("main h1", "Repositories")
    page.complaints.clear()  # the browser notes each refusal, too


def test_an_address_may_name_a_repository_by_its_path_and_a_new_one_is_offered(
    page: Window, shared: tuple[Served, Terminal]
) -> None:
    served, terminal = shared
    page.open(f"memories?repo={terminal.folder}")
    chosen = page.find("#repo option:checked")
    assert chosen.inner_text().strip()
    served.post("/sessions/late/init", {"project": "latecomer", "userPrompt": ""})
    page.find("#repo").focus()
    page.find(
        "#repo option",
    ).filter(has_text="latecomer").wait_for(state="attached")


def test_an_address_that_names_nothing_leads_to_the_list_and_says_so(page: Window) -> None:
    page.open("pack")
    for one, several in (("memory", "memories"), ("session", "sessions"), ("thread", "threads")):
        page.page.evaluate("(hash) => { location.hash = hash }", f"#/{one}/")
        page.find(f"main .view-{several} h1").wait_for()
        page.says(".about-address", f"The address names no {one}. Choose one here.")
        assert page.page.evaluate("location.hash") == f"#/{several}"
        assert page.page.evaluate("location.hash") == f"#/{several}"
