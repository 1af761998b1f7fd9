"""What matches a question, word by word: its own words, corrected and near ones, pairs of neighbours.

Each part is SQLite's bm25 of one word, rescaled so that rare words count more. docs/retrieval.md tells what each part brings and
the command that measures it.
"""

from __future__ import annotations

from memcli.records import Record
from memcli.store import search
from memcli.text import analysis, dates
from memcli.text.near import near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from memcli.config import Config
    from memcli.project import Project
    from memcli.store.db import Connection
    from memcli.store.search import Filter

    Scores = dict[int, float]  # row number -> score

COLUMNS = {
    "memory": ("title", "summary", "tags", "entities", "words"),
    "chunk": ("locator", "text", "tags", "words"),
    "prompt": ("text", "words"),
}
IDF_POWER = 0.3  # beyond the 1 that is in bm25: "fix" and "add" stand in every other memory of a code base
IDF_MIDDLE = 5.0  # idf of a word that one memory in 150 holds: its score stays as it is
CLIPPED_IDF = 1e-6  # what FTS5 takes for the idf of a word that half of the rows hold (fts5_aux.c)
NEAR_WORDS = 4  # of each word of the question
MOST_TERMS = 10  # of a long text: each costs a thirtieth of an interpreter's start
DOUBTS = 2  # words of a long text that may be misspelt: where more are unknown, they are words of its own
CORRECTABLE = 4  # letters of the shortest word whose spelling is doubted


class Asked(Record):
    """What is looked for: the words of a question, for unknown ones what they may stand for, and words near in meaning.

    `required`: an FTS5 expression that every row must match, empty for none.
    """

    terms: tuple[str, ...]
    corrected: dict[str, tuple[str, ...]]
    near: tuple[str, ...] = ()
    rows: dict[str, list[tuple[int, float]]] = {}  # of a word, the memories of the store that hold it, as store.search gives them
    required: str = ""

    def all_terms(self) -> list[str]:
        """Returns every word that is looked for, those of the question first."""
        return [*self.terms, *[word for words in self.corrected.values() for word in words], *self.near]


class Part(Record):
    """What one expression brings: to which feature, its idf (0 where it is none of the question's words), each row's share."""

    feature: str
    idf: float
    factor: float
    bm25: Scores


class Matches(Record):
    """Every row that matches with its score, and the parts that it is the sum of. `idf` is that of the whole question."""

    scores: Scores
    parts: list[Part]
    idf: float

    def features(self, n: int) -> dict[str, float]:
        """Returns what each feature brings to a row."""
        found = {"words": 0.0, "spelling": 0.0, "near": 0.0, "pairs": 0.0}
        for part in self.parts:
            found[part.feature] += part.factor * part.bm25.get(n, 0.0)
        return found


def ask(project: Project, text: str, is_long: bool = False) -> Asked:
    """Reads a question: its words, corrections of those that the store does not know, and words of about the same meaning.

    `is_long`: it may be a whole text, for which nobody waits. Then the words that tell most stand for all, and spelling is
    doubted only where next to nothing is unknown.
    """
    terms = analysis.terms(text)
    if is_long and len(terms) > MOST_TERMS:
        terms = search.telling(project.db, terms, MOST_TERMS)
    if dates.MENTIONED.intersection(terms) or analysis.MAY in text[: analysis.MAX_QUERY].lower():
        from memcli.text import calendar

        terms = calendar.with_dates(text, terms, project.now)
    weights = weights_of("memory", project.config)
    asked_for = search.affordable(project.db, "memory", terms)
    rows = {term: search.scores(project.db, "memory", search.quoted(term), weights) for term in asked_for}
    plain = [term for term in terms if term not in dates.MENTIONED and term not in dates.MONTHS]  # no other time is meant
    doubted = [term for term in plain if not rows.get(term) and len(term) >= CORRECTABLE and term.isalpha()]
    corrected: dict[str, tuple[str, ...]] = {}
    if doubted and not (is_long and len(doubted) > DOUBTS):
        from memcli.recall.corrections import corrections

        corrected = corrections(project, doubted)
    meant = [corrected[term][0] if term in corrected else term for term in plain]
    taken = {*terms, *meant, *dates.MONTHS}
    beside = [word for words in near(meant).values() for word, _ in words[:NEAR_WORDS] if word not in taken]
    return Asked(tuple(terms), corrected, tuple(dict.fromkeys(beside)), rows)


