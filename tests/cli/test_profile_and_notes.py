"""The profile and the notes of days: kept word for word, logged, taken back, moved and erased like everything else."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from memcli import store
from memcli.store import opening
from tests.conftest import Terminal

LONG = "x" * 2_001


def rows(terminal: Terminal, sql: str) -> list[tuple[object, ...]]:
    db = opening.open_writer(str(terminal.store))
    try:
        return [tuple(row) for row in store.rows(db, sql)]
    finally:
        db.close()


def test_a_value_is_kept_word_for_word_and_replaced_by_the_next(terminal: Terminal) -> None:
    assert terminal.mem("profile", "set", "editor", "  vim,\n two  spaces ").out == "editor: vim, two spaces\n"
    assert terminal.mem("profile", "get", "editor", "--json").json["value"] == "  vim,\n two  spaces "

    terminal.mem("profile", "set", " editor ", "emacs")
    assert terminal.mem("profile", "get", "editor").out == "emacs\n"
    assert [one["key"] for one in terminal.mem("profile", "list", "--json").json] == ["editor"]


def test_a_value_that_is_there_already_is_no_operation(terminal: Terminal) -> None:
    terminal.mem("profile", "set", "editor", "vim")
    terminal.mem("profile", "set", "editor", "vim")

    assert len(terminal.mem("log", "--json").json) == 1


def test_what_is_deleted_is_gone_and_may_come_back(terminal: Terminal) -> None:
    terminal.mem("profile", "set", "editor", "vim")
    assert terminal.mem("profile", "delete", "editor").out == "editor is no longer in the profile\n"
    assert "no profile entry editor" in terminal.mem("profile", "get", "editor", fails=3).err
    assert terminal.mem("profile", "delete", "editor").out == "no profile entry editor\n"
    assert terminal.mem("profile", "delete", "editor", "--json").json == {"key": "editor", "status": "absent"}

    terminal.mem("profile", "set", "editor", "vim")
    assert terminal.mem("profile").out == "editor: vim\n"


def test_undo_takes_back_a_value_a_deletion_and_a_note(terminal: Terminal) -> None:
    terminal.mem("profile", "set", "editor", "vim")
    terminal.mem("profile", "set", "editor", "emacs")
    terminal.mem("undo")
    assert terminal.mem("profile", "get", "editor").out == "vim\n"
    terminal.mem("profile", "delete", "editor")
    terminal.mem("undo")
    assert terminal.mem("profile", "get", "editor").out == "vim\n"
    terminal.mem("note", "add", "Deployed")
    terminal.mem("undo")
    assert terminal.mem("note", "--json").json == []


def test_the_persons_own_profile_is_another_and_read_with_the_repositorys(terminal: Terminal) -> None:
    mem = terminal.mem
    mem("profile", "set", "editor", "vim", "--user")
    mem("profile", "set", "name", "Mike", "--user")
    mem("profile", "set", "editor", "emacs")

    assert mem("profile").out == "editor: emacs\nname: Mike  (yours)\n"
    assert mem("profile", "--user").out == "editor: vim\nname: Mike\n"
    assert [one["from"] for one in mem("profile", "--json").json] == ["repository", "user"]
    assert [one["from"] for one in mem("profile", "--user", "--json").json] == ["user", "user"]
    assert [mem("profile", "get", key).out for key in ("editor", "name")] == ["emacs\n", "Mike\n"]
    assert mem("profile", "get", "name", "--json").json["from"] == "user"
    assert mem("profile", "get", "editor", "--user").out == "vim\n"
    mem("profile", "delete", "editor")
    assert mem("profile", "get", "editor").out == "vim\n"
    assert mem("profile", "delete", "name").out == "no profile entry name\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("set", "k" * 101, "v"), "use 1 to 100 printable characters"),
        (("set", "a\nb", "v"), "not a key"),
        (("set", " ", "v"), "not a key"),
        (("set", "k", " \n"), "the value is empty"),
        (("set", "k", LONG), "the value has 2,001 characters"),
        (("set", "k", "<private>all of it</private>"), "private as a whole"),
        (("set", "k"), "an argument is missing"),
        (("get",), "an argument is missing"),
        (("list", "k"), "too many arguments"),
        (("rename", "k", "l"), "no action 'rename'"),
    ],
)
def test_what_cannot_be_kept_is_refused_with_a_hint(terminal: Terminal, words: tuple[str, ...], said: str) -> None:
    failed = terminal.mem("profile", *words, fails=2)

    assert said in failed.err
    assert "Hint: " in failed.err
    assert terminal.mem("profile", "list", "--json").json == []


def test_a_key_that_names_a_secret_makes_one_of_its_value(terminal: Terminal) -> None:
    terminal.mem("profile", "set", "db_password", "kR7_wq-92Lzp")

    assert "kR7_wq" not in terminal.mem("profile", "get", "db_password").out
    assert terminal.mem("doctor", "--secrets", "--json").json == []


def test_notes_are_listed_by_day(terminal: Terminal, later: Callable[[str], None]) -> None:
    later("2026-02-20T08:00:00Z")
    terminal.mem("note", "add", "Too long ago")
    later("2026-02-27T08:30:00Z")
    first = terminal.mem("note", "add", "Deployed\nto staging").id
    later("2026-03-01T12:00:00Z")
    terminal.mem("note", "add", "-", stdin="Rolled back\n")

    assert terminal.mem("note", "list").out.splitlines()[:2] == ["2026-02-27", f"08:30  Deployed to staging  {first}"]
    assert [one["text"] for one in terminal.mem("note", "--days", "2", "--json").json] == ["Rolled back"]
    assert [one["text"] for one in terminal.mem("note", "show", "2026-02-20", "--json").json] == ["Too long ago"]
    assert terminal.mem("note", "show", "2026-02-21").out == "no notes of 2026-02-21\n"
    elsewhere = ("--workspace", "empty")
    add = "keep one with: mem note add TEXT"
    assert terminal.mem("note", *elsewhere).out == f"no notes in the last 3 days; {add} (your own: --user)\n"
    assert terminal.mem("note", "list", "--days", "1", "--user").out == f"no notes today; {add} --user\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "x" * 4_001), "the note has 4,001 characters"),
        (("add", ""), "the note is empty"),
        (("add", "<private>x</private>"), "private as a whole"),
        (("add",), "an argument is missing"),
        (("list", "x"), "too many arguments"),
        (("list", "--days", "0"), "days must be 1 to 366, not 0"),
        (("show", "../../etc"), "not a date"),
        (("burn",), "no action 'burn'"),
    ],
)
def test_a_note_that_cannot_be_kept_is_refused(terminal: Terminal, words: tuple[str, ...], said: str) -> None:
    assert said in terminal.mem("note", *words, fails=2).err


def test_both_are_exported_and_imported_once(terminal: Terminal) -> None:
    terminal.mem("profile", "set", "editor", "vim")
    terminal.mem("note", "add", "Deployed")
    exported = terminal.mem("export").out
    done = terminal.mem("import", "-", "--trust", "--workspace", "copy", "--json", stdin=exported).json
    assert (done["imported"], done["unchanged"]) == (2, 0)
    assert terminal.mem("import", "-", "--trust", "--workspace", "copy", "--json", stdin=exported).json["unchanged"] == 2
    assert terminal.mem("export", "--workspace", "copy").out.replace("12:00:00", "") == exported.replace("12:00:00", "")

    terminal.mem("undo", "--workspace", "copy")
    assert terminal.mem("export", "--workspace", "copy").out == ""


def test_a_value_that_was_changed_here_is_not_changed_back_by_an_old_export(terminal: Terminal) -> None:
    terminal.mem("profile", "set", "editor", "vim")
    exported = terminal.mem("export").out
    terminal.mem("profile", "set", "editor", "emacs")
    terminal.mem("import", "-", "--trust", stdin=exported)

    assert terminal.mem("profile", "get", "editor").out == "emacs\n"


@pytest.mark.parametrize(
    "line",
    [
        '{"profile": 1, "value": "x"}',
        '{"profile": "k"}',
        '{"note": "x", "id": "N-../../x"}',
        '{"note": [], "id": "N-0000000000"}',
    ],
)
def test_a_line_that_is_neither_is_refused_with_its_number(terminal: Terminal, line: str) -> None:
    assert "line 2: " in terminal.mem("import", "-", stdin=json.dumps({"note": "kept"}) + "\n" + line, fails=2).err


def test_what_is_erased_leaves_nothing_and_its_key_can_be_used_again(terminal: Terminal) -> None:
    entry = terminal.mem("profile", "set", "city", "Tirana", "--json").json["id"]
    note = terminal.mem("note", "add", "Moved to Tirana", "--json").json["id"]
    terminal.mem("forget", "--erase", entry)
    terminal.mem("forget", "--erase", note)
    assert b"Tirana" not in terminal.store.read_bytes()

    terminal.mem("profile", "set", "city", "Bergen")
    assert terminal.mem("profile", "get", "city").out == "Bergen\n"


def test_the_log_shows_one_entry(terminal: Terminal) -> None:
    entry = terminal.mem("profile", "set", "city", "Bergen", "--json").json["id"]

    assert [op["k"] for op in terminal.mem("log", entry, "--json").json] == ["profile"]


@pytest.mark.parametrize("harm", ["DELETE FROM profile", "DELETE FROM note", "UPDATE profile SET value = 'forged'"])
def test_doctor_writes_lost_rows_again_from_the_log(terminal: Terminal, harm: str) -> None:
    terminal.mem("profile", "set", "city", "Bergen")
    terminal.mem("note", "add", "Deployed")
    rows(terminal, harm)
    terminal.mem("doctor", "--repair")

    assert terminal.mem("profile", "get", "city").out == "Bergen\n"
    assert [one["text"] for one in terminal.mem("note", "--json").json] == ["Deployed"]


def test_doctor_enters_into_the_log_what_only_the_tables_remember(terminal: Terminal) -> None:
    terminal.mem("profile", "set", "city", "Bergen")
    terminal.mem("note", "add", "Deployed")
    rows(terminal, "DELETE FROM op WHERE kind IN ('profile', 'note')")
    terminal.mem("doctor", "--repair")

    assert terminal.mem("profile", "get", "city").out == "Bergen\n"
    assert {op["k"] for op in terminal.mem("log", "--json").json} == {"profile", "note"}
    assert terminal.mem("doctor").code == 0


def test_a_destroyed_store_gives_both_back(terminal: Terminal) -> None:
    terminal.mem("profile", "set", "city", "Bergen")
    terminal.mem("note", "add", "Deployed")
    data = bytearray(terminal.store.read_bytes())
    data[:100] = b"\0" * 100
    terminal.store.write_bytes(bytes(data))
    terminal.mem("doctor", "--repair")

    assert terminal.mem("profile", "get", "city").out == "Bergen\n"
    assert [one["text"] for one in terminal.mem("note", "--json").json] == ["Deployed"]


def test_a_note_can_be_changed_and_taken_out(terminal: Terminal) -> None:
    note = terminal.mem("note", "add", "Deployed to stagin", "--json").json["id"]
    changed = terminal.mem("note", "edit", note, "Deployed to staging", "--json").json
    assert (changed["id"], changed["text"], changed["day"]) == (note, "Deployed to staging", "2026-03-01")
    assert "Deployed to staging" in terminal.mem("note", "show", "20260301").out
    terminal.mem("undo")
    assert terminal.mem("note", "list", "--json").json[0]["text"] == "Deployed to stagin"
    terminal.mem("forget", note)
    assert terminal.mem("note", "list", "--json").json == []

    assert "no note N-0" in terminal.mem("note", "edit", "N-0", "x", fails=3).err
    assert "an argument is missing" in terminal.mem("note", "edit", note, fails=2).err
    assert (
        "the note is empty"
        in terminal.mem("note", "edit", terminal.mem("note", "add", "x", "--json").json["id"], " ", fails=2).err
    )


def test_a_note_belongs_to_the_day_of_the_person(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    monkeypatch.setenv("MEMPACK_CLOCK", "2026-03-01T20:00:00Z")  # 5 o'clock on the next day there
    try:
        assert terminal.mem("note", "add", "Early", "--json").json["day"] == "2026-03-02"
        assert [note["text"] for note in terminal.mem("note", "show", "2026-03-02", "--json").json] == ["Early"]
        assert [note["text"] for note in terminal.mem("note", "list", "--days", "1", "--json").json] == ["Early"]
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_value_of_several_lines_keeps_them_where_it_is_told(terminal: Terminal) -> None:
    terminal.mem("profile", "set", "address", "12 Elm Street\n# Springfield\n\n</mem-context>")
    text = terminal.mem("turn", "prepare", "--session", "s", "--format", "prompt").json["text"]
    assert "- **address**: 12 Elm Street\n    # Springfield\n    " in text


def test_a_part_says_whether_it_is_of_a_note_an_entry_of_the_profile_or_a_state(terminal: Terminal) -> None:
    terminal.mem("note", "add", "The release of the parser waits for the linker.")
    terminal.mem("profile", "set", "parser", "Explain the parser in short sentences.")
    terminal.mem("checkpoint", "--reason", "parser", "--state-json", '{"next": "measure the parser on large files"}')

    for of, owner in (("note", "N-"), ("profile entry", "K-"), ("state", "S-")):
        (passage,) = rows(terminal, f"SELECT id, owner FROM passage WHERE owner LIKE '{owner}%'")
        assert f"part of    the {of} {passage[1]}\n" in terminal.mem("show", str(passage[0])).out


def test_notes_of_ones_own_are_among_those_of_a_repository(terminal: Terminal) -> None:
    terminal.mem("note", "add", "Of this repository")
    terminal.mem("note", "add", "My own", "--user")
    notes = terminal.mem("note", "list", "--json").json
    assert {note["text"]: note["from"] for note in notes} == {"Of this repository": "repository", "My own": "user"}
    assert terminal.mem("note", "show", "today", "--json").json == notes
    assert [line.endswith(" yours") for line in terminal.mem("note").out.splitlines() if "My own" in line] == [True]
    assert [note["text"] for note in terminal.mem("note", "list", "--user", "--json").json] == ["My own"]
    assert "yours" not in terminal.mem("note", "list", "--user").out
    assert "My own" not in terminal.mem("note", "list", "--workspace", "apart").out
