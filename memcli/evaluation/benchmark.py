"""A benchmark on disk: memories, questions about them, and which memories answer which question.

A directory with corpus.jsonl (`id`, `store`, `title`, `text`, and optionally `date`, `thread`), queries.jsonl (`id`, `store`,
`text`), qrels.tsv (question, memory, and optionally a grade, of which 0 means not relevant), and optionally queries_typo.jsonl
(the same questions misspelled) and hard.txt (ids of the questions that share few words with their answers). Any of them may be
compressed with gzip.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from memcli.errors import InvalidInput, NotFound
from memcli.records import Record
from memcli.text import dates, json

CORPUS, QUERIES, TYPO, QRELS, HARD = "corpus.jsonl", "queries", "queries_typo", "qrels.tsv", "hard.txt"
_HINT = "a benchmark is a directory with corpus.jsonl, queries.jsonl and qrels.tsv; docs/retrieval.md describes them"
_SPOKEN_TIME = "%I:%M %p on %d %B, %Y"  # as published conversations write it: 1:56 pm on 8 May, 2023
_TITLE = 80  # characters of a text that replace a missing title


class Document(Record):
    """One memory of the corpus as a line for `mem import`, and its line number in corpus.jsonl."""

    line_number: int
    store: str
    line: str


class BenchmarkQuestion(Record):
    """One question, asked of its own store only."""

    id: str
    store: str
    text: str


class Benchmark(Record):
    """A whole benchmark. `questions` by query file; `relevant`: the ids of the memories that answer each question."""

    name: str
    documents: tuple[Document, ...]
    questions: dict[str, tuple[BenchmarkQuestion, ...]]
    relevant: dict[str, frozenset[str]]
    hard: frozenset[str]

    @property
    def stores(self) -> list[str]:
        """The names of the stores, in the order of the corpus."""
        return list(dict.fromkeys(document.store for document in self.documents))


def read_benchmark(folder: str, only: str | None = None) -> Benchmark:
    """Reads a benchmark; `only` names one query file to use. Raises NotFound for a missing file, InvalidInput for a bad line."""
    if not os.path.isdir(folder):
        raise NotFound(f"no directory {folder}", _HINT)
    documents, stores = _corpus(folder)
    question_stores: dict[str, str] = {}  # by the question's id
    questions = {}
    for name in dict.fromkeys((QUERIES, TYPO, *([only] if only else []))):
        if name == only or _path(folder, f"{name}.jsonl") or (name == QUERIES and not only):
            questions[name] = _questions(folder, f"{name}.jsonl", set(stores.values()))
            question_stores |= {question.id: question.store for question in questions[name]}
    selected = {name: items for name, items in questions.items() if only in (None, name)}
    relevant = _relevant(folder, question_stores, stores)
    for name, items in selected.items():
        if not items:
            raise InvalidInput(f"{name}.jsonl contains no question", _HINT)
        for question in items:
            if question.id not in relevant:
                raise InvalidInput(f"{name}.jsonl: no memory answers {question.id!r}", f"add it to {QRELS}, or remove it")
    hard = [word for _, text in _lines(folder, HARD) for word in text.split()] if _path(folder, HARD) else []
    return Benchmark(os.path.basename(os.path.abspath(folder)), tuple(documents), selected, relevant, frozenset(hard))


def _corpus(folder: str) -> tuple[list[Document], dict[str, str]]:
    """Returns the memories, and the store of each by its id."""
    documents, stores = [], {}
    for number, location, body in _objects(folder, CORPUS):
        source, store = _text(body, "id", location), _text(body, "store", location)
        title, text = (_text(body, name, location, "").strip() for name in ("title", "text"))
        if source in stores:
            raise InvalidInput(f"{location}: id {source!r} occurs twice", "give every memory its own id")
        stores[source] = store
        title = title or text.partition("\n")[0][:_TITLE] or "untitled"
        row = {"title": title, "summary": text or title, "source_id": source}
        if thread := _text(body, "thread", location, ""):
            row["thread"] = thread.replace("_", "-")
        if date := _text(body, "date", location, ""):
            row["created_at"] = _time(date, location)
        documents.append(Document(number, store, json.dumps(row)))
    if not documents:
        raise InvalidInput(f"{CORPUS} contains no memory", _HINT)
    return documents, stores


def _time(text: str, location: str) -> str:
    """Returns a date, ISO 8601 or as it is spoken, as `mem import` reads it."""
    try:
        return dates.iso(dates.parse(text))
    except InvalidInput as problem:
        try:
            return datetime.strptime(text, _SPOKEN_TIME).isoformat() + "Z"
        except ValueError:
            raise InvalidInput(f"{location}: {problem}", problem.hint) from None


def _questions(folder: str, name: str, stores: set[str]) -> tuple[BenchmarkQuestion, ...]:
    questions: dict[str, BenchmarkQuestion] = {}
    for _, location, body in _objects(folder, name):
        question = BenchmarkQuestion(*[_text(body, field, location) for field in ("id", "store", "text")])
        if question.store not in stores:
            raise InvalidInput(f"{location}: no memory is in the store {question.store!r}", f"name a store of {CORPUS}")
        if question.id in questions:
            raise InvalidInput(f"{location}: id {question.id!r} occurs twice", "give every question its own id")
        questions[question.id] = question
    return tuple(questions.values())


def _relevant(folder: str, question_stores: dict[str, str], stores: dict[str, str]) -> dict[str, frozenset[str]]:
    """Returns which memories answer each question, after checking that both exist and share a store."""
    relevant: dict[str, set[str]] = {}
    for location, text in _lines(folder, QRELS):
        question, document, grade = (*text.split("\t", 2), "", "")[:3]
        if not question or not document:
            raise InvalidInput(f"{location}: not a question and a memory", "write question<TAB>memory<TAB>1")
        if question not in question_stores:
            raise InvalidInput(f"{location}: no question {question!r}", "name one of the query files")
        if stores.get(document) != question_stores[question]:
            missing = document not in stores
            problem = f"no memory {document!r}" if missing else f"{document!r} is in another store than {question!r}"
            raise InvalidInput(f"{location}: {problem}", f"name a memory of {CORPUS} in the store of the question")
        if grade.strip() != "0":
            relevant.setdefault(question, set()).add(document)
    return {question: frozenset(documents) for question, documents in relevant.items()}


def _objects(folder: str, name: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yields the objects of a file of JSON lines, each with its line number and its location for errors."""
    for location, text in _lines(folder, name):
        try:
            body = json.loads(text)
        except json.Malformed as problem:
            raise InvalidInput(f"{location}: not JSON: {problem}", "write one JSON object a line") from None
        if not isinstance(body, dict):
            raise InvalidInput(f"{location}: not an object", "write one JSON object a line")
        yield int(location.rpartition(" ")[2]), location, body


def _text(body: dict[str, Any], field: str, location: str, default: str | None = None) -> str:
    value = body.get(field)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise InvalidInput(f"{location}: {field} is {'empty' if value == '' else 'not a string'}", f'give it a "{field}"')
    return value


def _path(folder: str, name: str) -> str | None:
    for path in (os.path.join(folder, name), os.path.join(folder, name + ".gz")):
        if os.path.exists(path):
            return path
    return None


def _lines(folder: str, name: str) -> Iterator[tuple[str, str]]:
    """Yields the lines that are not blank, each with its location: `qrels.tsv line 3`. Raises NotFound and InvalidInput."""
    path = _path(folder, name)
    if path is None:
        raise NotFound(f"no {name} in {folder}", _HINT)
    number = 0
    try:
        with gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield f"{name} line {number}", line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise InvalidInput(f"{name} line {number}: not valid UTF-8", "encode it as UTF-8", "encoding") from None
    except (OSError, EOFError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise InvalidInput(f"{name} cannot be read: {reason.lower()}", "check the file and its permissions") from None
