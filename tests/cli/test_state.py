"""checkpoint, state, log, undo: where the work stands, how it got there, and the way back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import Terminal

TITLE = "Session tokens live in Postgres"


def checkpoint(terminal: Terminal, reason: str, state: Any) -> dict[str, Any]:
    """Keeps a state and returns what the command said."""
    said: dict[str, Any] = terminal.mem("checkpoint", "--reason", reason, "--state-json", json.dumps(state), "--json").json
    return said


def current(terminal: Terminal) -> Any:
    """The state as it stands."""
    return terminal.mem("state", "--json").json["state"]


def shown(terminal: Terminal, memory_id: str) -> dict[str, Any]:
    memory: dict[str, Any] = terminal.mem("show", memory_id, "--json").json["memory"]
    return memory


def test_a_checkpoint_keeps_a_state_and_a_memory_with_its_reason(terminal: Terminal) -> None:
    said = checkpoint(terminal, "before the release", {"task": "login"})

    assert set(said) >= {"state_id", "workspace", "reason", "memory_id"}
    assert (said["workspace"], said["reason"]) == ("default", "before the release")
    memory = shown(terminal, said["memory_id"])
    assert (memory["summary"], memory["kind"], memory["thread_id"]) == ("before the release", "checkpoint", "general")
    assert memory["anchor_commit"] == terminal.git("rev-parse", "HEAD")
    assert terminal.mem("state", "--json").json == {
        "state_id": said["state_id"],
        "reason": "before the release",
        "thread_id": "general",
        "memory_id": said["memory_id"],
        "created_at": "2026-03-01T12:00:00.000Z",
        "state": {"task": "login"},
        "suspicious": False,
        "origin": "cli",
        "trust": "high",
    }
    assert [item["id"] for item in terminal.mem("get", "release", "--json").json["top_memories"]] == [said["memory_id"]]


def test_a_state_comes_from_a_file_an_argument_or_standard_input(terminal: Terminal) -> None:
    (terminal.folder / "state.json").write_text('\ufeff{"from": "a file"}\n')
    terminal.mem("checkpoint", "--reason", "r", "--state-file", "state.json", "--thread", "release")
    assert current(terminal) == {"from": "a file"}
    assert terminal.mem("state", "--json").json["thread_id"] == "release"

    terminal.mem("checkpoint", "--reason", "r", "--state-json", ' {"from": "an argument"} ')
    assert current(terminal) == {"from": "an argument"}
    for option in ("--state-file", "--state-json"):
        terminal.mem("checkpoint", "--reason", "r", option, "-", stdin=json.dumps({"from": option}))
        assert current(terminal) == {"from": option}


@pytest.mark.parametrize(
    "value", [None, True, 0, -1.5, "text", "", [], {}, [1, {"a": [None]}], {"": ""}, {"ü\u202e\x1b": "\u2066"}]
)
def test_any_json_value_can_be_a_state(terminal: Terminal, value: Any) -> None:
    checkpoint(terminal, "r", value)

    assert current(terminal) == value
    assert terminal.mem("get", "x", "--json").json["state"] == value
    for words in (["state"], ["state", "history"], ["state", "diff"], ["get", "x"], ["get", "x", "--format", "xml"]):
        assert terminal.mem(*words).err == ""


@pytest.mark.parametrize(
    "text", ["", "{", "{'a': 1}", "{} {}", "NaN", "[1,]", "1e999", '"\\ud800"', "[" * 100_000, "undefined", b'"\xff"']
)
def test_what_is_no_json_is_refused_and_nothing_is_stored(terminal: Terminal, text: str | bytes) -> None:
    checkpoint(terminal, "before", {"task": "kept"})
    before = len(terminal.mem("log", "--json").json)
    for option in ("--state-file", "--state-json"):
        refused = terminal.mem("checkpoint", "--reason", "r", option, "-", "--json", stdin=text, fails=2)
        assert (refused.out, set(json.loads(refused.err)["error"])) == ("", {"code", "message", "hint"})

    assert current(terminal) == {"task": "kept"}
    assert len(terminal.mem("log", "--json").json) == before


def test_a_checkpoint_needs_a_reason_and_one_state(terminal: Terminal) -> None:
    for words in ([], ["--state-json", "1", "--state-file", "x"]):
        refused = terminal.mem("checkpoint", "--reason", "r", *words, fails=2)
        assert refused.err.startswith("Error: give exactly one state\nHint: use either --state-file FILE or --state-json JSON")
    terminal.mem("checkpoint", "--reason", " ", "--state-json", "1", fails=2)
    terminal.mem("checkpoint", "--state-json", "1", fails=2)
    terminal.mem("checkpoint", "--reason", "r", "--state-json", "", fails=2)
    terminal.mem("checkpoint", "--reason", "r", "--state-json", '"' + "x" * 70_000 + '"', fails=2)
    terminal.mem("checkpoint", "--reason", "r", "--state-file", "nofile", fails=3)

    assert terminal.mem("log", "--json").json == []


def test_states_are_shown_compared_and_listed(terminal: Terminal) -> None:
    assert terminal.mem("state").out == "no checkpoint yet\n"
    assert terminal.mem("state", "--json").json == {"state_id": None, "state": {}}
    first = checkpoint(terminal, "morning", {"open": [1, 2], "same": True, "task": "login"})["state_id"]
    second = checkpoint(terminal, "evening", {"same": True, "task": "logout", "who": "A"})["state_id"]

    assert terminal.mem("state").out == f"{second}  evening  now\n  same: true\n  task: logout\n  who: A\n"
    assert terminal.mem("state", "diff").out == '- open: [1,2]\n- task: "login"\n+ task: "logout"\n+ who: "A"\n'
    assert terminal.mem("state", "diff", "--json").json == {
        "from": first,
        "to": second,
        "changes": [
            {"key": "open", "before": [1, 2], "after": None},
            {"key": "task", "before": "login", "after": "logout"},
            {"key": "who", "before": None, "after": "A"},
        ],
    }
    assert [one["state_id"] for one in terminal.mem("state", "history", "--json").json] == [second, first]
    assert [line.split()[:2] for line in terminal.mem("state", "history").out.splitlines()] == [
        [second, "evening"],
        [first, "morning"],
    ]
    assert len(terminal.mem("state", "history", "--limit", "1", "--json").json) == 1
    assert terminal.mem("state", "future", fails=2).err == "Error: no view 'future'\nHint: use show, history, diff\n"


def test_workspaces_keep_their_own_state(terminal: Terminal) -> None:
    checkpoint(terminal, "main", {"task": "login"})
    said = terminal.mem("checkpoint", "--reason", "r", "--state-json", "2", "--workspace", "side", "--json").json

    assert said["workspace"] == "side"
    assert current(terminal) == {"task": "login"}
    assert terminal.mem("state", "--workspace", "side", "--json").json["state"] == 2


def test_a_state_too_long_for_its_share_says_how_much_is_left_out(terminal: Terminal) -> None:
    checkpoint(terminal, "r", {f"key {number:03}": "some words about it " * 3 for number in range(200)})
    text = terminal.mem("get", "x").out
    shown_items = [line for line in text.splitlines() if line.startswith("- key ")]

    assert 0 < len(shown_items) < 200
    assert f"- … {200 - len(shown_items)} more (mem state)\n" in text
    assert len(terminal.mem("state").out.splitlines()) == 201


def test_the_log_tells_every_change_newest_first(terminal: Terminal) -> None:
    memory_id = terminal.add(TITLE, "x", "--thread", "auth")
    terminal.mem("update", memory_id, "--summary", "y")
    terminal.mem("forget", memory_id)
    told = terminal.mem("log", "--json").json

    assert [(op["revision"], op["k"], op["o"]) for op in told] == [
        (4, "forget", memory_id),
        (3, "put", memory_id),
        (2, "put", memory_id),
        (1, "put", "T-auth"),
    ]
    assert told[1]["b"] == {"summary": "y"}
    assert {op["actor"] for op in told} == {"cli"}
    assert [op["revision"] for op in terminal.mem("log", memory_id.lower(), "--json").json] == [4, 3, 2]
    assert [op["revision"] for op in terminal.mem("log", "--limit", "1", "--json").json] == [4]
    lines = terminal.mem("log").out.splitlines()
    assert [line.split()[0] for line in lines] == ["4", "3", "2", "1"]
    assert TITLE in lines[2]


def test_the_log_tells_of_one_state(terminal: Terminal) -> None:
    said = checkpoint(terminal, "r", 1)

    assert [op["k"] for op in terminal.mem("log", said["state_id"].lower(), "--json").json] == ["state"]


def test_undoing_an_add_takes_the_memory_out_of_every_recall(terminal: Terminal) -> None:
    terminal.add("Kept")
    memory_id = terminal.add(TITLE, "x", "--thread", "auth")
    said = terminal.mem("undo", "--json").json

    assert [op["o"] for op in said["undone"]] == ["T-auth", memory_id]
    assert terminal.titles("session", "--include-orphans") == []
    assert [one["title"] for one in terminal.mem("recent", "--json").json] == ["Kept"]
    assert [one["thread_id"] for one in terminal.mem("threads", "--json").json] == ["general"]


def test_a_thread_whose_beginning_was_undone_can_begin_again(terminal: Terminal) -> None:
    terminal.add(TITLE, "x", "--thread", "auth")
    terminal.mem("undo")
    memory_id = terminal.add("Another", "x", "--thread", "auth")

    assert [one["thread_id"] for one in terminal.mem("threads", "--json").json] == ["auth"]
    assert [one["id"] for one in terminal.mem("thread", "auth", "--json").json["memories"]] == [memory_id]


def test_undoing_an_update_brings_every_field_back(terminal: Terminal) -> None:
    memory_id = terminal.add(TITLE, "old", "--thread", "auth", "--tags", "a", "--entities", "E", "--kind", "decision")
    before = shown(terminal, memory_id)
    changes = ["--title", "N", "--summary", "new", "--thread", "ops", "--tags", "b,c", "--entities", "", "--kind", "note"]
    terminal.mem("update", memory_id, *changes)
    terminal.mem("undo")
    after = shown(terminal, memory_id)

    for field in ("title", "summary", "thread_id", "tags", "entities", "kind"):
        assert after[field] == before[field], field
    assert terminal.titles("session") == [TITLE]


def test_undoing_a_supersede_makes_the_old_memory_a_fact_again(terminal: Terminal) -> None:
    old = terminal.add("Session tokens live in Redis")
    terminal.mem("supersede", old, "--title", TITLE)
    terminal.mem("undo")

    assert terminal.titles("session tokens") == ["Session tokens live in Redis"]
    assert shown(terminal, old)["superseded_by"] is None
    terminal.mem("supersede", old, "--title", "Session tokens live in SQLite")
    assert terminal.titles("session tokens") == ["Session tokens live in SQLite"]


def test_undoing_a_forget_or_a_restore(terminal: Terminal) -> None:
    memory_id = terminal.add(TITLE)
    terminal.mem("forget", memory_id)
    terminal.mem("undo")
    assert terminal.titles("session") == [TITLE]

    terminal.mem("forget", memory_id)
    terminal.mem("restore", memory_id)
    terminal.mem("undo")
    assert terminal.titles("session") == []


def test_undoing_a_link(terminal: Terminal) -> None:
    one, two = terminal.add("One"), terminal.add("Two")
    terminal.mem("link", one, "needs", two)
    terminal.mem("undo")

    assert shown(terminal, one)["links"] == shown(terminal, two)["links"] == []
    assert terminal.mem("link", one, "needs", two, "--json").json["created"] is True
    assert len(shown(terminal, one)["links"]) == 1


def test_undoing_a_pin_or_an_unpin(terminal: Terminal) -> None:
    memory_id = terminal.add(TITLE)
    terminal.mem("pin", memory_id)
    terminal.mem("undo")
    assert shown(terminal, memory_id)["pinned"] is False

    terminal.mem("pin", memory_id)
    terminal.mem("unpin", memory_id)
    terminal.mem("undo")
    assert shown(terminal, memory_id)["pinned"] is True


def test_undoing_a_checkpoint_brings_the_state_before_it_back(terminal: Terminal) -> None:
    checkpoint(terminal, "one", {"n": 1})
    said = checkpoint(terminal, "two", {"n": 2})
    terminal.mem("undo")

    assert current(terminal) == {"n": 1}
    assert [one["reason"] for one in terminal.mem("state", "history", "--json").json] == ["one"]
    assert said["memory_id"] not in [one["id"] for one in terminal.mem("recent", "--json").json]
    checkpoint(terminal, "three", {"n": 3})
    assert current(terminal) == {"n": 3}


def test_undoing_an_import_takes_back_what_it_brought(terminal: Terminal) -> None:
    terminal.add("Kept")
    terminal.mem("import", "-", stdin='{"title": "One", "summary": "x"}\n{"title": "Two", "summary": "x"}\n')
    terminal.mem("undo")

    assert [one["title"] for one in terminal.mem("recent", "--json").json] == ["Kept"]


def test_undo_goes_back_step_by_step_to_the_beginning(terminal: Terminal) -> None:
    memory_id = terminal.add(TITLE, "one")
    for summary in ("two", "three", "four"):
        terminal.mem("update", memory_id, "--summary", summary)
    for summary in ("three", "two", "one"):
        terminal.mem("undo")
        assert shown(terminal, memory_id)["summary"] == summary
    terminal.mem("undo")

    assert terminal.mem("recent", "--json").json == []
    assert terminal.mem("undo", fails=3).err == "Error: nothing to undo\nHint: see mem log\n"
    terminal.add("After all")
    terminal.mem("undo")
    assert terminal.mem("recent", "--json").json == []


def test_with_nothing_stored_there_is_nothing_to_undo(terminal: Terminal) -> None:
    assert terminal.mem("undo", fails=3).out == ""
    assert json.loads(terminal.mem("undo", "--json", fails=3).err)["error"]["code"] == "not_found"


def test_what_was_undone_stays_in_the_log(terminal: Terminal) -> None:
    memory_id = terminal.add(TITLE)
    terminal.mem("undo")

    assert [op["k"] for op in terminal.mem("log", memory_id, "--json").json] == ["forget", "put"]
    terminal.mem("restore", memory_id)
    assert terminal.titles("session") == [TITLE]


def test_checkpoints_work_without_a_person(terminal: Terminal) -> None:
    done = terminal.process(
        "checkpoint", "--reason", "ci", "--state-file", "-", "--json", input=b'{"build": 7}', env={"CI": "true"}
    )

    assert json.loads(done.out)["reason"] == "ci"
    assert done.err == ""
    assert terminal.process("checkpoint", "--reason", "ci", "--state-file", "-", input=b"", fails=2).out == ""
    assert current(terminal) == {"build": 7}
