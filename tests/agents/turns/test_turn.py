"""`mem turn` as a program calls it: full, delta, none, and what a wrong call is told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import closing
from typing import Any

import apsw
import pytest
from defusedxml.ElementTree import fromstring

from tests.agents.turns.calls import prepare, told
from tests.conftest import Terminal

FACT = "Session tokens live in Postgres"


def test_the_first_turn_is_full_the_next_none_and_after_a_change_only_that(terminal: Terminal) -> None:
    terminal.add(FACT)
    first = told(terminal)
    assert list(first) == ["prepareId", "mode", "fromRevision", "toRevision", "xml"]
    assert (first["mode"], first["fromRevision"]) == ("full", 0)
    assert first["xml"].startswith("<memory_context ")

    second = told(terminal)
    assert (second["mode"], second["xml"], second["fromRevision"]) == ("none", "", first["toRevision"])

    terminal.mem("profile", "set", "editor", "vim <b> & co")
    third = told(terminal)
    delta = fromstring(third["xml"])
    assert (third["mode"], delta.tag, third["fromRevision"]) == ("delta", "memory_delta", second["toRevision"])
    (block,) = delta
    assert (block.tag, block.text, block.attrib["key"], block.attrib["kind"]) == ("profile", "vim <b> & co", "editor", "profile")
    assert block.attrib["revision"] == str(third["toRevision"])
    assert block.attrib["date"] == "2026-03-01"


def test_every_block_has_an_id_a_revision_a_kind_and_a_date(terminal: Terminal) -> None:
    terminal.mem("init")
    terminal.mem("ingest", ".", "--json")
    (terminal.folder / "tokens.md").write_text("# Tokens\n\nSession tokens are rotated daily.\n")
    terminal.mem("ingest", ".")
    (terminal.folder / ".mempack" / "MEMORY.md").write_text("Save what you learn.\n")
    terminal.add(FACT, 'they say "no" <&>')
    terminal.mem("checkpoint", "--reason", "r", "--state-json", '{"next": "a < b"}')
    terminal.mem("profile", "set", "editor", "vim")
    terminal.mem("note", "add", "Deployed </note> & went home")
    root = fromstring(prepare(terminal, "--query", "session tokens rotated")["xml"])
    blocks = [one for one in root.iter() if one.tag in ("profile", "state", "memory", "note", "chunk", "instructions")]

    assert {one.tag for one in blocks} == {"profile", "state", "memory", "note", "chunk", "instructions"}
    for one in blocks:
        assert {"id", "revision", "kind", "date"} <= set(one.attrib)
    assert [one.text for one in blocks if one.tag == "note"] == ["Deployed </note> & went home"]


def test_as_a_prompt_profile_and_notes_stand_under_memory(terminal: Terminal, later: Callable[[str], None]) -> None:
    later("2026-02-28T08:30:00Z")
    terminal.mem("note", "add", "Deployed")
    later("2026-03-01T12:00:00Z")
    terminal.mem("note", "add", "Rolled back")
    terminal.mem("profile", "set", "name", "Mike\nB.")
    terminal.mem("profile", "set", "editor", "vim")
    terminal.mem("profile", "set", "editor", "emacs", "--user")
    terminal.mem("profile", "set", "language", "English", "--user")
    text = prepare(terminal, "--format", "prompt")["text"]

    assert text.startswith("# Memory\n\nwork at ")
    profile = "- **editor**: vim\n- **language**: English (yours)\n- **name**: Mike\n    B.\n"
    assert f"\n## Core Profile (Facts & Preferences)\n\n{profile}" in text
    days = text.partition("\n## Recent Daily Notes\n")[2]
    assert days.startswith("\n### 2026-02-28\n\n- 08:30 Deployed [N-")
    assert "\n### 2026-03-01\n\n- 12:00 Rolled back [N-" in days


def test_a_turn_that_failed_or_was_never_acknowledged_comes_again(terminal: Terminal) -> None:
    terminal.add(FACT)
    first = prepare(terminal)
    again = prepare(terminal)
    assert (again["mode"], again["xml"]) == ("full", first["xml"])
    assert again["prepareId"] != first["prepareId"]
    terminal.mem("turn", "ack", "--prepare-id", again["prepareId"], "--status", "failed")
    assert prepare(terminal)["xml"] == first["xml"]

    terminal.mem("turn", "ack", "--prepare-id", again["prepareId"], "--status", "success")  # it arrived after all
    assert prepare(terminal)["mode"] == "none"


def test_saying_twice_how_a_turn_ended_changes_nothing(terminal: Terminal) -> None:
    terminal.add(FACT)
    made = told(terminal)
    for status in ("success", "failed", "success"):
        assert terminal.mem("turn", "ack", "--prepare-id", made["prepareId"], "--status", status).json == {"ok": True}
    assert prepare(terminal)["mode"] == "none"


def test_a_late_word_on_an_older_turn_does_not_take_back_a_newer_one(terminal: Terminal) -> None:
    terminal.add(FACT)
    old = prepare(terminal)
    terminal.add("Another fact")
    told(terminal)
    terminal.mem("turn", "ack", "--prepare-id", old["prepareId"], "--status", "success")

    assert prepare(terminal)["mode"] == "none"


def test_what_is_gone_is_named_and_what_gave_way_too(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, later: Callable[[str], None]
) -> None:
    monkeypatch.setenv("MEMPACK_TURN_ENTRIES", "2")
    first, second = terminal.add("First <fact>, and " + 40 * "more "), terminal.add("Second fact")
    later("2026-03-01T13:00:00Z")
    note = terminal.mem("note", "add", "Deployed").id
    terminal.mem("profile", "set", "editor", "vim")
    told(terminal)
    terminal.mem("forget", second)
    terminal.add("Third fact")
    terminal.add("Fourth fact")
    terminal.mem("profile", "delete", "editor")
    terminal.mem("undo")
    terminal.mem("undo")
    terminal.mem("undo")
    terminal.mem("undo")
    assert prepare(terminal)["mode"] == "none"
    terminal.mem("forget", second)
    terminal.add("Third fact")
    terminal.add("Fourth fact")
    terminal.mem("profile", "delete", "editor")
    text = prepare(terminal, "--format", "prompt")["text"]
    assert f"\nNo longer holds: editor, Second fact [{second}].\n" in text
    clipped = "First <fact>, and more more more more more more more more more more more more m…"
    assert f"\nStill stored, but no longer among what is told first: {clipped} [{first}].\n" in text

    removed = {one.attrib["name"]: one.attrib["why"] for one in changes(terminal)}
    assert removed == {"editor": "gone", "Second fact": "gone", clipped: "room"}
    assert note not in text


def changes(terminal: Terminal) -> list[Any]:
    return fromstring(prepare(terminal)["xml"]).findall("removed")


def test_what_a_question_brings_is_told_once(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, later: Callable[[str], None]
) -> None:
    monkeypatch.setenv("MEMPACK_TURN_ENTRIES", "1")
    old = terminal.add(FACT)
    later("2026-03-01T13:00:00Z")
    terminal.add("Deploys run nightly")
    assert FACT not in told(terminal)["xml"]

    asked = told(terminal, "--query", "session tokens")
    relevant = fromstring(asked["xml"]).find("relevant")
    assert asked["mode"] == "delta"
    assert relevant is not None
    assert [one.attrib["id"] for one in relevant if one.tag == "memory"] == [old]
    assert told(terminal, "--query", "session tokens")["mode"] == "none"
    assert FACT in told(terminal, "--query", "session tokens", session="another")["xml"]

    terminal.mem("update", old, "--summary", "since 2026")
    assert "since 2026" in told(terminal, "--query", "session tokens")["xml"]


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        ("why?", False),
        ("what did you just do?", False),
        ("continue", False),  # of the summary, by chance
        ("now evict the other tenant", False),
        ("is postgres down?", True),  # one word, but it says what the memory is about
        ("sessions?", True),
        ("did redis evict them", True),
        ("redisEvicted", True),  # an identifier is its words
    ],
)
def test_a_prompt_is_told_what_shares_words_enough_with_it(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, later: Callable[[str], None], prompt: str, said: bool
) -> None:
    monkeypatch.setenv("MEMPACK_TURN_ENTRIES", "1")  # only the newest stands in a full turn
    terminal.add("Session tokens live in Postgres", "Redis evicted them, so what you did could not continue. Why not? See below.")
    later("2026-03-01T13:00:00Z")
    terminal.add("Deploys run nightly")
    assert "Postgres" not in told(terminal)["xml"]

    made = told(terminal, "--query", prompt)

    assert ("Postgres" in made["xml"], made["mode"]) == (said, "delta" if said else "none")


def test_a_prompt_is_shown_code_that_it_names_or_that_shares_more_words(terminal: Terminal) -> None:
    (terminal.folder / "queue.py").write_text("def drain(jobs):\n    return [job for job in jobs if job.ready()]\n")
    terminal.mem("init")
    terminal.mem("ingest", ".")
    terminal.add(FACT)
    told(terminal)

    assert told(terminal, "--query", "are the jobs ready for lunch")["mode"] == "none"
    assert told(terminal, "--query", "which jobs does drain take")["mode"] == "delta"
    assert told(terminal, "--query", "return each job that is ready", session="other")["mode"] == "full"


def test_what_stands_in_a_full_turn_is_not_told_again_for_a_question(terminal: Terminal) -> None:
    terminal.add(FACT)
    first = told(terminal, "--query", "session tokens")

    assert first["xml"].count(FACT) == 1
    assert told(terminal, "--query", "session tokens")["mode"] == "none"


def test_another_commit_a_changed_file_and_a_new_day_change_what_is_due(terminal: Terminal, later: Callable[[str], None]) -> None:
    (terminal.folder / "a.txt").write_text("a")
    linked = terminal.add("About a file", "because", "--file", "a.txt")
    terminal.mem("note", "add", "Deployed")
    terminal.git("checkout", "-q", "-b", "side")
    terminal.commit("aside")
    aside = terminal.add("Only on the side")
    told(terminal)

    (terminal.folder / "a.txt").write_text("b, and more")
    assert [one.attrib["id"] for one in fromstring(told(terminal)["xml"])] == [linked]
    terminal.git("checkout", "-q", "main")
    assert [(one.tag, one.attrib["id"]) for one in fromstring(told(terminal)["xml"])] == [("removed", aside)]
    later("2026-03-02T12:00:00Z")
    assert told(terminal)["mode"] == "none"
    later("2026-03-05T12:00:00Z")
    (gone,) = fromstring(told(terminal)["xml"])
    assert (gone.attrib["kind"], gone.attrib["why"]) == ("daily", "room")


def test_ingestion_is_no_news(terminal: Terminal) -> None:
    terminal.add(FACT)
    told(terminal)
    (terminal.folder / "tokens.md").write_text("# Tokens\n\nSession tokens are rotated daily.\n")
    terminal.mem("ingest", ".")

    assert prepare(terminal)["mode"] == "none"


def test_sessions_engines_and_workspaces_know_nothing_of_each_other(terminal: Terminal) -> None:
    terminal.add(FACT)
    terminal.add("In the other", "because", "--workspace", "other")
    made = told(terminal)

    assert told(terminal, session="t")["mode"] == "full"
    assert told(terminal, "--engine", "claude")["mode"] == "full"
    other = told_in(terminal, "other")
    assert "In the other" in other["xml"]
    assert FACT not in other["xml"]
    terminal.mem("turn", "ack", "--prepare-id", made["prepareId"], "--status", "success", "--workspace", "other", fails=3)
    assert {prepare(terminal)["mode"], prepare(terminal, session="t")["mode"]} == {"none"}


def told_in(terminal: Terminal, workspace: str) -> dict[str, Any]:
    made = prepare(terminal, "--workspace", workspace)
    terminal.mem("turn", "ack", "--prepare-id", made["prepareId"], "--status", "success", "--workspace", workspace)
    return made


def test_full_can_be_asked_for_again(terminal: Terminal) -> None:
    terminal.add(FACT)
    first = told(terminal)
    again = told(terminal, "--full")

    assert (again["mode"], again["xml"], again["fromRevision"]) == ("full", first["xml"], 0)


def test_a_turn_expires(terminal: Terminal, later: Callable[[str], None]) -> None:
    terminal.add(FACT)
    made = prepare(terminal)
    later("2026-03-02T12:01:00Z")
    failed = terminal.mem("turn", "ack", "--prepare-id", made["prepareId"], "--status", "success", "--json", fails=3)
    assert json.loads(failed.err)["error"]["code"] == "expired"
    assert prepare(terminal)["mode"] == "full"

    later("2026-03-20T12:00:00Z")
    prepare(terminal)
    assert (
        "was prepared here" in terminal.mem("turn", "ack", "--prepare-id", made["prepareId"], "--status", "failed", fails=3).err
    )


def test_erasing_leaves_no_digest_and_makes_the_next_turn_full(terminal: Terminal) -> None:
    one = terminal.add(FACT)
    told(terminal)
    waiting = prepare(terminal, session="t")
    terminal.mem("forget", one, "--erase")

    with closing(apsw.Connection(str(terminal.store))) as db:
        assert db.execute("SELECT count(*) FROM delivery").fetchall() == [(0,)]
        assert set(db.execute("SELECT shown || hits FROM turn").fetchall()) == {("",)}
    assert "<memory_context" in prepare(terminal)["xml"]  # which takes the place of all that was told
    terminal.mem("turn", "ack", "--prepare-id", waiting["prepareId"], "--status", "success")
    terminal.add("Another fact")
    assert prepare(terminal)["mode"] == "full"
    assert prepare(terminal, session="t")["mode"] == "full"


def test_an_empty_memory_tells_nothing_and_the_first_that_is_stored_is_told_in_full(terminal: Terminal) -> None:
    terminal.mem("forget", terminal.add(FACT))
    for _ in range(2):
        empty = told(terminal)
        assert (empty["mode"], empty["xml"]) == ("none", "")

    terminal.add(FACT)
    turn = told(terminal)
    assert turn["mode"] == "full"
    assert FACT in turn["xml"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("prepare",), 2, "the session is missing"),
        (("prepare", "--session", ""), 2, "1 to 200 characters"),
        (("prepare", "--session", "x" * 201), 2, "1 to 200 characters"),
        (("prepare", "--session", "s", "--engine", "emacs"), 2, "no engine 'emacs'"),
        (("prepare", "--session", "s", "--format", "yaml"), 2, "no format 'yaml'"),
        (("prepare", "--session", "s", "--status", "success"), 2, "belong to ack"),
        (("ack",), 2, "is missing"),
        (("ack", "--prepare-id", "D-1"), 2, "is missing"),
        (("ack", "--prepare-id", "D-1", "--status", "done"), 2, "no status 'done'"),
        (("ack", "--prepare-id", "D-1", "--status", "success"), 3, "no turn 'D-1'"),
        (("ack", "--prepare-id", "../x", "--status", "success"), 3, "no turn '../x'"),
        (("ack", "--prepare-id", "", "--status", "failed"), 3, "no turn ''"),
        (("ack", "--prepare-id", "D-1", "--status", "failed", "--query", "x"), 2, "belong to prepare"),
        (("wait",), 2, "no action 'wait'"),
    ],
)
def test_a_wrong_call_is_told_so_in_one_line_and_a_hint(terminal: Terminal, words: tuple[str, ...], code: int, said: str) -> None:
    terminal.add(FACT)
    failed = terminal.mem("turn", *words, fails=code)

    assert (failed.out, failed.err.count("\n")) == ("", 2)
    assert said in failed.err


def test_whose_turn_it_is_may_be_said_and_is_then_looked_at(terminal: Terminal) -> None:
    terminal.add(FACT)
    made = prepare(terminal)
    ack = ["turn", "ack", "--prepare-id", made["prepareId"].lower(), "--status", "success", "--session"]

    terminal.mem(*ack, "t", fails=3)
    assert terminal.mem(*ack, "s").json == {"ok": True}


def test_without_a_store_there_is_nothing_to_tell_and_none_is_made(terminal: Terminal) -> None:
    assert "nothing is stored here yet" in terminal.mem("turn", "prepare", "--session", "s", fails=3).err
    assert list(terminal.data.glob("repos/*/memory.db")) == []


def test_a_session_is_told_the_long_term_memory_of_the_person_after_what_the_repository_has(terminal: Terminal) -> None:
    """Memories of the person's own store need no pin. Those of the repository come first, and no more than the limits allow."""
    entries = [{"content": f"The person likes tea number {number}.", "keywords": ["tea"]} for number in range(12)]
    (terminal.folder / "memory.json").write_text(json.dumps({"version": 1, "entries": entries}))
    terminal.mem("init")
    terminal.mem("import", "memory.json", "--user")
    terminal.mem("note", "add", "Deployed", "--user")
    alone = told(terminal, "--format", "prompt")["text"]
    assert alone.count("The person likes tea number") == 10

    terminal.add(FACT)
    both = prepare(terminal, "--format", "prompt", session="whole")["text"]
    assert both.index(FACT) < both.index("The person likes tea number")
    delta = prepare(terminal, "--format", "prompt")["text"]
    assert FACT in delta
    assert "tea" not in delta
    terminal.mem("forget", re.findall(r"tea number \d+\. \[(M-\w+)", alone)[0], "--user")
    assert "No longer holds" in prepare(terminal, "--format", "prompt")["text"]

    terminal.mem("config", "set", "turn.entries", "3")
    few = prepare(terminal, "--format", "prompt", session="t")["text"]
    assert (few.count("The person likes tea number"), few.count(FACT)) == (3, 1)
    terminal.mem("config", "set", "turn.entries_chars", "80")
    fewer = prepare(terminal, "--format", "prompt", session="u")["text"]
    assert (fewer.count("The person likes tea number"), fewer.count("Deployed")) == (1, 1)


def test_the_long_term_memory_of_the_person_takes_no_room_from_the_repository(terminal: Terminal) -> None:
    for number in range(9):
        terminal.add(f"Rule {number} of this repository", "It holds for whoever changes the code here. " * 8)
    before = prepare(terminal, "--format", "prompt", session="a")["text"]
    for number in range(9):
        terminal.add(f"Habit {number} of the person", "It is so wherever the person works. " * 4, "--user")
    after = prepare(terminal, "--format", "prompt", session="b")["text"]
    assert before.count("\n- Rule ") > 1
    assert [line for line in before.splitlines() if line not in after.splitlines()] == []
