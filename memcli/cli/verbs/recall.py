"""get, explain, search: what is known about a task."""

from __future__ import annotations

import time

from memcli.cli import output
from memcli.cli.invoke import reading
from memcli.errors import InvalidInput
from memcli.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common
    from memcli.project import Project
    from memcli.recall.pack import Pack

FORMATS = ("prompt", "json", "xml")


@record
class Get:
    """What `mem get` was asked."""

    query: str
    format: str | None = None
    budget: int | None = None
    include_orphans: bool = False
    debug: bool = False


@record
class Explain:
    """What `mem explain` was asked."""

    query: str
    include_orphans: bool = False


@record
class Search:
    """What `mem search` was asked."""

    query: str | None = None
    limit: int = 10
    offset: int = 0
    kind: str | None = None
    thread: str | None = None
    since: str | None = None
    until: str | None = None
    batch: str | None = None


def get(asked: Get, common: Common) -> None:
    """Prints the pack for a task: for people on a terminal, as a prompt when piped, or in the format that was asked for."""
    from memcli.recall import get as recall
    from memcli.recall import render

    if asked.format is not None and asked.format not in FORMATS:
        raise InvalidInput(f"no format {asked.format!r}", f"use {', '.join(FORMATS)}")
    form = "json" if common.json else asked.format
    clock = _Clock(asked.debug)
    query = recall.Query(_text(asked.query), "xml" if form == "xml" else "prompt", asked.budget, asked.include_orphans)

    def work(project: Project) -> tuple[Pack, int]:
        clock.tick("open")
        return recall.get(project, query, clock.tick), project.now

    pack, now = reading(common, work)
    if form == "json":
        output.data(render.as_json(pack))
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
    from memcli.recall import render

    query = recall.Query(_text(asked.query), "prompt", None, asked.include_orphans)
    pack = reading(common, lambda project: recall.get(project, query))
    if common.json:
        return output.data(render.explained(pack))
    from memcli.cli import views

    output.show(views.explained(render.explained(pack)))


def search(asked: Search, common: Common) -> None:
    """Prints matching memories with a snippet each; with --batch, one JSON line a query."""
    if (asked.query is None) == (asked.batch is None):
        raise InvalidInput("nothing to search for", 'give a query, or --batch FILE: mem search "retry queue"')
    reading(common, lambda project: _search(project, asked, common.json))


def _search(project: Project, asked: Search, as_json: bool) -> None:
    from memcli.recall import search as recall

    only = recall.filter_of(project, asked.kind, asked.thread, asked.since, asked.until)
    if asked.batch is not None:
        from memcli.cli.verbs.streams import read_lines

        for line in read_lines(asked.batch):
            output.data(recall.answer_line(project, line, only, asked.limit))
        return
    found = recall.search(project, _text(asked.query or ""), only, asked.limit, asked.offset)
    if as_json:
        return output.data(recall.as_json(found))
    from memcli.cli import views

    output.show(views.found(found, project.now))


def _text(query: str) -> str:
    """Returns a query as typed, or from standard input where it is `-`."""
    if query != "-":
        return query
    from memcli.cli.verbs.streams import read_text

    return read_text("-")
