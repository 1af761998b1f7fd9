"""Views of what is no memory: everything in one list, threads, notes, profile, evidence, health, turns, repositories, code."""

from __future__ import annotations

import json

import pytest

from tests.conftest import Terminal
from tests.http.browser import Window
from tests.http.populated import populate
from tests.http.served import Served


@pytest.fixture(scope="module", autouse=True)
def filled(shared: tuple[Served, Terminal]) -> dict[str, str]:
    """A memory with something in each view."""
    return populate(*shared)


def test_everything_is_searched_at_once_and_narrowed_by_what_it_is_with_counts(page: Window, filled: dict[str, str]) -> None:
    page.open("memories").keys("g", "a").says(".view-all h1", "Everything").keys("/").type("lockout")
    page.says(".facets", "Type").says(".found [role=status]", "items")
    page.at("threads").at("all?q=lockout").says(".found [role=status]", "items")
    before = page.find(".found [role=status]").inner_text()
    for name in ("memory", "prompt", "answer", "note", "code"):
        assert page.find(f".facets .value >> text={name}").count(), name

    page.find("[data-value='type note']").dblclick()  # the second press takes the first back, whatever is painted between
    assert "type=note" not in page.page.url
    page.find("[data-value='type note']").click()
    page.says(".found [role=status]", "1 item").says(".list .title", "Talked about the lockout")
    assert "type=note" in page.page.url
    assert page.find("[data-value='type memory'] .n").inner_text() > "0"  # the counts of other types stay
    page.keys("Enter").says(".found [role=status]", before)
    page.find("[data-value='state orphan']").click()
    page.says(".list .title", "Lockouts are mailed").says(".list .badge", "not on this branch").says(".list", "on side")
    page.page.reload()
    page.counts(".list > li", 1)
    page.keys("/").find("[data-search]").fill("")
    page.find("[data-value='state orphan']").click()
    page.find("[data-value='type passage']").click()
    page.says(".list .title", "no test yet")
    page.shot("everything")


@pytest.mark.parametrize(("view", "box", "words"), [("all", ".facet-box", "Narrow (1)"), ("memories", ".filters", "Filters (1)")])
def test_on_a_phone_what_narrows_a_list_is_folded_and_says_how_much_it_does(
    page: Window, view: str, box: str, words: str
) -> None:
    page.page.set_viewport_size({"width": 390, "height": 740})
    page.open(f"{view}?kind=decision").says(f"{box} > summary", words).says("main .list", "ockout")
    assert page.find(f"{box}[open]").count() == 0
    page.find(f"{box} > summary").click()
    page.counts(f"{box}[open]", 1)


def test_each_item_of_the_list_leads_to_where_it_is_whole(page: Window) -> None:
    page.open()
    for kind, view in (
        ("memory", ".view-memory"),
        ("prompt", ".view-session .is-meant"),
        ("note", ".view-notes"),
        ("profile", ".view-profile"),
        ("session", ".view-session"),
        ("chunk", ".view-memory [aria-label='Its text']"),
    ):
        page.at(f"all?type={kind}")
        page.says(".found [role=status]", "item")
        page.find(".list [data-stop]").first.click()
        page.find(f"main {view}").first.wait_for()


def test_any_view_can_be_had_as_json(page: Window, shared: tuple[Served, Terminal]) -> None:
    page.open("all?q=lockout&type=note").says(".list", "Talked")
    page.find(".api summary").click()
    page.find(".api a").filter(has_text="/v2/items").click()
    page.says(".view-json h1", "As JSON").says(".view-json", "GET /v2/items?query=lockout&type=note")
    shown = json.loads(page.find("[aria-label='The answer']").inner_text())
    assert shown == shared[0].get("/v2/items", query="lockout", type="note", limit=30, offset=0)


def test_threads_are_listed_with_what_is_in_them(page: Window) -> None:
    page.open().keys("g", "h").says(".view-threads h1", "Threads").says(".list", "auth")
    page.find(".list .title >> text=auth").click()
    page.says(".view-thread h1", "auth").says(".list", "Lockouts last fifteen minutes")


def test_notes_and_the_profile_are_read_written_and_taken_back(page: Window, shared: tuple[Served, Terminal]) -> None:
    served = shared[0]
    page.open().keys("g", "n").says(".view-notes", "Talked about the lockout.")
    page.named("button", "Note…").click()
    page.says("dialog h2", "Note for today").type("The canary is green.").keys("Control+Enter")
    page.says(".notes", "The canary is green.").counts("dialog", 0)  # the event may be there before the answer
    assert "The canary is green." in [note["text"] for note in served.items("/v2/notes")]

    page.keys("g", "r").says(".view-profile", "editor").says(".view-profile", "vim")
    page.named("button", "Edit editor").click()
    page.find("dialog textarea").fill("emacs")
    page.keys("Control+Enter").says(".view-profile", "emacs").counts("dialog", 0)
    page.keys("Escape", "u").says(".view-profile", "vim")
    page.named("button", "Take out editor").click()
    page.says("#toasts", "taken out")
    assert served.items("/v2/profile") == []
    page.find("#toasts button").first.click()
    page.says(".view-profile .list", "vim")


def test_the_evidence_says_what_is_stored_and_what_changed_since(page: Window, shared: tuple[Served, Terminal]) -> None:
    page.open().keys("g", "e").says(".view-evidence .figures", "files").says(".view-evidence", "login.py")
    (shared[1].folder / "new.md").write_text("# New\n\nText.\n")
    page.named("button", "What changed?").click()
    page.says("#toasts", "1 new")
    page.named("button", "Read what changed").click()
    page.says(".view-evidence", "new.md")


def test_health_turns_and_repositories_have_a_view(page: Window, filled: dict[str, str]) -> None:
    page.open().keys("g", "d").says(".view-doctor h1", "Health").says(".view-doctor .list", "repository")
    page.keys("g", "o").says(".view-turns h1", "Turns").says(".list", "why is the lockout fifteen minutes?")
    page.says(".list", "Lockouts last fifteen minutes").says(".list", "tokens").says(".list", "prompt 1")
    page.shot("turns")
    page.keys("g", "b").says(".view-repositories .list", "active")


def test_why_shows_the_code_of_a_file_beside_what_led_to_each_line(page: Window, shared: tuple[Served, Terminal]) -> None:
    page.open().keys("g", "w").says(".view-why h1", "Why").keys("/").type("login.py").keys("Enter")
    page.says(".code-lines", "MAX_TRIES = 5").says(".why-list", "Limit the tries").says(".why-list", "Add the lockout")
    assert page.find(".code-lines li").count() == 2
    page.find(".code-lines a").nth(1).click()
    page.says(".why-list", "Limit the tries").says(".code-lines .is-meant", "MAX_TRIES")
    assert "target=login.py%3A2" in page.page.url
    page.shot("why")
