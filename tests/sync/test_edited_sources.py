"""Sources whose entries have no ids: what was edited, moved or deleted there, or here, is neither doubled nor brought back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Terminal
from tests.sync.test_migration import imported, memories, reasons

KEPT = "no longer in the source (mem forget takes one out)"
Write = Callable[[Path, list[tuple[str, str]]], Path]


def items(path: Path, entries: list[tuple[str, str]]) -> Path:
    path.write_text("".join(f"## {heading}\n\n- {text}\n\n" for heading, text in entries))
    return path


def instructions(top: Path, entries: list[tuple[str, str]]) -> Path:
    return items(top / "CLAUDE.md", entries)


def cursor_rules(top: Path, entries: list[tuple[str, str]]) -> Path:
    return items(top / ".cursorrules", entries)


def long_term(top: Path, entries: list[tuple[str, str]]) -> Path:
    (top / "claw/memory").mkdir(parents=True, exist_ok=True)
    items(top / "claw/memory/MEMORY.md", entries)
    return top / "claw"


def observations(top: Path, entries: list[tuple[str, str]]) -> Path:
    (top / "notes").mkdir(exist_ok=True)
    lines = "".join(f"- [tip] {text}\n" for _, text in entries)
    (top / "notes/tea.md").write_text(f"---\ntitle: Tea\npermalink: tea\n---\n\nOf tea.\n\n{lines}")
    return top / "notes"


def entries_of_ltm(top: Path, entries: list[tuple[str, str]]) -> Path:
    made = [{"id": f"mem-{n}", "content": text, "keywords": []} for n, (_, text) in enumerate(entries)]
    (top / "memory.json").write_text(json.dumps({"version": 1, "entries": made}))
    return top / "memory.json"


SOURCES = {
    "agents-md": instructions,
    "cursor-rules": cursor_rules,
    "picoclaw": long_term,
    "basic-memory": observations,
    "ltm": entries_of_ltm,
}
BEFORE = [("Style", "Use tabs in Python"), ("Work", "Deploy on Friday"), ("Work", "Call Ann before a release")]


def summaries(terminal: Terminal) -> list[str]:
    return sorted(memory["summary"] for memory in memories(terminal).values() if memory["summary"] != "Of tea.")


@pytest.mark.parametrize("source", SOURCES)
def test_an_entry_that_was_edited_there_is_changed_and_not_doubled(terminal: Terminal, source: str) -> None:
    write, top = SOURCES[source], terminal.folder
    path = str(write(top, BEFORE))
    terminal.mem("import", path)
    ids = {memory["id"] for memory in memories(terminal).values()}

    write(top, [("Style", "Use spaces in Python"), *BEFORE[1:]])
    new, changed, _ = imported(terminal, path, "--dry-run")
    assert (new, changed) == (0, 1)
    assert imported(terminal, path)[:2] == (0, 1)
    assert summaries(terminal) == ["Call Ann before a release", "Deploy on Friday", "Use spaces in Python"]
    assert {memory["id"] for memory in memories(terminal).values()} == ids
    assert imported(terminal, path)[:2] == (0, 0)

    write(top, BEFORE)  # taken back there
    assert imported(terminal, path)[:2] == (0, 1)
    assert summaries(terminal) == ["Call Ann before a release", "Deploy on Friday", "Use tabs in Python"]

    terminal.mem("undo")
    assert summaries(terminal) == ["Call Ann before a release", "Deploy on Friday", "Use spaces in Python"]
    assert imported(terminal, path)[:2] == (0, 1)


@pytest.mark.parametrize("source", SOURCES)
def test_an_entry_that_was_forgotten_here_stays_so_when_it_is_edited_there(terminal: Terminal, source: str) -> None:
    write, top = SOURCES[source], terminal.folder
    path = str(write(top, BEFORE))
    terminal.mem("import", path)
    terminal.mem("forget", memories(terminal)["Call Ann before a release"]["id"])

    write(top, [*BEFORE[:2], ("Work", "Call Ann before each release")])
    assert "1 forgotten here (mem restore ID brings one back)" in terminal.mem("import", path).out
    assert summaries(terminal) == ["Deploy on Friday", "Use tabs in Python"]

    write(top, [*BEFORE[:2], ("Work", "Send Bob the bill")])  # another thing in its place
    assert imported(terminal, path)[0] == 1
    assert summaries(terminal) == ["Deploy on Friday", "Send Bob the bill", "Use tabs in Python"]


@pytest.mark.parametrize("source", SOURCES)
def test_what_was_changed_here_and_edited_there_is_listed(terminal: Terminal, source: str) -> None:
    write, top = SOURCES[source], terminal.folder
    path = str(write(top, BEFORE))
    terminal.mem("import", path)
    terminal.mem("update", memories(terminal)["Deploy on Friday"]["id"], "--summary", "Deploy on Thursday")

    write(top, [BEFORE[0], ("Work", "Deploy on Monday"), BEFORE[2]])
    assert "1 × entries that would change what was written here: Deploy on Monday\n" in terminal.mem("import", path).out
    assert imported(terminal, path)[:2] == (0, 0)
    assert "Deploy on Thursday" in summaries(terminal)


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_no_longer_there_is_kept_and_named(terminal: Terminal, source: str) -> None:
    write, top = SOURCES[source], terminal.folder
    path = str(write(top, BEFORE))
    terminal.mem("import", path)

    write(top, BEFORE[:2])
    assert f"  kept: 1 × {KEPT}: Call Ann before a release" in terminal.mem("import", path).out.splitlines()
    assert len(summaries(terminal)) == 3
    terminal.mem("forget", memories(terminal)["Call Ann before a release"]["id"])
    assert KEPT not in reasons(terminal, path)


@pytest.mark.parametrize("source", ["agents-md", "cursor-rules", "picoclaw"])
def test_an_item_under_another_heading_goes_there_and_one_under_two_is_named(terminal: Terminal, source: str) -> None:
    write, top = SOURCES[source], terminal.folder
    both = [*BEFORE, ("Work", "Use tabs in Python")]
    path = str(write(top, both))
    twice = "  not taken: 1 × items that stand there twice: under their first heading only: Use tabs in Python"
    assert twice in terminal.mem("import", path).out.splitlines()
    assert memories(terminal)["Use tabs in Python"]["thread_id"] == "Style"

    write(top, both[1:])
    assert imported(terminal, path)[:2] == (0, 1)
    assert memories(terminal)["Use tabs in Python"]["thread_id"] == "Work"
    write(top, BEFORE)
    assert imported(terminal, path)[:2] == (0, 1)
    assert memories(terminal)["Use tabs in Python"]["thread_id"] == "Style"


def test_what_is_still_in_a_file_that_changed_is_not_marked_as_changed(terminal: Terminal) -> None:
    path = instructions(terminal.folder, BEFORE)
    terminal.mem("import", "CLAUDE.md")
    path.write_text(path.read_text() + "- Lint\n")
    assert "CLAUDE.md changed since" in terminal.mem("get", "deploy").out
    assert imported(terminal, "CLAUDE.md")[:2] == (1, 0)
    assert "changed since" not in terminal.mem("get", "deploy").out


def test_files_of_one_name_in_two_places_do_not_replace_each_other(terminal: Terminal, tmp_path: Path) -> None:
    for name, drink in (("ann", "tea"), ("bob", "mate")):
        (tmp_path / name).mkdir()
        assert imported(terminal, str(long_term(tmp_path / name, [("Person", f"Drinks {drink} at five")])))[:2] == (1, 0)
    assert summaries(terminal) == ["Drinks mate at five", "Drinks tea at five"]
    assert KEPT not in reasons(terminal, str(tmp_path / "ann/claw"))


RECORD = "# {}. Use Postgres\n\nDate: 2024-01-01\n\n## Status\n\nAccepted\n\n## Decision\n\nWe keep orders in Postgres.\n"


def test_a_decision_whose_file_was_renamed_or_moved_is_the_same_one(terminal: Terminal) -> None:
    folder = terminal.folder / "docs/adr"
    folder.mkdir(parents=True)
    (folder / "0001-pg.md").write_text(RECORD.format(1))
    terminal.mem("import", "docs/adr")
    (folder / "0001-pg.md").rename(folder / "0002-postgres.md")
    (folder / "0002-postgres.md").write_text(RECORD.format(2))
    assert imported(terminal, "docs/adr") == (0, 0, 1)
    folder.rename(terminal.folder / "docs/decisions")
    assert imported(terminal, "docs/decisions") == (0, 0, 1)
    (record,) = memories(terminal).values()
    assert "file       docs/decisions/0002-postgres.md" in terminal.mem("show", record["id"]).out
    assert "docs/adr" not in terminal.mem("show", record["id"]).out

    (terminal.folder / "services/adr").mkdir(parents=True)  # a copy beside it is a record of its own
    (terminal.folder / "services/adr/0002-postgres.md").write_text(RECORD.format(2))
    assert imported(terminal, "services/adr") == (1, 0, 0)

    (terminal.folder / "docs/decisions/0002-postgres.md").unlink()
    (terminal.folder / "docs/decisions/0003-cache.md").write_text(RECORD.replace("Postgres", "Redis").format(3))
    report = terminal.mem("import", "docs/decisions").out
    assert report.splitlines() == ["adr: 1 new, 0 changed, 0 unchanged", f"  kept: 1 × {KEPT}: Use Postgres"]


def test_a_note_of_basic_memory_under_another_name_is_the_same_note(terminal: Terminal, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "beta.md").write_text("---\ntitle: Beta\n---\n\nAbout the beta release.\n\n- [plan] Ship in May\n")
    (notes / "gamma.md").write_text("---\ntitle: Gamma\n---\n\nAbout something else.\n")
    assert imported(terminal, str(notes)) == (3, 0, 0)
    (notes / "beta.md").rename(notes / "release.md")
    assert imported(terminal, str(notes)) == (0, 0, 3)
    assert len(memories(terminal)) == 3


def test_of_many_items_that_are_alike_each_is_the_one_with_its_rare_words(terminal: Terminal) -> None:
    instructions(terminal.folder, [("Part", f"The rule {number:03} of part {number % 5} holds") for number in range(300)])
    terminal.mem("import", "CLAUDE.md")
    instructions(terminal.folder, [("Part", f"The law {number:03} of part {number % 5} stands") for number in range(300)])
    assert imported(terminal, "CLAUDE.md") == (0, 300, 0)
    shown = memories(terminal)["The law 123 of part 3 stands"]
    assert "The rule 123 of part 3 holds" in terminal.mem("log", shown["id"]).out
