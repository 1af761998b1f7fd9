"""eval: how well questions of a benchmark find their memories."""

from __future__ import annotations

from memcli.cli import output
from memcli.errors import InvalidInput
from memcli.evaluation import benchmark, run
from memcli.recall.search import MAX_LIMIT
from memcli.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memcli.cli.invoke import Common


class Eval(Record):
    """What `mem eval` was asked."""

    set: str
    limit: int = 10
    queries: str | None = None
    packs: bool = False
    budget: tuple[str, ...] = ()
    semantic: bool = False


def evaluate(asked: Eval, common: Common) -> None:
    """Prints recall, MRR, nDCG and times of a benchmark's questions, with --packs also what arrives in packs."""
    if asked.limit < 1 or asked.limit > MAX_LIMIT:
        raise InvalidInput(f"a limit of {asked.limit}", f"give --limit 1 to {MAX_LIMIT}")
    budgets: list[int | None] = [_budget(text) for text in asked.budget]
    if asked.packs and not budgets:
        budgets = [None]
    questions = benchmark.read(asked.set, asked.queries and asked.queries.removesuffix(".jsonl"))
    report = _run(questions, run.EvalOptions(asked.limit, tuple(budgets), asked.semantic), quiet=common.json)
    if common.json:
        return output.data(run.as_json(report))
    from memcli.cli import views

    output.show(views.evaluation(report))


def _run(questions: benchmark.Benchmark, options: run.EvalOptions, quiet: bool) -> run.EvalReport:
    if quiet or not output.is_terminal(2):
        return run.evaluate(questions, options)
    from memcli.cli.progress import progress

    total = (1 + options.semantic) * len(questions.documents) + sum(map(len, questions.questions.values()))
    with progress("eval", total) as advance:
        return run.evaluate(questions, options, advance)


def _budget(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 10**9):
        raise InvalidInput(f"a budget of {text!r}", "give --budget a number of tokens from 1")
    return int(text)
