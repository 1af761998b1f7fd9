"""Asking a benchmark's questions of throw-away stores, and what came of it."""

from __future__ import annotations

import os
import tempfile
import time

from memcli.errors import InvalidInput
from memcli.evaluation import scores
from memcli.evaluation.benchmark import CORPUS
from memcli.project import DEFAULT_WORKSPACE, Place, Project
from memcli.recall.candidates import ask
from memcli.recall.embed import embed
from memcli.recall.get import Query, get
from memcli.recall.search import answers
from memcli.recall.semantic import encode_query
from memcli.records import Record, as_dict
from memcli.store import db as store
from memcli.store import schema
from memcli.store.vectors import MEMORY
from memcli.sync import exchange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from memcli.evaluation.benchmark import Benchmark, Question
    from memcli.evaluation.scores import Score


class Answer(Record):
    """What one question brought: the ids that were found, best first, and the time of the search in ms."""

    ranked: tuple[str, ...]
    took: float


class Row(Record):
    """The mean over the questions of one file, or over its hard ones."""

    name: str
    questions: int
    answered: int
    score: Score
    p50: float
    p95: float


class PackRow(Record):
    """What packs of one budget hold on average: their tokens, and the share of the relevant memories that arrive in them."""

    name: str
    budget: int
    tokens: float
    relevant: float


class Report(Record):
    """What an evaluation found. `load_seconds`: taking the whole corpus in; `encode_seconds`: its meanings, where they
    were asked for."""

    name: str
    stores: int
    memories: int
    load_seconds: float
    encode_seconds: float
    rows: tuple[Row, ...]
    packs: tuple[PackRow, ...]


class _Notes:
    """What is noted while the questions are asked."""

    def __init__(self) -> None:
        self.load_seconds = 0.0
        self.encode_seconds = 0.0
        self.answers: dict[tuple[str, str], Answer] = {}  # (query file, question) ->
        self.packs: dict[tuple[str, int], list[tuple[int, float]]] = {}  # (query file, budget) -> (tokens, share that arrived)


class How(Record):
    """How questions are asked: hits of a search, token budgets of packs (None: the setting), whether meanings are compared."""

    limit: int = 10
    budgets: tuple[int | None, ...] = ()
    semantic: bool = False


def evaluate(of: Benchmark, how: How, tick: Callable[[int], None] = lambda count: None) -> Report:
    """Loads the corpus into temporary stores, asks every question as `mem search` does plain words, and scores what was found.

    `tick` is told of memories and questions done. The settings in force are the person's own; no store of theirs is opened.
    Raises Unavailable where meanings are asked for and there is no provider.
    """
    notes = _Notes()
    with tempfile.TemporaryDirectory(prefix="mem-eval-") as scratch:
        for number, name in enumerate(of.stores):
            folder = os.path.join(scratch, str(number))
            notes.load_seconds += load(of, name, folder, tick)
            if how.semantic:
                _encode(name, folder, notes, tick)
            project = opened(folder, name, store.open_reader)
            try:
                store.begin_snapshot(project.db)
                _ask(project, of, how, notes, tick)
            finally:
                project.close()
    return Report(
        of.name, len(of.stores), len(of.documents), notes.load_seconds, notes.encode_seconds, _rows(of, notes), _pack_rows(notes)
    )


def opened(folder: str, name: str, how: Callable[[str], store.Connection]) -> Project:
    """Opens the store that `load` made of one store of a set."""
    db = how(os.path.join(folder, "memory.db"))
    return Project(Place("evaluation", None, name, ""), DEFAULT_WORKSPACE, folder, db)


def load(of: Benchmark, name: str, folder: str, tick: Callable[[int], None] = lambda count: None) -> float:
    """Makes a store of its own for the memories of one store of the set. Returns the seconds that took."""
    schema.create(os.path.join(folder, "memory.db"), {"repo_id": "evaluation", "writer": "evaluation", "name": name})
    lines = [""] * of.documents[-1].line_number  # lines of other stores are left empty, so that an error names the right line
    for document in of.documents:
        if document.store == name:
            lines[document.line_number - 1] = document.line
    project = opened(folder, name, store.open_writer)
    start = time.perf_counter()
    try:
        exchange.load(project, lines, lambda size: tick(1) if size > 1 else None)
    except InvalidInput as problem:
        raise InvalidInput(f"{CORPUS} {problem.message}", problem.hint, problem.code) from None
    finally:
        project.close()
    return time.perf_counter() - start


def _encode(name: str, folder: str, notes: _Notes, tick: Callable[[int], None]) -> None:
    project = opened(folder, name, store.open_writer)
    start = time.perf_counter()
    try:
        embed(project, (MEMORY,), tick)
    finally:
        project.close()
    notes.encode_seconds += time.perf_counter() - start


def _ask(project: Project, of: Benchmark, how: How, notes: _Notes, tick: Callable[[int], None]) -> None:
    """Asks one store all questions that belong to it."""
    for file, questions in of.questions.items():
        for question in questions:
            if question.store != project.name:
                continue
            start = time.perf_counter()
            meaning = encode_query(project, question.text) if how.semantic else None
            hits = answers(project, ask(project, question.text), None, how.limit, meaning=meaning)
            took = (time.perf_counter() - start) * 1000
            notes.answers[file, question.id] = Answer(tuple([hit.memory.source_id or "" for hit in hits]), took)
            for budget in how.budgets:
                pack = get(project, Query(question.text, "prompt", budget, meaning=meaning))
                wanted = of.relevant[question.id]
                arrived = len(wanted.intersection([item.memory.source_id for item in pack.items])) / len(wanted)
                notes.packs.setdefault((file, pack.budget), []).append((pack.tokens, arrived))
            tick(1)


def _rows(of: Benchmark, notes: _Notes) -> tuple[Row, ...]:
    rows = [_row(name, name, questions, of, notes) for name, questions in of.questions.items()]
    first, questions = next(iter(of.questions.items()))
    hard = [question for question in questions if question.id in of.hard]
    return (*rows, *([_row("hard", first, hard, of, notes)] if hard else []))


def _row(name: str, file: str, questions: Sequence[Question], of: Benchmark, notes: _Notes) -> Row:
    answers = [notes.answers[file, question.id] for question in questions]
    found = [scores.score(of.relevant[question.id], answer.ranked) for question, answer in zip(questions, answers)]
    times = [answer.took for answer in answers]
    answered = len([answer for answer in answers if answer.ranked])
    p50, p95 = (scores.percentile(times, share) for share in (0.5, 0.95))
    return Row(name, len(questions), answered, scores.mean(found), p50, p95)


def _pack_rows(notes: _Notes) -> tuple[PackRow, ...]:
    means = {key: [sum(column) / len(found) for column in zip(*found)] for key, found in notes.packs.items()}
    return tuple([PackRow(file, budget, tokens, relevant) for (file, budget), (tokens, relevant) in sorted(means.items())])


def as_json(report: Report) -> dict[str, Any]:
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
