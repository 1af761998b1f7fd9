"""The log only grows, and its clock only goes forward."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memcli import store
from memcli.errors import InvalidInput
from memcli.store import opening, oplog, transaction
from memcli.store.oplog import MAX_BODY, Change, LoggedOperation

NOW = 1_700_000_000_000


def put(object_id: str = "M-1", **body: object) -> Change:
    return Change("put", object_id, body)


def append(db: store.Connection, *changes: Change, now: int = NOW) -> list[LoggedOperation]:
    with transaction(db):
        return oplog.append(db, changes, "cli", now)


@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 3)), min_size=1, max_size=12))
def test_the_clock_never_goes_back_even_if_the_wall_clock_does(steps: list[tuple[int, int]]) -> None:
    db = opening.empty_store()
    latest = 0
    for at, size in steps:
        written = append(db, *[put(title=str(number)) for number in range(size)], now=NOW + at)
        latest = max(latest, NOW + at)
        assert {op.hlc_ms for op in written} == {latest}
    ops = list(reversed(oplog.latest(db, 1000)))
    clocks = [(op.hlc_ms, op.hlc_n) for op in ops]
    assert clocks == sorted(set(clocks))
    assert oplog.of_object(db, "M-1") == ops
    assert [op.revision for op in ops] == list(range(1, len(ops) + 1))
    assert len({op.id for op in ops}) == len(ops)
    db.close()


def test_a_command_groups_its_operations_under_its_first(db: store.Connection) -> None:
    append(db, put("M-1"))
    written = append(db, put("T-a"), put("M-2"), Change("link", "M-2", {}))
    append(db, put("M-3"))
    assert [op.command for op in written] == [2, 2, 2]
    assert oplog.of_command(db, 2) == written
    assert [op.command for op in oplog.latest(db, 9)] == [5, 2, 2, 2, 1]
    assert oplog.revision(db) == 5


def test_an_operation_says_who_wrote_it_where_and_what(db: store.Connection) -> None:
    (op,) = append(db, put(title="é", b=[1, {"z": 1, "a": None}]))
    assert (op.writer, op.actor, op.kind, op.object, op.vis) == ("w1", "cli", "put", "M-1", "local")
    assert op.body == '{"b":[1,{"a":null,"z":1}],"title":"é"}'
    assert oplog.latest(db, 1) == [op]


def test_names_of_operations_sort_by_age(db: store.Connection) -> None:
    made = [append(db, put(), now=NOW + day * 86_400_000)[0].id for day in range(5)]
    assert made == sorted(made)


@pytest.mark.parametrize("letter", ["x", "é", "記", "\U0001f642", "\n"])
def test_a_body_may_have_just_so_many_bytes(db: store.Connection, letter: str) -> None:
    def size(text: str) -> int:
        return len(json.dumps({"t": text}, ensure_ascii=False, separators=(",", ":")).encode())

    most = (MAX_BODY - size("")) // (size(letter) - size(""))
    fits = letter * most + "x" * (MAX_BODY - size(letter * most))
    assert size(fits) == MAX_BODY
    append(db, put(t=fits))
    with pytest.raises(InvalidInput, match="too large: 65,537 bytes"):
        append(db, put("M-2", t="small"), put("M-2", t=fits + "x"))
    assert oplog.revision(db) == 1


def test_an_empty_log_is_at_zero_and_nothing_appended_leaves_it_there(db: store.Connection) -> None:
    assert append(db) == []
    assert (oplog.revision(db), oplog.latest(db, 5), oplog.of_object(db, "M-1"), oplog.of_command(db, 1)) == (0, [], [], [])


def test_the_newest_operations_come_first_of_all_or_of_one_object(db: store.Connection) -> None:
    append(db, put("M-1"), put("M-2"), put("M-1"))
    assert [op.revision for op in oplog.latest(db, 2)] == [3, 2]
    assert [op.revision for op in oplog.latest(db, 9, "M-1")] == [3, 1]
