"""Commands that take ids take those of prompts, passages, states and notes, too, and several at once."""

from __future__ import annotations

import json

import pytest

from tests.agents.worker.events import EDIT, Events
from tests.conftest import Terminal

REPLY = """The tokens expire because the zebra clock is read once.

We decided to keep the tokens in Postgres, because Redis evicted them.
"""


@pytest.fixture
def prompt(events: Events) -> str:
    """The id of a prompt that was answered."""
    events.prompt("Why do the giraffe tokens expire too early?")
    events.tool("Edit", EDIT)
    events.stop(REPLY)
    events.end()
    events.work()
    return str(events.whole()["prompt_list"][0]["id"])


def rows(terminal: Terminal) -> list[object]:
    """What the log says, so that nothing changed where it is the same."""
    return list(terminal.mem("log", "--json", "--limit", "1000").json)


def told(events: Events, prompt: str) -> bool:
    """Whether anything but the list of the session's turns still has the prompt or its answer."""
    mem = events.terminal.mem
    found = [mem("search", word, "--json").json for word in ("giraffe tokens", "zebra clock")]
    packs = [mem("get", word, "--format", "prompt").out for word in ("giraffe tokens", "zebra clock")]
    turn = mem("turn", "prepare", "--session", "next", "--format", "prompt").json["text"]
    return prompt in json.dumps(found) or any(prompt in text for text in (*packs, turn))


def test_a_passage_is_shown_by_itself_and_all_of_an_answer(events: Events, prompt: str) -> None:
    mem = events.terminal.mem
    first = mem("show", f"{prompt}#a1").out

    assert first.startswith(f"{prompt}#a1\n\nThe tokens expire because the zebra clock is read once.\n")
    assert f"part of    the answer to {prompt}\n" in first
    assert "Postgres" not in first
    assert REPLY.strip() in mem("show", f"{prompt}#a").out
    assert mem("show", f"{prompt}#1", "--json").json["passage"]["text"] == "Why do the giraffe tokens expire too early?"
    assert mem("show", f"{prompt.lower()}#A1").out == first
    assert mem("show", f"{prompt[:8]}#a1").out == first
    shown = mem("show", f"{prompt}#a1", "--json").json
    assert shown["kind"] == "passage"
    assert {shown["passage"][name] for name in ("owner", "part", "anchor_state")} == {prompt, "answer", "reachable"}


def test_a_passage_that_is_not_there_is_an_error_that_names_those_that_are(events: Events, prompt: str) -> None:
    refused = events.terminal.mem("show", f"{prompt}#zz", fails=3).err
    short = events.terminal.add("Short")

    assert refused == f"Error: no passage zz in {prompt}\nHint: it has #1, #a1, #a2; mem show {prompt} shows all of it\n"
    assert "it is not kept in passages" in events.terminal.mem("show", f"{short}#3", fails=3).err


def test_ids_of_all_kinds_are_shown_together(events: Events, prompt: str) -> None:
    mem = events.terminal.mem
    memory = events.terminal.add("A fact")
    state = mem("checkpoint", "--reason", "half way", "--state-json", '{"next": "docs"}', "--json").json["state_id"]
    note = mem("note", "add", "lunch was late", "--json").json["id"]
    entry = mem("profile", "set", "editor", "vim", "--json").json["id"]
    session = events.whole()["id"]
    names = [memory, prompt, f"{prompt}#a1", state, note, entry, session]
    kinds = ["memory", "prompt", "passage", "state", "note", "profile", "session"]

    shown = mem("show", *names, "--json").json
    assert [item["kind"] for item in shown] == kinds
    assert [item[kind].get("id", state) for item, kind in zip(shown, kinds, strict=True)] == names
    assert mem("show", *names).out == "\n".join([mem("show", name).out for name in names])
    for name, words in ((state, "next: docs"), (note, "lunch was late"), (entry, "editor"), (state[:6].lower(), "half way")):
        assert words in mem("show", name).out
        assert isinstance(mem("show", name, "--json").json, dict)
    assert "no state" in mem("show", "S-ZZZZZZZZZZ", fails=3).err


