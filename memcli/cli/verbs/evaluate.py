"""eval: how well questions of a benchmark find their memories."""

from __future__ import annotations

from memcli import evaluation, fields
from memcli.cli import output, views
from memcli.cli.invoke import Common
from memcli.errors import InvalidInput
from memcli.fields import Request


class EvalOptions(Request):
    """The options of `mem eval`."""

    set: str = fields.text("A directory: corpus.jsonl, queries.jsonl, qrels.tsv.", metavar="SET")
    limit: int = fields.number("The maximum number of results.", default=10, minimum=1, maximum=1_000)
    queries: str | None = fields.text("Only run this query file.", default=None, metavar="NAME")
    packs: bool = fields.flag("Also score packs at the configured budget.", default=False)
    budget: tuple[str, ...] = fields.paths("Also score packs of this many tokens; may be repeated.", default=(), metavar="N")
    semantic: bool = fields.flag("Also compare meanings; see mem embed.", default=False)


def evaluate(request: EvalOptions, common: Common) -> None:
    """Prints recall, MRR, nDCG and times of a benchmark's questions, with --packs also what arrives in packs."""
    budgets: list[int | None] = [_budget(text) for text in request.budget]
    if request.packs and not budgets:
        budgets = [None]
    questions = evaluation.read_benchmark(request.set, request.queries and request.queries.removesuffix(".jsonl"))
    report = _run(questions, evaluation.EvaluationSettings(request.limit, tuple(budgets), request.semantic), quiet=common.json)
    if common.json:
        return output.data(evaluation.as_json(report))
    output.show(views.evaluation(report))


def _run(questions: evaluation.Benchmark, options: evaluation.EvaluationSettings, quiet: bool) -> evaluation.EvalReport:
    if quiet or not output.is_terminal(2):
        return evaluation.evaluate(questions, options)
    from memcli.cli.progress import progress

    total = (1 + options.semantic) * len(questions.documents) + sum(map(len, questions.questions.values()))
    with progress("eval", total) as advance:
        return evaluation.evaluate(questions, options, advance)


def _budget(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 10**9):
        raise InvalidInput(f"not a budget: {text!r}", "give --budget a number of tokens, at least 1")
    return int(text)
