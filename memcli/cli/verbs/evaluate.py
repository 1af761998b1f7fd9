"""eval: how well a benchmark's questions find their memories."""

from __future__ import annotations

from memcli import evaluation, fields
from memcli.cli import output
from memcli.cli.invoke import Common
from memcli.cli.output import paint, paragraph, width
from memcli.errors import InvalidInput
from memcli.fields import Request
from memcli.text.terminal import oneline


class EvalOptions(Request):
    """The options of `mem eval`."""

    set: str = fields.text("A directory: corpus.jsonl, queries.jsonl, qrels.tsv.", metavar="SET")
    limit: int = fields.number("The maximum number of results.", default=10, minimum=1, maximum=1_000, flag=fields.LIMIT_FLAG)
    queries: str | None = fields.text("Only run this query file.", default=None, metavar="NAME")
    packs: bool = fields.flag("Also score packs at the configured budget.", default=False)
    budget: tuple[str, ...] = fields.paths("Also score packs of this many tokens; may be repeated.", default=(), metavar="N")
    semantic: bool = fields.flag("Also compare meanings; see mem embed.", default=False)


def evaluate(request: EvalOptions, common: Common) -> None:
    """Prints recall, MRR, nDCG and times of a benchmark's questions; with --packs also for the contents of packs."""
    budgets: list[int | None] = [_budget(text) for text in request.budget]
    if request.packs and not budgets:
        budgets = [None]
    questions = evaluation.read_benchmark(request.set, request.queries and request.queries.removesuffix(".jsonl"))
    report = _run(questions, evaluation.EvaluationSettings(request.limit, tuple(budgets), request.semantic), quiet=common.json)
    if common.json:
        return output.data(evaluation.as_json(report))
    output.show(_tables(report))


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


def _tables(report: evaluation.EvalReport) -> str:
    """Returns the tables of a report, or its measures below names if the tables would be too wide."""
    summary = f"{report.set}: {report.memories:,} memories in {report.stores} stores, loaded in {report.load_seconds:.1f} s"
    summary += f", encoded in {report.encode_seconds:.1f} s" if report.encode_seconds else ""
    names = [row.name for row in report.queries] + [row.name for row in report.packs]
    wide = max(map(len, names))
    head = f"{'':{wide}}  {'queries':>7}  {'R@5':>5}  {'R@10':>5}  {'MRR@10':>6}  {'nDCG@10':>7}  {'p50 ms':>7}  {'p95 ms':>7}"
    if len(head) > width():
        return "\n".join([*paragraph(oneline(summary)), "", *_narrow(report)])
    lines = [*paragraph(oneline(summary)), "", paint(head, "heading")]
    for row in report.queries:
        measures = f"{row.recall_5:5.3f}  {row.recall_10:5.3f}  {row.mrr_10:6.3f}  {row.ndcg_10:7.3f}"
        lines.append(f"{oneline(row.name):{wide}}  {row.queries:7,}  {measures}  {row.p50_ms:7.2f}  {row.p95_ms:7.2f}")
    if report.packs:
        lines += ["", paint(f"{'packs':{wide}}  {'budget':>7}  {'tokens':>7}  {'relevant that arrive':>20}", "heading")]
    lines += [f"{oneline(row.name):{wide}}  {row.budget:7,}  {row.tokens:7,.0f}  {row.relevant:20.3f}" for row in report.packs]
    return "\n".join(lines)


def _narrow(report: evaluation.EvalReport) -> list[str]:
    """Returns the measures of each row below its name."""
    lines = []
    for row in report.queries:
        measures = f"R@5 {row.recall_5:.3f} · R@10 {row.recall_10:.3f} · MRR@10 {row.mrr_10:.3f} · nDCG@10 {row.ndcg_10:.3f}"
        times = f"{row.queries:,} queries · p50 {row.p50_ms:.2f} ms · p95 {row.p95_ms:.2f} ms"
        lines += [paint(oneline(row.name), "bold"), *paragraph(measures, 2), *paragraph(times, 2)]
    for pack in report.packs:
        sizes = f"{pack.relevant:.3f} of what is relevant arrives in {pack.tokens:,.0f} of {pack.budget:,} tokens"
        lines += [paint(oneline(pack.name), "bold"), *paragraph(sizes, 2)]
    return lines
