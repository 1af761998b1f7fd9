"""What a match gets from those around it: written beside it in its thread, or linked with it."""

from __future__ import annotations

from memcli.store import search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memcli.store import Connection
    from memcli.store.search import Hit

NEIGHBOURS = 2  # memories written before and after another in its thread that lend it weight
LINKED = 8  # of the best matches whose links are followed


def beside(n: int, thread: str, texts: dict[int, float], threads: dict[int, str]) -> float:
    """Returns the score of the best match written shortly before or after a memory in its thread, less by the distance."""
    best = 0.0
    for distance in range(1, NEIGHBOURS + 1):
        for other in (n - distance, n + distance):
            if threads.get(other) == thread and texts[other] / distance > best:
                best = texts[other] / distance
    return best


def linked(db: Connection, hits: Sequence[Hit], texts: dict[int, float], share: float) -> dict[str, float]:
    """Returns by id what the best matches lend to the matches that they link to or that link to them."""
    best = {hit.id: texts[hit.n] * share for hit in sorted(hits, key=lambda hit: -texts[hit.n])[:LINKED]}
    lent: dict[str, float] = {}
    for first, second in search.links_among(db, list(best)):
        for memory_id, other in ((first, second), (second, first)):
            lent[memory_id] = max(lent.get(memory_id, 0.0), best.get(other, 0.0))
    return lent
