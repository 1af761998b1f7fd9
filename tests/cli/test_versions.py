"""mem log -p and mem diff: what each operation changed, and what changed since a revision."""

from __future__ import annotations

import pytest

from tests.conftest import Terminal

TITLE = "Session tokens live in Redis"


@pytest.fixture
def memory(terminal: Terminal) -> str:
    """The id of a memory with three versions: revisions 2, 3 and 4 of the log."""
    name = terminal.add(TITLE, "one\ntwo\nthree", "--tags", "db")
    terminal.mem("update", name, "--title", "Session tokens live in Postgres")
    terminal.mem("update", name, "--summary", "one\n  zwei\nthree", "--tags", "db,pg")
    return name


def test_the_difference_is_that_of_the_last_command(terminal: Terminal, memory: str) -> None:
    assert terminal.mem("diff", memory).out.splitlines() == [
        f"{memory}  Session tokens live in Postgres  revision 3 to 4",
        "  summary:",
        "  @@ -1,3 +1,3 @@",
        "  one",
        "- two",
        "+   zwei",
        "  three",
        "- tags: db",
        "+ tags: db, pg",
    ]
    assert terminal.mem("diff", memory[2:6].lower()).out == terminal.mem("diff", memory).out, "a beginning of the id will do"


def test_the_difference_is_told_since_any_revision(terminal: Terminal, memory: str) -> None:
    since = terminal.mem("diff", memory, "2", "--json").json
    title = {"key": "title", "before": TITLE, "after": "Session tokens live in Postgres"}
    assert (since["id"], since["from"], since["to"]) == (memory, 2, 4)
    assert title in since["changes"]
    assert [change["key"] for change in terminal.mem("diff", memory, "0", "--json").json["changes"]] == [
        "anchor", "kind", "summary", "tags", "thread", "title",
    ]  # fmt: skip
    assert terminal.mem("diff", memory, "4").out.endswith("no difference\n")
    assert "no revision 99; the newest is 4" in terminal.mem("diff", memory, "99", fails=2).err
    assert "not a whole number: 'x'" in terminal.mem("diff", memory, "x", fails=2).err
    assert "no memory" in terminal.mem("diff", "M-ZZZZZZZZZZ", fails=3).err


def test_whatever_befell_a_memory_is_a_difference(terminal: Terminal, memory: str) -> None:
    (terminal.folder / "a.txt").write_text("a")
    other = terminal.add("Another", "because", "--file", "a.txt")
    assert "+ links: file a.txt " in terminal.mem("diff", other, "0").out
    terminal.mem("supersede", memory, "--title", "Session tokens live in SQLite")
    assert "+ superseded_by: M-" in terminal.mem("diff", memory).out
    terminal.mem("forget", other)
    assert terminal.mem("diff", other).out.splitlines()[1:] == ["+ forgotten: true"]
    terminal.mem("undo")
    assert terminal.mem("diff", other).out.splitlines()[1:] == ["- forgotten: true"]
    terminal.mem("profile", "set", "editor", "vi")
    terminal.mem("profile", "set", "editor", "nano")
    entry = terminal.mem("log", "--limit", "1", "--json").json[0]["o"]
    assert terminal.mem("diff", entry).out.splitlines()[1:] == ["- value: vi", "+ value: nano"]


def test_what_was_erased_has_no_difference(terminal: Terminal, memory: str) -> None:
    terminal.mem("forget", "--erase", memory)
    assert "Redis" not in terminal.mem("log", "-p").out
    assert "Postgres" not in terminal.mem("diff", memory, fails=3).out


def test_the_log_shows_what_each_operation_changed(terminal: Terminal, memory: str) -> None:
    lines = terminal.mem("log", memory, "-p").out.splitlines()
    assert lines[0].startswith(f"     4  {memory}  changed summary and tags of")
    assert lines[5] == "        +   zwei"
    assert "        - title: Session tokens live in Redis" in lines
    assert terminal.mem("log", memory, "--patch").out.splitlines() == lines
    newest, *_ = terminal.mem("log", memory, "-p", "--json").json
    assert newest["before"] == {"summary": "one\ntwo\nthree", "tags": ["db"]}
    assert "before" not in terminal.mem("log", memory, "--json").json[0]


def test_stored_text_cannot_paint_the_terminal(terminal: Terminal) -> None:
    memory = terminal.add("Title \x1b[31m", "one\n\x1b[2Jtwo")
    assert "\x1b" not in terminal.mem("diff", memory, "0").out + terminal.mem("log", "-p").out
