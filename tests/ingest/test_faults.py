"""Killed, crowded, out of space: the store stays whole, and the next run finishes the work."""

from __future__ import annotations

import os
import resource
import select
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import apsw
import pytest

from memcli.ingest import pool
from memcli.ingest.read import FileToRead, Limits
from memcli.ingest.writer import TreeWriter
from tests.conftest import Terminal, interruptible
from tests.ingest.trees import counts, edit, ids, ingest, is_sound, paragraphs, rows, write

FILES = 400


@pytest.fixture
def many(terminal: Terminal) -> Terminal:
    """A repository with some hundred files, more than one transaction and one process can take at once."""
    write(terminal.folder, {f"d{n % 20}/f{n}.txt": paragraphs(f"name{n}", f"other{n}") * 3 for n in range(FILES)})
    return terminal


def start(terminal: Terminal, *words: str, **more: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "memcli", *words]
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=terminal.folder, env=terminal.env, **pipes, **more)  # type: ignore[call-overload,no-any-return]


def children(process: int) -> list[int]:
    found = Path(f"/proc/{process}/task/{process}/children")
    return [int(one) for one in found.read_text().split()]


def has_ended(number: int) -> bool:
    """Tells whether a process ends within a minute."""
    try:
        handle = os.pidfd_open(number)
    except ProcessLookupError:
        return True
    ending = select.poll()
    ending.register(handle, select.POLLIN)
    found = bool(ending.poll(60_000))
    os.close(handle)
    return found


def wait_for_rows(terminal: Terminal, least: int) -> None:
    """Waits until a running ingestion has committed so many files."""
    for _ in range(200_000):
        try:
            if rows(terminal, "SELECT count(*) FROM tree_file")[0][0] >= least:
                return
        except sqlite3.OperationalError:  # locked for a moment
            continue
    raise AssertionError("nothing was committed")


def test_killed_in_the_middle_it_leaves_what_was_committed_and_no_process(many: Terminal) -> None:
    many.mem("init", "--no-agents")
    process = start(many, "ingest")
    wait_for_rows(many, 1)
    helpers = children(process.pid)
    process.kill()
    process.wait()
    done = rows(many, "SELECT count(*) FROM tree_file")[0][0]

    assert 0 < done < FILES
    assert is_sound(many)
    assert all(has_ended(helper) for helper in helpers)
    summary = ingest(many)
    assert counts(summary) == (FILES - done, 0, done, 0)
    assert is_sound(many)
    assert dict(rows(many, "SELECT k, v FROM chunk_fts_config"))["crisismerge"] == 4


def test_two_at_once_leave_what_one_would(many: Terminal) -> None:
    many.mem("init", "--no-agents")
    both = [start(many, "ingest", "--json") for _ in range(2)]
    ended = [process.communicate(timeout=120) for process in both]

    assert [process.returncode for process in both] == [0, 0], ended
    assert counts(ingest(many)) == (0, 0, FILES, 0)
    assert rows(many, "SELECT count(*), count(DISTINCT id) FROM chunk") == [(sum(map(len, ids(many).values())),) * 2]
    assert is_sound(many)


