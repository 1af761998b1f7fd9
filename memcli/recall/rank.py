"""One score for each memory that matches: how well its words match, and what stands beside it."""

from __future__ import annotations

from memcli.recall import candidates
from memcli.records import Record, many
from memcli.store import search
from memcli.store.memories import OBSERVED
from memcli.store.search import Hit
from memcli.text import dates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.config import Config
    from memcli.project import Project
    from memcli.recall.candidates import Matches, ParsedQuery
    from memcli.store.db import Connection
    from memcli.store.memories import Memory
    from memcli.store.search import Filter

_E = 2.718281828459045  # math is a shared library of its own: 0.2 ms for one function
PENALTY = 2.0  # for a text that gives orders to a model: below every other match
LEAST_COVERAGE = 0.05  # counted for a memory that none of the question's own words are in
BESIDE = 2  # memories written before and after another in its thread that lend it weight
ECHO = 3.0  # times as much again is taken from what hooks saw and matches best: it repeats what was asked then
LINKED = 8  # of the best matches whose links are followed


class Scored(Record):
    """A memory that matches: how well its words do and what its neighbours lend it, in bm25. `found` knows the parts."""

    hit: Hit
    from_user: bool
    text: float
    beside: float = 0.0
    linked: float = 0.0
    found: Matches | None = None


class Ranked(Record):
    """A memory that matches, with its score and the features it is the sum of, and what is known of its truth.

    `text`, `beside` and `linked` are shares of the best match, whose `text` is 1; `semantic` is the weighted cosine of meanings,
    0 where none were asked for. `anchor` is the state of its anchor (validity/status.py).
    """

    hit: Hit
    from_user: bool
    text: float
    beside: float
    linked: float
    semantic: float
    recency: float
    thread: float
    penalty: float
    score: float
    anchor: str
    superseded: bool
    found: Matches | None
    unit: float  # bm25 of the best match
    captured: float = 0.0

    def features(self) -> dict[str, float]:
        """Returns what the score is the sum of. `coverage` is what the missing words of the question take from the text."""
        parts = self.found.features(self.hit.n) if self.found else dict.fromkeys(("words", "spelling", "near", "pairs"), 0.0)
        said = {name: part / self.unit for name, part in parts.items()}
        said["coverage"] = self.text - sum(said.values())
        return said | {
            name: getattr(self, name) for name in ("beside", "linked", "semantic", "recency", "thread", "penalty", "captured")
        }


def unasked(memory: Memory, from_user: bool, anchor: str) -> Ranked:
    """Returns a memory that is shown although nobody asked a question. `anchor` is the state of its anchor."""
    hit = Hit(
        n=memory.n,
        id=memory.id,
        title=memory.title,
        thread=memory.thread,
        anchor=memory.anchor,
        created_at=memory.created_at,
        superseded_by=memory.superseded_by,
        pinned=memory.pinned,
        suspicious=memory.suspicious,
    )
    return Ranked(
        hit,
        from_user,
        text=1.0,
        beside=0.0,
        linked=0.0,
        semantic=0.0,
        recency=0.0,
        thread=0.0,
        penalty=0.0,
        score=1.0,
        anchor=anchor,
        superseded=False,
        found=None,
        unit=1.0,
    )


def matches(project: Project, asked: ParsedQuery, limit: int, only: Filter | None = None) -> list[Ranked]:
    """Returns up to `limit` memories of each store that match, ranked, best first."""
    config = project.config
    found: list[Scored] = []
    for db, from_user in ((project.db, project.is_user), (project.user_db, True)):
        if db is not None:
            known = asked.known if only is None and db is project.db else None
            of_store = candidates.find(db, "memory", asked, config, only, known)
            scored = _scored(db, of_store, config, limit, from_user)
            found += scored if asked.least == 1 else _meant(db, asked, of_store, scored)
    return rank(found, asked.terms, config, project.now)


def _meant(db: Connection, asked: ParsedQuery, matches: Matches, scored: Sequence[Scored]) -> list[Scored]:
    """Returns the memories that hold enough of the question's words, or else one of them in their title."""
    enough = candidates.holding(matches, asked, asked.least)
    stems = search.stemmer(db)
    wanted = set(stems(" ".join([*asked.terms, *[word for words in asked.corrected.values() for word in words]])))
    return [one for one in scored if one.hit.n in enough or not wanted.isdisjoint(stems(one.hit.title))]


