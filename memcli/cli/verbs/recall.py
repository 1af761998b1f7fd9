"""get: what is known about a task."""

from __future__ import annotations

import time

from memcli import fields
from memcli.cli import output
from memcli.cli.invoke import reading
from memcli.errors import InvalidInput
from memcli.fields import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memcli.cli.invoke import Common
    from memcli.project import Project
    from memcli.recall.pack import Pack
    from memcli.recall.semantic import QueryVector

FORMATS = ("prompt", "json", "xml")


class GetOptions(Request):
    """The options of `mem get`."""

    query: str = fields.text("The task or question, in any words; - reads standard input.", metavar="QUERY")
    format: str | None = fields.text("The output format.", default=None, metavar="prompt|json|xml")
    budget: int | None = fields.number("The maximum number of tokens printed.", default=None)
    max_bytes: int | None = fields.number("The maximum number of bytes printed.", default=None)
    harness: str | None = fields.text(
        "Fit a prompt of claude, codex, gemini, copilot or cursor.", default=None, metavar="HARNESS", flag="--for"
    )
    include_orphans: bool = fields.flag("Include memories of commits that HEAD cannot reach.", default=False)
    debug: bool = fields.flag("Print timings on standard error.", default=False)
    semantic: bool = fields.flag("Also compare meanings; see mem embed.", default=False)


def get(request: GetOptions, common: Common) -> None:
    """Prints the pack for a task: as a prompt when piped or capped, for people on a terminal, or in the format asked for."""
    from memcli.recall import get as recall

    if request.format is not None and request.format not in FORMATS:
        raise InvalidInput(f"no format {request.format!r}", f"use {', '.join(FORMATS)}")
    form = "json" if common.json else request.format
    tick = _ticking(request.debug)
    max_bytes, max_tokens = _caps(request)
    question = text_of(request.query)

    def work(project: Project) -> tuple[Pack, int]:
        tick("open")
        budget = project.config["budget.total"] if request.budget is None else request.budget
        budget = budget if max_tokens is None else min(budget, max_tokens)
        meaning = encoder(project, request.semantic)(question)
        query = recall.Query(question, "xml" if form == "xml" else "prompt", budget, request.include_orphans, max_bytes, meaning)
        return recall.get(project, query, tick), project.now

    pack, now = reading(common, work)
    if form == "json":
        from memcli.recall import report

        output.data(report.as_json(pack))
    elif form is None and max_bytes is None and output.is_terminal():
        from memcli.cli import views

        output.show(views.pack(pack, now))
    else:
        output.show(pack.text)
    if pack.left_out and not pack.items and any(why == "budget" for _, why in pack.left_out):
        count = len(pack.left_out)
        output.tell(f"{count} {'memory matches' if count == 1 else 'memories match'}, but none fits: give a larger budget")
    tick("print")


def _caps(request: GetOptions) -> tuple[int | None, int | None]:
    """Returns the most bytes and tokens that the options leave, None: any number; of two caps the smaller one holds."""
    if request.harness is None:
        return request.max_bytes, None
    from memcli.agents.adapters import context_limits

    most, tokens = context_limits(request.harness)
    return (most if request.max_bytes is None else min(most, request.max_bytes)), tokens


def _ticking(enabled: bool) -> Callable[[str], None]:
    """Returns what is told the end of each stage: where wanted, it says on standard error how long the stage took."""
    last = time.perf_counter()

    def tick(stage: str) -> None:
        nonlocal last
        if enabled:
            at = time.perf_counter()
            output.tell(f"{stage:8} {(at - last) * 1000:7.2f} ms")
            last = at

    return tick


def encoder(project: Project, enabled: bool) -> Callable[[str], QueryVector | None]:
    """Returns what makes a vector of a question where meanings are to be compared, and None of any other."""
    if not (enabled or project.config["recall.semantic"]):
        return lambda text: None
    from memcli.cli.verbs.embed import or_words_alone

    return or_words_alone(project)


def text_of(query: str) -> str:
    """Returns a query as typed, or from standard input where it is `-`."""
    if query != "-":
        return query
    from memcli.cli.verbs.streams import read_text

    return read_text("-")
