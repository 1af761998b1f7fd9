"""One score for each memory that matches: how well its words match, and what stands beside it."""

from __future__ import annotations

from memcli.recall import candidates
from memcli.records import Record, many
from memcli.store import search
from memcli.text import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.config import Config
    from memcli.project import Project
    from memcli.recall.candidates import Asked, Matches
    from memcli.store.db import Connection
    from memcli.store.search import Filter, Hit

_E = 2.718281828459045  # math is a shared library of its own: 0.2 ms for one function
CHUNKS = 16  # chunks that are looked at; a pack prints a handful
PENALTY = 2.0  # for a text that gives orders to a model: below every other match
LEAST_COVERAGE = 0.05  # counted for a memory that none of the question's own words are in
BESIDE = 2  # memories written before and after another in its thread that lend it weight
LINKED = 8  # of the best matches whose links are followed


class Ranked(Record):
    """A memory that matches, with its score and the features it is the sum of, and what is known of its truth.

    `words`, `spelling`, `near` and `pairs` are bm25, `coverage` what the parts of the question that are missing take from it; all
    five are shares of the best match, which has 1. `semantic` is the weighted cosine of meanings, 0 where none were asked for.
    `anchor` is a state of truth.py.
    """

    hit: Hit
    from_user: bool
    words: float
    spelling: float
    near: float
    pairs: float
    coverage: float
    beside: float
    linked: float
    semantic: float
    recency: float
    thread: float
    penalty: float
    score: float
    anchor: str
    superseded: bool

    @property
    def text(self) -> float:
        """How well the words match, as a share of the best match."""
        return self.words + self.spelling + self.near + self.pairs + self.coverage


FEATURES = ("words", "spelling", "near", "pairs", "coverage", "beside", "linked", "semantic", "recency", "thread", "penalty")


def matches(project: Project, asked: Asked, limit: int, only: Filter | None = None) -> list[Ranked]:
    """Returns up to `limit` memories of each store that match, ranked, best first. Ties go by row: same input, same bytes."""
    config = project.config
    found = _scored(project.db, candidates.find(project.db, "memory", asked, config, only), config, limit, project.is_user)
    if project.user_db is not None:
        of_user = candidates.find(project.user_db, "memory", asked, config, only)
        found += _scored(project.user_db, of_user, config, limit, True)
    return rank(found, asked.terms, config, project.now)


class Scored(Record):
    """A memory that matches, with what its words bring in bm25 by feature, their sum, and what its neighbours lend it."""

    hit: Hit
    from_user: bool
    features: tuple[float, ...]  # words, spelling, near, pairs, coverage
    text: float
    beside: float
    linked: float


def _scored(db: Connection, found: Matches, config: Config, limit: int, from_user: bool) -> list[Scored]:
    """Returns the best matches of one store, in no order."""
    scores = found.scores
    cut = sorted(scores.values())[-limit] if len(scores) > limit else 0.0
    power = config["rank.coverage"]
    texts: dict[int, float] = {}
    rows = []
    for hit in search.hits(db, [n for n, score in scores.items() if score >= cut]):
        features, covered = found.features(hit.n)
        lost = scores[hit.n] * (max(covered, LEAST_COVERAGE) ** power - 1)
        texts[hit.n] = scores[hit.n] + lost
        rows.append((hit, (*features.values(), lost)))
    threads = {hit.n: hit.thread for hit, _ in rows}
    default, beside, beside_default = config["memory.thread"], config["rank.beside"], config["rank.beside_default"]
    linked = _linked(db, texts, config)
    scored = []
    for hit, parts in rows:
        lent = _beside(hit, texts, threads) * (beside_default if hit.thread == default else beside)
        scored.append(Scored(hit, from_user, parts, texts[hit.n], lent, linked.get(hit.n, 0.0)))
    return scored


def _beside(hit: Hit, texts: dict[int, float], threads: dict[int, str]) -> float:
    """Returns the score of the best match written shortly before or after a memory in its thread, less by the distance."""
    best = 0.0
    for distance in range(1, BESIDE + 1):
        for n in (hit.n - distance, hit.n + distance):
            if threads.get(n) == hit.thread:
                best = max(best, texts[n] / distance)
    return best


def _linked(db: Connection, texts: dict[int, float], config: Config) -> dict[int, float]:
    """Returns what the best matches lend to the matches that they link to or that link to them."""
    best = sorted(texts, key=lambda n: -texts[n])[:LINKED]
    lent: dict[int, float] = {}
    for first, second in search.links_among(db, best):
        for n, other in ((first, second), (second, first)):
            if n in texts and other in best:
                lent[n] = max(lent.get(n, 0.0), texts[other] * config["rank.linked"])
    return lent


def rank(found: Sequence[Scored], terms: Sequence[str], config: Config, now: int) -> list[Ranked]:
    """Ranks scored memories, best first."""
    if not found:
        return []
    best = max([one.text for one in found]) or 1.0
    named = named_threads({one.hit.thread for one in found}, terms)
    weight, fall, bonus = config["rank.recency"], config["rank.recency_days"] or 1.0, config["rank.thread"]
    ranked = []
    for one in found:
        hit = one.hit
        days = 0 if hit.pinned else max(0, now - hit.created_at) // dates.DAY
        recency = weight * _E ** (-days / fall)
        thread = bonus if hit.thread in named else 0.0
        penalty = -PENALTY if hit.suspicious else 0.0
        score = (one.text + one.beside + one.linked) / best + recency + thread + penalty
        shares = [part / best for part in (*one.features, one.beside, one.linked)]
        ranked.append((hit, one.from_user, *shares, 0.0, recency, thread, penalty, score, "reachable", False))
    return sorted(many(Ranked, ranked), key=lambda one: (-one.score, one.from_user, one.hit.n))


def chunk_matches(project: Project, asked: Asked) -> list[int]:
    """Returns the row numbers of matching chunks, best first; those that give orders to a model come last."""
    scores = candidates.find(project.db, "chunk", asked, project.config).scores
    best = sorted(scores, key=lambda n: (-scores[n], n))[:CHUNKS]
    suspicious = search.suspicious_chunks(project.db, best) if best else ()
    return sorted(best, key=lambda n: n in suspicious)


def named_threads(threads: set[str], terms: Sequence[str]) -> set[str]:
    """Returns the threads whose every word is in the question."""
    asked = set(terms)
    return {thread for thread in threads if asked.issuperset(thread.lower().replace("-", " ").replace("_", " ").split())}
