"""mem browse, as a person uses it: keys in, a screen out, and what the store says afterwards."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("textual", reason="textual is not installed")

from tests.browse.screen import browsing
from tests.conftest import Terminal

REDIS = "Session tokens live in Redis"
CACHE = "The cache is warmed at night"


def test_the_newest_memories_are_listed_and_the_first_is_read(terminal: Terminal) -> None:
    terminal.add(REDIS, "Fast and simple.")
    name = terminal.add(CACHE, "By cron, at two.", "--thread", "ops")
    with browsing(terminal) as screen:
        assert REDIS in screen.text
        assert "2 memories" in screen.text
        assert CACHE in screen.line(name)
        assert "By cron, at two." in screen.text


def test_typing_searches(terminal: Terminal) -> None:
    terminal.add(REDIS)
    terminal.add(CACHE)
    with browsing(terminal) as screen:
        screen.type("redis")
        assert REDIS in screen.text
        assert CACHE not in screen.text
        assert "1 memory" in screen.text
        screen.type("zzz")
        assert "nothing stored matches" in screen.text


def test_the_key_for_the_line_is_no_part_of_what_is_searched(terminal: Terminal) -> None:
    terminal.add(REDIS)
    with browsing(terminal) as screen:
        screen.type("/")
        screen.type("redis")
        assert REDIS in screen.text


def test_words_on_the_command_line_are_searched_for_at_first(terminal: Terminal) -> None:
    terminal.add(REDIS)
    terminal.add(CACHE)
    with browsing(terminal, "cache") as screen:
        assert CACHE in screen.text
        assert REDIS not in screen.text


def test_the_arrows_choose_what_is_read_and_enter_gives_it_the_screen(terminal: Terminal) -> None:
    terminal.add(REDIS, "Fast and simple.")
    terminal.add(CACHE, "By cron, at two.")
    with browsing(terminal) as screen:
        screen.press("down", "down")
        assert "Fast and simple." in screen.text
        screen.press("enter")
        assert "Fast and simple." in screen.text
        assert CACHE not in screen.text
        screen.press("escape")
        assert CACHE in screen.text


def test_an_edit_changes_what_was_typed_and_nothing_else(terminal: Terminal) -> None:
    name = terminal.add(REDIS, "Fast", "--thread", "auth", "--tags", "db,cache")
    with browsing(terminal) as screen:
        screen.press("escape", "e").type(" and simple.").press("ctrl+s")
        assert f"Changed {name}" in screen.text
        assert "Fast and simple." in screen.text
    memory = terminal.mem("show", name, "--json").json["memory"]
    assert memory["summary"] == "Fast and simple."
    assert (memory["title"], memory["thread_id"], memory["tags"]) == (REDIS, "auth", ["db", "cache"])


def test_an_edit_of_what_was_changed_meanwhile_is_refused_and_stays_open(terminal: Terminal) -> None:
    name = terminal.add(REDIS, "Fast")
    with browsing(terminal) as screen:
        screen.press("escape", "e").type(", simple")
        terminal.process("update", name, "--summary", "Slow")
        screen.press("ctrl+s")
        assert "Fast, simple" in screen.text
        assert "was changed" in screen.text
    assert terminal.mem("show", name, "--json").json["memory"]["summary"] == "Slow"


def test_an_empty_title_is_refused_in_the_form(terminal: Terminal) -> None:
    name = terminal.add(REDIS, "Fast")
    with browsing(terminal) as screen:
        screen.press("escape", "e", "shift+tab", "end", "ctrl+u").press("ctrl+s")
        assert "the title is empty" in screen.text
        screen.press("escape")
        assert f"Edit {name}" not in screen.text
    assert terminal.mem("show", name, "--json").json["memory"]["title"] == REDIS


def test_a_memory_is_superseded(terminal: Terminal) -> None:
    name = terminal.add(REDIS, "Fast")
    with browsing(terminal) as screen:
        screen.press("escape", "s").type(" no more").press("ctrl+s")
        assert f"Superseded {name}" in screen.text
    old = terminal.mem("show", name, "--json").json["memory"]
    new = terminal.mem("show", old["superseded_by"], "--json").json["memory"]
    assert (old["superseded"], new["title"], new["summary"]) == (True, REDIS, "Fast no more")


def test_a_memory_is_forgotten_and_comes_back_once_the_person_agrees(terminal: Terminal) -> None:
    name = terminal.add(REDIS)
    with browsing(terminal) as screen:
        screen.press("escape", "f")
        assert f"Forgot {name}" in screen.text
        assert "nothing stored yet" in screen.text
        screen.press("u")
        assert f"forget {name} {REDIS}" in screen.text
        screen.press("n")
        assert terminal.process("recent", "--json").json == []
        screen.press("u").press("enter")
        assert "1 memory" in screen.text
    assert terminal.mem("recent", "--json").json[0]["id"] == name


def test_an_undo_takes_back_nothing_but_what_the_question_showed(terminal: Terminal) -> None:
    name = terminal.add(REDIS)
    with browsing(terminal) as screen:
        screen.press("escape", "u")
        assert f"put {name} {REDIS}" in screen.text
        terminal.process("update", name, "--summary", "theirs")
        screen.press("enter")
        assert "was changed meanwhile" in screen.text
    assert terminal.mem("show", name, "--json").json["memory"]["summary"] == "theirs"


def test_a_memory_of_another_branch_is_confirmed_here(terminal: Terminal) -> None:
    terminal.git("checkout", "-q", "-b", "redis")
    terminal.commit(a_py="1")
    name = terminal.add(REDIS)
    terminal.git("checkout", "-q", "main")
    with browsing(terminal) as screen:
        assert "not on this branch" in screen.line(REDIS)
        screen.press("escape", "c")
        assert f"Confirmed {name}" in screen.text
        assert "not on this branch" not in screen.line(f"{REDIS} ")


def test_a_memory_is_pinned_and_unpinned(terminal: Terminal) -> None:
    name = terminal.add(REDIS)
    with browsing(terminal) as screen:
        screen.press("escape", "p")
        assert terminal.mem("show", name, "--json").json["memory"]["pinned"]
        screen.press("p")
        assert f"Unpinned {name}" in screen.text
    assert not terminal.mem("show", name, "--json").json["memory"]["pinned"]


def test_a_pack_says_what_is_in_what_it_costs_and_why_the_rest_is_not(terminal: Terminal) -> None:
    old = terminal.add(REDIS, "Fast")
    terminal.mem("supersede", old, "--title", "Session tokens live in Postgres")
    terminal.add("Prices are integers in cents")
    with browsing(terminal) as screen:
        screen.press("escape", "2").type("where do session tokens live?")
        pack = terminal.mem("get", "where do session tokens live?", "--format", "json").json
        (packed,) = pack["top_memories"]
        assert f"in  {packed['tokens']:>4}  Session tokens live in Postgres" in screen.text
        assert "superseded" in screen.line(f"{REDIS} ")
        assert f"{pack['budget']['used_total']:,} of 2,500 tokens" in screen.text
        assert "words" in screen.text  # what the score is made of
        screen.press("escape", "down")
        assert f"lost to {packed['id']}" in screen.text


def test_a_session_opens_into_its_prompts_and_memories(terminal: Terminal) -> None:
    payload = '{"session_id": "s1", "cwd": ".", "prompt": "Mend the login", "hook_event_name": "UserPromptSubmit"}'
    terminal.add(REDIS)
    terminal.mem("hook", "user-prompt-submit", "--harness", "claude", stdin=payload)
    terminal.process("worker", "run", env={"MEMPACK_CAPTURE_WORKER": "auto", "MEMPACK_WORKER_IDLE_SECONDS": "0.01"})
    with browsing(terminal) as screen:
        screen.press("escape", "3")
        assert "1 prompt" in screen.line("claude s1")
        screen.press("enter")
        assert "1. Mend the login" in screen.text
        screen.press("escape")
        assert "1 session" in screen.text


def test_sharing_is_shown_and_synchronized(terminal: Terminal) -> None:
    terminal.git("init", "-q", "--bare", "../shared.git")
    terminal.git("remote", "add", "origin", "../shared.git")
    name = terminal.add(REDIS)
    with browsing(terminal) as screen:
        screen.press("escape", "4")
        assert "This memory is not shared." in screen.text
        terminal.process("sync", "enable")
        terminal.process("share", name)
        screen.press("r")
        assert "not yet" in screen.line("synchronized")
        screen.press("x")
        assert "Pulled 0 and pushed" in screen.text
        assert "now" in screen.line("synchronized")


def test_a_failed_exchange_is_an_error_on_the_screen(terminal: Terminal) -> None:
    terminal.add(REDIS)
    with browsing(terminal) as screen:
        screen.press("escape", "4", "x")
        assert "mem sync enable" in screen.text


def test_stored_text_neither_styles_nor_drives_the_terminal(terminal: Terminal) -> None:
    terminal.add("[red]Alarm[/red] \x1b[31m", "[link=x]click[/link] \x1b]0;title\x07 \u202eevil")
    with browsing(terminal) as screen:
        assert "[red]Alarm[/red] \\x1b[31m" in screen.text
        assert "[link=x]click[/link] \\x1b]0;title\\x07 \\u202eevil" in screen.text


@pytest.mark.parametrize("size", [(80, 24), (60, 20), (40, 12)])
def test_a_small_terminal_shows_list_page_and_keys(terminal: Terminal, size: tuple[int, int]) -> None:
    name = terminal.add(REDIS, "Fast and simple.")
    with browsing(terminal, size=size) as screen:
        screen.press("escape")
        assert REDIS in screen.text  # in the list
        assert name in screen.text  # on the page
        assert "Edit" in screen.text
        assert max(map(len, screen.text.split("\n"))) <= size[0]
        screen.press("e").type("!").press("ctrl+s")
    assert terminal.mem("show", name, "--json").json["memory"]["summary"] == "Fast and simple.!"


def test_every_view_is_there_where_nothing_is_stored(terminal: Terminal) -> None:
    with browsing(terminal) as screen:
        assert "nothing stored yet" in screen.text
        assert "Edit" not in screen.text
        screen.press("escape", "e", "s", "c", "f", "p", "2")
        assert "type a task" in screen.text
        screen.press("escape", "3")
        assert "no agent was seen here yet" in screen.text
        screen.press("1", "escape", "u")
        assert "nothing to undo" in screen.text


def test_without_a_terminal_it_says_what_to_use(terminal: Terminal) -> None:
    done = terminal.process("browse", fails=2)
    assert done.err == "Error: mem browse needs a terminal\nHint: elsewhere use mem search, mem recent or mem show\n"


def test_without_the_extra_it_names_it(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "textual", None)
    monkeypatch.setattr("memcli.cli.verbs.browse.output.is_terminal", lambda stream=1: True)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    done = terminal.mem("browse", fails=1)
    assert done.err.count("\n") == 2
    assert "[browse]" in done.err
