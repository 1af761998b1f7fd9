"""A service over an empty repository, and a browser."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

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


@pytest.fixture(scope="session")
def _started() -> Iterator[tuple[Browser, Any]]:
    """A browser, and the event loop that runs in this thread as long as it is there."""
    with running() as browser:
        loop = asyncio._get_running_loop()
        yield browser, loop
        asyncio._set_running_loop(loop)


@pytest.fixture(scope="module")
def chromium(_started: tuple[Browser, Any]) -> Iterator[Browser]:
    """The browser. Behind a module that uses it, its event loop is set aside: beside one that runs, no test can run another."""
    browser, loop = _started
    asyncio._set_running_loop(loop)
    yield browser
    asyncio._set_running_loop(None)


@pytest.fixture
def page(chromium: Browser, shared: tuple[Served, Terminal], tmp_path: Path) -> Iterator[Window]:
    """The page of the shared service, not opened yet."""
    with window(chromium, shared[0], tmp_path) as shown:
        yield shown
