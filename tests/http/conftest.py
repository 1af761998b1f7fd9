"""A service over an empty repository, and a browser."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import PERSON, STRANGERS, Terminal
from tests.http.browser import Window, running, window
from tests.http.served import Served, serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture
def served(terminal: Terminal) -> Iterator[Served]:
    """A service that stands for the terminal's repository."""
    with serving(terminal) as service:
        yield service


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Terminal]]:
    """One service for tests that leave nothing behind that another one would see."""
    base = tmp_path_factory.mktemp("shared")
    for name in ("home", "work"):
        (base / name).mkdir()
    places = {"HOME": "home", "MEMPACK_DATA_DIR": "data", "MEMPACK_CONFIG_DIR": "config"}
    plain = {name: value for name, value in os.environ.items() if not name.startswith(STRANGERS)}
    own = {name: str(base / folder) for name, folder in places.items()}
    settings = {"MEMPACK_CLOCK": "2026-03-01T12:00:00Z", "MEMPACK_CAPTURE_WORKER": "off", "GIT_CONFIG_NOSYSTEM": "1"}
    terminal = Terminal(base / "work", {**plain, **own, **settings, **PERSON, "PYTHONPATH": os.getcwd()}, None)
    for words in (["init", "-q", "-b", "main", "."], ["commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run(["git", *words], cwd=terminal.folder, env=terminal.env, check=True)
    with serving(terminal) as service:
        yield service, terminal


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for the tests of a module. Not for longer: while it is there an event loop runs, beside which no other can."""
    with running() as browser:
        yield browser


@pytest.fixture
def page(chromium: Browser, shared: tuple[Served, Terminal], tmp_path: Path) -> Iterator[Window]:
    """The page of the shared service, not opened yet."""
    with window(chromium, shared[0], tmp_path) as shown:
        yield shown
