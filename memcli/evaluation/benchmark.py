"""A benchmark on disk: memories, questions to them, and which memories answer which question.

A directory with corpus.jsonl (`id`, `store`, `title`, `text`, and optionally `date`, `thread`), queries.jsonl (`id`, `store`,
`text`), qrels.tsv (question, memory, and optionally a grade, of which 0 means not relevant), and optionally queries_typo.jsonl
(the same questions misspelled) and hard.txt (ids of the questions that share few words with their answers). Any of them may be
packed with gzip.
"""

from __future__ import annotations

import gzip
import os
from datetime import datetime

from memcli.errors import InvalidInput, NotFound
from memcli.records import Record
from memcli.text import dates, json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

CORPUS, QUERIES, TYPO, QRELS, HARD = "corpus.jsonl", "queries", "queries_typo", "qrels.tsv", "hard.txt"
_HINT = "a set is a directory with corpus.jsonl, queries.jsonl and qrels.tsv; docs/retrieval.md describes them"
_SPOKEN = "%I:%M %p on %d %B, %Y"  # a session's time as conversations are published: 1:56 pm on 8 May, 2023
_TITLE = 80  # characters of a text that stand in for a missing title


class Document(Record):
    """One memory of the corpus as a line that `mem import` takes, with its place in corpus.jsonl."""

    line_number: int
    store: str
    line: str


class Question(Record):
    """One question, to be asked in its own store only."""

    id: str
    store: str
    text: str


class Benchmark(Record):
    """A whole set. `questions` by query file; `relevant`: the ids of the memories that answer each question."""

    name: str
    documents: tuple[Document, ...]
    questions: dict[str, tuple[Question, ...]]
    relevant: dict[str, frozenset[str]]
    hard: frozenset[str]

    @property
    def stores(self) -> list[str]:
        """The names of the stores, in the order of the corpus."""
        return list(dict.fromkeys(document.store for document in self.documents))


def read(folder: str, only: str | None = None) -> Benchmark:
    """Reads a set; `only` names the one query file to ask. Raises NotFound for a missing file, InvalidInput for a bad line."""
    if not os.path.isdir(folder):
        raise NotFound(f"no directory {folder}", _HINT)
    documents, home = _corpus(folder)
    known: dict[str, str] = {}  # question -> store
    questions = {}
    for name in dict.fromkeys((QUERIES, TYPO, *([only] if only else []))):
        if name == only or _path(folder, f"{name}.jsonl") or (name == QUERIES and not only):
            questions[name] = _questions(folder, f"{name}.jsonl", set(home.values()))
            known |= {question.id: question.store for question in questions[name]}
    asked = {name: found for name, found in questions.items() if only in (None, name)}
    relevant = _relevant(folder, known, home)
    for name, found in asked.items():
        if not found:
            raise InvalidInput(f"{name}.jsonl holds no question", _HINT)
        for question in found:
            if question.id not in relevant:
                raise InvalidInput(f"{name}.jsonl: no memory answers {question.id!r}", f"add it to {QRELS}, or take it out")
    hard = [word for _, text in _lines(folder, HARD) for word in text.split()] if _path(folder, HARD) else []
    return Benchmark(os.path.basename(os.path.abspath(folder)), tuple(documents), asked, relevant, frozenset(hard))


def _corpus(folder: str) -> tuple[list[Document], dict[str, str]]:
    """Returns the memories, and the store of each by its id."""
    documents, home = [], {}
    for number, where, given in _objects(folder, CORPUS):
        source, store = _text(given, "id", where), _text(given, "store", where)
        title, text = (_text(given, name, where, "").strip() for name in ("title", "text"))
        if source in home:
            raise InvalidInput(f"{where}: id {source!r} is there already", "give every memory an id of its own")
        home[source] = store
        title = title or text.partition("\n")[0][:_TITLE] or "untitled"
        row = {"title": title, "summary": text or title, "source_id": source}
        if thread := _text(given, "thread", where, ""):
            row["thread"] = thread.replace("_", "-")
        if date := _text(given, "date", where, ""):
            row["created_at"] = _moment(date, where)
        documents.append(Document(number, store, json.dumps(row)))
    if not documents:
        raise InvalidInput(f"{CORPUS} holds no memory", _HINT)
    return documents, home


def _moment(text: str, where: str) -> str:
    """Returns a date, ISO 8601 or as it is spoken, as `mem import` reads it."""
    try:
        return dates.iso(dates.parse(text))
    except InvalidInput as problem:
        try:
            return datetime.strptime(text, _SPOKEN).isoformat() + "Z"
        except ValueError:
            raise InvalidInput(f"{where}: {problem}", problem.hint) from None


def _questions(folder: str, name: str, stores: set[str]) -> tuple[Question, ...]:
    found: dict[str, Question] = {}
    for _, where, given in _objects(folder, name):
        question = Question(*[_text(given, field, where) for field in ("id", "store", "text")])
        if question.store not in stores:
            raise InvalidInput(f"{where}: no memory is in the store {question.store!r}", f"name a store of {CORPUS}")
        if question.id in found:
            raise InvalidInput(f"{where}: id {question.id!r} is there already", "give every question an id of its own")
        found[question.id] = question
    return tuple(found.values())


def _relevant(folder: str, known: dict[str, str], home: dict[str, str]) -> dict[str, frozenset[str]]:
    """Returns which memories answer each question, after checking that both exist and share a store."""
    found: dict[str, set[str]] = {}
    for where, text in _lines(folder, QRELS):
        question, _, rest = text.partition("\t")
        document, _, grade = rest.partition("\t")
        if not question or not document:
            raise InvalidInput(f"{where}: not a question and a memory", "write question<TAB>memory<TAB>1")
        if question not in known:
            raise InvalidInput(f"{where}: no question {question!r}", "name one of the query files")
        if home.get(document) != known[question]:
            which = f"no memory {document!r}" if document not in home else f"{document!r} is in another store than {question!r}"
            raise InvalidInput(f"{where}: {which}", f"name a memory of {CORPUS} in the store of the question")
        if grade.strip() != "0":
            found.setdefault(question, set()).add(document)
    return {question: frozenset(documents) for question, documents in found.items()}


def _objects(folder: str, name: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Yields the objects of a file of JSON lines, each with its line number and what an error calls it."""
    for where, text in _lines(folder, name):
        try:
            given = json.loads(text)
        except json.Malformed as problem:
            raise InvalidInput(f"{where}: not JSON: {problem}", "write one JSON object a line") from None
        if not isinstance(given, dict):
            raise InvalidInput(f"{where}: not an object", "write one JSON object a line")
        yield int(where.rpartition(" ")[2]), where, given


def _text(given: dict[str, Any], field: str, where: str, default: str | None = None) -> str:
    value = given.get(field)
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise InvalidInput(f"{where}: {field} is {'empty' if value == '' else 'no text'}", f'give it a "{field}"')
    return value


def _path(folder: str, name: str) -> str | None:
    for path in (os.path.join(folder, name), os.path.join(folder, name + ".gz")):
        if os.path.exists(path):
            return path
    return None


def _lines(folder: str, name: str) -> Iterator[tuple[str, str]]:
    """Yields the lines that say something, each with its place: `qrels.tsv line 3`. Raises NotFound and InvalidInput."""
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
