"""What is remembered as files, for people and other tools; the profile and the notes come back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.sync import sources
from tests.conftest import Terminal
from tests.sync.test_migration import imported, memories

NOTE = "Deployed.\n\nThen went home:\n- by bus"


@pytest.fixture
def written(terminal: Terminal, later: Callable[[str], None], tmp_path: Path) -> Path:
    """The files of a memory with a profile, notes of two days, memories of two threads."""
    terminal.mem("profile", "set", "address", "Elm Street 1\nOslo")
    terminal.mem("profile", "set", "editor", "vim")
    terminal.mem("note", "add", NOTE)
    terminal.add("Tokens live in Postgres", "Redis evicted them.", "--thread", "auth", "--tags", "db")
    terminal.add("Prices are cached", "For an hour.", "--thread", "../Größe")
    later("2026-03-02T08:15:00Z")
    terminal.mem("note", "add", "Called Ann")
    terminal.mem("export", "--format", "markdown", str(tmp_path / "out"))
    return tmp_path / "out"


def test_each_day_and_each_thread_is_a_file(written: Path) -> None:
    files = sorted(str(path.relative_to(written)) for path in written.rglob("*") if path.is_file())
    assert [name for name in files if "gr" not in name] == [
        "202603/20260301.md",
        "202603/20260302.md",
        "MEMORY.md",
        "profile.json",
        "threads/auth.md",
    ]
    profile = (written / "profile.json").read_text()
    assert json.loads(profile)["editor"] == "vim"
    assert '\n  "editor": "vim"' in profile, "an entry a line"
    assert "- **editor**: vim\n" in (written / "MEMORY.md").read_text()
    assert "## 08:15 <!-- N-" in (written / "202603/20260302.md").read_text()
    assert "## Tokens live in Postgres\n" in (written / "threads/auth.md").read_text()


def test_reading_the_files_back_changes_nothing(terminal: Terminal, written: Path) -> None:
    done = terminal.mem("import", str(written), "--trust", "--json").json
    assert (done["from"], done["imported"], done["updated"], done["unchanged"]) == ("picoclaw", 0, 0, 4)


def test_another_memory_takes_profile_and_notes_from_the_files(terminal: Terminal, written: Path) -> None:
    copy = ("--workspace", "copy")
    with open(written / "202603/20260302.md", "a") as file:
        file.write("\n## 09:30\n\nAdded by hand\n")
    assert terminal.mem("import", str(written), "--trust", "--json", *copy).json["imported"] == 5
    assert terminal.mem("profile", "get", "address", *copy).out.strip() == "Elm Street 1\nOslo"
    texts = {note["text"]: note["created_at"] for note in terminal.mem("note", "list", "--days", "9", "--json", *copy).json}
    assert texts[NOTE].startswith("2026-03-01T12:00")
    assert texts["Added by hand"].startswith("2026-03-02T")


def test_files_of_somebody_else_are_not_overwritten(terminal: Terminal, written: Path, tmp_path: Path) -> None:
    terminal.mem("export", "--format", "markdown", str(written))
    (tmp_path / "claw").mkdir()
    (tmp_path / "claw" / "MEMORY.md").write_text("mine")
    terminal.mem("export", "--format", "markdown", str(tmp_path / "claw"), fails=2)
    terminal.mem("export", "--format", "markdown", fails=2)
    terminal.mem("export", "--format", "markdown", "/dev/null/x", fails=2)
    assert (tmp_path / "claw" / "MEMORY.md").read_text() == "mine"


def test_files_are_the_persons_alone_and_links_are_not_written_through(terminal: Terminal, written: Path, tmp_path: Path) -> None:
    assert {path.stat().st_mode & 0o077 for path in [written, *written.rglob("*")]} == {0}
    (tmp_path / "precious").write_text("mine")
    (written / "profile.json").unlink()
    (written / "profile.json").symlink_to(tmp_path / "precious")
    assert "is a link" in terminal.mem("export", "--format", "markdown", str(written), fails=2).err
    assert (tmp_path / "precious").read_text() == "mine"


def test_each_program_has_its_section_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "migrating.md").read_text(encoding="utf-8")
    assert [system for system in sources.SOURCES if f"| [`{system}`](#" not in page] == []


def test_a_long_term_memory_of_picoclaw_is_taken_whole(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text(
        "# Long-term Memory\n\nThis file stores important information that should persist across sessions.\n\n"
        "## User Information\n\nMike lives in Oslo. He\nis a cook.\n\n(Important facts about user)\n\n"
        "- Likes tea\n  at five\n\nNo nuts.\n"
    )
    assert imported(terminal, str(tmp_path / "MEMORY.md")) == (3, 0, 0)
    stored = {memory["summary"]: memory["thread_id"] for memory in memories(terminal).values()}
    assert stored == dict.fromkeys(["Mike lives in Oslo. He\nis a cook.", "Likes tea\nat five", "No nuts."], "User Information")
