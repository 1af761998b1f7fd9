"""Lines that mem itself exports, or that a person writes for it."""

from __future__ import annotations

from tests.conftest import Terminal


def test_lines_of_our_own_are_ours_whatever_the_file_is_called(terminal: Terminal) -> None:
    path = terminal.folder / "memories.jsonl"
    path.write_text('{"title": "A fact", "summary": "because"}\n')
    assert terminal.mem("import", str(path)).out == "1 new, 0 changed, 0 unchanged\n"
    terminal.mem("export", str(path))
    assert terminal.mem("import", str(path)).out.endswith("1 unchanged\n")