def test_what_another_wrote_meanwhile_is_not_overwritten(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    write(terminal.folder, {"a.txt": "first\n", "b.txt": "same\n"})
    ingest(terminal)
    edit(terminal.folder / "a.txt", "second\n")
    inner, calls = pool.read_here, []

    def late(*more: object) -> object:
        for contents in inner(*more):  # type: ignore[arg-type]
            if not calls:
                calls.append(1)
                edit(terminal.folder / "a.txt", "third time\n")
                terminal.process("ingest")
            yield contents

    monkeypatch.setattr(pool, "read_here", late)
    ingest(terminal)

    ((text,),) = rows(terminal, "SELECT text FROM chunk WHERE path = 'a.txt'")
    assert text.strip() == "third time"
    assert is_sound(terminal)


def test_out_of_space_is_one_line_and_the_rest_is_done_when_there_is_some(many: Terminal) -> None:
    many.mem("init", "--no-agents")
    room = many.store.stat().st_size + 400_000

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    failed = many.process("ingest", fails=1, preexec_fn=bounded)

    assert failed.err.startswith("Error:")
    assert "Traceback" not in failed.err
    assert is_sound(many)
    assert sum(counts(ingest(many))) == FILES
    assert is_sound(many)


def test_a_full_disk_keeps_what_was_read_and_says_so(many: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    inner, calls = TreeWriter.put, []

    def short(*more: object) -> bool:
        calls.append(1)
        if len(calls) > 120:
            raise apsw.FullError("database or disk is full")
        return inner(*more)  # type: ignore[arg-type]

    with monkeypatch.context() as full:
        full.setattr("memcli.ingest.run._BATCH_FILES", 50)
        full.setattr(TreeWriter, "put", short)
        failed = many.mem("ingest", fails=1)
    assert failed.err.splitlines() == [
        "Error: no space left on the disk; what was read so far is stored",
        "Hint: free some space; mem ingest then continues",
    ]
    assert rows(many, "SELECT count(*) FROM tree_file") == [(100,)]
    assert counts(ingest(many)) == (FILES - 100, 0, 100, 0)
    assert is_sound(many)


def test_stopped_by_hand_it_says_that_the_next_run_goes_on(many: Terminal) -> None:
    many.mem("init", "--no-agents")
    process = start(many, "ingest", preexec_fn=interruptible)
    wait_for_rows(many, 1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)

    assert (process.returncode, out) == (130, b"")
    assert err == b"stopped; what was read so far is kept, and mem ingest goes on from there\n"
    done = rows(many, "SELECT count(*) FROM tree_file")[0][0]
    assert counts(ingest(many)) == (FILES - done, 0, done, 0)
    assert is_sound(many)


def test_somebody_who_writes_meanwhile_waits_no_longer_than_a_moment(many: Terminal) -> None:
    process = start(many, "ingest")
    for number in range(5):
        many.process("add", f"Meanwhile {number}", "--summary", "while files are read")
    out, err = process.communicate(timeout=120)

    assert process.returncode == 0, err
    assert out.startswith(b"400 new")
    assert len(many.mem("recent", "--json").json) == 5


def test_the_index_is_as_before_when_many_files_were_taken_in(many: Terminal) -> None:
    ingest(many)

    settings = dict(rows(many, "SELECT k, v FROM chunk_fts_config"))
    assert (settings["crisismerge"], settings["hashsize"]) == (4, 1 << 20)


def test_a_locked_store_is_said_to_be_busy(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    write(terminal.folder, {"a.txt": "a\n"})
    ingest(terminal)
    edit(terminal.folder / "a.txt", "b\n")
    monkeypatch.setattr("memcli.store.LOCK_WAIT_MS", 10)
    holder = apsw.Connection(str(terminal.store))
    holder.execute("BEGIN IMMEDIATE")

    assert "busy" in terminal.mem("ingest", fails=1).err
    holder.close()
    assert counts(ingest(terminal)) == (0, 1, 0, 0)


def test_code_for_which_a_grammar_takes_gigabytes_is_cut_by_lines_and_the_rest_is_stored(terminal: Terminal) -> None:
    write(terminal.folder, {"a.py": ("/*" * 500 + "\n") * 8, "b.py": "def retry():\n    pass\n"})
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    summary = ingest(terminal)
    assert summary["fell_back"] == 1
    assert summary["new"] == 2
    assert "crashed the parser" not in summary["skipped"]
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < max(before + 1, 600 << 10)
    assert "retry" in terminal.mem("get", "retry").out


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="no limits of other processes here")
def test_a_process_that_parses_may_take_little_memory_however_slowly_it_takes_it(terminal: Terminal) -> None:
    write(terminal.folder, {"a.py": "def retry():\n    pass\n" * 100})
    earlier = set(children(os.getpid()))
    reading = pool.read_in_processes(Limits(str(terminal.folder), 1 << 20, 400, 0, 400), [[FileToRead("a.py", ())]] * 2, 1)
    assert not next(reading)[0].error
    (reader,) = set(children(os.getpid())) - earlier
    assert 0 < resource.prlimit(reader, resource.RLIMIT_AS)[0] < 1 << 30  # -1: as much as there is
    reading.close()  # type: ignore[attr-defined]
    assert set(children(os.getpid())) <= earlier
