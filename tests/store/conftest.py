"""A store of its own for every test, and shapes of rows to put into it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memcli import store
from memcli.records import replace
from memcli.store import memories, opening, rows, transaction
from memcli.store.memories import Memory
from memcli.text.analysis import extra_words

BLANK = Memory(
    *(0, "M-0000000000", "general", "note", "title", "summary", "", "", "", None, 0, 0, 1, None, 0, 0, 0, None, "cli"),
    *(None, None, 1, 1),
)


@pytest.fixture
def path(tmp_path: Path) -> str:
    """Where an empty store is."""
    place = str(tmp_path / "memory.db")
    opening.create_store(place, {"writer": "w1", "name": "test"})
    return place


@pytest.fixture
def db(path: str) -> Iterator[store.Connection]:
    """The store, opened for writing; what is written may be lost with the machine, which saves time."""
    opened = opening.open_writer(path)
    rows(opened, "PRAGMA synchronous = OFF")
    yield opened
    opened.close()


@pytest.fixture
def save(db: store.Connection) -> Callable[..., Memory]:
    """Saves one memory that says `text`; its id ends in `number`."""

    def one(number: int, text: str, **more: Any) -> Memory:
        words = extra_words("title", text)
        fields = {"id": f"M-{number:010d}", "summary": text, "words": words, "created_at": number, **more}
        memory = replace(BLANK, **fields)
        with transaction(db):
            memories.save(db, memory)
        found = memories.find(db, memory.id)
        assert found
        return found

    return one


@pytest.fixture(autouse=True)
def _plain_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)
