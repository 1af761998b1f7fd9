"""The browser in a terminal that is not there: Textual's own pilot presses the keys and reads the screen."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from textual.worker import WorkerCancelled

from memcli.browse.app import BrowseApp
from memcli.browse.calls import Calls
from memcli.browse.lists import PATIENCE
from memcli.operations import Caller
from memcli.project import Where
from tests.conftest import Terminal

_NAMES = {" ": "space", "?": "question_mark", "/": "slash", ".": "full_stop", "-": "minus", "[": "left_square_bracket"}


class Screen:
    """What a person sees and does."""

    def __init__(self, runner: asyncio.Runner, app: BrowseApp, pilot: Any) -> None:
        self._run = runner.run
        self._app = app
        self._pilot = pilot

    def press(self, *keys: str) -> Screen:
        """Presses keys, and waits until all that follows is on the screen."""
        self._run(self._pilot.press(*keys))
        return self.settle()

    def type(self, text: str) -> Screen:
        """Types a text, and waits until it is looked up."""
        self._run(self._pilot.press(*[_NAMES.get(char, char) for char in text]))
        self._run(self._pilot.pause(2 * PATIENCE))
        return self.settle()

    def settle(self) -> Screen:
        """Waits until nothing is on its way."""
        for _ in range(3):  # what one worker brings may start another
            self._run(self._pilot.pause())
            with suppress(WorkerCancelled):  # one that a later one took the place of
                self._run(self._app.workers.wait_for_complete())
        self._run(self._pilot.pause())
        return self

    @property
    def text(self) -> str:
        """What is on the screen, line by line."""
        strips = self._app.screen._compositor.render_strips(self._app.size)
        return "\n".join([strip.text.rstrip() for strip in strips])

    def line(self, words: str) -> str:
        """Returns the first line with these words; fails where there is none."""
        lines = [line for line in self.text.split("\n") if words in line]
        assert lines, f"no line with {words!r} in\n{self.text}"
        return lines[0]

    def picture(self) -> str:
        """The screen as an SVG document."""
        return self._app.export_screenshot()


@contextmanager
def browsing(terminal: Terminal, query: str = "", size: tuple[int, int] = (120, 30)) -> Iterator[Screen]:
    """Starts the browser in a terminal's directory."""
    before = os.getcwd()
    os.chdir(terminal.folder)
    app = BrowseApp(Calls(Caller(Where(), "cli")), query)
    try:
        with asyncio.Runner() as runner:
            manager = app.run_test(size=size)
            pilot = runner.run(manager.__aenter__())
            try:
                yield Screen(runner, app, pilot).settle()
            finally:
                runner.run(manager.__aexit__(None, None, None))
    finally:
        os.chdir(before)
