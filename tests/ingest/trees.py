"""Trees of files for the tests of ingestion, and what the store holds of them."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

from tests.conftest import Terminal

LONG_AGO = 1_600_000_000  # files of this time are not looked at twice


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    """Writes files whose time is long ago."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        os.utime(path, (LONG_AGO, LONG_AGO))


def edit(path: Path, text: str) -> None:
    """Changes a file at another time."""
    path.write_text(text)
    os.utime(path, (LONG_AGO + 100, LONG_AGO + 100))


def paragraphs(*names: str) -> str:
    """Returns a text of forty lines for each name, which is cut into as many pieces."""
    return "".join([f"{name} begins here\n" + f"{name} says more of it\n" * 38 + "\n" for name in names])


def ingest(terminal: Terminal, *words: str) -> Any:
    """Runs mem ingest and returns its summary."""
    return terminal.mem("ingest", *words, "--json").json


def counts(summary: Any) -> tuple[int, int, int, int]:
    """Returns new, changed, unchanged, removed."""
    return summary["new"], summary["changed"], summary["unchanged"], summary["removed"]


def chunks(terminal: Terminal, *words: str) -> list[Any]:
    """Returns the chunks of the tree around a terminal."""
    found = terminal.mem("chunks", *words, "--limit", "100000", "--json").json
    assert isinstance(found, list)
    return found


def ids(terminal: Terminal) -> dict[str, list[str]]:
    """Returns the ids of the chunks of each file."""
    found: dict[str, list[str]] = {}
    for chunk in chunks(terminal):
        found.setdefault(chunk["path"], []).append(chunk["id"])
    return found


def rows(terminal: Terminal, sql: str) -> list[Any]:
    """Asks the store."""
    db = sqlite3.connect(terminal.store)
    try:
        return db.execute(sql).fetchall()
    finally:
        db.close()


def is_sound(terminal: Terminal) -> bool:
    """Tells whether tables and index agree, and nothing is left over."""
    db = sqlite3.connect(terminal.store)
    try:
        db.execute("INSERT INTO chunk_fts(chunk_fts, rank) VALUES ('integrity-check', 1)")
        db.rollback()
    finally:
        db.close()
    unheld = "SELECT count(*) FROM artifact WHERE n NOT IN (SELECT artifact FROM tree_file)"
    unowned = "SELECT count(*) FROM chunk WHERE artifact > 0 AND artifact NOT IN (SELECT n FROM artifact)"
    missing = "SELECT count(*) FROM tree_file WHERE artifact NOT IN (SELECT n FROM artifact)"
    return [rows(terminal, sql)[0][0] for sql in (unheld, unowned, missing)] == [0, 0, 0]
