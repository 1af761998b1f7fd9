"""The write-ahead log stays short where hooks alone write, one process after the other, and no worker runs."""

from __future__ import annotations

import os

from memcli.store import inbox, rows
from memcli.store.opening import has_log, open_reader, open_writer


def put(path: str, number: int) -> None:
    db = inbox.open_queue(path)
    inbox.put(db, inbox.QueuedEvent(f"e{number}", "claude", "s", "post-tool-use", "x" * 50_000, number))
    db.close()


def test_events_without_a_worker_leave_a_short_log(path: str) -> None:
    sizes = []
    for number in range(200):
        put(path, number)
        sizes.append(os.path.getsize(path + "-wal"))
    assert max(sizes) < inbox.LONG_LOG + 100_000
    assert sizes.index(max(sizes)) > 5  # most hooks only write behind what is there
    db = open_reader(path)
    assert rows(db, "SELECT count(*) FROM job") == [(200,)]
    db.close()


def test_a_reader_at_work_does_not_hold_a_hook_up(path: str) -> None:
    reader = open_reader(path)
    rows(reader, "BEGIN")
    rows(reader, "SELECT count(*) FROM job")
    for number in range(120):
        put(path, number)
    assert rows(reader, "SELECT count(*) FROM job") == [(0,)]
    reader.close()
    put(path, 120)
    assert os.path.getsize(path + "-wal") < inbox.LONG_LOG


def test_most_hooks_copy_nothing_from_the_log_into_the_store(path: str) -> None:
    changed = 0
    for number in range(100):
        before = os.stat(path).st_mtime_ns
        db = inbox.open_queue(path)
        inbox.put(db, inbox.QueuedEvent(f"e{number}", "claude", "s", "post-tool-use", "x" * 5_000, number))
        db.close()
        changed += os.stat(path).st_mtime_ns != before
    assert 1 <= changed <= 10


def test_a_log_that_cannot_be_emptied_keeps_no_event_out(path: str) -> None:
    number = 0
    while not inbox.has_long_log(path):
        put(path, number)
        number += 1
    reader = open_reader(path)
    rows(reader, "BEGIN")
    rows(reader, "SELECT count(*) FROM job")
    put(path, number)
    reader.close()
    reader = open_reader(path)
    assert rows(reader, "SELECT count(*) FROM job") == [(number + 1,)]
    reader.close()


def test_who_closes_a_store_last_removes_its_log(path: str) -> None:
    assert not has_log(path)
    writer = open_writer(path)
    rows(writer, "INSERT INTO meta VALUES ('a', 'b')")
    assert has_log(path)
    writer.close()
    assert not has_log(path)
