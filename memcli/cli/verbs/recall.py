"""get: what is known about a task."""

from __future__ import annotations

import time

from memcli.cli import output
from memcli.cli.invoke import reading
from memcli.errors import InvalidInput
from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memcli.cli.invoke import Common
    from memcli.project import Project
    from memcli.recall.pack import Pack
    from memcli.recall.semantic import Meaning

FORMATS = ("prompt", "json", "xml")


class Get(Record):
    """What `mem get` was asked."""

    query: str
    format: str | None = None
    budget: int | None = None
    include_orphans: bool = False
    debug: bool = False
    semantic: bool = False


def get(asked: Get, common: Common) -> None:
    """Prints the pack for a task: for people on a terminal, as a prompt when piped, or in the format that was asked for."""
    from memcli.recall import get as recall
    from memcli.recall import render

    if asked.format is not None and asked.format not in FORMATS:
        raise InvalidInput(f"no format {asked.format!r}", f"use {', '.join(FORMATS)}")
    form = "json" if common.json else asked.format
    tick = _ticking(asked.debug)
    text = text_of(asked.query)

    def work(project: Project) -> tuple[Pack, int]:
        tick("open")
        meaning = encoder(project, asked.semantic)(text)
        query = recall.Query(text, "xml" if form == "xml" else "prompt", asked.budget, asked.include_orphans, meaning)
        return recall.get(project, query, tick), project.now

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
    tick("print")


def _ticking(wanted: bool) -> Callable[[str], None]:
    """Returns what is told the end of each stage: where wanted, it says on standard error how long the stage took."""
    last = time.perf_counter()

    def tick(stage: str) -> None:
        nonlocal last
        if wanted:
            at = time.perf_counter()
            output.tell(f"{stage:8} {(at - last) * 1000:7.2f} ms")
            last = at

    return tick


def encoder(project: Project, wanted: bool) -> Callable[[str], Meaning | None]:
    """Returns what makes a vector of a question where meanings are to be compared, and None of any other."""
    if not (wanted or project.config["recall.semantic"]):
        return lambda text: None
    from memcli.cli.verbs.embed import or_words_alone

    return or_words_alone(project)


def text_of(query: str) -> str:
    """Returns a query as typed, or from standard input where it is `-`."""
    if query != "-":
        return query
    from memcli.cli.verbs.streams import read_text

    return read_text("-")
