"""A progress bar for work that takes long enough to watch: how far it is, how fast, and how much time is left."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from memcli.cli.output import wants_color


class progress:
    """`with progress("import", total, "bytes") as bar:` shows a bar on standard error; `bar(n)` moves it on, `bar.at(done, of)`
    sets it. `total` None: not known yet."""

    def __init__(self, label: str, total: int | None, unit: str = "") -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), _Rate(unit), TimeRemainingColumn())
        self._bar = Progress(*columns, console=Console(stderr=True, no_color=not wants_color()), transient=True)
        self._task = self._bar.add_task(label, total=total)

    def __enter__(self) -> progress:
        self._bar.start()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self._bar.stop()

    def __call__(self, amount: int) -> None:
        self._bar.advance(self._task, amount)

    def at(self, done: int, total: int) -> None:
        """Sets how much is done, of how much."""
        self._bar.update(self._task, completed=done, total=total)


class _Rate(ProgressColumn):
    """How much is done per second."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        super().__init__()

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f} {self._unit}".strip() + "/s", style="dim")
