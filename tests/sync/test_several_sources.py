"""An import from several places: what goes into one memory is one command, and what is not taken is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Terminal
from tests.sync import stores
from tests.sync.test_migration import PROGRAMS, imported, memories


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


def test_of_modes_that_differ_only_by_case_the_first_is_taken_and_the_other_is_listed(terminal: Terminal, tmp_path: Path) -> None:
    top = stores.mecho(stores.mecho(tmp_path / "modes", 3, "Bot"), 5, "bot")
    report = terminal.mem("import", str(top)).out
    assert "mecho in modes/Bot: 2 new, 0 changed" in report
    assert "not taken: 5 × of another mode or directory that goes into the same memory" in report
    assert set(memories(terminal, "--repo", "modes", "--workspace", "bot")) == {"Habit 0", "Habit 2"}

    assert imported(terminal, str(top / "bot"), "--workspace", "other") == (5, 0, 0)


def test_a_mode_that_stands_in_two_places_is_taken_from_the_first(terminal: Terminal) -> None:
    stores.mecho(terminal.folder / "mecho" / "data" / "modes", 4)
    stores.mecho(terminal.folder / "data" / "modes", 3)
    report = terminal.mem("import", "--from", "mecho").out
    assert report.startswith("mecho (mecho/data/modes, data/modes) in modes/bot: 3 new")
    assert "not taken: 3 × of another mode or directory" in report


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
