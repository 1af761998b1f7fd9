"""get, explain: what is known about a task."""

from __future__ import annotations

import time

from memcli.cli import output
from memcli.cli.invoke import reading
from memcli.errors import InvalidInput
from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.project import Project
    from memcli.recall.pack import Pack

FORMATS = ("prompt", "json", "xml")


class Get(Record):
    """What `mem get` was asked."""

    query: str
    format: str | None = None
    budget: int | None = None
    include_orphans: bool = False
    debug: bool = False


class Explain(Record):
    """What `mem explain` was asked."""

    query: str
    include_orphans: bool = False


def get(asked: Get, common: Common) -> None:
    """Prints the pack for a task: for people on a terminal, as a prompt when piped, or in the format that was asked for."""
    from memcli.recall import get as recall
    from memcli.recall import render

    if asked.format is not None and asked.format not in FORMATS:
        raise InvalidInput(f"no format {asked.format!r}", f"use {', '.join(FORMATS)}")
    form = "json" if common.json else asked.format
    clock = _Clock(asked.debug)
    query = recall.Query(text_of(asked.query), "xml" if form == "xml" else "prompt", asked.budget, asked.include_orphans)

    def work(project: Project) -> tuple[Pack, int]:
        clock.tick("open")
        return recall.get(project, query, clock.tick), project.now

    pack, now = reading(common, work)
    if form == "json":
        from memcli.recall import report

        output.data(report.as_json(pack))
    elif form == "xml":
        output.show(render.as_xml(pack))
    elif form is None and output.is_terminal():
        from memcli.cli import views

        output.show(views.pack(pack, now))
    else:
        output.show(render.prompt(pack))
    clock.tick("print")


class _Clock:
    """Tells how long each stage took, on standard error, where that was asked for."""

    def __init__(self, wanted: bool) -> None:
        self.wanted = wanted
        self.last = time.perf_counter()

    def tick(self, stage: str) -> None:
        """Ends a stage."""
        if self.wanted:
            at = time.perf_counter()
            output.tell(f"{stage:8} {(at - self.last) * 1000:7.2f} ms")
            self.last = at


def explain(asked: Explain, common: Common) -> None:
    """Prints every candidate with the features its score is made of and what became of it."""
    from memcli.recall import get as recall
    from memcli.recall import report

    query = recall.Query(text_of(asked.query), "prompt", None, asked.include_orphans)
    pack = reading(common, lambda project: recall.get(project, query))
    if common.json:
        return output.data(report.explained(pack))
    from memcli.cli import views

    output.show(views.explained(report.explained(pack)))


def text_of(query: str) -> str:
    """Returns a query as typed, or from standard input where it is `-`."""
    if query != "-":
        return query
    from memcli.cli.verbs.streams import read_text

    return read_text("-")
