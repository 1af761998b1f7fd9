"""mem edit: a memory as a text in the person's editor; nothing that they wrote is lost, nothing is overwritten unseen."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.cli import documents
from memcli.memory import FIELDS
from tests.cli import screen
from tests.conftest import Terminal
from tests.properties import examples

TITLE = "Session tokens live in Redis"


@pytest.fixture
def edit(terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs mem edit with an editor that is a line of shell; $1 is the file."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def run(memory: str, script: str, *more: str, fails: int = 0) -> Any:
        (tmp_path / "editor").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "editor").chmod(0o755)
        monkeypatch.setenv("EDITOR", f"'{tmp_path}/editor' --")
        return terminal.mem("edit", memory, *more, fails=fails)

    return run


def left(folder: Path) -> list[Path]:
    """The texts that were left for the person."""
    return sorted(folder.glob("M-*.md"))


def test_what_was_changed_is_stored_and_nothing_is_left(terminal: Terminal, edit: Any, tmp_path: Path) -> None:
    memory = terminal.add(TITLE, "Evictions.\n\nSince May.", "--tags", "db,cache")
    changed = edit(memory, "sed -i 's/Redis/Postgres/; s/^tags:.*/tags: db/; s/Since May/Since June/' \"$2\"")
    shown = terminal.mem("show", memory, "--json").json["memory"]
    assert changed.out.startswith(f"{memory}  Session tokens live in Postgres ")
    assert (shown["title"], shown["summary"], shown["tags"]) == (
        "Session tokens live in Postgres",
        "Evictions.\n\nSince June.",
        ["db"],
    )
    (operation, *_) = terminal.mem("log", memory, "--json").json
    assert sorted(operation["b"]) == ["summary", "tags", "title"], "no field that stayed"
    assert left(tmp_path) == []


def test_a_text_left_as_it_is_changes_nothing(terminal: Terminal, edit: Any, tmp_path: Path) -> None:
    memory = terminal.add(TITLE)
    assert edit(memory, "exit 0").out == f"{memory} is as it was\n"
    assert edit(memory, 'printf "\\n" >>"$2"; sed -i "s/^kind:.*/kind:   note/" "$2"').out == f"{memory} is as it was\n"
    assert edit(memory, "exit 0", "--json").json == {"id": memory, "changed": False}
    assert len(terminal.mem("log", memory, "--json").json) == 1
    assert left(tmp_path) == []


def test_a_change_meanwhile_is_not_overwritten_and_the_text_stays(terminal: Terminal, edit: Any, tmp_path: Path) -> None:
    memory = terminal.add(TITLE)
    meanwhile = f"cd '{terminal.folder}' && '{sys.executable}' -m memcli update {memory} --summary meanwhile >&2"
    refused = edit(memory, f'{meanwhile}; sed -i "s/Redis/Postgres/" "$2"', fails=2)
    (path,) = left(tmp_path)
    assert f"Error: {memory} was changed meanwhile, by revision 3\n" in refused.err
    assert str(path) in refused.err
    assert terminal.mem("show", memory, "--json").json["memory"]["title"] == TITLE

    assert "changed meanwhile" in edit(memory, "exit 0", "--file", str(path), fails=2).err, "it is still based on revision 2"
    edit(memory, 'sed -i "s/^revision:.*/revision: 3/; s/because/meanwhile/" "$2"', "--file", str(path))
    shown = terminal.mem("show", memory, "--json").json["memory"]
    assert (shown["title"], shown["summary"]) == ("Session tokens live in Postgres", "meanwhile")
    assert left(tmp_path) == []


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("s/^title:/titel:/", "line 3 is not a field: 'titel: Session tokens live in Redis'"),
        ("/^---$/d", "the fields do not stand between two lines of ---"),
        ("s/^title:.*/title:/", "the title is empty"),
        ('s/^title:.*/title: "half/', 'the title begins with " and is not JSON'),
        ("s/^tags:.*/tags: [1]/", "the tags begins with [ and is not JSON"),
        ("s/^revision:.*/revision: three/", "the revision is not a number: 'three'"),
    ],
)
def test_a_text_that_cannot_be_read_stays_in_a_file_that_is_named(
    terminal: Terminal, edit: Any, tmp_path: Path, script: str, message: str
) -> None:
    memory = terminal.add(TITLE)
    refused = edit(memory, f"sed -i '{script}' \"$2\"", fails=2)
    (path,) = left(tmp_path)
    assert refused.err.startswith(f"Error: {message}\n")
    assert f"your text is in {path}; go on with: mem edit {memory} --file {path}" in refused.err
    assert path.stat().st_mode & 0o077 == 0
    assert len(terminal.mem("log", memory, "--json").json) == 1


def test_an_editor_that_fails_is_named_and_only_what_was_written_stays(terminal: Terminal, edit: Any, tmp_path: Path) -> None:
    memory = terminal.add(TITLE)
    assert "ended with 3; nothing was stored" in edit(memory, "exit 3", fails=1).err
    assert left(tmp_path) == []
    assert "ended with 3; nothing was stored" in edit(memory, 'echo more >>"$2"; exit 3', fails=1).err
    assert len(left(tmp_path)) == 1
    assert "is not UTF-8" in edit(memory, "printf '\\377' >>\"$2\"", fails=2).err


def test_without_an_editor_the_person_is_told_how_to_name_one(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = terminal.add(TITLE)
    for name in ("EDITOR", "VISUAL"):
        monkeypatch.delenv(name, raising=False)
    refused = terminal.mem("edit", memory, fails=2)
    assert refused.err == "Error: no editor is set\nHint: set EDITOR, such as: export EDITOR=nano; or use mem update\n"
    monkeypatch.setenv("VISUAL", "/nonexistent/editor")
    assert "/nonexistent/editor did not start: no such file or directory" in terminal.mem("edit", memory, fails=1).err
    monkeypatch.setenv("VISUAL", "'half")
    assert "the editor is not a command line" in terminal.mem("edit", memory, fails=2).err


def test_what_is_no_memory_is_not_edited(terminal: Terminal, edit: Any) -> None:
    terminal.mem("note", "add", "A note")
    note = re.findall(r"N-\w+", terminal.mem("note").out)[0]
    assert f"{note} is not a memory" in edit(note, "exit 0", fails=2).err
    edit("M-ZZZZZZZZZZ", "exit 0", fails=3)
    memory = terminal.add(TITLE)
    assert "cannot be read" in edit(memory, "exit 0", "--file", "/nonexistent", fails=3).err


def test_a_memory_that_is_gone_meanwhile_keeps_the_text(terminal: Terminal, edit: Any, tmp_path: Path) -> None:
    memory = terminal.add(TITLE)
    forgotten = f"cd '{terminal.folder}' && '{sys.executable}' -m memcli forget {memory} >&2"
    assert "is forgotten" in edit(memory, f'{forgotten}; sed -i "s/Redis/Postgres/" "$2"', fails=3).err
    assert len(left(tmp_path)) == 1


def test_at_a_terminal_a_text_that_cannot_be_read_may_be_edited_again(terminal: Terminal, tmp_path: Path) -> None:
    memory = terminal.add(TITLE)
    editor = tmp_path / "editor"
    editor.write_text(
        "#!/bin/sh\nif grep -q ^titel: $1; then sed -i 's/^titel:.*/title: Mended/' $1; else sed -i s/^title:/titel:/ $1; fi\n"
    )
    editor.chmod(0o755)
    pid, ours = screen.begin(terminal, "edit", memory, EDITOR=str(editor), TMPDIR=str(tmp_path), TERM="dumb")
    written = b""
    while b"[Y/n]" not in written:
        written += os.read(ours, 4096)
    os.write(ours, b"\n")
    after, _ = screen.end(pid, ours)
    assert terminal.mem("show", memory, "--json").json["memory"]["title"] == "Mended", after
    assert left(tmp_path) == []


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), min_size=1).filter(str.strip)
LABELS = st.lists(st.text(st.sampled_from('ab,"[] é:#'), min_size=1).map(str.strip).filter(bool), unique=True, max_size=3)


@settings(max_examples=examples(60), deadline=None, derandomize=True)
@given(TEXTS, TEXTS, LABELS)
def test_whatever_a_memory_says_is_read_back_from_its_text(title: str, summary: str, tags: list[str]) -> None:
    values = {name: field.default for name, field in FIELDS.items()} | {
        "title": title,
        "summary": summary,
        "tags": tags,
        "entities": [],
        "thread": "general",
    }
    read, revision = documents.parsed(documents.document(values, 7))
    assert ({name: read[name] for name in values}, revision) == (values | {"summary": summary.rstrip("\n")}, 7)