def test_a_forgotten_prompt_is_nowhere_until_it_is_restored(events: Events, prompt: str) -> None:
    mem = events.terminal.mem
    summary = events.whole()["summary"]
    assert told(events, prompt)

    quoted = f"the summary of its session may quote it: mem show {summary}"
    assert mem("forget", prompt).out == f"Forgot {prompt}; bring it back with: mem restore {prompt}; {quoted}\n"
    assert not told(events, prompt)
    for words in (["show", prompt], ["show", f"{prompt}#a1"], ["forget", prompt], ["timeline", prompt]):
        refused = mem(*words, fails=3).err
        assert refused == f"Error: {prompt} is forgotten\nHint: mem restore {prompt} brings it back\n"
    assert "(forgotten)" in mem("session", events.whole()["id"]).out
    assert "giraffe" not in mem("session", prompt).out.partition("\n\n")[2].partition("1. ")[2]
    assert prompt not in mem("timeline", summary).out
    mem("doctor")

    assert mem("restore", prompt, "--json").json["title"] == "Why do the giraffe tokens expire too early?"
    assert told(events, prompt)
    mem("forget", prompt)
    mem("undo")
    assert told(events, prompt)
    mem("undo")
    assert not told(events, prompt)
    mem("doctor")


def test_a_forgotten_state_note_or_entry_comes_back(events: Events) -> None:
    mem = events.terminal.mem
    mem("checkpoint", "--reason", "first", "--state-json", "1")
    state = mem("checkpoint", "--reason", "second", "--state-json", "2", "--json").json["state_id"]
    note = mem("note", "add", "lunch was late", "--json").json["id"]
    entry = mem("profile", "set", "editor", "vim", "--json").json["id"]

    assert [row["status"] for row in mem("forget", state, note, entry, "--json").json] == ["forgotten"] * 3
    assert mem("state", "--json").json["reason"] == "first"
    assert mem("note", "list", "--json").json == []
    assert mem("profile", "list", "--json").json == []
    for name in (state, note, entry):
        assert f"{name} is forgotten" in mem("show", name, fails=3).err
    assert [row["title"] for row in mem("restore", state, note, entry, "--json").json] == ["second", "lunch was late", "editor"]
    assert mem("state", "--json").json["reason"] == "second"
    assert mem("note", "list", "--json").json[0]["text"] == "lunch was late"
    assert mem("profile", "get", "editor").out == "vim\n"
    mem("doctor")


def test_several_are_changed_at_once_or_not_at_all(events: Events, prompt: str) -> None:
    mem = events.terminal.mem
    (events.terminal.folder / "notes.md").write_text("# Zebras\n\nZebras have stripes.\n")
    mem("ingest", "notes.md")
    chunk = mem("chunks", "--json").json[0]["id"]
    one, two = events.terminal.add("One"), events.terminal.add("Two")
    before = rows(events.terminal)

    for words, code in (
        (["forget", one, "M-ZZZZZZZZZZ"], 3), (["forget", one, chunk, f"{prompt}#a1"], 2), (["pin", one, prompt], 2),
        (["pin", one, chunk], 2), (["unpin", one, f"{prompt}#a1"], 2), (["restore", one, two], 2),
        (["forget", one, events.whole()["id"]], 2), (["forget", "--erase", one, "M-ZZZZZZZZZZ"], 3),
    ):  # fmt: skip
        refused = mem(*words, fails=code)
        assert refused.out == ""
        assert len(refused.err.splitlines()) == 2
        assert rows(events.terminal) == before
    mem("show", chunk)

    assert mem("pin", one, two, one).out.count("Pinned") == 2
    assert [row["pinned"] for row in mem("unpin", one, two, "--json").json] == [False, False]
    assert [row["kind"] for row in mem("forget", one, chunk, prompt, "--json").json] == ["memory", "chunk", "prompt"]
    assert len({row["command"] for row in mem("log", "--json", "--limit", "2").json}) == 1
    undone = mem("undo").out
    assert undone.startswith("Took back command ")
    assert f"Brought back {chunk}  notes.md" in undone
    for name in (one, chunk, prompt):
        mem("show", name)
    assert len(mem("forget", chunk, one, "--erase", "--json").json) == 2
    assert "was erased" in mem("show", one, fails=3).err


