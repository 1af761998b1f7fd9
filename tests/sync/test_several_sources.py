"""An import from several places: what goes into one memory is one command, and what is not taken is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Terminal
from tests.sync import stores
from tests.sync.test_migration import imported


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
