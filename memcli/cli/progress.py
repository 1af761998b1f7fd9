"""A bar for work that takes long enough to be watched."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.progress import Progress

from memcli.cli.output import wants_color


class progress:
    """`with progress("import", total) as advance:` shows a bar on standard error; `advance(n)` moves it on."""

    def __init__(self, label: str, total: int) -> None:
        self._bar = Progress(console=Console(stderr=True, no_color=not wants_color()), transient=True)
        self._task = self._bar.add_task(label, total=total)

    def __enter__(self) -> Callable[[int], None]:
        self._bar.start()
        return lambda amount: self._bar.advance(self._task, amount)

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._bar.stop()
