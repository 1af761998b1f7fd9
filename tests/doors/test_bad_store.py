"""A store that is busy, misplaced, damaged, somebody else's or newer is refused untouched; an older one is brought up."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import ANY

import apsw
import pytest

from memcli import store
from memcli.text.analysis import extra_words
from scripts import old_stores
from tests.conftest import FillOnce, Result, Terminal

ROOT = Path(__file__).resolve().parents[2]
FACT = "Session tokens live in Postgres"
READING = (["get", "session"], ["search", "session"], ["recent"], ["log"], ["export"])
WRITING = (
    ["add", "More", "--summary", "x"],
    ["checkpoint", "--reason", "x", "--state-json", "1"],
    ["undo"],
    ["init", "--no-agents"],
)


def content(folder: Path) -> dict[str, bytes]:
    """Every file below a directory, without SQLite's passing ones and the cache."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(("-shm", "-wal"))]
    return {path.name: path.read_bytes() for path in files if path.name != "cache.db"}


def refusals(terminal: Terminal) -> list[Result]:
    """What every command says that must not touch the store; each has ended with 1 and printed nothing."""
    before = content(terminal.data)
    said = [terminal.mem(*words, fails=1) for words in (*READING, *WRITING)]

    assert content(terminal.data) == before
    assert {result.out for result in said} == {""}
    assert {len(result.err.splitlines()) for result in said} == {2}
    return said


@pytest.fixture
def known(terminal: Terminal) -> Terminal:
    """A terminal in a repository with one memory and a state."""
    terminal.add(FACT, "Redis evicted them.")
    terminal.mem("checkpoint", "--reason", "r", "--state-json", '{"task": "t"}')
    return terminal


