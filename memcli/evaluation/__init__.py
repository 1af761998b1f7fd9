"""Runs a benchmark: asks its questions of temporary stores, and scores the results."""

from __future__ import annotations

import math
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from memcli import store, sync
from memcli.errors import InvalidInput
from memcli.evaluation.benchmark import CORPUS, BenchmarkQuestion
from memcli.evaluation.benchmark import Benchmark as Benchmark
from memcli.evaluation.benchmark import read_benchmark as read_benchmark
from memcli.fields import Result
from memcli.project import DEFAULT_WORKSPACE, Location, Project, project_of
from memcli.recall.get import Query, get
from memcli.recall.search import plain_hits
from memcli.recall.semantic import embed, encode_query
from memcli.records import Record, as_dict
from memcli.store import memories, opening
from memcli.store.memories import Memory
from memcli.store.passages import owner_of
from memcli.store.vectors import MEMORY

DEPTH = 10  # positions of a list that count


class Score(Record):
    """How well a list of at most ten memories answers a question, each 0 to 1."""

    recall_5: float
    recall_10: float
    mrr_10: float
    ndcg_10: float


class Outcome(Record):
    """What came of one question: the ids of the memories, best first, and the time of the search in ms.

    `packs`: of each pack its budget, its tokens, and the share of the relevant memories that it includes.
    """

    ranked: tuple[str, ...]
    milliseconds: float
    packs: tuple[tuple[int, int, float], ...]


class ScoreRow(Result):
    """The mean over the questions of one file, or over its hard ones."""

    name: str
    queries: int
    answered: int
    recall_5: float
    recall_10: float
    mrr_10: float
    ndcg_10: float
    p50_ms: float
    p95_ms: float


class PackRow(Result):
    """What packs of one budget contain on average: their tokens, and the share of the relevant memories that they include."""

    name: str
    budget: int
    tokens: float
    relevant: float


class EvalReport(Result):
    """The results of an evaluation. `load_seconds`: importing the corpus; `encode_seconds`: encoding it as vectors."""

    set: str
    stores: int
    memories: int
    load_seconds: float
    encode_seconds: float
    queries: tuple[ScoreRow, ...]
    packs: tuple[PackRow, ...]


_DIGITS = {"load_seconds": 3, "encode_seconds": 3, "p50_ms": 3, "p95_ms": 3, "tokens": 1}
Outcomes = dict[tuple[str, str], Outcome]  # by (query file, question)


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
    load_seconds = encode_seconds = 0.0
    outcomes: Outcomes = {}
    with tempfile.TemporaryDirectory(prefix="mem-eval-") as scratch:
        for number, name in enumerate(benchmark.stores):
            folder = os.path.join(scratch, str(number))
            load_seconds += load(benchmark, name, folder, progress)
            if options.semantic:
                encode_seconds += _encode(name, folder, progress)
            project = open_store(folder, name, opening.open_reader)
            try:
                store.begin_snapshot(project.db)
                for file, questions in benchmark.questions.items():
                    for question in [question for question in questions if question.store == name]:
                        relevant = benchmark.relevant[question.id]
                        outcomes[file, question.id] = _outcome(project, question.text, relevant, options)
                        progress(1)
            finally:
                project.close()
    rows = [_row(name, name, questions, benchmark, outcomes) for name, questions in benchmark.questions.items()]
    first, questions = next(iter(benchmark.questions.items()))
    if hard := [question for question in questions if question.id in benchmark.hard]:
        rows.append(_row("hard", first, hard, benchmark, outcomes))
    counts = len(benchmark.stores), len(benchmark.documents)
    return EvalReport(benchmark.name, *counts, load_seconds, encode_seconds, tuple(rows), _pack_rows(outcomes))


def open_store(folder: str, name: str, connect: Callable[[str], store.Connection]) -> Project:
    """Opens the store that `load` created for one store of a benchmark."""
    db = connect(os.path.join(folder, "memory.db"))
    return project_of(Location("evaluation", None, name, ""), DEFAULT_WORKSPACE, folder, db)


def load(benchmark: Benchmark, name: str, folder: str, progress: Callable[[int], None] = lambda count: None) -> float:
    """Creates a store with the memories of one store of the benchmark. Returns the seconds that took."""
    opening.create_store(os.path.join(folder, "memory.db"), {"repo_id": "evaluation", "writer": "evaluation", "name": name})
    lines = [""] * benchmark.documents[-1].line_number  # other stores' lines stay empty, so that an error names the right line
    for document in benchmark.documents:
        if document.store == name:
            lines[document.line_number - 1] = document.line
    project = open_store(folder, name, opening.open_writer)
    start = time.perf_counter()
    try:
        sync.load(project, lines, lambda size: progress(1) if size > 1 else None, trust=True)
    except InvalidInput as error:
        raise InvalidInput(f"{CORPUS} {error.message}", error.parts, error.code) from None
    finally:
        project.close()
    return time.perf_counter() - start


