"""Checks that passed, as hooks saw them: the last ones, read by an index of their own."""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import pytest

from memcli.records import replace
from memcli.store import memories, rows
from memcli.store.opening import open_writer
from tests.store.conftest import BLANK

CHECK, OTHER = "Ran tests\n- `pytest -q` passed", "Read a file"


@pytest.fixture
def db(path: str) -> Iterator[apsw.Connection]:
    connection = open_writer(path)
    rows(connection, "PRAGMA synchronous = OFF")
    yield connection
    connection.close()


def save(db: apsw.Connection, number: int, summary: str, session: int = 1, origin: str = "hook", kind: str = "note") -> None:
    memory = replace(
        BLANK,
        id=f"M-{number:010d}",
        summary=summary,
        session=session,
        origin=origin,
        kind=kind,
        created_at=number,
        updated_at=number,
    )
    memories.save(db, memory)


def test_only_what_hooks_saw_pass_in_other_sessions_counts_newest_first(db: apsw.Connection) -> None:
    save(db, 1, CHECK)
    save(db, 2, OTHER)
    save(db, 3, CHECK, origin="cli")
    save(db, 4, CHECK, kind="summary")
    save(db, 5, CHECK, session=9)
    save(db, 6, CHECK, origin="api")
    assert [at for _, at in memories.passed_checks(db, 9)] == [6, 1]


def test_it_is_looked_for_among_the_last_thousand_but_those_of_the_session(db: apsw.Connection) -> None:
    rows(db, "BEGIN")
    for number in range(1, 1_004):
        save(db, number, CHECK if number <= 3 else OTHER)
    save(db, 1_004, OTHER, session=9)
    rows(db, "COMMIT")
    assert memories.passed_checks(db, 9) == []
    assert [at for _, at in memories.passed_checks(db, 8)] == []
    save(db, 1_005, CHECK)
    rows(db, "UPDATE memory SET forgotten = 1 WHERE created_at > 900 AND created_at < 1004")
    assert [at for _, at in memories.passed_checks(db, 9)] == [1_005, 3, 2, 1]


def test_rows_of_anything_else_are_not_looked_up(db: apsw.Connection) -> None:
    steps: list[str] = []

    def trace(cursor: apsw.Cursor, sql: str, values: object) -> bool:
        plan = cursor.connection.cursor()
        plan.set_exec_trace(None)
        steps.extend(row[3] for row in plan.execute(f"EXPLAIN QUERY PLAN {sql}", values))  # type: ignore[arg-type]
        return True

    db.set_exec_trace(trace)
    memories.passed_checks(db, 1)
    db.set_exec_trace(None)
    assert "SEARCH memory USING INDEX memory_passed (created_at>?)" in steps
    others = [step for step in steps if "memory_passed" not in step and "memory" in step]
    assert len(others) == 2
    assert "SCAN memory USING COVERING INDEX memory_by_time" in others
