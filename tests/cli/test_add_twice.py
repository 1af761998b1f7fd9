"""Adding what is known already: nothing is stored, and the answer is the memory that says it."""

from __future__ import annotations

import json

import apsw
import pytest
from apsw import Connection

from memcli.memory import entries
from memcli.memory.entries import NewMemory
from memcli.operations import add
from memcli.project import Where, open_for_writing
from memcli.store import memories
from tests.conftest import Terminal

TITLE = "Session tokens live in Postgres"
WHY = "Redis evicted them under load."


def stored(terminal: Terminal) -> list[str]:
    """The ids of all live memories that say it."""
    lines = terminal.mem("export", "-").out.splitlines()
    return [row["source_id"] for row in map(json.loads, lines) if row["title"].split() == TITLE.split()]


def test_the_same_fact_is_stored_once_and_its_id_is_the_answer(terminal: Terminal) -> None:
    first = terminal.add(TITLE, WHY)
    revision = terminal.mem("log", "--json").out
    again = terminal.mem("add", TITLE, "--summary", WHY, "--json").json
    text = terminal.mem("add", f"  {TITLE}\n", "--summary", WHY.replace(" ", "\t "), "--tags", "new")

    assert (again["id"], again["duplicate_of"]) == (first, first)
    assert text.id == first
    assert text.out.splitlines()[1:] == ["already exists; nothing added (--force adds it again)"]
    assert stored(terminal) == [first]
    assert terminal.mem("log", "--json").out == revision


def test_a_first_one_is_no_duplicate(terminal: Terminal) -> None:
    assert "duplicate_of" not in terminal.mem("add", TITLE, "--summary", WHY, "--json").json


def test_force_stores_it_again(terminal: Terminal) -> None:
    first = terminal.add(TITLE, WHY)
    second = terminal.mem("add", TITLE, "--summary", WHY, "--force", "--json").json

    assert "duplicate_of" not in second
    assert sorted(stored(terminal)) == sorted([first, second["id"]])
    assert terminal.mem("get", "session", "--json").json["top_memories"][0]["also"]
    third = terminal.mem("add", "--stdin-json", "--json", stdin=json.dumps({"title": TITLE, "summary": WHY}))
    assert third.json["duplicate_of"] in (first, second["id"])


def test_odd_spaces_and_signs_make_no_difference_to_finding_it(terminal: Terminal) -> None:
    for title, summary, again in (
        ("a\u00a0b", "c\r\n d", "c d"),
        ("\u3000x\ty", "é\u2028z 🙂", "é\u2028z \t 🙂"),
        ("' \" ; --", "% _ \\ \x1b", "% _ \\ \x1b"),
        ("l" * 1000, "m " * 5000, "m\n" * 5000),
    ):
        first, second = (
            terminal.mem("add", "--stdin-json", "--json", stdin=json.dumps({"title": title, "summary": text})).json
            for text in (summary, again)
        )
        assert second.get("duplicate_of") == first["id"]


def test_another_title_summary_or_thread_is_another_fact(terminal: Terminal) -> None:
    terminal.add(TITLE, WHY)
    terminal.add(TITLE, WHY + " Twice.")
    terminal.add(TITLE, "redis evicted them under load.")
    terminal.add(TITLE, WHY, "--thread", "auth")
    terminal.add(TITLE, "Redisevictedthemunderload.")

    assert len(stored(terminal)) == 5


def test_what_was_forgotten_or_superseded_can_be_said_again(terminal: Terminal) -> None:
    forgotten = terminal.add(TITLE, WHY)
    terminal.mem("forget", forgotten)
    superseded = terminal.add(TITLE, WHY)
    terminal.mem("supersede", superseded, "--summary", "Postgres lost them.")
    third = terminal.add(TITLE, WHY)

    assert len({forgotten, superseded, third}) == 3
    assert terminal.add(TITLE, WHY) == third
    terminal.mem("restore", forgotten)
    assert terminal.add(TITLE, WHY) in (forgotten, third)


