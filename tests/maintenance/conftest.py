"""A repository with a memory of its own, in a directory of the test's own."""

import glob
import os
import shutil
import subprocess
import sys

import apsw
import pytest

from memcli import project
from memcli.__main__ import run
from memcli.maintenance import doctor
from memcli.memory import entries
from memcli.project import Where, open_for_reading
from memcli.store import chunks, rows, transaction, trees
from tests import writing

HERE = Where()
DROP_FROM_INDEX = """
    INSERT INTO memory_fts(memory_fts, rowid, title, summary, tags, entities, words)
    SELECT 'delete', * FROM memory_text WHERE n = 2
"""
PAGE = 4096
PEOPLE = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")


@pytest.fixture
def repo(tmp_path, monkeypatch, first_commit):
    """A git repository with one commit, which is the working directory; data and settings are below the test's directory, too."""
    folder = tmp_path / "repo"
    shutil.copytree(first_commit, folder)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MEMPACK_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("MEMPACK_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def fill(repo):
    """Returns a function that stores memories, chunks and a state, and returns the store's path."""

    def filled(count=12, chunk_count=3):
        opened = project.open_for_writing(HERE)
        for number in range(count):
            new = entries.NewMemory(
                token(number), f"summary {token(number)} " + "long words " * (number % 40), thread=f"t{number % 5}"
            )
            made = entries.add(opened, new, "cli")
            if number % 11 == 3:
                writing.forget(opened, made.id, "cli")
            elif number % 7 == 2:
                writing.supersede(opened, made.id, entries.Edit(summary=f"since then {token(number)}"), "cli")
            elif number % 5 == 1:
                writing.pin(opened, made.id, True, "cli")
        with transaction(opened.db):
            for number in range(chunk_count):
                trees.add_chunks(opened.db, [chunk(number)[1:]])
        writing.checkpoint(opened, "before the release", '{"open":["flaky test"]}', None, "cli")
        opened.close()
        return os.path.join(opened.folder, "memory.db")

    return filled


@pytest.fixture
def large(fill):
    """A store of 200 memories and more, to be damaged."""
    return fill(count=200, chunk_count=60)


@pytest.fixture
def mem(repo, capfd):
    """Returns a function that runs a command in this process, which is ten times as fast, and returns what it did."""

    def run_here(*arguments):
        capfd.readouterr()
        code = run(list(arguments))
        return subprocess.CompletedProcess(arguments, code, *capfd.readouterr())

    return run_here


def command(*arguments):
    return [sys.executable, "-m", "memcli", *arguments]


def process(*arguments):
    """Runs a command as a process of its own and returns what it did."""
    return subprocess.run(command(*arguments), capture_output=True, text=True, timeout=60)


def git(folder, *arguments):
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def token(number):
    return f"tok{number:05d}"


def chunk(number):
    text = f"def work{number}(): return {number}\n" * 30
    return chunks.Chunk(
        0, f"C-{number:010d}", f"src/f{number}.py", 1, 30, f"work{number}", "general", "", text, "work", 0, 0, 30, 9, 9
    )


def run_sql(path, sql, values=()):
    """Changes a store behind mem's back, or looks into it."""
    db = apsw.Connection(str(path))
    try:
        return db.execute(sql, values).fetchall()
    finally:
        db.close()


def tokens_of(path):
    """Returns every token that SQLite can read from a store, row by row, from the better of its two tables."""
    best = set()
    for table in ("memory", "op"):
        found = set()
        try:
            db = apsw.Connection(str(path))
            for number in range(1, 700):
                try:
                    for row in db.execute(f"SELECT * FROM {table} WHERE rowid = ?", (number,)):
                        words = " ".join(str(value) for value in row).replace('"', " ").split()
                        found |= {word for word in words if len(word) == 8 and word.startswith("tok") and word[3:].isdecimal()}
                except (apsw.Error, UnicodeDecodeError):
                    continue
            db.close()
        except apsw.Error:
            pass
        best = max(best, found, key=len)
    return best


def overwrite(path, at, data):
    with open(path, "r+b") as file:
        file.seek(at)
        file.write(data)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def files_in(folder):
    """Returns every file of a directory with its bytes."""
    return {entry.name: content(entry.path) for entry in os.scandir(folder)}


def originals(path):
    """Returns what repairs have kept of a store."""
    kept = glob.glob(glob.escape(path) + ".damaged-*") + glob.glob(glob.escape(path) + ".before-repair-*")
    return sorted([name for name in kept if not name.endswith("-wal")])


def is_well():
    report = doctor.examine(HERE, verbose=True)
    assert report.ok, report.findings
    return True


def shown():
    """Everything that reading tells of the memories, to compare it before and after."""
    project = open_for_reading(HERE)
    columns = "id, title, summary, thread, kind, tags, anchor, created_at, superseded_by, forgotten, pinned, source_id"
    try:
        return [
            sorted(rows(project.db, sql), key=repr)
            for sql in (
                f"SELECT {columns} FROM memory",
                "SELECT from_id, rel, to_id, hash FROM memory_link",
                "SELECT id, title FROM thread",
                "SELECT id, body, reason FROM state",
            )
        ]
    finally:
        project.close()