@pytest.fixture
def locked(known: Terminal, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """The same, while another connection is about to write and does not finish; commands wait for a moment only."""
    monkeypatch.setattr(store, "LOCK_WAIT_MS", 50)
    other = apsw.Connection(str(known.store))
    other.execute("BEGIN IMMEDIATE")
    yield known
    other.close()


def test_a_busy_store_says_so_to_writers_and_reads_as_ever(locked: Terminal) -> None:
    before = content(locked.data)
    for words in WRITING[:3]:
        refused = locked.mem(*words, fails=1)
        assert refused.err == "Error: the store is busy: another process keeps it locked\nHint: try again in a moment\n"
        assert refused.out == ""

    assert json.loads(locked.mem(*WRITING[0], "--json", fails=1).err)["error"]["code"] == "busy"
    assert content(locked.data) == before
    assert locked.titles("session") == [FACT]
    for words in READING:
        assert locked.mem(*words).err == ""


def test_a_directory_in_the_stores_place_is_told(known: Terminal) -> None:
    path = known.store
    path.unlink()
    path.mkdir()
    for words in READING + WRITING:
        refused = known.mem(*words, fails=1)
        assert (refused.out, len(refused.err.splitlines())) == ("", 2)

    assert list(path.iterdir()) == []


def test_a_store_behind_a_symbolic_link_is_refused(known: Terminal, tmp_path: Path) -> None:
    path = known.store
    target = tmp_path / "real.db"
    path.rename(target)
    path.symlink_to(target)
    before = target.read_bytes()

    assert {result.err.splitlines()[0] for result in refusals(known)} == {"Error: the store's file is a symbolic link"}
    assert target.read_bytes() == before
    target.unlink()
    assert known.mem("add", "x", "--summary", "y", fails=1).out == ""
    assert not target.exists()


def test_a_pipe_in_the_place_of_the_store_or_a_lock_is_not_waited_for(known: Terminal) -> None:
    store = known.store
    os.mkfifo(known.data / "active")
    (store.parent / "worker.lock").unlink(missing_ok=True)
    os.mkfifo(store.parent / "worker.lock")
    known.process("doctor", fails=None)
    known.process("hook", "session-start", "--harness", "claude")
    store.unlink()
    os.mkfifo(store)
    for words in (*READING, *WRITING):
        assert "no regular file" in known.process(*words, fails=1).err
    known.process("hook", "session-start", "--harness", "claude")
    known.process("doctor", fails=None)


def test_a_cache_behind_a_symbolic_link_is_left_alone(known: Terminal, tmp_path: Path) -> None:
    (known.store.parent / "cache.db").unlink(missing_ok=True)
    (known.store.parent / "cache.db").symlink_to(tmp_path / "target")
    known.commit("second")

    assert known.titles("session") == [FACT]
    assert not (tmp_path / "target").exists()


@pytest.mark.parametrize("damage", [b"", b"garbage" * 1000, b"\0" * 8192])
def test_a_damaged_cache_is_not_missed(known: Terminal, damage: bytes) -> None:
    (known.store.parent / "cache.db").write_bytes(damage)
    known.commit("second")

    for _ in range(2):
        assert known.mem("get", "session").err == ""
        assert known.titles("session") == [FACT]


def test_a_data_directory_that_is_a_file_is_told(terminal: Terminal) -> None:
    terminal.data.write_text("mine")
    refused = terminal.mem("add", "x", "--summary", "y", fails=1)

    assert refused.err.startswith("Error: ")
    assert len(refused.err.splitlines()) == 2
    assert terminal.data.read_text() == "mine"
    assert "Traceback" not in terminal.process("get", "x", fails=None).err


def test_a_newer_store_is_refused_untouched(known: Terminal) -> None:
    connection = apsw.Connection(str(known.store))
    connection.execute("PRAGMA user_version = 99")
    connection.close()

    (said,) = {result.err for result in refusals(known)}
    assert said == (
        f"Error: the store has schema 99, newer than this mem knows ({store.LATEST})\n"
        "Hint: upgrade memcli; the store was not touched\n"
    )
    assert json.loads(known.mem("get", "x", "--json", fails=1).err)["error"]["code"] == "newer_schema"


def test_another_programs_database_is_refused_untouched(known: Terminal) -> None:
    path = known.store
    path.unlink()
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE invoice(total); INSERT INTO invoice VALUES (1)")
    connection.close()

    assert {result.err.splitlines()[0] for result in refusals(known)} == {f"Error: {path} is another program's database"}
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE state_current(repo_id); PRAGMA user_version = 11")
    connection.close()
    assert {result.err.splitlines()[1] for result in refusals(known)} == {
        "Hint: move it away, then: mem import --from mempack PATH"
    }


@pytest.mark.parametrize("damage", [b"no database, but text of some length " * 100, b"\0" * 8192, b"x"])
def test_a_file_that_is_no_database_is_refused_untouched(known: Terminal, damage: bytes) -> None:
    known.store.write_bytes(damage)

    assert all("Traceback" not in result.err for result in refusals(known))


def test_an_empty_file_in_the_stores_place_is_refused_untouched_or_becomes_a_store(known: Terminal) -> None:
    known.store.write_bytes(b"")
    first = known.mem("add", FACT, "--summary", "x", fails=ANY)

    if first.code == 0:
        assert known.titles("session") == [FACT]
        assert known.mem("doctor", "--json").json
    else:
        assert first.code == 1
        assert known.store.read_bytes() == b""


def older(path: Path, number: int) -> None:
    """Puts the store of an older release in the place of a new one, with the same rows."""
    new = path.with_name("older")
    old_stores.older(path, number, new)
    for stale in path.parent.glob("memory.db*"):
        stale.unlink()
    new.rename(path)


def version(path: Path) -> int:
    connection = apsw.Connection(str(path), apsw.SQLITE_OPEN_READONLY)
    try:
        return int(connection.pragma("user_version"))
    finally:
        connection.close()


@pytest.fixture(params=range(1, store.LATEST))
def from_before(terminal: Terminal, request: pytest.FixtureRequest, fill_once: FillOnce) -> tuple[Terminal, Path]:
    """A repository whose store is of an older release, and the place of its copy once it is migrated."""

    def fill() -> None:
        terminal.add(FACT, "Redis evicted them.", "--tags", "db")
        if request.param > 1:
            terminal.mem("checkpoint", "--reason", "r", "--state-json", '{"task": "t"}')
        older(terminal.store, request.param)

    fill_once(f"schema-{request.param}", fill)
    return terminal, terminal.store.with_name(f"memory.db.schema-{request.param}")


@pytest.mark.parametrize("words", [["get", "session"], ["recent"], ["add", "More", "--summary", "x"], ["doctor"]])
def test_an_older_store_is_migrated_after_a_copy_and_keeps_its_rows(from_before: tuple[Terminal, Path], words: list[str]) -> None:
    terminal, backup = from_before
    was = version(terminal.store)
    done = terminal.mem(*words)

    assert done.err == ""
    assert version(terminal.store) == store.LATEST
    assert version(backup) == was
    assert backup.stat().st_mode & 0o777 == 0o600
    assert terminal.titles("session") == [FACT]
    assert FACT in terminal.mem("recent").out
    terminal.mem("checkpoint", "--reason", "now", "--state-json", '{"task": "u"}')
    assert "- task: u\n" in terminal.mem("get", "session").out
    assert terminal.mem("doctor", "--json").json


MOMENTS = [
    *[
        f"{year}-{month:02}-{day}T{clock}Z"
        for year in (2024, 2026)
        for month in range(1, 13)
        for day, clock in (("01", "00:00:00"),)
    ],
    *["2024-02-29T23:59:59Z", "2025-02-28T23:59:59.999Z", "2025-12-31T23:59:59.999Z", "2025-01-01T00:00:00Z"],
    *["1970-01-01T00:00:00Z", "1999-12-31T23:59:59.999Z", "2100-03-01T00:00:00Z", "9999-12-31T23:59:59.999Z"],
]


@pytest.mark.parametrize("number", [1, 6])
def test_an_older_store_gets_the_words_of_its_dates_as_a_new_write_does(terminal: Terminal, number: int) -> None:
    def words() -> list[tuple[str, str]]:
        connection = apsw.Connection(str(terminal.store), apsw.SQLITE_OPEN_READONLY)
        try:
            return list(connection.execute("SELECT source_id, words FROM memory ORDER BY source_id"))
        finally:
            connection.close()

    def doubts() -> list[str]:
        findings = terminal.mem("doctor", "--verbose", "--json").json["findings"]
        return [one["text"] for one in findings if one["level"] != "ok"]

    said = ["plain", "with camelCase", "snake_case 記憶"]
    rows = [
        {"source_id": moment, "title": said[place % 3], "summary": f"fact {place}", "created_at": moment}
        for place, moment in enumerate(MOMENTS)
    ]
    terminal.mem("import", "-", stdin="\n".join(map(json.dumps, rows)))
    forgotten, *_ = [hit["id"] for hit in terminal.mem("search", "camelCase", "--json").json]
    terminal.mem("forget", forgotten)
    new = words()
    older(terminal.store, number)
    connection = apsw.Connection(str(terminal.store))
    for moment, _ in new:  # what an older release wrote
        connection.execute(
            "UPDATE memory SET words = ? WHERE source_id = ?", (extra_words(said[MOMENTS.index(moment) % 3]), moment)
        )
    connection.execute("INSERT INTO memory_fts(memory_fts) VALUES ('rebuild')")
    connection.close()
    terminal.mem("checkpoint", "--reason", "now", "--state-json", "{}")

    assert [row for row in words() if row[0]] == new
    found = terminal.mem("search", "in February 2024", "--limit", "2", "--json").json
    assert {hit["source_id"] for hit in found} == {"2024-02-01T00:00:00Z", "2024-02-29T23:59:59Z"}
    assert doubts() == []
    terminal.mem("restore", forgotten)
    assert forgotten in [hit["id"] for hit in terminal.mem("search", "camelCase", "--limit", "90", "--json").json]
    assert doubts() == []


def test_the_copy_of_an_older_store_is_that_store_whole(from_before: tuple[Terminal, Path]) -> None:
    terminal, backup = from_before
    shutil.copy(terminal.store, terminal.store.with_name("kept"))
    terminal.mem("add", "More", "--summary", "x")
    kept, copy = (apsw.Connection(str(path), apsw.SQLITE_OPEN_READONLY) for path in (terminal.store.with_name("kept"), backup))

    for table in ("meta", "op", "thread", "memory", "memory_link"):
        assert list(copy.execute(f"SELECT * FROM {table}")) == list(kept.execute(f"SELECT * FROM {table}"))
    assert copy.pragma("integrity_check") == "ok"
    copy.close()
    kept.close()


def test_reading_an_older_store_that_somebody_keeps_locked_still_answers_or_says_why(
    from_before: tuple[Terminal, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal, _ = from_before
    monkeypatch.setattr(store, "LOCK_WAIT_MS", 50)
    other = apsw.Connection(str(terminal.store))
    other.execute("BEGIN IMMEDIATE")
    answered = terminal.mem("get", "session", fails=ANY)
    other.close()

    assert len(answered.err.splitlines()) in (1, 2)
    assert answered.code == 1 or FACT in answered.out
