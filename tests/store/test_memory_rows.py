"""Rows and the text index beside them stay in step, whatever is done in whatever order; any SQLite can read them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from memcli import store
from memcli.records import replace
from memcli.store import chunks, graph, listing, memories, opening, rows, transaction, trees
from memcli.store.chunks import Chunk
from memcli.store.graph import Link
from memcli.store.listing import MemoryFilter
from memcli.store.memories import Memory
from memcli.text.analysis import extra_words
from tests.properties import examples
from tests.store.conftest import BLANK

said = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
numbers = st.integers(0, 5)
Save = Callable[..., Memory]


def check(db: store.Connection, index: str = "memory_fts") -> None:
    """Raises unless every entry of the index says what the table says."""
    rows(db, f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)")


def matching(db: store.Connection, word: str) -> list[str]:
    sql = "SELECT id FROM memory WHERE n IN (SELECT rowid FROM memory_fts WHERE memory_fts MATCH ?) ORDER BY id"
    return [row[0] for row in rows(db, sql, (f'"{word}"',))]


class Rows(RuleBasedStateMachine):
    """Memories saved, changed, forgotten, brought back and removed at random; the model is a dictionary."""

    def __init__(self) -> None:
        super().__init__()
        self.db = opening.empty_store()
        self.live: dict[str, Memory] = {}

    @rule(number=numbers, title=said, summary=said, tags=said, forgotten=st.integers(0, 1))
    def save(self, number: int, title: str, summary: str, tags: str, forgotten: int) -> None:
        name = f"M-{number:010d}"
        words = extra_words(title, summary, tags)
        memory = replace(
            BLANK, id=name, title=f"{title} word{number}", summary=summary, tags=tags, words=words, forgotten=forgotten
        )
        memories.save(self.db, memory)
        self.live[name] = memory

    @rule(number=numbers, forgotten=st.integers(0, 1))
    def turn(self, number: int, forgotten: int) -> None:
        old = memories.find(self.db, f"M-{number:010d}")
        if old:
            memories.save(self.db, replace(old, forgotten=forgotten))
            self.live[old.id] = replace(self.live[old.id], forgotten=forgotten)

    @rule(number=numbers)
    def remove(self, number: int) -> None:
        memories.remove(self.db, f"M-{number:010d}")
        self.live.pop(f"M-{number:010d}", None)

    @invariant()
    def the_index_says_what_the_rows_say(self) -> None:
        check(self.db)
        shown = {name for name, memory in self.live.items() if not memory.forgotten}
        for number in range(6):
            name = f"M-{number:010d}"
            assert matching(self.db, f"word{number}") == ([name] if name in shown else [])
            found = memories.find(self.db, name)
            assert (found and replace(found, n=0)) == self.live.get(name)
        assert memories.count(self.db) == len(shown)

    def teardown(self) -> None:
        self.db.close()


def test_the_index_stays_in_step_through_every_change() -> None:
    run_state_machine_as_test(
        Rows, settings=settings(max_examples=examples(20), stateful_step_count=25, deadline=None, derandomize=True)
    )


def chunk(number: int, text: str) -> Chunk:
    return Chunk(0, f"C-{number:010d}", f"src/f{number}.py", 1, 9, f"work{number}", "general", "t", text, "", 0, 0, 1, 1, 1)


def test_the_index_of_chunks_stays_in_step(db: store.Connection) -> None:
    random = Random(3)
    there: dict[str, Chunk] = {}
    for step in range(120):
        name = f"C-{random.randrange(8):010d}"
        with transaction(db):
            if name in there:
                chunks.remove(db, there.pop(name))
            else:
                trees.add_chunks(db, [chunk(int(name[2:]), f"line{step}\nwéird \U0001f642 x" * random.randrange(4))[1:]])
                (there[name],) = chunks.by_prefix(db, name, 2)
            check(db, "chunk_fts")
    assert rows(db, "SELECT count(*) FROM chunk WHERE NOT hidden")[0][0] == len(there)


def test_the_check_itself_notices_an_index_out_of_step(db: store.Connection, save: Save) -> None:
    save(1, "zebra")
    rows(db, "UPDATE memory SET summary = 'lion'")
    with pytest.raises(store.Error):
        check(db)


def test_saving_again_keeps_the_row_number(db: store.Connection, save: Save) -> None:
    save(1, "one"), save(2, "two")
    assert [save(1, "changed").n, save(2, "two again").n, save(3, "three").n] == [1, 2, 3]
    assert save(1, "hidden", forgotten=1).n == 1
    assert save(1, "back").n == 1


def test_another_sqlite_reads_checks_and_searches_the_store(path: str, db: store.Connection, save: Save) -> None:
    for number in range(20):
        save(number, f"the zebra sleeps {number} getUserId 記憶", forgotten=number % 2)
    with transaction(db):
        trees.add_chunks(db, [chunk(1, "def zebra(): pass")[1:]])
    db.close()
    other = sqlite3.connect(path)
    assert other.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    for index in ("memory_fts", "chunk_fts"):
        other.execute(f"INSERT INTO {index}({index}, rank) VALUES ('integrity-check', 1)")
    for word, found in (("sleeping", 10), ("user", 10), ("記憶", 10), ("lion", 0)):
        assert other.execute("SELECT count(*) FROM memory_fts WHERE memory_fts MATCH ?", (word,)).fetchone() == (found,)
    assert (
        other.execute("SELECT snippet(memory_fts, 1, '[', ']', '', 9) FROM memory_fts('zebra')").fetchone()[0].count("[zebra]")
        == 1
    )
    other.close()


@pytest.mark.parametrize(
    "text", ["'; DROP TABLE memory; --", 'a "quoted" NEAR(b)', "\x1b[31m\u202e\ufeff", "𝒳" * 1000, "a\r\nb\tc"]
)
def test_a_text_comes_back_exactly_as_it_was_saved(db: store.Connection, save: Save, text: str) -> None:
    assert save(1, text, title=text, tags=text, source_id=text).summary == text
    found = memories.by_source(db, text)
    assert found
    assert (found.title, found.tags, found.source_id) == (text, text, text)


def ids(found: list[Any]) -> list[int]:
    return [int(one.id[2:]) for one in found]


def test_recent_memories_come_newest_first_without_the_forgotten(db: store.Connection, save: Save) -> None:
    for number, thread in enumerate(["a", "b", "a", "b", "a"]):
        save(number, "x", thread=thread, forgotten=int(number == 2), created_at=number // 2)
    assert ids(listing.page(db, MemoryFilter(limit=9))) == [4, 3, 1, 0]
    assert ids(listing.page(db, MemoryFilter(thread="a", limit=9))) == [4, 0]
    assert ids(listing.page(db, MemoryFilter(limit=1))) == [4]
    assert ids(memories.everything(db, 1, 2)) == [1, 3]


def test_a_prefix_finds_ids_and_nothing_else(db: store.Connection, save: Save) -> None:
    save(10, "x"), save(11, "x"), save(2, "x", forgotten=1)
    assert ids(memories.by_prefix(db, "M-00000000", 9)) == [2, 10, 11]
    assert ids(memories.by_prefix(db, "M-000000001", 9)) == [10, 11]
    assert memories.by_prefix(db, "M-%", 9) == memories.by_prefix(db, "M-0_", 9) == []


def test_links_are_replaced_as_a_whole(db: store.Connection) -> None:
    one, two = Link("M-1", "needs", "M-2", None, 5), Link("M-1", "file", "a.py", "cafe", 6)
    graph.save_links(db, "M-1", [one, two])
    assert graph.links_from(db, "M-1") == [two, one]
    assert graph.links_to(db, "M-2") == [one]
    graph.save_links(db, "M-1", [two])
    assert (graph.links_from(db, "M-1"), graph.links_to(db, "M-2")) == ([two], [])


def test_threads_count_their_live_memories(db: store.Connection, save: Save) -> None:
    for name in ("b", "a"):
        graph.save_thread(db, name, name, 1)
    save(1, "x", thread="a"), save(2, "x", thread="a", forgotten=1)
    assert [(one.id, one.memory_count) for one in graph.threads(db)] == [("a", 1), ("b", 0)]
    graph.remove_thread(db, "b")
    assert (graph.thread(db, "b"), graph.thread_exists(db, "a")) == (None, True)