def weights_of(table: str, config: Config) -> list[float]:
    """Returns the bm25 weights of a table's columns."""
    prefix = "rank." if table == "memory" else f"rank.{table}_"
    return [config[prefix + column] for column in COLUMNS[table]]


def find(
    db: Connection, table: str, asked: Asked, config: Config, only: Filter | None = None, known: dict[str, Any] | None = None
) -> Matches:
    """Returns the rows of `memory` or `chunk` that match, with the parts of their scores. `store.search` bounds the work.

    `known`: the rows of words that were looked for here before.
    """
    total = search.indexed(db, table)
    found = Matches({}, [], 0.0)
    if not total:
        return found
    weights = weights_of(table, config)
    if known is None:
        wanted = search.affordable(db, table, asked.terms, only)
        known = {term: search.scores(db, table, search.quoted(term), weights, only) for term in wanted}
    side_by_side: list[tuple[str, Scores]] = []
    missing = 0
    for term in asked.terms:
        if rows := known.get(term):
            side_by_side.append((term, _add(found, "words", rows, 1.0, total)))
        elif term in asked.corrected:
            meant = asked.corrected[term]
            rows = search.scores(db, table, search.any_of(meant), weights, only)
            side_by_side.append((meant[0], _add(found, "spelling", rows, config["rank.spelling"] / len(meant) ** 0.5, total)))
        else:
            missing += len(known) == len(asked.terms)
    for (first, held), (second, also) in zip(side_by_side, side_by_side[1:]):
        if not held.keys().isdisjoint(also):
            _add(
                found, "pairs", search.scores(db, table, search.quoted(first, second), weights, only), config["rank.pairs"], total
            )
    if asked.near and table == "memory" and (some := search.affordable(db, table, asked.near)):
        rows = search.scores(db, table, search.any_of(some), weights, only)
        _keep(found, Part("near", 0.0, config["rank.near"], dict(rows)))
    idf = sum([part.idf for part in found.parts]) + missing * idf_of(total, 0)
    if asked.required:
        rows = search.scores(db, table, asked.required, weights, only)
        sure = Part("words", idf_of(total, len(rows)), 1.0, dict(rows))
        _keep(found, sure)
        return Matches({n: score for n, score in found.scores.items() if n in sure.bm25}, found.parts, idf + sure.idf)
    return Matches(found.scores, found.parts, idf)


def _add(to: Matches, feature: str, rows: Sequence[tuple[int, float]], weight: float, total: int) -> Scores:
    """Adds what one word or pair brings, bm25 with idf to the power of 1 + IDF_POWER. Returns the rows that hold it."""
    count = len(rows)
    idf = idf_of(total, count)
    in_bm25 = max(_ln((total - count + 0.5) / (count + 0.5)), CLIPPED_IDF)
    factor = weight * idf / in_bm25 * (idf / IDF_MIDDLE) ** IDF_POWER
    return _keep(to, Part(feature, 0.0 if feature == "pairs" else idf, factor, dict(rows)))


def _keep(to: Matches, part: Part) -> Scores:
    scores, factor = to.scores, part.factor
    for n, bm25 in part.bm25.items():
        scores[n] = scores.get(n, 0.0) + factor * bm25
    to.parts.append(part)
    return part.bm25


def idf_of(total: int, count: float) -> float:
    """Returns the weight of a word that `count` of `total` rows hold, never negative (BM25 as in Lucene)."""
    return _ln(1 + max(0.5, total - count + 0.5) / (count + 0.5))


def _ln(x: float) -> float:
    """Returns the natural logarithm to seven digits, without `math`, a shared library of its own: 0.2 ms for one function."""
    return float((x**1e-8 - 1) * 1e8) if x > 0 else 0.0
