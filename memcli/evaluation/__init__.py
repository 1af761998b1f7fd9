"""Runs a benchmark: asks its questions of temporary stores, and scores the results."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any

from memcli import store, sync
from memcli.errors import InvalidInput
from memcli.evaluation import scores
from memcli.evaluation.benchmark import CORPUS, BenchmarkQuestion
from memcli.evaluation.benchmark import Benchmark as Benchmark
from memcli.evaluation.benchmark import read_benchmark as read_benchmark
from memcli.evaluation.scores import Score
from memcli.project import DEFAULT_WORKSPACE, Location, Project, project_of
from memcli.recall.get import Query, get
from memcli.recall.search import plain_hits
from memcli.recall.semantic import embed, encode_query
from memcli.records import Record, as_dict
from memcli.store.vectors import MEMORY


class QuestionResult(Record):
    """The result of one question: the ids of the memories, best first, and the time of the search in ms."""

    ranked: tuple[str, ...]
    milliseconds: float


class ScoreRow(Record):
    """The mean over the questions of one file, or over its hard ones."""

    name: str
    questions: int
    answered: int
    score: Score
    p50: float
    p95: float


class PackRow(Record):
    """What packs of one budget contain on average: their tokens, and the share of the relevant memories that they include."""

    name: str
    budget: int
    tokens: float
    relevant: float


class EvalReport(Record):
    """The results of an evaluation. `load_seconds`: importing the corpus; `encode_seconds`: encoding it as vectors."""

    name: str
    stores: int
    memories: int
    load_seconds: float
    encode_seconds: float
    rows: tuple[ScoreRow, ...]
    packs: tuple[PackRow, ...]


class _Measurements:
    """What is measured while the questions are asked."""

    def __init__(self) -> None:
        self.load_seconds = 0.0
        self.encode_seconds = 0.0
        self.results: dict[tuple[str, str], QuestionResult] = {}  # by (query file, question)
        self.packs: dict[tuple[str, int], list[tuple[int, float]]] = {}  # (query file, budget) -> (tokens, share of relevant)


class EvaluationSettings(Record):
    """How questions are asked: hits per search, token budgets of packs (None: the setting), whether vectors are compared."""

    limit: int = 10
    budgets: tuple[int | None, ...] = ()
    semantic: bool = False


def evaluate(
    benchmark: Benchmark, options: EvaluationSettings, progress: Callable[[int], None] = lambda count: None
) -> EvalReport:
    """Imports the corpus into temporary stores, asks every question as `mem search` does plain words, and scores the hits.

    `progress` gets the number of memories and questions done. The user's settings apply; none of their stores is opened.
    Raises Unavailable if vectors are compared and there is no provider.
    """
    measured = _Measurements()
    with tempfile.TemporaryDirectory(prefix="mem-eval-") as scratch:
        for number, name in enumerate(benchmark.stores):
            folder = os.path.join(scratch, str(number))
            measured.load_seconds += load(benchmark, name, folder, progress)
            if options.semantic:
                measured.encode_seconds += _encode(name, folder, progress)
            project = open_store(folder, name, store.open_reader)
            try:
                store.begin_snapshot(project.db)
                _ask(project, benchmark, options, measured, progress)
            finally:
                project.close()
    return EvalReport(
        benchmark.name,
        len(benchmark.stores),
        len(benchmark.documents),
        measured.load_seconds,
        measured.encode_seconds,
        _rows(benchmark, measured),
        _pack_rows(measured),
    )


def open_store(folder: str, name: str, connect: Callable[[str], store.Connection]) -> Project:
    """Opens the store that `load` created for one store of a benchmark."""
    db = connect(os.path.join(folder, "memory.db"))
    return project_of(Location("evaluation", None, name, ""), DEFAULT_WORKSPACE, folder, db)


def load(benchmark: Benchmark, name: str, folder: str, progress: Callable[[int], None] = lambda count: None) -> float:
    """Creates a store with the memories of one store of the benchmark. Returns the seconds that took."""
    store.create_store(os.path.join(folder, "memory.db"), {"repo_id": "evaluation", "writer": "evaluation", "name": name})
    lines = [""] * benchmark.documents[-1].line_number  # other stores' lines stay empty, so that an error names the right line
    for document in benchmark.documents:
        if document.store == name:
            lines[document.line_number - 1] = document.line
    project = open_store(folder, name, store.open_writer)
    start = time.perf_counter()
    try:
        sync.load(project, lines, lambda size: progress(1) if size > 1 else None)
    except InvalidInput as error:
        raise InvalidInput(f"{CORPUS} {error.message}", error.parts, error.code) from None
    finally:
        project.close()
    return time.perf_counter() - start


def _encode(name: str, folder: str, progress: Callable[[int], None]) -> float:
    """Encodes the memories of one store. Returns the seconds that took."""
    project = open_store(folder, name, store.open_writer)
    start = time.perf_counter()
    try:
        embed(project, (MEMORY,), progress)
    finally:
        project.close()
    return time.perf_counter() - start


def _ask(
    project: Project, benchmark: Benchmark, options: EvaluationSettings, measured: _Measurements, progress: Callable[[int], None]
) -> None:
    """Asks one store all questions that belong to it."""
    for file, questions in benchmark.questions.items():
        for question in questions:
            if question.store != project.name:
                continue
            start = time.perf_counter()
            meaning = encode_query(project, question.text) if options.semantic else None
            hits = plain_hits(project, question.text, None, options.limit, meaning)
            milliseconds = (time.perf_counter() - start) * 1000
            ranked = tuple([hit.memory.source_id or "" for hit in hits])
            measured.results[file, question.id] = QuestionResult(ranked, milliseconds)
            for budget in options.budgets:
                pack = get(project, Query(question.text, "prompt", budget, meaning=meaning))
                relevant = benchmark.relevant[question.id]
                share = len(relevant.intersection([item.memory.source_id for item in pack.items])) / len(relevant)
                measured.packs.setdefault((file, pack.budget), []).append((pack.tokens, share))
            progress(1)


def _rows(benchmark: Benchmark, measured: _Measurements) -> tuple[ScoreRow, ...]:
    rows = [_row(name, name, questions, benchmark, measured) for name, questions in benchmark.questions.items()]
    first, questions = next(iter(benchmark.questions.items()))
    hard = [question for question in questions if question.id in benchmark.hard]
    return (*rows, *([_row("hard", first, hard, benchmark, measured)] if hard else []))


def _row(name: str, file: str, questions: Sequence[BenchmarkQuestion], benchmark: Benchmark, measured: _Measurements) -> ScoreRow:
    results = [measured.results[file, question.id] for question in questions]
    all_scores = [scores.score(benchmark.relevant[question.id], result.ranked) for question, result in zip(questions, results)]
    times = [result.milliseconds for result in results]
    answered = len([result for result in results if result.ranked])
    p50, p95 = (scores.percentile(times, share) for share in (0.5, 0.95))
    return ScoreRow(name, len(questions), answered, scores.mean(all_scores), p50, p95)


def _pack_rows(measured: _Measurements) -> tuple[PackRow, ...]:
    means = {key: [sum(column) / len(packs) for column in zip(*packs)] for key, packs in measured.packs.items()}
    return tuple([PackRow(file, budget, tokens, relevant) for (file, budget), (tokens, relevant) in sorted(means.items())])


def as_json(report: EvalReport) -> dict[str, Any]:
    """Returns the report as data; times in ms but for those in seconds."""
    return {
        "set": report.name,
        "stores": report.stores,
        "memories": report.memories,
        "load_seconds": round(report.load_seconds, 3),
        "encode_seconds": round(report.encode_seconds, 3),
        "queries": [
            {
                "name": row.name,
                "queries": row.questions,
                "answered": row.answered,
                **{measure: round(float(str(value)), 4) for measure, value in as_dict(row.score).items()},
                "p50_ms": round(row.p50, 3),
                "p95_ms": round(row.p95, 3),
            }
            for row in report.rows
        ],
        "packs": [
            {"name": row.name, "budget": row.budget, "tokens": round(row.tokens, 1), "relevant": round(row.relevant, 4)}
            for row in report.packs
        ],
    }
