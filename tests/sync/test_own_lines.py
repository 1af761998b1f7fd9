"""Lines that mem itself exports, or that a person writes for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("name", ["text", "fact", "content", "title", "summary"])
def test_a_text_alone_is_a_memory(terminal: Terminal, name: str) -> None:
    words = "Session tokens live in Postgres. Redis lost them."
    lines = [{name: words}, {name: "Deploy on Tuesdays", "kind": "decision"}]
    (terminal.folder / "facts.jsonl").write_text("".join([json.dumps(line) + "\n" for line in lines]))
    assert terminal.mem("import", "facts.jsonl").out == "2 new, 0 changed, 0 unchanged\n"
    rows = {row["summary"]: row for row in terminal.mem("recent", "--json").json}
    assert rows[words]["title"] == (words if name == "title" else "Session tokens live in Postgres.")
    assert (rows["Deploy on Tuesdays"]["title"], rows["Deploy on Tuesdays"]["kind"]) == ("Deploy on Tuesdays", "decision")


def test_a_title_keeps_the_text_beside_it(terminal: Terminal) -> None:
    (terminal.folder / "facts.jsonl").write_text('{"title": "Tokens", "text": "They live in Postgres."}\n')
    terminal.mem("import", "facts.jsonl")
    row = terminal.mem("recent", "--json").json[0]
    assert (row["title"], row["summary"]) == ("Tokens", "They live in Postgres.")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{}", "it has no text"),
        ('{"tags": ["a"]}', "it has no text"),
        ('{"text": 7}', "text is not a string"),
        ('{"text": ["a"], "kind": "note"}', "text is not a string"),
        ('{"text": ""}', "empty"),
        ('{"text": "   "}', "empty"),
    ],
)
def test_a_line_without_a_text_is_refused_and_nothing_is_stored(terminal: Terminal, line: str, problem: str) -> None:
    (terminal.folder / "facts.jsonl").write_text('{"text": "A fact"}\n' + line + "\n")
    done = terminal.mem("import", "facts.jsonl", fails=2)
    assert "line 2" in done.err
    assert problem in done.err
    assert '{"text": "..."}' in done.err or "empty" in problem
