"""Lines that mem itself exports, or that a person writes for it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.conftest import Terminal


def test_lines_of_our_own_are_ours_whatever_the_file_is_called(terminal: Terminal) -> None:
    path = terminal.folder / "memories.jsonl"
    path.write_text('{"title": "A fact", "summary": "because"}\n')
    assert terminal.mem("import", str(path)).out == "1 new, 0 changed, 0 unchanged\n"
    terminal.mem("export", str(path))
    assert terminal.mem("import", str(path)).out.endswith("1 unchanged\n")


def test_a_long_export_of_our_own_is_no_other_programs(terminal: Terminal, tmp_path: Path) -> None:
    row = {"title": "Long", "summary": "x", "of_a_later_version": "x" * 1_000_000}
    with open(tmp_path / "export.jsonl", "w") as file:
        for number in range(70):  # MB, more than what is read of another program's text
            file.write(json.dumps({**row, "source_id": f"s-{number % 2}"}) + "\n")
    done = terminal.mem("import", str(tmp_path / "export.jsonl"), "--dry-run", "--json").json
    assert (done["imported"], done["unchanged"]) == (2, 68)
