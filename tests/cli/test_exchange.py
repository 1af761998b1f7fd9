"""export and import: memories as lines of JSON, as often as one likes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Terminal

FACT = {"title": "Session tokens live in Postgres", "summary": "Redis evicted them.", "source_id": "a-1"}
FIELDS = ("title", "summary", "thread_id", "kind", "tags", "entities", "created_at", "anchor_commit", "pinned")


def jsonl(*rows: dict[str, Any]) -> str:
    return "".join([json.dumps(row) + "\n" for row in rows])


def told(terminal: Terminal, text: str | bytes, *more: str) -> tuple[int, int, int]:
    """Imports lines from standard input. Returns how many were new, changed, and there already."""
    said = terminal.mem("import", "-", "--json", *more, stdin=text).json
    return said["imported"], said["updated"], said["unchanged"]


def everything(terminal: Terminal, *more: str) -> dict[str, dict[str, Any]]:
    """Every memory, by its title."""
    return {one["title"]: one for one in terminal.mem("recent", "--limit", "5000", "--json", *more).json}


@pytest.fixture
def other(terminal: Terminal, tmp_path: Path) -> Terminal:
    """A second repository, with nothing in common with the first."""
    (tmp_path / "other").mkdir()
    second = terminal.at(tmp_path / "other")
    second.git("init", "-q", "-b", "main", ".")
    second.commit("another first")
    return second


def test_what_is_exported_comes_back_the_same(terminal: Terminal) -> None:
    terminal.add("Plain", "one\ntwo\t\u202e🙂", "--thread", "auth", "--tags", "a,b", "--entities", "E", "--kind", "decision")
    terminal.mem("pin", terminal.add("Pinned"))
    exported = terminal.mem("export").out
    assert told(Terminal(terminal.folder, terminal.env, terminal.capture), exported) == (0, 0, 2)

    terminal.mem("import", "-", "--workspace", "copy", "--trust", stdin=exported)
    mine, copies = everything(terminal), everything(terminal, "--workspace", "copy")
    assert {title: [one[field] for field in FIELDS] for title, one in copies.items()} == {
        title: [one[field] for field in FIELDS] for title, one in mine.items()
    }
    assert {one["source_id"] for one in copies.values()} == {one["id"] for one in mine.values()}
    assert terminal.mem("export", "--workspace", "copy").out == exported


def test_what_is_forgotten_or_superseded_is_exported_as_the_reader_would_see_it(terminal: Terminal) -> None:
    terminal.mem("forget", terminal.add("Forgotten"))
    terminal.add("Kept")

    assert [json.loads(line)["title"] for line in terminal.mem("export").out.splitlines()] == ["Kept"]


def test_importing_again_changes_nothing(terminal: Terminal) -> None:
    rows = jsonl(FACT, {"title": "Another", "summary": "x", "source_id": "a-2"})
    assert told(terminal, rows) == (2, 0, 0)
    revision = terminal.mem("log", "--limit", "1", "--json").json[0]["revision"]

    assert told(terminal, rows) == (0, 0, 2)
    assert terminal.mem("log", "--limit", "1", "--json").json[0]["revision"] == revision
    assert terminal.mem("import", "-", stdin=rows).out == "0 new, 0 changed, 2 unchanged\n"


def test_a_row_that_changed_updates_its_memory(terminal: Terminal) -> None:
    told(terminal, jsonl(FACT))
    memory_id = everything(terminal)[FACT["title"]]["id"]

    assert told(terminal, jsonl({**FACT, "summary": "Disk was full.", "tags": ["db"], "kind": "bugfix", "thread": "ops"})) == (
        0,
        1,
        0,
    )
    memory = terminal.mem("show", memory_id, "--json").json["memory"]
    assert (memory["summary"], memory["tags"], memory["kind"], memory["thread_id"]) == ("Disk was full.", ["db"], "bugfix", "ops")
    assert terminal.titles("redis") == []
    assert terminal.titles("disk full") == [FACT["title"]]


def test_a_row_that_says_so_pins_and_unpins(terminal: Terminal) -> None:
    told(terminal, jsonl({**FACT, "pinned": True}), "--trust")
    assert everything(terminal)[FACT["title"]]["pinned"] is True
    assert told(terminal, jsonl(FACT), "--trust") == (0, 0, 1)

    assert told(terminal, jsonl({**FACT, "pinned": False}), "--trust") == (0, 1, 0)
    assert everything(terminal)[FACT["title"]]["pinned"] is False


def test_one_source_id_twice_in_a_file_is_one_memory(terminal: Terminal) -> None:
    told(terminal, jsonl(FACT, {**FACT, "summary": "The last one counts."}))

    assert [one["summary"] for one in everything(terminal).values()] == ["The last one counts."]


def test_rows_without_a_source_id_are_the_same_memories_each_time(terminal: Terminal) -> None:
    rows = jsonl({"title": "No name", "summary": "x"}, {"text": "Another", "kind": "decision"})

    assert told(terminal, rows) == (2, 0, 0)
    assert told(terminal, rows) == (0, 0, 2)
    assert told(terminal, jsonl({"title": "No name", "summary": "y"}, {"text": "Another"})) == (2, 0, 0)


def test_a_row_without_a_source_id_is_the_memory_that_says_the_same(terminal: Terminal) -> None:
    terminal.add("Written here", "by hand", "--kind", "decision")

    assert told(terminal, jsonl({"title": "Written here", "summary": "by hand", "kind": "decision"})) == (0, 0, 1)
    assert told(terminal, jsonl({"title": "Written here", "summary": "by hand", "kind": "bugfix"})) == (1, 0, 0)


def test_what_came_without_a_source_id_stays_forgotten_edited_and_undone(terminal: Terminal) -> None:
    rows = jsonl({"title": "Forgotten", "summary": "x"}, {"title": "Edited", "summary": "x"})
    told(terminal, rows)
    memories = everything(terminal)
    terminal.mem("forget", memories["Forgotten"]["id"])
    terminal.mem("update", memories["Edited"]["id"], "--summary", "corrected")
    assert terminal.mem("import", "-", "--json", stdin=rows).json["forgotten"] == 1
    assert {title: one["summary"] for title, one in everything(terminal).items()} == {"Edited": "corrected"}

    told(terminal, more := jsonl({"title": "Undone", "summary": "x"}))
    terminal.mem("undo")
    assert told(terminal, more) == (1, 0, 0)


def test_equal_rows_of_one_file_are_one_memory_and_are_counted(terminal: Terminal) -> None:
    row = {"title": "No name", "summary": "x"}
    rows = jsonl(*[row] * 3, *[{"text": f"fact {number}"} for number in range(600)], row)
    said = "601 new, 0 changed, 3 unchanged (3 said by an earlier line)\n"

    assert terminal.mem("import", "-", "--dry-run", stdin=rows).out == f"would be {said}"
    assert terminal.mem("import", "-", stdin=rows).out == said
    assert len(everything(terminal)) == 601


def test_a_row_needs_a_title_and_a_summary_and_has_defaults_for_the_rest(terminal: Terminal) -> None:
    told(terminal, jsonl({"title": "Bare", "summary": "x", "tags": "a, b", "unknown": {"deep": 1}, "thread": None}))
    memory = everything(terminal)["Bare"]

    assert (memory["thread_id"], memory["kind"], memory["tags"]) == ("general", "note", ["a", "b"])
    assert (memory["created_at"], memory["anchor_commit"], memory["origin"]) == ("2026-03-01T12:00:00.000Z", None, "import")


def test_a_date_is_kept(terminal: Terminal) -> None:
    told(terminal, jsonl({**FACT, "created_at": "2024-05-06T07:08:09.5+02:00"}))

    assert everything(terminal)[FACT["title"]]["created_at"] == "2024-05-06T05:08:09.500Z"


def test_a_commit_that_the_clone_knows_is_kept_and_any_other_is_dropped(terminal: Terminal, other: Terminal) -> None:
    here, there = terminal.git("rev-parse", "HEAD"), other.git("rev-parse", "HEAD")
    rows = [
        {"title": name, "summary": "x", "source_id": name, "anchor_commit": at}
        for name, at in (("Ours", here), ("Theirs", there))
    ]
    rows += [
        {"title": "Odd", "summary": "x", "anchor_commit": "--help"},
        {"title": "Free", "summary": "x", "anchor_commit": None},
    ]
    told(terminal, jsonl(*rows))

    assert {title: one["anchor_commit"] for title, one in everything(terminal).items()} == {
        "Ours": here,
        "Theirs": None,
        "Odd": None,
        "Free": None,
    }
    terminal.commit("second")
    assert sorted(terminal.titles("x")) == ["Free", "Odd", "Ours", "Theirs"]


def test_a_memory_of_another_branch_keeps_its_branch(terminal: Terminal) -> None:
    terminal.git("switch", "-q", "-c", "side")
    side = terminal.commit("side")
    terminal.git("switch", "-q", "main")
    told(terminal, jsonl({**FACT, "anchor_commit": side}))

    assert terminal.titles("session") == []
    assert terminal.titles("session", "--include-orphans") == [FACT["title"]]


def test_more_rows_than_a_transaction_takes_go_in_and_come_out(terminal: Terminal) -> None:
    rows = [
        {"title": f"Fact {n}", "summary": f"Reason {n % 7}", "source_id": f"s{n}", "thread": f"t{n % 5}"} for n in range(1_200)
    ]
    text = jsonl(*rows)

    assert told(terminal, text) == (1_200, 0, 0)
    assert told(terminal, text) == (0, 0, 1_200)
    exported = [json.loads(line) for line in terminal.mem("export").out.splitlines()]
    assert [row["source_id"] for row in exported] == [row["source_id"] for row in rows]
    assert [row["title"] for row in exported] == [row["title"] for row in rows]
    assert "Fact 718" in terminal.titles("fact 718")


@pytest.mark.parametrize(
    "bad",
    [
        "{", "[]", "1", '"text"', '{}', '{"tags": ["x"]}', '{"title": "", "summary": "x"}',
        '{"title": 1, "summary": "x"}', '{"title": "x", "summary": "y", "tags": [1]}',
        '{"title": "x", "summary": "y", "tags": 5}', '{"title": "x", "summary": "\\u0000"}',
        '{"title": "x", "summary": "y", "created_at": "soon"}', '{"title": "x", "summary": "y", "created_at": 5}',
        '{"title": "x", "summary": "y"} x', '{"title": "x", "summary": "y", "source_id": 7}',
        '{"title": "x", "summary": "y", "source_id": "\\ud800"}', '{"title": "x", "summary": "y", "anchor_commit": ["x"]}',
        '{"title": "x", "summary": "y", "thread": "\\u001b[31m"}', "\udcff",
    ],
)  # fmt: skip
def test_a_bad_line_is_named_and_nothing_of_its_batch_is_stored(terminal: Terminal, bad: str) -> None:
    rows = jsonl({"title": "Good", "summary": "x"}) + "\n" + bad + "\n" + jsonl({"title": "Better", "summary": "x"})
    refused = terminal.mem("import", "-", stdin=rows.encode("utf-8", "surrogateescape"), fails=2)

    assert refused.out == ""
    assert len(refused.err.splitlines()) == 2
    assert everything(terminal) == {}
    if bad != "\udcff":
        assert refused.err.startswith(("Error: line 2: ", "Error: line 3: "))


@pytest.mark.parametrize("way", ["file", "pipe"])
def test_of_a_file_that_was_written_half_nothing_is_stored(terminal: Terminal, way: str) -> None:
    rows = jsonl(*[{"title": f"Fact {n}", "summary": "x", "source_id": f"s{n}"} for n in range(501)])  # more than a transaction
    (terminal.folder / "half.jsonl").write_text(rows + '{"title": "Fact 501", "summ')
    source: dict[str, Any] = {"stdin": rows + '{"title": "Fact 501", "summ'} if way == "pipe" else {}
    refused = terminal.mem("import", "-" if way == "pipe" else "half.jsonl", fails=2, **source)

    assert refused.err.startswith("Error: line 502: ")
    assert not list(terminal.data.glob("repos/*/memory.db"))


def test_of_lines_with_one_source_id_the_last_counts_once_and_for_all(terminal: Terminal) -> None:
    other = {"title": "Another fact", "summary": "y", "source_id": "s2"}
    rows = jsonl({**FACT, "source_id": "s1"}, other, {**FACT, "source_id": "s1", "tags": ["new"]}, other)
    (terminal.folder / "rows.jsonl").write_text(rows)

    assert terminal.mem("import", "rows.jsonl", "--dry-run").out == "would be 2 new, 1 changed, 1 unchanged\n"
    assert told(terminal, rows) == (2, 1, 1)
    assert everything(terminal)[FACT["title"]]["tags"] == ["new"]
    assert told(terminal, rows) == (0, 0, 4)
    terminal.mem("undo")
    assert everything(terminal) == {}


def test_what_an_import_would_do_is_what_it_does_over_any_number_of_transactions(terminal: Terminal) -> None:
    texts = ("first", "second", "first", "third")
    rows = jsonl(*[{"title": f"Fact {n}", "summary": text, "source_id": f"s{n}"} for text in texts for n in range(200)])
    (terminal.folder / "rows.jsonl").write_text(rows)

    would = terminal.mem("import", "rows.jsonl", "--dry-run").out
    assert would == "would be " + terminal.mem("import", "rows.jsonl").out
    assert terminal.mem("import", "rows.jsonl").out.startswith("0 new, 0 changed, 800 ")


def test_a_line_is_counted_as_an_editor_counts_it(terminal: Terminal) -> None:
    rows = "\n\n" + jsonl(FACT) + "   \n" + "oops\n"

    assert terminal.mem("import", "-", stdin=rows, fails=2).err.startswith("Error: line 5: ")


def test_line_ends_of_windows_and_a_byte_order_mark_are_no_trouble(terminal: Terminal) -> None:
    assert told(terminal, b"\xef\xbb\xbf" + jsonl(FACT).replace("\n", "\r\n").encode()) == (1, 0, 0)
    assert told(terminal, jsonl(FACT).strip()) == (0, 0, 1)
    assert told(terminal, "") == (0, 0, 0)


def test_a_pipe_is_read_under_any_of_its_names(terminal: Terminal) -> None:
    reading, writing = os.pipe()
    os.write(writing, jsonl(FACT).encode())
    os.close(writing)
    assert terminal.mem("import", f"/dev/fd/{reading}").out == "1 new, 0 changed, 0 unchanged\n"
    os.close(reading)
    assert terminal.process("import", "/dev/stdin", input=jsonl(FACT).encode()).out == "0 new, 0 changed, 1 unchanged\n"


def test_a_file_is_imported_by_its_path(terminal: Terminal) -> None:
    (terminal.folder / "-rows.jsonl").write_text(jsonl(FACT))

    assert terminal.mem("import", "./-rows.jsonl").out == "1 new, 0 changed, 0 unchanged\n"
    assert terminal.mem("import", "--", "-rows.jsonl").out == "0 new, 0 changed, 1 unchanged\n"
    assert terminal.mem("import", "nofile", fails=3).err.startswith("Error: no file nofile\n")


def test_exporting_to_a_file_writes_it_whole(terminal: Terminal) -> None:
    terminal.add("Plain")
    path = terminal.folder / "out.jsonl"
    path.write_text("old")
    said = terminal.mem("export", "out.jsonl")

    assert (said.out, said.err) == ("", "1 memories in out.jsonl\n")
    assert path.read_text() == terminal.mem("export").out == terminal.mem("export", "-").out
    assert sorted(one.name for one in terminal.folder.iterdir()) == [".git", "out.jsonl"]


def test_an_export_that_cannot_be_written_leaves_what_was_there(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal.add("Plain")
    (terminal.folder / "folder").mkdir()
    for path in ("nofolder/out.jsonl", "folder"):
        refused = terminal.mem("export", path, fails=2)
        assert refused.err.startswith(f"Error: {path} cannot be written: ")
    path = terminal.folder / "out.jsonl"
    path.write_text("old")

    def broken(project: object, memory: object) -> dict[str, Any]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("memcli.sync.exported", broken)
    assert terminal.mem("export", "out.jsonl", fails=2).out == ""
    assert path.read_text() == "old"
    assert sorted(one.name for one in terminal.folder.iterdir()) == [".git", "folder", "out.jsonl"]


def test_one_persons_export_can_be_anothers_start(terminal: Terminal, other: Terminal) -> None:
    terminal.add("Session tokens live in Postgres", "x", "--thread", "auth")
    terminal.mem("export", "../rows.jsonl")
    other.mem("import", "../rows.jsonl")

    assert other.titles("session") == ["Session tokens live in Postgres"]
    assert other.mem("import", "../rows.jsonl", "--user", "--json").json["imported"] == 1