def _scored(db: Connection, found: Matches, config: Config, limit: int, from_user: bool) -> list[Scored]:
    """Returns the best matches of one store, in no order."""
    scores = found.scores
    cut = sorted(scores.values())[-limit] if len(scores) > limit else 0.0
    hits = search.hits(db, [n for n, score in scores.items() if score >= cut])
    power, whole = config["rank.coverage"], found.idf or 1.0
    words = [(part.idf, part.bm25) for part in found.parts if part.idf]
    texts = {}
    for hit in hits:
        n = hit.n
        covered = sum([idf for idf, held in words if n in held]) / whole
        texts[n] = scores[n] * (covered if covered > LEAST_COVERAGE else LEAST_COVERAGE) ** power
    threads = {hit.n: hit.thread for hit in hits}
    threads_of_all = (config["memory.thread"], config["capture.thread"])
    beside, beside_default = config["rank.beside"], config["rank.beside_default"]
    linked = _linked(db, hits, texts, config["rank.linked"])
    scored = []
    for hit in hits:
        lent = _beside(hit.n, hit.thread, texts, threads) * (beside_default if hit.thread in threads_of_all else beside)
        scored.append((hit, from_user, texts[hit.n], lent, linked.get(hit.id, 0.0), found))
    return many(Scored, scored)


def _beside(n: int, thread: str, texts: dict[int, float], threads: dict[int, str]) -> float:
    """Returns the score of the best match written shortly before or after a memory in its thread, less by the distance."""
    best = 0.0
    for distance in range(1, BESIDE + 1):
        for other in (n - distance, n + distance):
            if threads.get(other) == thread and texts[other] / distance > best:
                best = texts[other] / distance
    return best


def _linked(db: Connection, hits: Sequence[Hit], texts: dict[int, float], share: float) -> dict[str, float]:
    """Returns by id what the best matches lend to the matches that they link to or that link to them."""
    best = {hit.id: texts[hit.n] * share for hit in sorted(hits, key=lambda hit: -texts[hit.n])[:LINKED]}
    lent: dict[str, float] = {}
    for first, second in search.links_among(db, list(best)):
        for one, other in ((first, second), (second, first)):
            lent[one] = max(lent.get(one, 0.0), best.get(other, 0.0))
    return lent


def rank(found: Sequence[Scored], terms: Sequence[str], config: Config, now: int) -> list[Ranked]:
    """Ranks scored memories, best first. Ties go by row: same input, same bytes."""
    if not found:
        return []
    unit = max([one.text for one in found]) or 1.0
    named = named_threads({one.hit.thread for one in found}, terms)
    weight, fall, bonus = config["rank.recency"], config["rank.recency_days"] or 1.0, config["rank.thread"]
    less = config["rank.captured"]
    ranked = []
    for one in found:
        hit = one.hit
        days = 0 if hit.pinned else max(0, now - hit.created_at) // dates.DAY
        recency = weight * _E ** (-days / fall)
        thread = bonus if hit.thread in named else 0.0
        penalty = -PENALTY if hit.suspicious else 0.0
        captured = -less * (1 + ECHO * one.text / unit) if hit.origin in OBSERVED and not hit.pinned else 0.0
        score = (one.text + one.beside + one.linked) / unit + recency + thread + penalty + captured
        shares = (one.text / unit, one.beside / unit, one.linked / unit, 0.0)
        ranked.append(
            (hit, one.from_user, *shares, recency, thread, penalty, score, "reachable", False, one.found, unit, captured)
        )
    ranked.sort(key=lambda one: (-one[9], one[1], one[0].n))
    return many(Ranked, ranked)


def named_threads(threads: set[str], terms: Sequence[str]) -> set[str]:
    """Returns the threads whose every word is in the question."""
    asked = set(terms)
    return {thread for thread in threads if asked.issuperset(thread.lower().replace("-", " ").replace("_", " ").split())}
