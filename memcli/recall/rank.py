"""One score for a memory: how well its words match, how recent it is, whether the question names its thread."""

from __future__ import annotations

from math import exp

from memcli.records import record
from memcli.text import dates
from memcli.text.analysis import terms as words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.config import Config
    from memcli.recall.candidates import Candidate
    from memcli.store.search import Hit

PENALTY = 1.0  # for a text that gives orders to a model: below every other match


@record
class Ranked:
    """A candidate with its score and the features it is the sum of. `text` is bm25 over the best of the question, 0 to 1."""

    hit: Hit
    from_user: bool
    text: float
    recency: float
    thread: float
    penalty: float
    score: float


def rank(found: Sequence[Candidate], terms: Sequence[str], config: Config, now: int) -> list[Ranked]:
    """Returns the candidates, best first; ties in the order of ids, so that the same input gives the same bytes."""
    if not found:
        return []
    best = max(candidate.hit.score for candidate in found) or 1.0
    named = named_threads({candidate.hit.thread for candidate in found}, terms)
    weight, fall, bonus = config["rank.recency"], config["rank.recency_days"] or 1.0, config["rank.thread"]
    ranked = []
    for candidate in found:
        hit = candidate.hit
        text = hit.score / best
        days = 0 if hit.pinned else max(0, now - hit.created_at) // dates.DAY
        recency = weight * exp(-days / fall)
        thread = bonus if hit.thread in named else 0.0
        penalty = PENALTY if hit.suspicious else 0.0
        ranked.append(Ranked(hit, candidate.from_user, text, recency, thread, penalty, text + recency + thread - penalty))
    ranked.sort(key=lambda one: (-one.score, one.from_user, one.hit.id))
    return ranked


def named_threads(threads: set[str], terms: Sequence[str]) -> set[str]:
    """Returns the threads whose every word is in the question."""
    asked = set(terms)
    return {thread for thread in threads if asked.issuperset(words_of(thread) or [thread])}
