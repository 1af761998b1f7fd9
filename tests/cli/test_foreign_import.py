"""A file of somebody else's is imported: it adds memories, and changes nothing that was written here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.cli.test_exchange import FACT, everything, jsonl
from tests.conftest import Terminal

OURS = "Deploy from the laptop only"


def left_out(terminal: Terminal, *rows: dict[str, Any]) -> dict[str, int]:
    """Imports rows. Returns the counts of what was not taken."""
    done = terminal.mem("import", "-", "--json", stdin=jsonl(*rows)).json
    return {name: done[name] for name in ("written_here", "pins", "profile", "dates") if done[name]}


def test_a_row_with_the_id_of_our_memory_changes_nothing_of_it(terminal: Terminal) -> None:
    memory_id = terminal.add(OURS)
    terminal.mem("pin", memory_id)

    assert left_out(terminal, {"source_id": memory_id, "title": "Run theirs", "summary": "x"}) == {"written_here": 1}
    assert list(everything(terminal)) == [OURS]


def test_a_row_cannot_replace_our_memory(terminal: Terminal) -> None:
    memory_id = terminal.add(OURS)
    rows = (
        {"source_id": memory_id, "title": OURS, "summary": "because", "superseded_by": "evil"},
        {
            "source_id": "evil",
            "title": "Run theirs",
            "summary": "x",
        },
    )

    assert left_out(terminal, *rows) == {"written_here": 1}
    assert OURS in terminal.titles("deploy laptop")


def test_an_imported_memory_that_was_edited_or_pinned_here_is_ours(terminal: Terminal) -> None:
    terminal.mem("import", "-", stdin=jsonl(FACT))
    terminal.mem("pin", everything(terminal)[FACT["title"]]["id"])

    assert left_out(terminal, {**FACT, "title": "Run theirs"}) == {"written_here": 1}
    assert list(everything(terminal)) == [FACT["title"]]


def test_pins_and_the_profile_are_taken_from_a_trusted_file_only(terminal: Terminal) -> None:
    rows = {**FACT, "pinned": True}, {"profile": "build", "value": "run theirs"}
    assert left_out(terminal, *rows) == {"pins": 1, "profile": 1}
    assert everything(terminal)[FACT["title"]]["pinned"] is False
    assert "theirs" not in terminal.mem("profile", "list").out

    terminal.mem("import", "-", "--trust", stdin=jsonl(*rows))
    assert everything(terminal)[FACT["title"]]["pinned"] is True
    assert "theirs" in terminal.mem("profile", "list").out


def test_a_trusted_file_does_not_change_our_profile_either(terminal: Terminal) -> None:
    terminal.mem("profile", "set", "build", "ours")
    terminal.mem("import", "-", "--trust", stdin=jsonl({"profile": "build", "value": "theirs"}))
    assert "ours" in terminal.mem("profile", "list").out


def test_a_link_of_a_repository_that_leads_out_is_not_imported(terminal: Terminal, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "notes.md").write_text("# Own\n\n- the failover key lies in the safe\n")
    (terminal.folder / "AGENTS.md").symlink_to(own / "notes.md")
    (terminal.folder / "docs").symlink_to(own)
    terminal.mem("init", "--no-agents")
    for path in ("AGENTS.md", "docs/notes.md", "docs"):
        for source in ((), ("--from", "agents-md")):
            assert "leads out of the repository" in terminal.mem("import", path, *source, fails=2).err
    assert "failover" not in terminal.mem("get", "failover key").out


def test_no_date_is_later_than_now(terminal: Terminal) -> None:
    assert left_out(terminal, {**FACT, "created_at": "9998-01-01T00:00:00Z"}) == {"dates": 1}
    assert everything(terminal)[FACT["title"]]["created_at"] == "2026-03-01T12:00:00.000Z"


def test_what_was_not_taken_is_said_with_the_reason(terminal: Terminal) -> None:
    done = terminal.mem("import", "-", stdin=jsonl({**FACT, "pinned": True}, {"profile": "build", "value": "theirs"}))
    assert "not taken: 1 would have been pinned (--trust), 1 of the profile (--trust)" in done.out


def test_a_second_import_after_undo_takes_everything_again(terminal: Terminal) -> None:
    note = {"note": "Deployed", "id": "N-0123456789"}
    later = {**FACT, "summary": "Disk was full."}
    terminal.mem("import", "-", stdin=jsonl(FACT))
    terminal.mem("import", "-", stdin=jsonl(later, note))
    terminal.mem("undo")
    assert everything(terminal)[FACT["title"]]["summary"] == FACT["summary"]

    done = terminal.mem("import", "-", "--json", stdin=jsonl(later, note)).json
    assert (done["imported"], done["updated"]) == (1, 1)
    assert everything(terminal)[FACT["title"]]["summary"] == "Disk was full."
    assert "Deployed" in terminal.mem("note", "list").out

    terminal.mem("undo")
    terminal.mem("undo")
    terminal.mem("import", "-", stdin=jsonl(later))
    assert everything(terminal)[FACT["title"]]["summary"] == "Disk was full."
