"""Two tabs that change the same note or the same key: whoever comes second is shown what the first wrote."""

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


@pytest.fixture
def tab(chromium: Browser, served: Served, terminal: Terminal, tmp_path: Path) -> Iterator[Window]:
    terminal.mem("init", "--no-agents")
    with window(chromium, served, tmp_path) as shown:
        yield shown.open()
        for complaint in shown.complaints:  # the browser's own, of an answer that is an error
            assert "412" in complaint
        shown.complaints.clear()


def test_a_note_that_somebody_else_changed_is_shown_before_it_is_replaced(tab: Window, terminal: Terminal) -> None:
    note = terminal.mem("note", "add", "Deployed to staging", "--json").json["id"]
    tab.at("notes").says(".notes", "Deployed").named("button", f"Edit {note}").click()
    tab.find("dialog textarea").fill("mine")
    terminal.mem("note", "edit", note, "theirs")
    tab.named("button", "Save").click()
    tab.says("dialog .conflicts", "Somebody else changed the same meanwhile").says("dialog .diff del", "- theirs")
    assert '"text":"theirs"' in terminal.mem("note", "list", "--json").out.replace(": ", ":")

    tab.find("dialog textarea").fill("both")
    tab.named("button", "Save").click()
    tab.says("#toasts", "Kept").counts("dialog", 0).says(".notes", "both")


def test_a_key_that_somebody_else_set_is_shown_before_it_is_replaced(tab: Window, terminal: Terminal) -> None:
    terminal.mem("profile", "set", "editor", "vim")
    tab.at("profile").says(".list", "vim").named("button", "Edit editor").click()
    tab.find("dialog textarea").fill("mine")
    terminal.mem("profile", "set", "editor", "theirs")
    tab.named("button", "Save").click()
    tab.says("dialog .diff del", "- theirs").named("button", "Take theirs").click()
    assert tab.find("dialog textarea").input_value() == "theirs"
    assert terminal.mem("profile", "get", "editor").out == "theirs\n"

    tab.find("dialog textarea").fill("both")
    tab.named("button", "Save").click()
    tab.says("#toasts", "editor is set").counts("dialog", 0)
    terminal.mem("profile", "set", "editor", "later")
    tab.named("button", "Undo").click()
    tab.says("#toasts", "was changed meanwhile")
    assert terminal.mem("profile", "get", "editor").out == "later\n"


@pytest.mark.parametrize("is_late", [True, False])
def test_a_new_key_replaces_no_value_that_was_not_shown(tab: Window, terminal: Terminal, is_late: bool) -> None:
    if not is_late:
        terminal.mem("profile", "set", "editor", "theirs")
    tab.at("profile").says("h1", "Profile").named("button", "Set…").click()
    tab.find("dialog input").fill("editor")
    tab.find("dialog textarea").fill("mine")
    if is_late:
        terminal.mem("profile", "set", "editor", "theirs")
    tab.named("button", "Save").click()
    tab.says("dialog .diff del", "- theirs")
    assert terminal.mem("profile", "get", "editor").out == "theirs\n"
    tab.named("button", "Save").click()
    tab.says("#toasts", "editor is set")
    tab.named("button", "Undo").click()
    tab.says(".list", "theirs")


def test_a_key_is_not_taken_out_that_somebody_else_changed(tab: Window, terminal: Terminal) -> None:
    terminal.mem("profile", "set", "editor", "vim")
    tab.at("profile").says(".list", "vim")
    button = tab.named("button", "Take out editor")
    button.focus()  # what has the focus is not drawn anew
    terminal.mem("profile", "set", "editor", "theirs")
    button.click()
    tab.says("#toasts", "was changed meanwhile")
    assert terminal.mem("profile", "get", "editor").out == "theirs\n"


def keep_as_shown(tab: Window) -> None:
    """Has what the view asks for from now on wait for ever, so that it shows what it shows."""
    tab.page.route("**/v2/memories/**", lambda route: route.continue_() if route.request.method != "GET" else None)


@pytest.mark.parametrize("label", ["Confirm", "Pin Sessions", "Forget Sessions"])
def test_a_memory_that_reads_otherwise_by_now_is_not_confirmed_pinned_or_forgotten_unseen(
    tab: Window, terminal: Terminal, label: str
) -> None:
    made = terminal.add("Sessions live in Postgres")
    tab.at(f"memory/{made}").says(".view-memory h1", "Sessions")
    keep_as_shown(tab)
    terminal.mem("update", made, "--summary", "theirs")
    tab.named("button", label).click()
    tab.says("#toasts", "was changed meanwhile")
    assert [row["k"] for row in terminal.mem("log", made, "--json").json] == ["put", "put"]


def test_a_memory_that_was_restored_and_forgotten_anew_is_not_brought_back_unseen(tab: Window, terminal: Terminal) -> None:
    made = terminal.add("Sessions live in Postgres")
    terminal.mem("forget", made)
    tab.at(f"memory/{made}").says("p", "It is forgotten")
    keep_as_shown(tab)
    terminal.mem("restore", made)
    terminal.mem("forget", made)
    tab.named("button", "Restore").click()
    tab.says("#toasts", "was changed meanwhile")
    assert made not in terminal.mem("recent", "--json").out