def test_several_chunks_that_were_forgotten_together_come_back_together(events: Events) -> None:
    mem = events.terminal.mem
    for name in ("a.md", "b.md"):
        (events.terminal.folder / name).write_text(f"# {name}\n\nZebras have stripes, says {name}.\n")
    mem("ingest", ".")
    chunks = [row["id"] for row in mem("chunks", "--json").json if row["path"].endswith(".md")]

    mem("forget", *chunks)
    assert mem("undo").out.count("Brought back C-") == len(chunks) == 2
    mem("show", *chunks)
    mem("forget", *chunks)
    mem("restore", *chunks)
    mem("show", *chunks)


def test_an_undo_hides_all_again_that_was_brought_back_together(events: Events) -> None:
    mem = events.terminal.mem
    (events.terminal.folder / "notes.md").write_text("# Zebras\n\nZebras have stripes.\n")
    mem("ingest", "notes.md")
    chunk, memory = mem("chunks", "--json").json[0]["id"], events.terminal.add("Zebras run")
    mem("forget", chunk, memory)
    mem("restore", chunk, memory)
    mem("show", chunk, memory)
    mem("undo")
    for name in (chunk, memory):
        assert "is forgotten" in mem("show", name, fails=3).err
    assert "stripes" not in mem("get", "zebras stripes", "--evidence").out
    mem("restore", chunk)
    assert "stripes" in mem("get", "zebras stripes", "--evidence").out


def test_what_cannot_be_done_with_a_kind_says_what_can(events: Events, prompt: str) -> None:
    mem = events.terminal.mem
    session = events.whole()["id"]

    assert mem("pin", prompt, fails=2).err == (
        f"Error: {prompt} is a prompt, which cannot be pinned\n"
        "Hint: only memories are; keep what it says with mem add TITLE --summary TEXT\n"
    )
    assert mem("forget", f"{prompt}#a1", fails=2).err.endswith(f"Hint: forget the whole of it: mem forget {prompt}\n")
    assert f"mem forget {session} --erase" in mem("forget", session, fails=2).err
    assert json.loads(mem("pin", prompt, "--json", fails=2).err)["error"]["code"] == "invalid_input"


def test_what_hooks_made_of_a_forgotten_prompt_goes_and_comes_back_with_it(events: Events) -> None:
    mem = events.terminal.mem
    events.prompt("Use the zanzibar passphrase for the vault")
    events.tool("Edit", EDIT)
    events.stop("Done.")
    events.prompt("Now the lock")
    events.tool("Edit", {**EDIT, "old_string": "x", "new_string": "y"})
    events.stop("Done, too.")
    events.work()
    (prompt,) = events.sql("SELECT id FROM prompt WHERE text LIKE '%zanzibar%'")[0]
    assert "zanzibar" in mem("search", "Edited auth").out + mem("get", "zanzibar passphrase").out

    mem("forget", prompt)
    for listing in (("recent",), ("search", "zanzibar"), ("get", "zanzibar passphrase", "--format", "prompt")):
        assert "return token.valid" not in mem(*listing).out
        assert "zanzibar" not in mem(*listing).out.replace("zanzibar →", "")
    mem("restore", prompt)
    assert "return token.valid" in mem("search", "Edited auth").out
    mem("forget", prompt)
    mem("undo")
    assert "return token.valid" in mem("search", "Edited auth").out
