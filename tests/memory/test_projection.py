"""The log is the truth: the same operations say the same in whatever order they came, and the tables say what the log says."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.errors import MemError
from memcli.memory import entries, history
from memcli.memory.commit import commit
from memcli.memory.entries import Edit, NewMemory
from memcli.memory.projection import Folded, fold, refresh
from memcli.project import Project
from memcli.records import replace
from memcli.store import integrity, opening, oplog, rows, transaction
from memcli.store.oplog import Change, LoggedOperation
from memcli.text import json
from tests import writing
from tests.memory.conftest import Tables
from tests.properties import examples

ANY = settings(max_examples=examples(50), deadline=None, derandomize=True)
OBJECT, OTHER = "M-0000000001", "M-0000000002"
scalars = st.one_of(st.none(), st.booleans(), st.text(max_size=5), st.lists(st.text(max_size=3), max_size=2))
bodies = st.one_of(
    st.tuples(st.just("put"), st.dictionaries(st.sampled_from(["title", "summary", "tags", "pinned", "later"]), scalars)),
    st.tuples(st.sampled_from(["forget", "restore"]), st.just({})),
    st.tuples(st.just("supersede"), st.fixed_dictionaries({"by": st.sampled_from(["M-A", "M-B", "M-C"]), "on": st.booleans()})),
    st.tuples(
        st.just("link"),
        st.fixed_dictionaries(
            {"rel": st.sampled_from(["needs", "file"]), "to": st.sampled_from([OTHER, "a.py"]), "on": st.booleans()}
        ),
    ),
    st.tuples(st.sampled_from(["purge", "lease", "of tomorrow"]), st.dictionaries(st.text(max_size=3), scalars)),
)
clocks = st.tuples(st.integers(1, 4), st.integers(0, 2), st.sampled_from(["wa", "wb", "wc"]))
logs = st.dictionaries(clocks, bodies, max_size=14)


def operations(log: dict[tuple[int, int, str], tuple[str, dict[str, Any]]]) -> list[LoggedOperation]:
    """Operations as other stores wrote them, in the order of the clock."""
    made = []
    for place, ((ms, n, writer), (kind, body)) in enumerate(sorted(log.items(), key=lambda item: item[0])):
        made.append(LoggedOperation(0, f"op{place}", ms, n, writer, kind, OBJECT, json.canonical(body), "cli", "shared", 1))
    return made


def arrived(ops: list[LoggedOperation]) -> list[LoggedOperation]:
    """Stores operations in the order given and returns them as the store hands them out."""
    db = _store()
    rows(db, "DELETE FROM op")
    for place, op in enumerate(ops, 1):
        rows(db, "INSERT INTO op VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (place, *op[1:]))
    return oplog.of_object(db, OBJECT)


@cache
def _store() -> apsw.Connection:
    """A store for every example: to make one takes longer than all that is tried with it."""
    return opening.empty_store()


def said(folded: Folded) -> tuple[Any, ...]:
    standing = {edge: link for edge, link in folded.links.items() if link}
    names = [op and op.id for op in (folded.first, folded.last)]
    return folded.fields, folded.forgotten, folded.superseded_by, standing, names


@ANY
@given(logs, st.randoms(use_true_random=False))
def test_the_order_of_arrival_changes_nothing(log: dict[Any, Any], random: Random) -> None:
    ops = operations(log)
    shuffled = random.sample(ops, len(ops))
    assert said(fold(arrived(shuffled))) == said(fold(ops))


@ANY
@given(logs)
def test_the_same_operations_twice_say_the_same(log: dict[Any, Any]) -> None:
    ops = operations(log)
    assert said(fold([op for op in ops for _ in range(2)])) == said(fold(ops))


@ANY
@given(logs)
def test_what_an_object_says_is_the_last_word_on_each_field_and_edge(log: dict[Any, Any]) -> None:
    ops = operations(log)
    folded = fold(ops)
    fields: dict[str, Any] = {}
    forgotten = False
    for op in ops:
        fields |= json.loads(op.body) if op.kind == "put" else {}
        forgotten = op.kind == "forget" if op.kind in ("forget", "restore") else forgotten
    assert (folded.fields, folded.forgotten) == (fields, forgotten)
    edges = {(body["by"], op.kind): body["on"] for op in ops if op.kind == "supersede" for body in [json.loads(op.body)]}
    assert folded.superseded_by in {by for (by, _), on in edges.items() if on} | ({None} if not any(edges.values()) else set())
    assert folded.first == next((op for op in ops if op.kind == "put"), None)


@ANY
@given(logs)
def test_kinds_nobody_knows_yet_change_nothing(log: dict[Any, Any]) -> None:
    ops = operations(log)
    known = [op for op in ops if op.kind in ("put", "forget", "restore", "supersede", "link")]
    assert said(fold(ops)) == said(fold(known))


def folded(*changes: tuple[str, dict[str, Any]]) -> Folded:
    return fold(operations({(place, 0, "w"): change for place, change in enumerate(changes, 1)}))


def test_an_edge_to_a_successor_stands_until_it_is_taken_back() -> None:
    a, b = {"by": "M-A", "on": True}, {"by": "M-B", "on": True}
    assert folded(("supersede", a)).superseded_by == "M-A"
    assert folded(("supersede", a), ("supersede", {**a, "on": False})).superseded_by is None
    assert folded(("supersede", a), ("supersede", b)).superseded_by == "M-B"
    assert folded(("supersede", a), ("supersede", b), ("supersede", {**b, "on": False})).superseded_by == "M-A"
    assert folded(("supersede", a), ("supersede", b), ("supersede", a)).superseded_by == "M-A"


def test_a_link_stands_until_it_is_taken_back_and_can_be_made_again() -> None:
    on = {"rel": "needs", "to": "M-B", "on": True}
    assert all(folded(("link", on)).links.values())
    assert [*folded(("link", on), ("link", {**on, "on": False})).links.values()] == [None]
    again = [*folded(("link", on), ("link", {**on, "on": False}), ("link", on)).links.values()]
    assert again[0] is not None
    assert again[0].created_at == 3


def test_of_two_writers_at_the_same_moment_the_greater_name_wins() -> None:
    log = {(1, 0, "wa"): ("put", {"title": "a"}), (1, 0, "wb"): ("put", {"title": "b"})}
    ops = operations(log)
    for order in (ops, ops[::-1]):
        assert fold(arrived(order)).fields == {"title": "b"}


def test_a_copied_store_that_writes_under_the_same_name_and_clock_still_folds_alike_everywhere() -> None:
    one, two = (
        LoggedOperation(0, name, 1, 0, "w", "put", OBJECT, json.canonical({"title": name}), "cli", "shared", 1)
        for name in ("op1", "op2")
    )
    assert fold(arrived([one, two])).fields == fold(arrived([two, one])).fields


class Person:
    """Somebody who does one thing after another at random; what is refused is refused."""

    def __init__(self, project: Project, seed: int) -> None:
        self.project, self.random = project, Random(seed)
        self.names: list[str] = []

    def some(self) -> str:
        return self.random.choice(self.names) if self.names else "M-ZZZZZZZZZZ"

    def act(self) -> str:
        verb = self.random.choice(
            ["add", "add", "update", "supersede", "forget", "restore", "pin", "link", "checkpoint", "undo", "undo"]
        )
        try:
            getattr(self, verb)()
        except MemError as refused:
            return f"{verb} {refused.code}"
        return verb

    def add(self) -> None:
        number = self.random.randrange(1000)
        new = NewMemory(
            f"Title {number}", f"camelCase{number} 記憶 {'x ' * self.random.randrange(200)}", tags=(f"t{number % 3}",)
        )
        if self.random.random() < 0.5:
            new = NewMemory(new.title, new.summary, thread=f"thread{number % 4}", kind="decision")
        self.names.append(entries.add(self.project, new, "cli").id)

    def update(self) -> None:
        number = self.random.randrange(1000)
        edit = self.random.choice(
            [Edit(title=f"New {number}"), Edit(thread=f"thread{number % 4}", tags=()), Edit(summary="s", kind="k")]
        )
        writing.update(self.project, self.some(), edit, "cli")

    def supersede(self) -> None:
        edit = Edit(summary=f"now {self.random.randrange(9)}", thread=self.random.choice([None, "thread9"]))
        self.names.append(writing.supersede(self.project, self.some(), edit, "cli")[1].id)

    def forget(self) -> None:
        writing.forget(self.project, self.some(), "cli")

    def restore(self) -> None:
        writing.restore(self.project, self.some(), "cli")

    def pin(self) -> None:
        writing.pin(self.project, self.some(), self.random.random() < 0.6, "cli")

    def link(self) -> None:
        writing.link(self.project, self.some(), self.random.choice(["needs", "see"]), self.some(), "cli")

    def checkpoint(self) -> None:
        writing.checkpoint(self.project, "why", json.canonical({"n": self.random.random(), "open": ["a\nb"]}), "work", "cli")

    def undo(self) -> None:
        history.undo(self.project, "cli")


@pytest.mark.parametrize("seed", range(examples(3)))
def test_the_tables_always_say_what_the_log_says(project: Project, tables: Callable[[], Tables], seed: int) -> None:
    person = Person(project, seed)
    done = set()
    for step in range(90):
        person.project = replace(person.project, now=person.project.now + person.random.choice([0, 0, 1, -5, 60_000]))
        done.add(person.act())
        if step % 10 == 9:
            before = tables()
            with transaction(project.db):
                for name in integrity.everything(project.db):
                    refresh(project, name)
            assert tables() == before
            rows(project.db, "INSERT INTO memory_fts(memory_fts, rank) VALUES ('integrity-check', 1)")
    assert len(done & {"add", "update", "supersede", "forget", "restore", "pin", "link", "checkpoint", "undo"}) > 6


def test_rows_that_were_lost_come_back_from_the_log(project: Project, tables: Callable[[], Tables]) -> None:
    person = Person(project, 1)
    for verb in ("add", "checkpoint", "add", "supersede", "add"):
        getattr(person, verb)()
    one, *_, two = person.names
    writing.link(project, one, "needs", two, "cli")
    writing.forget(project, two, "cli")
    before = tables()
    rows(project.db, "DELETE FROM memory; DELETE FROM memory_link; DELETE FROM thread; DELETE FROM state")
    rows(project.db, "INSERT INTO memory_fts(memory_fts) VALUES ('rebuild')")
    with transaction(project.db):
        for name in integrity.everything(project.db):
            refresh(project, name)
    after = tables()
    assert {name: sorted(row[1:] for row in after[name]) for name in after} == {
        name: sorted(row[1:] for row in before[name]) for name in before
    }


def test_a_decision_that_fails_stores_nothing(project: Project, tables: Callable[[], Tables]) -> None:
    person = Person(project, 2)
    person.add()
    before = (tables(), oplog.revision(project.db))
    with pytest.raises(MemError, match="too large"):
        commit(project, lambda: [Change("put", OTHER, {"title": "x"}), Change("put", OBJECT, {"title": "x" * 70_000})], "cli")
    assert (tables(), oplog.revision(project.db)) == before