def _encode(name: str, folder: str, progress: Callable[[int], None]) -> float:
    """Encodes the memories of one store. Returns the seconds that took."""
    project = open_store(folder, name, opening.open_writer)
    start = time.perf_counter()
    try:
        embed(project, (MEMORY,), progress)
    finally:
        project.close()
    return time.perf_counter() - start


def source_ids(project: Project, items: Iterable[Memory]) -> set[str]:
    """Returns the ids by which a benchmark knows memories. `items`: memories, and passages of memories."""
    whole = [memories.find(project.db, owner_of(memory.id)) for memory in items]
    return {memory.source_id for memory in whole if memory and memory.source_id}


def _outcome(project: Project, text: str, relevant: frozenset[str], options: EvaluationSettings) -> Outcome:
    """Asks a store one question."""
    start = time.perf_counter()
    meaning = encode_query(project, text) if options.semantic else None
    hits = plain_hits(project, text, None, options.limit, meaning)
    milliseconds = (time.perf_counter() - start) * 1000
    packs = []
    for budget in options.budgets:
        pack = get(project, Query(text, "prompt", budget, meaning=meaning))
        share = len(relevant.intersection(source_ids(project, [item.memory for item in pack.items]))) / len(relevant)
        packs.append((pack.budget, pack.tokens, share))
    return Outcome(tuple([hit.memory.source_id or "" for hit in hits]), milliseconds, tuple(packs))


def _row(name: str, file: str, questions: Sequence[BenchmarkQuestion], benchmark: Benchmark, outcomes: Outcomes) -> ScoreRow:
    of_file = [outcomes[file, question.id] for question in questions]
    all_scores = [score(benchmark.relevant[question.id], result.ranked) for question, result in zip(questions, of_file)]
    times = [outcome.milliseconds for outcome in of_file]
    p50, p95 = (percentile(times, share) for share in (0.5, 0.95))
    answered = len([outcome for outcome in of_file if outcome.ranked])
    return ScoreRow(name, len(questions), answered, **as_dict(mean(all_scores)), p50_ms=p50, p95_ms=p95)


def _pack_rows(outcomes: Outcomes) -> tuple[PackRow, ...]:
    packs: dict[tuple[str, int], list[tuple[int, float]]] = {}  # (query file, budget) -> tokens, share of relevant
    for (file, _), outcome in outcomes.items():
        for budget, tokens, share in outcome.packs:
            packs.setdefault((file, budget), []).append((tokens, share))
    means = {key: [sum(column) / len(rows) for column in zip(*rows)] for key, rows in packs.items()}
    return tuple([PackRow(file, budget, tokens, share) for (file, budget), (tokens, share) in sorted(means.items())])


def as_json(value: Any, digits: int = 4) -> Any:
    """Returns a report as data, with its figures rounded."""
    if isinstance(value, Result):
        return {name: as_json(item, _DIGITS.get(name, 4)) for name, item in as_dict(value).items()}
    if isinstance(value, tuple):
        return [as_json(item) for item in value]
    return round(value, digits) if isinstance(value, float) else value


def score(relevant: frozenset[str], ranked: Sequence[str]) -> Score:
    """Scores one list, best first.

    Recall is the share of the relevant memories in the list; MRR is one over the rank of the first; nDCG is the gain of each,
    discounted by the logarithm of its rank, over that of the best possible list (Järvelin and Kekäläinen 2002, gains 0 and 1).
    """
    top = ranked[:DEPTH]
    ranks = [rank for rank, memory_id in enumerate(top, 1) if memory_id in relevant]
    ideal = sum([1 / math.log2(rank + 1) for rank in range(1, min(DEPTH, len(relevant)) + 1)])
    return Score(
        len(relevant.intersection(top[:5])) / len(relevant),
        len(ranks) / len(relevant),
        1 / ranks[0] if ranks else 0.0,
        sum([1 / math.log2(rank + 1) for rank in ranks]) / ideal,
    )


def mean(scores: Sequence[Score]) -> Score:
    """Returns the mean of each measure."""
    return Score(*[math.fsum(column) / len(scores) for column in zip(*scores)]) if scores else Score(0.0, 0.0, 0.0, 0.0)


def percentile(values: Sequence[float], share: float) -> float:
    """Returns the smallest value that at least `share` of the values do not exceed (nearest rank); 0 for no values."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)] if values else 0.0
