"""What every prompt and every event asks of a store reads no whole table: a year of work must not slow it down."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from memcli import store
from memcli.project import Where, open_for_writing
from memcli.store import opening, rows
from tests.agents.worker.events import EDIT, START, Events
from tests.conftest import Terminal

sys.path.insert(0, str(Path(__file__).parents[3] / "scripts"))
from _bench_year import Year

GROWING = ("memory", "op", "prompt", "memory_link", "session", "job", "anchor")
# Indexes over a few rows, and those that are read from one end no further than is printed or asked for.
SMALL = (
    "memory_written",
    "anchor_due",
    "memory_waiting",
    "passage_waiting",
    "memory_pinned",
    "memory_summaries",
    "memory_by_time",
    "op_by_clock",
    "session_by_time",
)


@pytest.fixture
def old_store(terminal: Terminal, events: Events) -> Events:
    """A store in which agents worked for days; plans are the same after a year, as SQLite knows no sizes of tables."""
    db = opening.open_writer(str(terminal.store))
    rows(db, "PRAGMA synchronous = OFF")
    Year(db, START, days=4).fill()
    store.set_meta(db, "compacted", str(START))  # what is done once a day reads all there is
    db.close()
    return events


def steps_of(plan: list[tuple[int, int, int, str]]) -> list[str]:
    """Returns the steps of a plan, those that run once for each row of another one marked as such."""
    text, parent = {row[0]: row[3] for row in plan}, {row[0]: row[1] for row in plan}

    def repeats(step: int) -> bool:
        return step in parent and ("CORRELATED" in text[step] or repeats(parent[step]))

    return [f"{line} for each row" if repeats(step) else line for step, line in text.items()]


@contextmanager
def plans() -> Iterator[dict[str, list[str]]]:
    """Collects how SQLite runs each statement of every connection that is opened meanwhile: statement -> steps."""
    steps: dict[str, list[str]] = {}

    def trace(cursor: apsw.Cursor, sql: str, values: Any) -> bool:
        if sql not in steps and sql.lstrip()[:6] in ("SELECT", "INSERT", "UPDATE", "DELETE"):
            steps[sql] = []
            explain = cursor.connection.cursor()
            explain.set_exec_trace(None)
            steps[sql] = steps_of(explain.execute(f"EXPLAIN QUERY PLAN {sql}", values).fetchall())
        return True

    def hook(connection: apsw.Connection) -> None:
        connection.set_exec_trace(trace)

    apsw.connection_hooks.append(hook)
    try:
        yield steps
    finally:
        apsw.connection_hooks.remove(hook)


def scans(steps: dict[str, list[str]]) -> list[tuple[str, str]]:
    """Returns (step, statement) of each step that reads a growing table from end to end."""
    return [
        (step, " ".join(sql.split()))
        for sql, of_sql in steps.items()
        for step in of_sql
        if step.startswith("SCAN ") and step.split()[1] in GROWING and step.split()[-1] not in SMALL
        if not sql.rstrip().endswith("DESC LIMIT 1")
    ]


def test_a_worker_reads_no_whole_table_for_an_event(old_store: Events) -> None:
    with plans() as steps:
        old_store.put("session-start", source="startup")
        old_store.prompt("Fix the login timeout bug")
        old_store.tool("Edit", EDIT)
        old_store.shell("pytest -q", "1 passed")
        old_store.stop("The timeout is 30 seconds now.")
        old_store.end()
        assert old_store.work() == 6
    assert len(steps) > 40
    assert scans(steps) == []


@pytest.mark.parametrize(
    "words",
    [
        ("get", "retry budget of the importer"),
        ("get", "retry budget of the importer", "--format", "json"),
        ("turn", "prepare", "--session", "s1"),
        ("recent",),
        ("search", "retry budget"),
        ("add", "Five attempts", "--summary", "as the vendor says"),
    ],
)
def test_a_command_reads_no_whole_table(old_store: Events, words: tuple[str, ...]) -> None:
    with plans() as steps:
        old_store.terminal.mem(*words)
    assert scans(steps) == []


def test_what_a_worker_looks_after_between_events_reads_no_whole_table(old_store: Events) -> None:
    from memcli.agents.capture import upkeep

    with plans() as steps:
        project = open_for_writing(Where(repo=str(old_store.terminal.folder)))
        upkeep.run(project, 30_000)
        project.close()
    assert scans(steps) == []


@pytest.mark.parametrize("event", ["session-start", "user-prompt", "pre-tool-use", "post-tool-use", "stop"])
def test_a_hook_reads_no_whole_table(old_store: Events, event: str) -> None:
    payload = {"session_id": "s1", "cwd": str(old_store.terminal.folder), "prompt": "What is the retry budget of the importer?"}
    call = {"tool_name": "Edit", "tool_input": {"file_path": "src/queue_7.py"}, "tool_use_id": "1", "tool_response": "ok"}
    with plans() as steps:
        for number in (1, 2):
            body = json.dumps({**payload, **call, "prompt_id": str(number), "last_assistant_message": "It is five."})
            old_store.terminal.mem("hook", event, "--harness", "claude", stdin=body)
    assert scans(steps) == []


def test_the_indexes_of_what_was_said_and_seen_stay_in_few_segments(events: Events) -> None:
    for number in range(40):
        events.put("user-prompt", prompt=f"Fix the login timeout bug number {number}", session=f"s{number}")
        events.stop(f"The timeout of number {number} is 30 seconds now, because the vendor says so.")
        events.work()
    db = opening.open_reader(str(events.terminal.store))
    segments = [rows(db, f"SELECT count(DISTINCT segid) FROM {table}_fts_idx")[0][0] for table in ("memory", "passage")]
    db.close()
    assert max(segments) <= 8