def test_what_another_branch_knows_is_added_on_this_one(terminal: Terminal) -> None:
    base = terminal.add("Tests run in parallel", "They do.")
    terminal.git("switch", "-q", "-c", "side")
    terminal.commit("side")
    aside = terminal.add(TITLE, WHY)
    terminal.git("switch", "-q", "main")
    here = terminal.add(TITLE, WHY)

    assert here != aside
    assert terminal.titles("session") == [TITLE]
    assert terminal.add(TITLE, WHY) == here
    terminal.commit("second")
    assert terminal.add(TITLE, WHY) == here  # of an ancestor
    assert terminal.add("Tests run in parallel", "They do.") == base
    terminal.git("switch", "-q", "side")
    assert terminal.add(TITLE, WHY) in (aside, here)  # whose commit is an ancestor of this one


def test_the_persons_own_memory_and_other_workspaces_are_asked_for_themselves(terminal: Terminal) -> None:
    ids = [terminal.add(TITLE, WHY, *where) for where in ((), ("--user",), ("--workspace", "side"))]

    assert len(set(ids)) == 3
    assert [terminal.add(TITLE, WHY, *where) for where in ((), ("--user",), ("--workspace", "side"))] == ids


def test_import_keeps_rows_apart_by_their_source_even_where_texts_are_equal(terminal: Terminal) -> None:
    rows = [{"title": TITLE, "summary": WHY, "source_id": name} for name in ("a", "b")]
    lines = "\n".join(map(json.dumps, rows))

    assert terminal.mem("import", "-", "--json", stdin=lines).json["imported"] == 2
    assert terminal.mem("import", "-", "--json", stdin=lines).json["unchanged"] == 2
    assert sorted(stored(terminal)) == ["a", "b"]
    assert terminal.mem("add", TITLE, "--summary", WHY, "--json").json["duplicate_of"].startswith("M-")
    assert len(terminal.mem("get", "session", "--json").json["top_memories"]) == 1


def test_undo_after_a_duplicate_takes_back_the_command_before_it(terminal: Terminal) -> None:
    terminal.add(TITLE, WHY)
    terminal.add(TITLE, WHY)
    terminal.mem("undo")

    assert stored(terminal) == []


def test_two_that_add_the_same_at_once_store_one(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal.add("Tests run in parallel", "They do.")
    project, other = (open_for_writing(Where(str(terminal.folder))) for _ in range(2))
    look = memories.with_text

    def look_and_be_late(db: Connection, thread: str, title: str, summary: str) -> list[memories.Memory]:
        monkeypatch.setattr(memories, "with_text", look)
        found = look(db, thread, title, summary)
        entries.add(other, NewMemory(TITLE, WHY), "cli")
        return found

    monkeypatch.setattr(memories, "with_text", look_and_be_late)
    result = add.apply(project, add.plan(project, add.AddRequest(TITLE, WHY)), "cli")
    project.close()
    other.close()

    assert result.duplicate_of == result.id
    assert stored(terminal) == [result.id]


def test_one_probe_of_the_index_finds_it_among_many(terminal: Terminal) -> None:
    rows = [{"title": f"{TITLE} {n}", "summary": WHY, "source_id": str(n)} for n in range(500)]
    terminal.mem("import", "-", stdin="\n".join(map(json.dumps, rows)))
    db = apsw.Connection(str(terminal.store))
    plan = " ".join(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {memories._SAYING}", ("", "", 0)))
    db.close()

    assert "SEARCH memory USING INDEX memory_by_text (thread=? AND <expr>=? AND <expr>=?)" in plan
    assert len(terminal.add(f"{TITLE} 7", WHY)) == 12
    assert terminal.mem("add", f"{TITLE} 7", "--summary", WHY, "--json").json["duplicate_of"]
