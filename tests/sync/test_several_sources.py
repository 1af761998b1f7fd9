"""An import from several places: what goes into one memory is one command, and what is not taken is named."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.conftest import Terminal
from tests.sync import stores
from tests.sync.test_migration import PROGRAMS, imported, memories, reasons


@pytest.mark.parametrize(
    ("program", "files", "places"),
    [
        ("agents-md", ("CLAUDE.md", "AGENTS.md"), "CLAUDE.md, AGENTS.md"),
        ("cursor-rules", (".cursor/rules/types.mdc", ".cursorrules"), ".cursor/rules, .cursorrules"),
    ],
)
def test_an_import_from_several_files_is_one_command(
    terminal: Terminal, program: str, files: tuple[str, str], places: str
) -> None:
    for file in files:
        path = terminal.folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"- Learned from {path.name}\n")
    report = terminal.mem("import", "--from", program).out
    assert report.startswith(f"{program} ({places}): 2 new, 0 changed, 0 unchanged\n")
    assert report.count(" new") == 1

    terminal.mem("undo")
    assert terminal.mem("export").out == ""
    assert imported(terminal, "--from", program) == (2, 0, 0)


def test_workspaces_that_go_into_one_memory_are_one_command(terminal: Terminal, tmp_path: Path) -> None:
    bot = stores.mecho(tmp_path / "modes", 3) / "bot"
    assert imported(terminal, str(bot), "--workspace", "all") == (3, 0, 0)
    terminal.mem("undo", "--workspace", "all", "--repo", "modes")
    assert terminal.mem("export", "--workspace", "all", "--repo", "modes").out == ""


def test_modes_that_differ_only_by_case_are_two(terminal: Terminal, tmp_path: Path) -> None:
    top = stores.mecho(stores.mecho(tmp_path / "modes", 3, "Bot"), 5, "bot")
    report = terminal.mem("import", str(top)).out
    (where,) = [line.split("/")[1].split(":")[0] for line in report.splitlines() if line.startswith("mecho in modes/bot_")][:1]
    assert set(memories(terminal, "--repo", "modes", "--workspace", where)) == {"Habit 0", "Habit 2"}
    assert set(memories(terminal, "--repo", "modes", "--workspace", "bot")) == {"Habit 0", "Habit 2", "Habit 3", "Habit 4"}

    assert imported(terminal, str(top / "Bot")) == (0, 0, 3)
    assert imported(terminal, str(top / "bot"), "--workspace", "other") == (5, 0, 0)


def test_what_was_deleted_there_since_is_not_told_here_any_more(terminal: Terminal, tmp_path: Path) -> None:
    path = stores.mecho(tmp_path / "modes", 4) / "bot" / "mecho.db"
    mode = ("--repo", "modes", "--workspace", "bot")
    assert imported(terminal, str(path), "--trust") == (5, 0, 0)
    mine = memories(terminal, *mode)["Habit 3"]["id"]
    terminal.mem("update", mine, "--summary", "Prefers coffee.", *mode)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE curated_memory SET is_deleted = 1 WHERE memory_id IN ('c-2', 'c-3')")
        db.execute("UPDATE core_memory SET name = 'guide', detail = ?", ("Quokkas. " * 400,))
    done = terminal.mem("import", str(path), "--trust", "--dry-run", "--json").json
    again = terminal.mem("import", str(path), "--trust", "--json").json
    assert (again["updated"], again["parts"][0]["not_taken"]) == (done["updated"], done["parts"][0]["not_taken"])
    assert set(memories(terminal, *mode)) == {"Habit 0", "Habit 3", "guide"}, "what was written here stays"
    assert [entry["key"] for entry in terminal.mem("profile", "list", "--json", *mode).json] == ["guide"]

    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE curated_memory SET is_deleted = 0 WHERE memory_id = 'c-2'")
        db.execute("UPDATE core_memory SET detail = 'Few words.'")
    terminal.mem("import", str(path), "--trust")
    assert set(memories(terminal, *mode)) == {"Habit 0", "Habit 2", "Habit 3"}
    assert terminal.mem("search", "quokkas", *mode, "--json").json == []


def test_a_mode_that_stands_in_two_places_is_taken_from_the_first(terminal: Terminal) -> None:
    stores.mecho(terminal.folder / "mecho" / "data" / "modes", 4)
    stores.mecho(terminal.folder / "data" / "modes", 3)
    report = terminal.mem("import", "--from", "mecho").out
    assert report.startswith("mecho (mecho/data/modes, data/modes) in modes/bot: 3 new")
    assert "not taken: 3 × of another directory for the same mode" in report


def test_modes_are_looked_for_where_mecho_keeps_or_kept_them(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores.mecho(terminal.folder / "data" / "agents", 3)
    assert terminal.mem("import", "--from", "mecho").out.startswith("mecho (data/agents) in modes/bot: 2 new")
    monkeypatch.setenv("MECHO_DATA_DIR", str(stores.mecho(tmp_path / "kept", 4, "cat")))
    assert "in modes/cat: 3 new" in terminal.mem("import", "--from", "mecho").out
    monkeypatch.setenv("MECHO_DATA_DIR", str(tmp_path / "nowhere"))
    assert "nothing of mecho" in terminal.mem("import", "--from", "mecho", fails=3).err


def test_programs_whose_data_stands_beside_what_is_taken_are_named_with_their_commands(
    terminal: Terminal, tmp_path: Path
) -> None:
    folder = tmp_path / "my notes"
    folder.mkdir()
    (folder / ".cursorrules").write_text("- Use tabs\n")
    (folder / "CLAUDE.md").write_text("- Be kind\n")
    stores.picoclaw(folder, 2)
    done = terminal.mem("import", str(folder))
    assert done.out.startswith("cursor-rules: 1 new")
    commands = [f"mem import --from {program} '{folder}'" for program in ("agents-md", "picoclaw")]
    assert done.err == f"also there, not taken: {'; '.join(commands)}\n"
    assert imported(terminal, "--from", "agents-md", str(folder)) == (1, 0, 0)


def test_a_directory_of_one_program_is_nothing_of_another(terminal: Terminal, tmp_path: Path) -> None:
    for program in ("mempack", "claude-mem", "cmem", "ltm", "picoclaw", "basic-memory", "agents-md", "adr", "cursor-rules"):
        (tmp_path / program).mkdir()
        path = PROGRAMS[program][0](tmp_path / program, 10)
        folder = path if path.is_dir() else path.parent
        done = terminal.mem("import", "--dry-run", "--json", str(folder)).json
        assert (done["from"], done["others"]) == (program, [])

    (tmp_path / "agents-md" / "CLAUDE.md").write_text("- Close #42 with #fix\n")
    assert terminal.mem("import", "--dry-run", str(tmp_path / "agents-md")).err == ""


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x4b\x4c\x4a\x06\0"])
def test_a_file_that_is_no_text_is_called_so(terminal: Terminal, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    error = terminal.mem("import", str(tmp_path / "file"), fails=2).err
    assert "is neither text nor a database" in error
    assert "--from: mempack" in error
    assert "JSON" not in error


def test_entries_of_long_term_memory_that_differ_by_case_only_are_one_with_all_their_keywords(
    terminal: Terminal, tmp_path: Path
) -> None:
    entries = [
        {"content": "Likes Tea", "keywords": ["Drink"]},
        {"content": "likes tea", "keywords": ["drink", "Hot"]},
        {"content": "Likes coffee", "keywords": []},
    ]
    (tmp_path / "memory.json").write_text(json.dumps({"version": 1, "updated_at": "", "entries": entries}))
    assert imported(terminal, str(tmp_path / "memory.json"), "--user") == (2, 0, 0)
    assert memories(terminal, "--user")["Likes Tea"]["tags"] == ["drink", "hot"]
    assert imported(terminal, str(tmp_path / "memory.json"), "--user") == (0, 0, 2)
    assert (
        reasons(terminal, str(tmp_path / "memory.json"), "--user")[
            "entries that say what another one says: their keywords are joined"
        ]
        == 1
    )


def test_a_directory_is_recognised_by_what_is_deeper_in_it(terminal: Terminal) -> None:
    services = terminal.folder / "services"
    for name in ("a", "b"):
        (services / name / "docs").mkdir(parents=True)
        (services / name / "README.md").write_text("# Service\n\n- see #12\n")
        (services / name / "AGENTS.md").write_text(f"- Service {name} owns its tables.\n")
        stores.decisions(services / name / "docs/adr", 2)
    assert terminal.mem("import", "services/", "--json").json["from"] == "agents-md"
    assert set(memories(terminal)) == {"Service a owns its tables.", "Service b owns its tables."}
    assert terminal.mem("import", "services/a/docs", "--dry-run").out.startswith("adr: would be 2 new")
    stores.decisions(services / "c/adr/deep", 2)
    assert terminal.mem("import", "services/c", "--dry-run").out.startswith("adr: would be 2 new")
    (services / "d/.cursor/rules").mkdir(parents=True)
    (services / "d/.cursor/rules/x.mdc").write_text("- Use tabs\n")
    (services / "d/e").mkdir()
    (services / "d/.cursor").rename(services / "d/e/.cursor")
    assert terminal.mem("import", "services/d", "--dry-run").out.startswith("cursor-rules: would be 1 new")


def test_a_hint_of_what_is_not_recognised_names_programs_and_agents(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "history").mkdir()
    (tmp_path / "history/2026-01-01.md").write_text("# A session\n")
    (tmp_path / "s.jsonl").write_text('{"type": "user", "message": "Hello"}\n')
    hint = terminal.mem("import", str(tmp_path / "history"), fails=2).err
    assert all(name in hint for name in ("mempack", "specstory", "claude"))
    assert "of a program or an agent: --from NAME" in terminal.mem("import", str(tmp_path / "s.jsonl"), fails=2).err
