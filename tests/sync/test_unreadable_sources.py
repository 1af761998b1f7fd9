"""Files of other programs that are empty, and what cannot be read among their notes: listed, while the rest is taken."""

from __future__ import annotations

import os
import socket
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memcli.sync import sources
from tests.conftest import Terminal
from tests.sync import stores
from tests.sync.test_hostile_sources import refused, sparse
from tests.sync.test_migration import imported, memories, reasons


@pytest.mark.parametrize("name", ["c-mem.db", "Old.SQLITE", "memory.db"])
def test_an_empty_database_is_called_empty(terminal: Terminal, tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert "is empty: 0 bytes" in refused(terminal, str(tmp_path / name))
    for program in sources.SOURCES:
        assert "is empty: 0 bytes" in refused(terminal, "--from", program, str(tmp_path / name))


def test_an_empty_export_is_taken_and_called_empty(terminal: Terminal, tmp_path: Path) -> None:
    for text in ("", " \n\n"):
        (tmp_path / "all.jsonl").write_text(text)
        done = terminal.mem("import", str(tmp_path / "all.jsonl"))
        assert (done.out, done.err) == ("0 new, 0 changed, 0 unchanged\n", f"{tmp_path / 'all.jsonl'} is empty\n")
        assert terminal.mem("import", "-", stdin=text).err == "standard input was empty\n"


def test_what_cannot_be_read_in_a_directory_is_listed_and_the_rest_is_taken(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claw = stores.picoclaw(tmp_path / "claw", 20)
    notes = imported(terminal, str(claw), "--dry-run")[0]
    month = claw / "memory/202501"
    os.mkfifo(month / "20250128.md")
    (month / "20250129.md").write_bytes(b"\xff\x00\x01" * 50)
    sparse(month / "20250130.md", 9 << 20)
    (claw / "memory/202502").write_text("no directory")
    with closing(socket.socket(socket.AF_UNIX)) as server:
        monkeypatch.chdir(month)
        server.bind("20250131.md")
    (claw / "memory/profile.json").write_text("{broken")
    left_out = reasons(terminal, str(claw))
    assert left_out["links, which are not followed, and what is no file"] == 3
    assert left_out["files that cannot be read"] == 3
    done = terminal.mem("import", str(claw)).out
    assert f"picoclaw: {notes} new" in done
    assert "20250129.md is not text" in done
    assert "profile.json is not JSON" in done


@pytest.mark.parametrize(
    ("program", "name"),
    [("adr", "0007-x.md"), ("basic-memory", "x.md"), ("agents-md", "CLAUDE.md"), ("cursor-rules", "x.mdc")],
)
def test_what_is_no_note_among_notes_is_listed(
    terminal: Terminal, tmp_path: Path, program: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tmp_path / "top"
    if program in ("adr", "basic-memory"):
        (stores.decisions if program == "adr" else stores.basic_memory)(top, 3)
    else:
        top.mkdir()
        (top / name).write_text("- Deploys are frozen.\n")
    count = imported(terminal, str(top), "--dry-run")[0]
    (top / "p").mkdir()
    (top / "q").mkdir()
    os.mkfifo(top / "p" / name)
    (top / "q" / name).write_bytes(b"\xff\x00\x01" * 50)
    walk = os.walk

    def denied(path: str, onerror: Any = None) -> Any:
        if onerror:
            onerror(PermissionError(13, "Permission denied", f"{path}/locked"))
        return walk(path, onerror=onerror)

    monkeypatch.setattr(os, "walk", denied)
    for words in ((str(top),), (str(top), "--from", program)):
        done = terminal.mem("import", *words, "--dry-run").out
        assert f"would be {count} new" in done, words
        assert f"1 × what is no regular file: p/{name}" in done
        assert "files that cannot be read: " in done
        assert "locked" in done
        assert f"q/{name}" in done


def test_a_database_of_a_mode_that_is_damaged_is_listed_and_other_modes_are_taken(terminal: Terminal, tmp_path: Path) -> None:
    top = stores.mecho(tmp_path / "modes", 4)
    (tmp_path / "modes/bot/archival.db").write_bytes(b"SQLite format 3\0" + b"\xff" * 600)
    stores.mecho(top, 4, "cat")
    (top / "dog").mkdir()
    (top / "dog/mecho.db").write_bytes(b"nothing")
    assert reasons(terminal, str(top))["files that cannot be read"] == 2
    assert imported(terminal, str(top)) == (7, 0, 0)
    assert imported(terminal, str(top / "bot")) == (0, 0, 3)
    assert "dog/mecho.db" in refused(terminal, str(top / "dog"), "--from", "mecho")


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le"])
def test_a_text_with_bytes_that_are_no_characters_keeps_nothing_else_out(
    terminal: Terminal, tmp_path: Path, encoding: str
) -> None:
    path = tmp_path / "c-mem.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA encoding = '{encoding}'")
        db.execute("CREATE TABLE x (n)")
    stores.cmem(path, 3)
    broken = "Größe".encode(encoding)[:-1] + b"\xff" + "!".encode(encoding)
    with closing(sqlite3.connect(path)) as db:
        db.execute(
            "UPDATE observations SET narrative = CAST(? AS TEXT), title = 'Sized', facts = x'00ff' WHERE id = 2", (broken,)
        )
        db.commit()
    done = ("import", str(path), "--project", "all")
    shown = terminal.mem(*done).out
    assert shown.startswith("cmem: 4 new, 0 changed, 0 unchanged\n")
    if encoding == "UTF-8":
        assert (
            "  taken, but changed: 1 × texts with bytes that are no characters: taken with \ufffd in their place: Sized\n"
            in shown
        )
        assert memories(terminal)["Sized"]["summary"] == "Größ\ufffd!"
    assert "4 unchanged" in terminal.mem(*done).out
