"""Reading a file: its own bytes, whatever happens to it meanwhile."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from memcli.errors import MemError, NotFound
from memcli.ingest import pool, read
from memcli.ingest.read import FileContent, FileToRead, Limits
from memcli.records import values
from memcli.repo.worktree import Top
from memcli.text import processes
from memcli.text.files import decoded
from tests.conftest import Terminal
from tests.ingest.trees import LONG_AGO, ids, ingest, write

MOST = 100_000


def limits(folder: Path) -> Limits:
    return Limits(str(folder), MOST, 320, 40, 320)


def one(folder: Path, path: str, *known: str) -> FileContent:
    (found,) = read.read_all(limits(folder), [FileToRead(path, known)])
    return found


def test_the_hash_is_gits_name_of_the_bytes(terminal: Terminal) -> None:
    write(terminal.folder, {"a.txt": "one\r\ntwo\r\n"})

    assert one(terminal.folder, "a.txt").hash == terminal.git("hash-object", "--no-filters", "a.txt")


def test_what_is_known_is_not_cut_again(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "text\n"})
    name = hashlib.sha1(b"blob 5\0text\n").hexdigest()

    assert (one(tmp_path, "a.txt", name).is_stored, one(tmp_path, "a.txt", name).chunks) == (True, ())
    assert one(tmp_path, "a.txt", "0" * 40).chunks


def test_a_file_that_just_changed_is_to_be_looked_at_again(tmp_path: Path) -> None:
    write(tmp_path, {"old.txt": "x"})
    (tmp_path / "new.txt").write_text("x")
    os.utime(tmp_path / "new.txt", ns=(0, time.time_ns()))

    assert one(tmp_path, "old.txt").mtime_ns == LONG_AGO * 1_000_000_000
    assert one(tmp_path, "new.txt").mtime_ns == 0


def test_a_file_that_changes_while_it_is_read_is_read_again_and_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a.txt": "before\n"})
    inner, readings = read._bytes, []

    def changing(file: int, most: int) -> bytes:
        data = inner(file, most)
        readings.append(data)
        write(tmp_path, {"a.txt": f"after {'x' * len(readings)}\n"})
        return data

    monkeypatch.setattr(read, "_bytes", changing)
    found = one(tmp_path, "a.txt")

    assert (len(readings), found.mtime_ns) == (2, 0)
    assert found.hash == hashlib.sha1(b"blob 8\0after x\n").hexdigest()


def test_what_changed_while_it_was_read_is_current_after_the_next_run(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(terminal.folder, {"a.txt": "first\n"})
    inner = read._bytes

    def changing(file: int, most: int) -> bytes:
        data = inner(file, most)
        write(terminal.folder, {"a.txt": data.replace(b"t\n", b"tt\n")})
        return data

    with monkeypatch.context() as patch:
        patch.setattr(read, "_bytes", changing)
        ingest(terminal)
    summary = ingest(terminal)

    assert (summary["changed"], ingest(terminal)["read_bytes"]) == (1, 0)


def test_no_step_of_a_path_follows_a_link(tmp_path: Path) -> None:
    write(tmp_path, {"tree/in/a.txt": "a", "outside/a.txt": "secret"})
    (tmp_path / "tree/out").symlink_to("../outside")
    (tmp_path / "tree/link.txt").symlink_to("in/a.txt")
    top = Top(str(tmp_path / "tree"))

    os.close(top.open("in/a.txt"))
    for path in ("out/a.txt", "link.txt"):
        with pytest.raises(OSError, match=r"symbolic links|Not a directory"):
            top.open(path)
    top.close()
    assert one(tmp_path / "tree", "out/a.txt").error in ("gone", "unreadable")


def test_what_is_gone_grew_or_is_no_file_any_more_is_told(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    write(tmp_path, {"big.txt": "x" * (MOST + 1)})

    assert [one(tmp_path, name).error for name in ("nowhere", "pipe", "big.txt")] == ["gone", "special file", "too large"]


def test_whatever_breaks_the_cutter_leaves_out_one_file(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    write(terminal.folder, {"a.txt": "a\n", "deep.txt": "(((\n", "odd.txt": "odd\n"})
    inner = read.cut

    def fragile(path: str, *more: object) -> object:
        if path == "deep.txt":
            raise RecursionError
        if path == "odd.txt":
            raise ValueError(path)
        return inner(path, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(read, "cut", fragile)
    summary = ingest(terminal)

    assert (summary["new"], summary["skipped"]) == (1, {"failed": 1, "nested too deep": 1})
    assert list(ids(terminal)) == ["a.txt"]


def test_many_processes_answer_in_the_order_of_the_jobs(tmp_path: Path) -> None:
    files = {f"{number:03}.txt": f"text {number}\n" * (1 + number % 50) for number in range(100)}
    write(tmp_path, files)
    jobs = [[FileToRead(name, ())] for name in files]
    found = [content for some in pool.read_in_processes(limits(tmp_path), jobs, 3) for content in some]

    assert [content.path for content in found] == list(files)
    assert found == [content for some in pool.read_here(limits(tmp_path), jobs) for content in some]


def test_a_process_that_dies_over_a_file_costs_that_file_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {f"{name}.txt": name for name in "abc"})
    deadly = "import os; from memcli.ingest import read, pool; whole = pool.read_all\n"
    deadly += (
        "pool.read_all = lambda limits, wanted: os.abort() if any('b' in one.path for one in wanted) else whole(limits, wanted)\n"
    )
    start = processes.subprocess.Popen

    def fragile(words: list[str], **more: object) -> object:
        return start([*words[:-1], deadly + words[-1]], **more)  # type: ignore[call-overload]

    monkeypatch.setattr(processes.subprocess, "Popen", fragile)
    jobs = [[FileToRead("a.txt", ()), FileToRead("b.txt", ()), FileToRead("c.txt", ())], [FileToRead("a.txt", ())]]
    (first, second) = pool.read_in_processes(limits(tmp_path), jobs, 1)

    assert [(content.path, content.error) for content in first] == [("a.txt", ""), ("b.txt", pool.CRASHED), ("c.txt", "")]
    assert second[0].hash


def test_what_goes_wrong_in_a_process_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "values", lambda record: tuple(record)[:1] if isinstance(record, FileToRead) else values(record))
    with pytest.raises(MemError, match="reading files failed: ValueError"):
        list(pool.read_in_processes(limits(tmp_path), [[FileToRead("a", ())]], 2))


@pytest.mark.parametrize("size", [1, 2])
def test_a_tree_that_is_gone_is_said_to_be(tmp_path: Path, size: int) -> None:
    there, jobs = limits(tmp_path / "nowhere"), [[FileToRead("a", ())]]
    with pytest.raises(NotFound, match="nowhere is gone"):
        list(pool.read_in_processes(there, jobs, size) if size > 1 else pool.read_here(there, jobs))


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain\n", "plain\n"),
        ("grün".encode(), "grün"),
        (b"\xef\xbb\xbfmark", "mark"),
        ("breit".encode("utf-16"), "breit"),
        (b"\xfe\xff\0b", "b"),
        ("vier".encode("utf-32"), "vier"),
        ("caf\u00e9 \u201cso\u201d".encode("cp1252"), "caf\u00e9 \u201cso\u201d"),
        (b"old \x81", "old \x81"),
        (b"one\r\ntwo\r\n", "one\ntwo\n"),
        (b"one\rtwo\r", "one\ntwo\n"),
        (b"one\rmore\ntwo", "one\rmore\ntwo"),
        (b"", ""),
        (b"a\0b", None),
        (b"\1\2\3\4", None),
        (b"\xff\xfe\0\xd8", None),
        ("a\0b".encode("utf-16"), None),
    ],
)
def test_text_is_told_from_bytes_that_are_none(data: bytes, text: str | None) -> None:
    assert decoded(data) == text
