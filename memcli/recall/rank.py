"""What matches a question, and one score for it: how well its words match, how recent it is, whether its thread is named."""

from __future__ import annotations

from memcli.records import Record, many
from memcli.store import search
from memcli.text import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.config import Config
    from memcli.project import Project
    from memcli.store.search import Filter, Hit

_E = 2.718281828459045  # math is a shared library of its own: 0.2 ms for one function
CHUNKS = 16  # chunks that are looked at; a pack prints a handful
PENALTY = 2.0  # for a text that gives orders to a model: below every other match


class Ranked(Record):
    """A memory that matches, with its score and the features it is the sum of, and what is known of its truth.

    `text` is bm25 over the best of the question, 0 to 1. `anchor` is reachable, orphan or unknown. `semantic` is the weighted
    cosine of meanings, 0 where they were not asked for.
    """

    hit: Hit
    from_user: bool
    text: float
    recency: float
    thread: float
    penalty: float
    score: float
    anchor: str
    superseded: bool
    semantic: float


def matches(project: Project, terms: Sequence[str], limit: int, only: Filter | None = None) -> list[Ranked]:
    """Returns up to `limit` memories of each store that hold any of the terms, ranked, best first."""
    config = project.config
    weights = [config[f"rank.{column}"] for column in ("title", "summary", "tags", "entities", "words")]
    found = [(hit, project.is_user) for hit in search.memories(project.db, terms, weights, limit, only)]
    if project.user_db is not None:
        found += [(hit, True) for hit in search.memories(project.user_db, terms, weights, limit, only)]
    return rank(found, terms, config, project.now)


def chunk_matches(project: Project, terms: Sequence[str]) -> list[int]:
    """Returns the row numbers of matching chunks, best first; those that give orders to a model come last."""
    config = project.config
    weights = [*[config[f"rank.chunk_{column}"] for column in ("locator", "text", "tags")], config["rank.words"]]
    return [n for n, _ in sorted(search.chunks(project.db, terms, weights, CHUNKS), key=lambda hit: hit[1])]


def rank(found: Sequence[tuple[Hit, bool]], terms: Sequence[str], config: Config, now: int) -> list[Ranked]:
    """Ranks hits, given with whether they are from the person's own store; best first.

    Ties go by id, so that the same input gives the same bytes.
    """
    if not found:
        return []
    best = max(hit.score for hit, _ in found) or 1.0
    named = named_threads({hit.thread for hit, _ in found}, terms)
    weight, fall, bonus = config["rank.recency"], config["rank.recency_days"] or 1.0, config["rank.thread"]
    ranked = []
    for hit, from_user in found:
        text = hit.score / best
        days = 0 if hit.pinned else max(0, now - hit.created_at) // dates.DAY
        recency = weight * _E ** (-days / fall)
        thread = bonus if hit.thread in named else 0.0
        penalty = PENALTY if hit.suspicious else 0.0
        score = text + recency + thread - penalty
        ranked.append((hit, from_user, text, recency, thread, penalty, score, "reachable", False, 0.0))
    ranked.sort(key=lambda one: (-one[6], one[1], one[0].id))
    return many(Ranked, ranked)


def named_threads(threads: set[str], terms: Sequence[str]) -> set[str]:
    """Returns the threads whose every word is in the question."""
    asked = set(terms)
    return {thread for thread in threads if asked.issuperset(thread.lower().replace("-", " ").replace("_", " ").split())}
