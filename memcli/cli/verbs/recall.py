"""get, explain, search: ask for what is known, and print it."""

from __future__ import annotations

from memcli import fields, operations, validity
from memcli.cli import output
from memcli.cli.invoke import answer, invite, reading, show
from memcli.errors import InvalidInput
from memcli.operations.recall import GetRequest, SearchRequest
from memcli.records import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from memcli.cli.invoke import Common
    from memcli.models import Unavailable
    from memcli.operations.recall import ExplainRequest, Packed
    from memcli.project import Project
    from memcli.recall.pack import Pack
    from memcli.recall.semantic import QueryVector


class GetOptions(GetRequest):
    """A task, and whether timings are printed."""

    debug: bool = fields.flag("Print timings on standard error.", default=False)


class SearchOptions(SearchRequest):
    """Words, or a file with queries."""

    batch: str | None = fields.text('A file with one {"id","text"} per line.', default=None, metavar="FILE")


def get(request: GetOptions, common: Common) -> None:
    """Prints the pack for a task: as a prompt when piped or capped, for people on a terminal, or in the format asked for."""
    request = replace(request, query=_text(request.query), format="json" if common.json else request.format)
    tick = _ticking(request.debug)

    def work(project: Project) -> Packed:
        tick("open")
        packed: Packed = operations.load("get").read(project, request, tick)  # type: ignore[misc]
        if packed.pack.orphans and not common.json:
            _warn_of_lost(project, packed.pack)
        if request.format != "json":
            invite(project)
        return packed

    result = reading(common, work)
    _warn(result.problem)
    pack = result.pack
    if request.format == "json":
        output.data(result.answer())
    elif request.format is None and pack.query.max_bytes is None and output.is_terminal():
        from memcli.cli import pack_views

        output.show(pack_views.pack(pack, result.now))
    else:
        output.show(pack.text)
    if pack.left_out and not pack.items and any(why == "budget" for _, why in pack.left_out):
        count = len(pack.left_out)
        output.tell(f"{count} {'memory matches' if count == 1 else 'memories match'}, but none fits: give a larger budget")
    tick("print")


def _warn_of_lost(project: Project, pack: Pack) -> None:
    """Warns of a rewritten history if most matches are on commits that are gone."""
    if count := validity.count_lost(project, pack.orphans, pack.orphans + len(pack.items)):
        output.tell(
            f"{count:,} {'memory is' if count == 1 else 'memories are'} on commits that no branch has any more: "
            "mem confirm --lost keeps them here, mem forget --lost hides them everywhere"
        )


def _ticking(enabled: bool) -> Callable[[str], None]:
    """Returns the callback for the end of each stage, which, if enabled, prints the stage's time on standard error."""
    if not enabled:
        return lambda stage: None
    import time

    last = time.perf_counter()

    def tick(stage: str) -> None:
        nonlocal last
        at = time.perf_counter()
        output.tell(f"{stage:8} {(at - last) * 1000:7.2f} ms")
        last = at

    return tick


def explain(request: ExplainRequest, common: Common) -> None:
    """Prints every candidate with the features that make up its score, and its verdict."""
    from memcli.cli import pack_views

    result = answer(common, "explain", replace(request, query=_text(request.query)))
    _warn(result.problem)
    show(common, result, lambda result: pack_views.explained(result.answer()))


def search(request: SearchOptions, common: Common) -> None:
    """Prints matching memories with a snippet each; with --batch, one JSON line per query."""
    if (request.query is None) == (request.batch is None):
        raise InvalidInput("nothing to search for", 'give a query, or --batch FILE: mem search "retry queue"')
    if request.batch is not None:
        return reading(common, lambda project: _batch(project, request))
    from memcli.cli import views

    result = answer(common, "search", replace(request, query=_text(request.query)))
    _warn(result.problem)
    show(common, result, lambda result: views.search_hits(result))
    notes = [f"{result.orphans} not on this branch (mem get --include-orphans)"] * bool(result.orphans)
    notes += [f"{result.superseded} superseded (mem explain)"] * bool(result.superseded)
    if notes and not common.json:
        output.tell(" · ".join(notes))


def _batch(project: Project, request: SearchOptions) -> None:
    """Prints the hits for each line of a file. If meanings cannot be compared, says so once."""
    from memcli.cli.verbs.streams import read_lines
    from memcli.operations.recall import question_vector
    from memcli.recall import search as recall

    problem: Unavailable | None = None

    def encode(question: str) -> QueryVector | None:
        nonlocal problem
        if problem is None:
            vector, problem = question_vector(project, question, request.semantic)
            _warn(problem)
            return vector
        return None

    only = recall.filter_of(project, request, request.session)
    for line in read_lines(request.batch or ""):
        if line.strip():
            output.data(recall.answer_line(project, line, only, request.limit, encode))


def _warn(problem: Unavailable | None) -> None:
    if problem is not None:
        output.tell(f"By words alone: {problem.message} ({problem.hint})")


def _text(query: str) -> str:
    """Returns a query as typed, or standard input for `-`."""
    if query != "-":
        return query
    from memcli.cli.verbs.streams import read_text

    return read_text("-")
