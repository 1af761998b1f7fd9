"""Undo takes the last command back as a whole: afterwards the tables say what they said before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memcli.errors import NotFound
from memcli.memory import entries, find_memory, history
from memcli.memory.entries import Edit, NewMemory
from memcli.project import Project
from memcli.records import replace
from memcli.store import graph, listing, oplog, rows
from memcli.store.listing import MemoryFilter
from memcli.store.memories import Memory
from tests import writing
from tests.conftest import Terminal
from tests.memory.conftest import Tables

Read = Callable[[], Tables]
CHANGING = ("revision", "updated_at")  # every operation moves these, an undo as well


@pytest.fixture
def first(project: Project) -> Memory:
    """A memory that is there before what is taken back."""
    return entries.add(project, NewMemory("First zebra", "it was there", thread="old", tags=("a", "b")), "cli")


@pytest.fixture
def second(project: Project, first: Memory) -> Memory:
    """Another one."""
    return entries.add(project, NewMemory("Second lion", "and this"), "cli")


def compared(found: Tables) -> Tables:
    """The rows that undo must bring back: what it forgot stays in the table, hidden from everything."""
    places = [place for place, name in enumerate(Memory._fields) if name not in CHANGING]  # type: ignore[attr-defined]
    hidden = Memory._fields.index("forgotten")  # type: ignore[attr-defined]
    live = [[row[place] for place in places] for row in found["memory"] if not row[hidden]]
    return {**found, "memory": live}


def undo(project: Project) -> list[Any]:
    return history.undo(replace(project, now=project.now + 60_000), "cli")[0]


COMMANDS: dict[str, Callable[[Project, Memory, Memory], object]] = {
    "add": lambda project, one, two: entries.add(project, NewMemory("Third", "new"), "cli"),
    "add to a new thread": lambda project, one, two: entries.add(project, NewMemory("Third", "new", thread="fresh"), "cli"),
    "add with a file": lambda project, one, two: entries.add(project, NewMemory("Third", "new", files=("a.txt",)), "cli"),
    "update": lambda project, one, two: writing.update(project, one.id, Edit(title="Other", tags=(), summary="changed"), "cli"),
    "update to a new thread": lambda project, one, two: writing.update(project, one.id, Edit(thread="fresh", kind="fact"), "cli"),
    "supersede": lambda project, one, two: writing.supersede(project, one.id, Edit(summary="now this", thread="fresh"), "cli"),
    "forget": lambda project, one, two: writing.forget(project, one.id, "cli"),
    "pin": lambda project, one, two: writing.pin(project, one.id, True, "cli"),
    "link": lambda project, one, two: writing.link(project, one.id, "needs", two.id, "cli"),
    "link to the web": lambda project, one, two: writing.link(project, one.id, "see", "https://example.org/", "cli"),
    "checkpoint": lambda project, one, two: writing.checkpoint(project, "why", '{"a": 1}', "fresh", "cli"),
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_undo_brings_back_what_was(
    project: Project, first: Memory, second: Memory, tables: Read, terminal: Terminal, command: Callable[..., object]
) -> None:
    (terminal.folder / "a.txt").write_text("text")
    before = compared(tables())
    command(project, first, second)
    assert compared(tables()) != before
    undo(project)
    assert compared(tables()) == before
    rows(project.db, "INSERT INTO memory_fts(memory_fts, rank) VALUES ('integrity-check', 1)")


def test_undo_of_a_restore_forgets_again(project: Project, first: Memory, tables: Read) -> None:
    writing.forget(project, first.id, "cli")
    before = compared(tables())
    writing.restore(project, first.id, "cli")
    undo(project)
    assert compared(tables()) == before


def test_undo_of_an_unpin_pins_again(project: Project, first: Memory, tables: Read) -> None:
    writing.pin(project, first.id, True, "cli")
    before = compared(tables())
    writing.pin(project, first.id, False, "cli")
    undo(project)
    assert compared(tables()) == before


def test_undo_of_a_second_checkpoint_brings_the_first_back(project: Project, first: Memory, tables: Read) -> None:
    writing.checkpoint(project, "why", '{"a": 1}', None, "cli")
    before = compared(tables())
    writing.checkpoint(project, "again", '{"a": 2}', None, "cli")
    undo(project)
    assert compared(tables()) == before


def test_each_undo_takes_back_the_command_before(project: Project, first: Memory, second: Memory, tables: Read) -> None:
    steps = [compared(tables())]
    for name in ("update", "link", "supersede", "add to a new thread", "checkpoint"):
        project = replace(project, now=project.now + 1000)
        COMMANDS[name](project, first, second)
        steps.append(compared(tables()))
    for expected in reversed(steps[:-1]):
        undo(project)
        assert compared(tables()) == expected


def test_the_log_only_grows(project: Project, first: Memory) -> None:
    length = oplog.revision(project.db)
    taken = undo(project)
    assert [op.kind for op in taken] == ["put", "put"]
    assert [op.object for op in taken] == ["T-old", first.id]
    assert oplog.revision(project.db) > length
    assert oplog.of_command(project.db, taken[0].command) == taken


def test_undo_of_an_add_hides_the_memory_and_restore_brings_it_back(project: Project, first: Memory) -> None:
    undo(project)
    with pytest.raises(NotFound):
        find_memory(project, first.id)
    assert listing.page(project.db, MemoryFilter(limit=5)) == []
    assert writing.restore(project, first.id, "cli").title == first.title


def test_a_thread_that_was_undone_comes_back_with_its_next_memory(project: Project) -> None:
    entries.add(project, NewMemory("One", "x", thread="fresh"), "cli")
    undo(project)
    assert graph.thread(project.db, "fresh") is None
    entries.add(project, NewMemory("Two", "x", thread="fresh"), "cli")
    found = graph.thread(project.db, "fresh")
    assert found
    assert found.memory_count == 1


def test_a_restored_memory_has_its_thread(project: Project) -> None:
    made = entries.add(project, NewMemory("One", "x", thread="fresh"), "cli")
    undo(project)
    writing.restore(project, made.id, "cli")
    assert graph.thread(project.db, "fresh") is not None


def test_with_nothing_left_undo_says_so_and_stores_nothing(project: Project, first: Memory) -> None:
    undo(project)
    length = oplog.revision(project.db)
    with pytest.raises(NotFound, match="nothing to undo"):
        undo(project)
    assert oplog.revision(project.db) == length


def test_what_was_done_after_an_undo_can_be_undone(project: Project, first: Memory, tables: Read) -> None:
    writing.update(project, first.id, Edit(title="One"), "cli")
    undo(project)
    before = compared(tables())
    writing.update(project, first.id, Edit(title="Two"), "cli")
    undo(project)
    assert compared(tables()) == before
    undo(project)
    assert compared(tables())["memory"] == []


def test_undo_names_the_command_it_took_back_only_once(project: Project, first: Memory) -> None:
    for title in ("One", "Two", "Three"):
        writing.update(project, first.id, Edit(title=title), "cli")
    assert [undo(project)[0].body for _ in range(3)] == ['{"title":"Three"}', '{"title":"Two"}', '{"title":"One"}']
    assert find_memory(project, first.id).title == "First zebra"
