"""A real project, opened for writing, and what its tables hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memcli.project import Project, Where, open_for_writing
from memcli.store import rows
from tests.conftest import Terminal

Tables = dict[str, list[Any]]


@pytest.fixture
def project(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    """The memory of the terminal's repository; what is written may be lost with the machine, which saves time."""
    monkeypatch.chdir(terminal.folder)
    opened = open_for_writing(Where())
    rows(opened.db, "PRAGMA synchronous = OFF")
    yield opened
    opened.close()


@pytest.fixture
def tables(project: Project) -> Callable[[], Tables]:
    """A function that returns every row of the projections."""

    def read() -> Tables:
        return {
            name: rows(project.db, f"SELECT * FROM {name} ORDER BY 1, 2, 3")
            for name in ("memory", "memory_link", "thread", "state")
        }

    return read
